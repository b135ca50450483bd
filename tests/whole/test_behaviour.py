# SPDX-License-Identifier: MIT
"""Calls with bad or borderline input, on the core and on the real library, a process for each.

``behaviour.tsv`` has a row for each call: its name, the core's answer, why the other one differs (a
reason of docs/differences.md), and a column for each release of onnxruntime: "=" for the core's
answer, nothing for that of the release before. "..." stands for any text, and " / " is between
answers that depend on the C library.
"""

import re
from pathlib import Path

import pytest
from support.behaviour import (
    CALLS,
    REASONS,
    RELEASES,
    answers,
    build,
    is_as_expected,
    is_newer,
    recorded_for,
    release_of,
    without_words,
)
from support.paths import CHECKOUT
from support.processes import run


@pytest.fixture(scope="session")
def program(c_compiler: list[str]) -> Path:
    return build(c_compiler)


def unexpected(got: dict[str, str], expected: dict[str, str]) -> dict[str, str]:
    """The answers to calls that are not as expected."""
    assert got.keys() == expected.keys()
    return {name: said for name, said in got.items() if not is_as_expected(said, expected[name])}


def test_the_core_answers(program: Path, core_library: Path) -> None:
    expected = {call.name: call.core for call in CALLS}
    assert unexpected(answers(program, core_library), expected) == {}


def test_the_real_library_answers(program: Path, real_library: Path) -> None:
    release = release_of(real_library.name)
    recorded = recorded_for(release) if release else None
    if recorded is None and (release is None or not is_newer(release)):
        pytest.skip(f"the answers are those of onnxruntime {RELEASES}, not of {real_library.name}")
    expected = {call.name: call.answers[recorded or RELEASES[-1]] for call in CALLS}
    others = unexpected(answers(program, real_library), expected)
    if recorded is None and others:
        how = "tools/record_behaviour.py adds its column"
        pytest.xfail(f"onnxruntime {release} is not recorded; {how}. It answers {others}")
    assert {name: said for name, said in others.items() if expected[name] != "?"} == {}
    if others:
        pytest.skip(f"tools/record_behaviour.py has not recorded on {recorded}: {list(others)}")


def test_releases_differ_by_their_minor_version() -> None:
    assert release_of("libonnxruntime.so.1.31.1") == "1.31.1"
    assert release_of("libortcore.so") is None
    assert recorded_for("1.31.7") == "1.31.1"
    assert recorded_for("1.20.0") is None
    assert not is_newer("1.20.0")
    assert is_newer("1.100.0")


def test_the_core_never_crashes_where_another_library_does() -> None:
    assert not [call.name for call in CALLS if call.core.startswith("crash")]
    assert len([call.name for call in CALLS if call.real.startswith("crash")]) > 30


def test_what_crashes_elsewhere_names_the_argument_if_there_is_a_status() -> None:
    pattern = r'INVALID_ARGUMENT: "(\w+): [\w\[\]]+ must not be NULL"(; .*)?'
    crashes = [call for call in CALLS if call.real.startswith("crash") and call.why == "NULL"]
    with_status = [call for call in crashes if '"' in call.core and call.core != '""']
    assert len(with_status) > 15
    for call in with_status:
        named = re.fullmatch(pattern, call.core)
        assert named is not None, call
        assert call.name.startswith(named[1]), call


def test_a_row_gives_a_reason_if_and_only_if_more_than_words_differ() -> None:
    for call in CALLS:
        differs = without_words(call.core) != without_words(call.real)
        assert differs == bool(call.why), call


def test_the_table_has_every_call_of_the_program(program: Path) -> None:
    listed = run(program)
    assert sorted(listed.stdout.splitlines()) == sorted(call.name for call in CALLS)


def test_the_page_has_each_reason_for_a_difference() -> None:
    text = (CHECKOUT / "docs/differences.md").read_text(encoding="utf-8")
    on_page = re.findall(r"^\| ([A-Z].+?) \|", text, re.M)
    assert sorted(on_page) == sorted(REASONS[why] for why in {call.why for call in CALLS} - {""})
