# SPDX-License-Identifier: MIT
"""The conformance suite: on the core, on onnxruntime, and what the command says of them."""

import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from support.processes import run as run_process

from ortcffi.cli.check_report import Report
from ortcffi.cli.conform import CORE, CORE_WAIVERS, conform, counts, path_of, read_waivers
from ortcffi.conformance.rows import ROWS, Bench, first_version, fits, groups, row
from ortcffi.testing.rules import BROKEN, KEPT, UNTRIED, NotTried, Subject

pytestmark = pytest.mark.xdist_group("conformance")


@pytest.fixture(scope="module")
def of_the_core() -> Report:
    return conform(CORE)


@pytest.fixture(scope="module")
def of_onnxruntime(real_library: Path) -> Report:
    return conform(str(real_library))


def broken(report: Report) -> dict[str, str]:
    return {each.rule: each.text for each in report.results if each.outcome == BROKEN}


# --- the rows -------------------------------------------------------------------------------------


def test_the_core_keeps_each_row_that_is_not_waived(of_the_core: Report) -> None:
    assert broken(of_the_core).keys() == read_waivers([str(CORE_WAIVERS)]).keys()
    assert {each.outcome for each in of_the_core.results} == {KEPT, BROKEN}


def test_onnxruntime_keeps_each_row_that_must_hold(of_onnxruntime: Report) -> None:
    assert [each for each in of_onnxruntime.findings if each.kind == "must"] == []


def test_a_row_may_be_broken_only_because_a_library_breaks_it(of_onnxruntime: Report) -> None:
    may = {
        each.name
        for each in ROWS
        if each.source == "guideline 5: out-parameters are written on success only"
    }
    assert len(may & broken(of_onnxruntime).keys()) > 10


def test_there_are_rows_of_each_group_and_each_has_a_name_of_its_own() -> None:
    assert len(ROWS) > 2000
    assert len({each.name for each in ROWS}) == len(ROWS)
    assert min(sum(each.group == group for each in ROWS) for group in groups()) > 20
    assert all(each.source for each in ROWS)


def test_the_page_has_each_reason_why_the_core_differs(request: pytest.FixtureRequest) -> None:
    text = (request.config.rootpath / "docs/differences.md").read_text(encoding="utf-8")
    on_page = set(re.findall(r"^\| ([A-Z].+?) \|", text, re.M))
    waived = set(read_waivers([str(CORE_WAIVERS)]).values())
    assert waived <= on_page


# --- how they are tried ---------------------------------------------------------------------------


def test_a_failing_call_ends_its_row_with_the_slot_and_the_code() -> None:
    statements = 'CreateMemoryInfo("no such device", Device, 0, Default); 1'
    answer = Bench(Subject(path_of(CORE))).answer(statements)
    assert answer == "CreateMemoryInfo: INVALID_ARGUMENT"


def test_a_library_is_not_asked_for_what_it_is_too_old_for() -> None:
    bench = Bench(Subject(path_of(CORE)))
    bench.table.version = 11
    assert first_version("CreateKeyValuePairs()") > 11
    with pytest.raises(NotTried, match="API version"):
        bench.answer("CreateKeyValuePairs()")
    with pytest.raises(NotTried, match="from API version 24 on"):
        row("g", "1", "1", "from 24").check(bench)


def test_a_null_that_a_row_asks_for_reaches_the_slot() -> None:
    call = 'without("MemoryInfoGetName", 0); MemoryInfoGetName(cpu())'
    assert Bench(Subject(path_of(CORE))).answer(call) == "INVALID_ARGUMENT"


@pytest.mark.parametrize(
    ("answer", "holds", "is_fit"),
    [("a", "a", True), ("ab", "a", False), ("ab", "a...", True), ("b", "a / b", True)],
)
def test_answers_are_compared_as_the_notation_says(answer: str, holds: str, is_fit: bool) -> None:
    assert fits(answer, holds) == is_fit


# --- the command ----------------------------------------------------------------------------------


def run(*arguments: str, code: int = 0) -> str:
    done = run_process(sys.executable, "-m", "ortcffi", "conform", *arguments, code=code)
    return str(done.stderr if code == 2 else done.stdout)


def test_the_command_prints_a_table_by_group_and_writes_files(tmp_path: Path) -> None:
    paths = {kind: tmp_path / kind for kind in ("json", "junit", "statement")}
    options = [word for kind, path in paths.items() for word in (f"--{kind}", str(path))]
    said = run(CORE, "--group", "statuses", *options)
    line = next(line for line in said.splitlines() if line.startswith("| statuses"))
    numbers = [int(cell) for cell in line.strip("|").split("|")[1:]]
    assert numbers[0] > 70
    assert numbers[1:] == [0, 0, 0, 0]
    rules = json.loads(paths["json"].read_text())["rules"]
    assert len(rules) == numbers[0]
    assert len(ET.fromstring(paths["junit"].read_text())[0].findall("testcase")) == numbers[0]
    assert line in paths["statement"].read_text()


def test_a_row_that_must_hold_and_does_not_is_an_error_unless_it_is_waived(tmp_path: Path) -> None:
    waivers = read_waivers([str(CORE_WAIVERS)])
    path, options = path_of(CORE), ["--group", "values", "--group", "sequences and maps"]
    said = run(path, *options, code=1)
    names = [name for name in waivers if f": {name}: answers" in said]
    assert names
    file = tmp_path / "waivers"
    file.write_text("".join(f"{name}\tas the page says\n" for name in names))
    assert "as the page says" in run(path, *options, "--waive", str(file))


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["/no/such/library.so"], "cannot be asked"),
        ([CORE, "--group", "no such group"], "invalid choice"),
        ([CORE, "--waive", "no such row=x"], "there is no row"),
        ([CORE, "--junit", "/no/such/folder/file"], "its folder does not exist"),
        ([CORE, "--timeout", "0"], "above 0"),
    ],
)
def test_a_wrong_argument_is_named(arguments: Sequence[str], reason: str) -> None:
    assert reason in run(*arguments, code=2)


def test_rows_for_which_there_is_no_time_are_not_taken_for_kept() -> None:
    report = conform(CORE, only=["statuses"], timeout=0.001)
    assert report.untried
    assert {each.outcome for each in report.results} == {UNTRIED}
    assert counts(report)["statuses"]["passed"] == 0
