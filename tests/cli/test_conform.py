# SPDX-License-Identifier: MIT
"""The conformance suite: on the core, on onnxruntime, and what the command says of them."""

import json
import re
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from subprocess import CompletedProcess
from xml.etree import ElementTree as ET

import pytest
from support import conform_rows
from support.processes import run as run_process

from ortcffi.cli.check_report import Report, counts, read_waivers
from ortcffi.cli.conform import CORE, CORE_WAIVERS, conform, path_of
from ortcffi.conformance.rows import ROWS, Bench, first_version, fits, groups, row, try_suite
from ortcffi.testing.rules import BROKEN, KEPT, UNTRIED, NotTried, Result, Rule, Subject

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("conformance")]


@pytest.fixture(scope="module")
def of_the_core() -> Report:
    return conform(CORE)


OWN = "guideline 5: out-parameters are written on success only"


@pytest.fixture(scope="module")
def broken_by_onnxruntime(real_library: Path) -> set[str]:
    """Without bad calls, a thousand of which end a process of onnxruntime."""
    rows = [each for each in ROWS if each.must or each.source.startswith(OWN)]
    results = try_suite(Subject(str(real_library)), rows)
    return {each.rule for each in results if each.outcome == BROKEN}


# --- the rows -------------------------------------------------------------------------------------


def test_the_core_keeps_each_row_that_is_not_waived(of_the_core: Report) -> None:
    broken = {each.rule for each in of_the_core.results if each.outcome == BROKEN}
    assert broken == read_waivers([str(CORE_WAIVERS)], ROWS).keys()
    assert {each.outcome for each in of_the_core.results} == {KEPT, BROKEN}


def test_onnxruntime_keeps_each_row_that_must_hold(broken_by_onnxruntime: set[str]) -> None:
    assert [each.name for each in ROWS if each.must and each.name in broken_by_onnxruntime] == []


def test_a_row_may_be_broken_only_because_a_library_breaks_it(
    broken_by_onnxruntime: set[str],
) -> None:
    may = {each.name for each in ROWS if each.source.startswith(OWN)}
    assert len(may & broken_by_onnxruntime) > 10


def test_there_are_rows_of_each_group_and_each_has_a_name_of_its_own() -> None:
    assert len(ROWS) > 2000
    assert len({each.name for each in ROWS}) == len(ROWS)
    assert min(sum(each.group == group for each in ROWS) for group in groups()) > 20
    assert all(each.source for each in ROWS)


def test_the_page_has_each_reason_why_the_core_differs(request: pytest.FixtureRequest) -> None:
    text = (request.config.rootpath / "docs/differences.md").read_text(encoding="utf-8")
    on_page = set(re.findall(r"^\| ([A-Z].+?) \|", text, re.M))
    waived = set(read_waivers([str(CORE_WAIVERS)], ROWS).values())
    assert waived <= on_page


# --- how they are tried ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def of_own_rows() -> dict[str, Result]:
    rows = conform_rows.ROWS
    return {each.rule: each for each in try_suite(Subject(path_of(CORE)), rows)}


@pytest.mark.parametrize(
    ("each", "text"),
    [
        (conform_rows.CRASHES, "SIGSEGV"),
        (conform_rows.ENDS, "exit code 3"),
        (conform_rows.TELLS, "exit code 4; it printed: it has ended the process"),
        (conform_rows.WAITS, "does not return within 1 seconds"),
    ],
    ids=["crashes", "ends its process", "prints that it ends", "waits"],
)
def test_a_row_that_does_not_return_fails_alone(
    of_own_rows: dict[str, Result], each: Rule, text: str
) -> None:
    assert of_own_rows[each.name].outcome == BROKEN
    assert text in of_own_rows[each.name].text
    assert of_own_rows[conform_rows.FIRST.name].outcome == KEPT
    assert of_own_rows[conform_rows.LAST.name].outcome == KEPT


def test_a_row_that_its_module_does_not_list_is_an_error_that_names_it() -> None:
    rows = [conform_rows.LAST, conform_rows.UNLISTED]
    with pytest.raises(ValueError, match=r"conform_rows has no row '2 \+ 3'"):
        list(try_suite(Subject(path_of(CORE)), rows))


def test_a_failing_call_ends_its_row_with_the_slot_and_the_code(
    of_own_rows: dict[str, Result],
) -> None:
    assert of_own_rows[conform_rows.STOPS.name].outcome == KEPT


def test_a_library_is_not_asked_for_what_it_is_too_old_for() -> None:
    bench = Bench(Subject(path_of(CORE)))
    bench.table.version = 11
    assert first_version("CreateKeyValuePairs()") > 11
    with pytest.raises(NotTried, match="API version"):
        bench.answer("CreateKeyValuePairs()")
    with pytest.raises(NotTried, match="from API version 24 on"):
        row("g", "1", "1", "from 24").check(bench)


def test_the_alarm_of_a_row_ends_with_the_row() -> None:
    bench = Bench(Subject(path_of(CORE)))
    assert bench.answer("1 + 1") == "2"
    assert signal.alarm(0) == 0


@pytest.mark.parametrize("row", [conform_rows.GETS_NULL, conform_rows.FORKS])
def test_a_null_that_a_row_asks_for_reaches_the_slot_also_in_a_fork(
    of_own_rows: dict[str, Result], row: Rule
) -> None:
    assert of_own_rows[row.name].outcome == KEPT


@pytest.mark.parametrize(
    ("answer", "holds", "is_fit"),
    [("a", "a", True), ("ab", "a", False), ("ab", "a...", True), ("b", "a / b", True)],
)
def test_answers_are_compared_as_the_notation_says(answer: str, holds: str, is_fit: bool) -> None:
    assert fits(answer, holds) == is_fit


# --- the command ----------------------------------------------------------------------------------


Run = Callable[..., str]


@pytest.fixture
def run(run_here: Callable[..., CompletedProcess[str]]) -> Run:
    """``run(*arguments, code=0)`` is what the command prints, or its error."""

    def run(*arguments: str, code: int = 0) -> str:
        done = run_here("conform", *arguments)
        assert done.returncode == code, done
        return done.stderr if code == 2 else done.stdout

    return run


def test_the_command_prints_a_table_by_group_and_writes_files(tmp_path: Path) -> None:
    paths = {kind: tmp_path / kind for kind in ("json", "junit", "statement")}
    options = [word for kind, path in paths.items() for word in (f"--{kind}", str(path))]
    command = sys.executable, "-m", "ortcffi", "conform", CORE, "--group", "statuses", *options
    said = run_process(*command).stdout
    line = next(line for line in said.splitlines() if line.startswith("| statuses"))
    numbers = [int(cell) for cell in line.strip("|").split("|")[1:]]
    assert numbers[0] > 70
    assert numbers[1] == 0
    rules = json.loads(paths["json"].read_text())["rules"]
    assert len(rules) == sum(numbers)
    assert len(ET.fromstring(paths["junit"].read_text())[0].findall("testcase")) == sum(numbers)
    assert line in paths["statement"].read_text()


def test_a_row_that_must_hold_and_does_not_is_an_error_unless_it_is_waived(
    run: Run, tmp_path: Path
) -> None:
    waivers = read_waivers([str(CORE_WAIVERS)], ROWS)
    path, options = path_of(CORE), ["--group", "values", "--group", "sequences and maps"]
    said = run(path, *options, code=1)
    names = [name for name in waivers if f": {name}: answers" in said]
    assert names
    file = tmp_path / "waivers"
    file.write_text("".join(f"{name}\tas the page says\n" for name in names))
    assert "as the page says" in run(path, *options, "--waive", str(file))


WRONG_ANSWER = """
#include <dlfcn.h>
#include "onnxruntime_c_api.h"

static const OrtApi* real;
static OrtApi table;
static OrtApiBase base;

static OrtErrorCode ORT_API_CALL code_of(const OrtStatus* status) NO_EXCEPTION {
    OrtErrorCode code = real->GetErrorCode(status);
    return code == ORT_NO_MODEL ? ORT_FAIL : code;
}

static const OrtApi* ORT_API_CALL api_of(uint32_t version) NO_EXCEPTION {
    (void)version;
    return &table;
}

const OrtApiBase* OrtGetApiBase(void) NO_EXCEPTION {
    void* core = dlopen(CORE, RTLD_NOW);
    const OrtApiBase* of_core = ((const OrtApiBase* (*)(void))dlsym(core, "OrtGetApiBase"))();
    real = of_core->GetApi(ORT_API_VERSION);
    table = *real;
    table.GetErrorCode = code_of;
    base = *of_core;
    base.GetApi = api_of;
    return &base;
}
"""


def test_each_report_has_a_wrong_answer_until_it_is_waived(
    run: Run, compile_c: Callable[..., Path], tmp_path: Path
) -> None:
    flags = "-shared", "-fPIC", f'-DCORE="{path_of(CORE)}"'
    junit, statement = tmp_path / "junit", tmp_path / "statement"
    given = [str(compile_c(WRONG_ANSWER, *flags)), "--group", "statuses"]
    given += ["--junit", str(junit), "--statement", str(statement), "--waive", str(CORE_WAIVERS)]
    wrong = 'GetErrorCode(CreateStatus(NO_MODEL, "m")) == NO_MODEL'
    line = f"failed (statuses): {wrong}: answers False, not True"
    assert line in run(*given, code=1)
    assert f"- {line}\n" in statement.read_text()
    cases = ET.fromstring(junit.read_text()).iter("testcase")
    failed = {case.attrib["name"] for case in cases if case.find("failure") is not None}
    assert f"{wrong} on statuses" in failed
    waivers = tmp_path / "waivers"
    waivers.write_text("".join(f"{each.removesuffix(' on statuses')}\tknown\n" for each in failed))
    assert f"waived{line.removeprefix('failed')} (known)" in run(*given, "--waive", str(waivers))
    assert ET.fromstring(junit.read_text())[0].get("failures") == "0"


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("int nothing;", "exports no OrtGetApiBase"),
        ("void* OrtGetApiBase(void) { return 0; }", "OrtGetApiBase returns NULL"),
        ("#include <stdlib.h>\nvoid OrtGetApiBase(void) { abort(); }", "it crashes (SIGABRT)"),
    ],
)
def test_a_library_without_the_api_is_refused(
    run: Run, compile_c: Callable[..., Path], source: str, reason: str
) -> None:
    said = run(str(compile_c(source, "-shared", "-fPIC")), code=2)
    assert f"cannot be asked: {reason}" in said
    assert "Traceback" not in said


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["/no/such/library.so"], "is no file"),
        (["onnxruntime"], "is no file; expected that of a library, or 'core'"),
        ([str(Path(__file__).parent)], "is no file"),
        ([__file__], "cannot be asked: "),
        ([CORE, "--group", "no such group"], "invalid choice"),
        ([CORE, "--waive", "no such row=x"], "there is no row"),
        ([CORE, "--waive", "no such file"], "expected a file or ROW=REASON"),
        ([CORE, "--junit", "/no/such/folder/file"], "its folder does not exist"),
        ([CORE, "--timeout", "0"], "above 0"),
    ],
)
def test_a_wrong_argument_is_named(run: Run, arguments: Sequence[str], reason: str) -> None:
    assert reason in run(*arguments, code=2)


def test_a_reason_may_have_an_equals_sign() -> None:
    name = next(each.name for each in ROWS if "=" in each.name)
    assert read_waivers([f"{name}=since x = 3"], ROWS) == {name: "since x = 3"}


def test_a_line_of_a_file_of_waivers_without_a_tab_is_named(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "waivers"
    path.write_text(f"# a comment\n{ROWS[0].name}\tknown\nno tab\n")
    assert f"{path}:3: expected a row, a tab" in run(CORE, "--waive", str(path), code=2)


def test_rows_for_which_there_is_no_time_are_not_taken_for_kept() -> None:
    report = conform(CORE, only=["statuses"], timeout=0.001)
    assert report.untried
    assert {each.outcome for each in report.results} == {UNTRIED}
    assert counts(report)["statuses"]["passed"] == 0


def test_a_command_whose_time_is_up_says_so(run: Run) -> None:
    printed = run(CORE, "--group", "statuses", "--timeout", "0.001", code=3)
    assert "NOT TRIED: rows: the time of the whole check is up" in printed
