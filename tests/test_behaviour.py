# SPDX-License-Identifier: MIT
"""Calls with bad or borderline input, on the core and on the real library, a process for each.

``behaviour.tsv`` has a row for each call: its name, the core's answer, the real library's ("=" for
the same), and under which heading of docs/differences.md the two differ. "..." stands for any text.
"""

import functools
import os
import re
import signal
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

from ortcffi._native import decode, lib

CHECKOUT = Path(__file__).resolve().parents[1]
SOURCES = sorted((CHECKOUT / "tests/c").glob("behaviour*.c"))
MEASURED = "1.31."
HEADINGS = {
    "version": "Versions",
    "characters": "Characters",
    "NULL": "NULL arguments",
    "size": "Sizes that cannot be had",
    "client": "A client's allocator",
    "figures": "Figures and Shrink",
    "release": "Releasing what is shared",
    "engine": "What needs an engine",
    "late": "What is looked at late",
    "leaves": "Libraries that fail",
    "logger": "Logs without an environment",
    "all": "All or nothing",
    "shape": "Fewer dimensions than before",
    "element": "NULL in an array",
    "copies": "Copies",
    "sparse": "Sparse tensors",
    "arena": "Arenas",
    "depth": "Types within types",
}


class Call(NamedTuple):
    name: str
    core: str
    real: str
    why: str


def read_calls() -> list[Call]:
    lines = (CHECKOUT / "tests/behaviour.tsv").read_text(encoding="utf-8").splitlines()
    calls = [Call(*line.split("\t")) for line in lines[1:]]
    return [call._replace(real=call.core) if call.real == "=" else call for call in calls]


CALLS = read_calls()
each_call = pytest.mark.parametrize("call", CALLS, ids=[call.name for call in CALLS])


def build(folder: Path, compiler: list[str]) -> Path:
    """The program that makes one call and prints its answer, and beside it what it loads."""
    flags = ["-std=gnu11", "-Wall", "-Wextra", "-Werror", f"-I{CHECKOUT / 'core/include'}"]
    program, lender = folder / "behaviour", folder / "lends_logger.so"
    for arguments in (
        # Exported symbols: the program is a library of custom ops as well.
        [*map(str, SOURCES), "-o", str(program), "-rdynamic", "-ldl", "-pthread"],
        [str(CHECKOUT / "tests/c/lends_logger.c"), "-o", str(lender), "-shared", "-fPIC"],
    ):
        command = [*compiler, *flags, *arguments]
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    return program


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory, c_compiler: list[str]) -> Path:
    return build(tmp_path_factory.mktemp("behaviour"), c_compiler)


def run(program: Path, library: Path, what: str) -> subprocess.CompletedProcess[bytes]:
    """Makes one call, or with "each" all of them, each in a process of its own."""
    environment = {**os.environ, "LENDS_LOGGER": str(program.with_name("lends_logger.so"))}
    command = [program, library, what]
    return subprocess.run(command, check=False, capture_output=True, timeout=600, env=environment)


@functools.cache
def answers(program: Path, library: Path) -> dict[str, str]:
    """The answer to each call."""
    done = run(program, library, "each")
    assert done.returncode == 0, done.stderr.decode()
    text = done.stdout.decode(errors="backslashreplace")
    told = (record.split("\x1f") for record in text.split("\x1e")[:-1])
    return {name: said if (code := int(end)) == 0 else ended(code) for name, said, end in told}


def ended(code: int) -> str:
    return f"crash {signal.Signals(-code).name}" if code < 0 else f"ended with {code}"


def answer(program: Path, library: Path, name: str) -> str:
    return answers(program, library)[name]


def is_as_expected(answer: str, expected: str) -> bool:
    return re.fullmatch(re.escape(expected).replace(r"\.\.\.", ".*"), answer, re.S) is not None


def without_words(answer: str) -> str:
    """The codes of an answer's statuses without their messages, which are each library's own."""
    return re.sub(r'\b([A-Z_]+): ".*?"(?=; |$)', r"\1", answer)


@each_call
def test_the_core_answers(call: Call, program: Path, core_library: Path) -> None:
    got = answer(program, core_library, call.name)
    assert is_as_expected(got, call.core), got


@each_call
def test_the_real_library_answers(call: Call, program: Path, real_library: Path) -> None:
    if MEASURED not in real_library.name:
        pytest.skip(f"the answers are those of onnxruntime {MEASURED}*, not of {real_library.name}")
    got = answer(program, real_library, call.name)
    assert is_as_expected(got, call.real), got


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
    listed = subprocess.run([program], check=True, capture_output=True, text=True)
    assert sorted(listed.stdout.splitlines()) == sorted(call.name for call in CALLS)


def test_the_documentation_has_every_difference_and_no_other() -> None:
    text = (CHECKOUT / "docs/differences.md").read_text(encoding="utf-8")
    row = re.compile(r"^\| `(.+)` \| `(.+)` \| (?:`|\*\*)(.+?)(?:`|\*\*) \|$", re.M)
    sections = [section.split("\n", 1) for section in text.split("\n## ")[1:]]
    told = [(heading, *cells) for heading, body in sections for cells in row.findall(body)]
    differing = [call for call in CALLS if call.why]
    assert sorted(told) == sorted(
        (HEADINGS[call.why], call.name, call.core, call.real) for call in differing
    )


def test_every_slot_of_the_core_is_called() -> None:
    rows = (lib.ortcffi_slot_row(i) for i in range(lib.ORTCFFI_SLOTS))
    ours = {decode(row.name) for row in rows if decode(row.who) == "HOST"}
    called = {re.match(r"\w*", call.name)[0] for call in CALLS}  # type: ignore[index]
    assert not ours - called
