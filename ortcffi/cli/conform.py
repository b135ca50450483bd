# SPDX-License-Identifier: MIT
"""``ortcffi conform LIBRARY``: whether a library with the C API answers as all of them do.

The rows are tried in processes of their own, so that a crash fails one row.
"""

import argparse
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from ortcffi._new_file import write_whole
from ortcffi._public import printable
from ortcffi.cli.check_report import (
    NOT_ALL,
    OK,
    WRONG,
    Report,
    as_document,
    as_junit,
    column_of,
    counts,
    exit_code,
    made_with,
    not_tried,
    read_waivers,
    table,
)
from ortcffi.cli.program import program_name, unwritable
from ortcffi.conformance.calls import Table
from ortcffi.conformance.rows import FOLDER, ROWS, groups, try_suite
from ortcffi.kernels import child
from ortcffi.testing.rules import TIME_IS_UP, Subject

TIMEOUT = 600
CORE = "core"
CORE_WAIVERS = FOLDER.parent / "waived_by_core.tsv"  # docs/differences.md has the reasons


def path_of(library: str) -> str:
    """Return the file of a library; ``core`` stands for the extension module."""
    if library != CORE:
        if not os.path.isfile(library):
            raise ValueError(f"{library!r} is no file; expected that of a library, or {CORE!r}")
        return os.path.abspath(library)
    from ortcffi import _ort

    return os.path.abspath(_ort.__file__)


def conform(
    library: str,
    *,
    only: Sequence[str] = (),
    waived: dict[str, str] | None = None,
    timeout: float = TIMEOUT,
) -> Report:
    """Try the rows on a library, of some groups or of all; the host of a result is its group."""
    path = path_of(library)
    rules = [each for each in ROWS if not only or each.group in only]
    own = read_waivers([str(CORE_WAIVERS)], ROWS) if library == CORE else {}
    report = Report(path, rules=rules, waived={**own, **(waived or {})})
    name = "the core" if library == CORE else os.path.basename(path)
    report.title = f"{name}, release {_release(path)}"
    group_of = {each.name: each.group for each in rules}
    until = time.monotonic() + timeout
    for result in try_suite(Subject(path, until=until), rules):
        report.results.append(result._replace(host=group_of[result.rule]))
        if result.text == TIME_IS_UP:
            report.untried["rows"] = TIME_IS_UP
    return report


def _told_release(path: str) -> None:
    try:
        child.tell(release=Table(path).release, done=True)
    except Exception as error:  # noqa: BLE001  # whatever it is, the library cannot be asked
        child.tell(reason=str(error), done=True)


def _release(path: str) -> str:
    """Ask a library for its release, in another process."""
    told, problem, printed = child.ask(__name__, "_told_release", path, seconds=60)
    if reason := problem + child.printed(printed) if problem else told[-1].get("reason"):
        raise ValueError(f"{path} cannot be asked: {reason.removeprefix(f'{path}: ')}")
    return str(told[-1]["release"])


def _table(report: Report) -> list[str]:
    counted = counts(report)
    return table({**counted, "all": sum(counted.values(), Counter())}, "group")


def failures(report: Report, *kinds: str) -> list[str]:
    """Return a line for each row that failed, with what was answered and what must hold."""
    lines = []
    for each in report.results:
        if (kind := column_of(each, report)) in kinds:
            why = f" ({report.waived[each.rule]})" if kind == "waived" else ""
            lines.append(f"{kind} ({each.host}): {each.rule}: {each.text}{why}")
    return lines


def as_page(report: Report) -> str:
    """Return the statement: library, versions, machine, counts, failures and waivers."""
    lines = [f"# {report.title}\n", made_with("ortcffi"), *_table(report), ""]
    lines += [f"- {line}" for line in failures(report, "failed", "waived")]
    return "\n".join(lines).rstrip() + "\n"


FILES: dict[str, Callable[[Report], str]] = {
    "json": lambda report: json.dumps(as_document(report), indent=1) + "\n",
    "junit": lambda report: as_junit([report]),
    "statement": as_page,
}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=program_name("conform"),
        description="Ask a library with ONNX Runtime's C API, of API version 11 or newer, what "
        "all of them answer; a row that it is too old for is not tried.",
        epilog=f"The exit code is {OK} if each row that must hold does or is waived, {WRONG} "
        "if one does not, 2 if an argument is wrong or the library cannot be asked, and "
        f"{NOT_ALL} if the time was up before all were tried.",
    )
    add: Any = parser.add_argument
    add("library", help=f"a file that exports OrtGetApiBase, or {CORE!r} for the core")
    text = f"only these rows; can be repeated: {', '.join(groups())}"
    add("--group", action="append", default=[], choices=groups(), metavar="GROUP", help=text)
    add("--may", action="store_true", help="also print the rows that may be answered otherwise")
    add("--json", metavar="FILE", help="also write what came of each row")
    add("--junit", metavar="FILE", help="also write JUnit's XML: a test case for each row")
    text = "also write a page of Markdown: versions, machine, counts, failures, waivers"
    add("--statement", metavar="FILE", help=text)
    text = "rows that may fail, and why: ROW=REASON, or a file of such rows; can be repeated"
    add("--waive", metavar="FILE", action="append", default=[], help=text)
    text = f"how many seconds it may take (default: {TIMEOUT})"
    add("--timeout", metavar="SECONDS", type=float, default=TIMEOUT, help=text)
    return parser


def main(arguments: Sequence[str]) -> int:
    """Run the command."""
    parser = _parser()
    given = parser.parse_args(arguments)
    for name in FILES:
        if (path := getattr(given, name)) is not None and (reason := unwritable(path)):
            parser.error(printable(f"--{name}: {reason}"))
    try:
        limits = {"timeout": child.seconds_of(given.timeout)}
        waived = read_waivers(given.waive, ROWS)
        report = conform(given.library, only=given.group, waived=waived, **limits)
    except (ValueError, OSError) as error:
        parser.error(printable(str(error)))
    kinds = ("failed", "waived", "may") if given.may else ("failed", "waived")
    lines = [report.title, *_table(report), *failures(report, *kinds), *not_tried(report)]
    sys.stdout.write("".join(f"{printable(line)}\n" for line in lines))
    for name, written in FILES.items():
        if (path := getattr(given, name)) is not None:
            write_whole(path, written(report))
    return exit_code(report)
