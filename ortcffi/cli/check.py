# SPDX-License-Identifier: MIT
"""``python -m ortcffi check PATH``: what is wrong with a library of custom ops or plug-in EPs.

Each step runs in a process of its own, so that a crash is a finding.
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Sequence

from ortcffi._new_file import write_whole
from ortcffi._public import printable
from ortcffi.cli import check_client
from ortcffi.cli.check_client import examine
from ortcffi.cli.check_ep import add_arguments, check_eps, known_host, subject_of
from ortcffi.cli.check_file import FileFacts, missing_symbols, read_facts
from ortcffi.cli.check_ops import check_ops, register, shortened
from ortcffi.cli.check_report import (
    OK,
    UNTRIED,
    WRONG,
    Report,
    TimeIsUp,
    as_document,
    as_html,
    as_junit,
    describe,
    exit_code,
)
from ortcffi.cli.program import program_name, unwritable
from ortcffi.errors import OrtError
from ortcffi.kernels import child
from ortcffi.table import elf
from ortcffi.table.hosts import HOSTS

ENTRIES = ("RegisterCustomOps", "CreateEpFactories")
EXPORTS = {*ENTRIES, "ReleaseEpFactory"}
STANDARD = "_ZS", "_ZNS", "_ZNKS", "_ZTIS", "_ZTSS", "_ZTVS"  # templates of C++'s own library
TIMEOUT = 600  # for all of it
# What the processes of trials import.
PREPARED = "ortcffi.cli.check_client", "ortcffi.cli.check_probe", "ortcffi.testing.ep_trials"


def check(name: str, given: argparse.Namespace) -> Report:
    """Check a library of custom ops or of execution providers, as the arguments ask for.

    What would take longer than the time limit is not tried, which is a finding.
    """
    subject = subject_of(name, given)
    report = Report(subject.path, until=time.monotonic() + given.timeout)
    try:
        entry = _check_file(report)
        if entry == ENTRIES[0]:
            if given.against and not given.against.endswith(".py"):
                text = "--against: custom ops are compared with functions of a file of Python"
                raise ValueError(text)
            if given.against and not os.path.isfile(given.against):
                raise ValueError(f"--against: there is no file {given.against!r}")
            check_ops(report, given.against, given.rtol, given.atol)
        elif entry == ENTRIES[1]:
            core = register(report, "core", "the core")
            for factory in core.factories:
                title = f"{factory.name} {factory.ep_version}".strip() or "a factory without a name"
                report.notes.append(f"makes a factory of {title} by {factory.vendor or 'nobody'}")
            if not core.problem:
                check_eps(report, core, subject, given)
    except TimeIsUp:
        text = f"not all was tried within {given.timeout:g} seconds, the limit that --timeout sets"
        report.found("time", text)
    return report


# --- the file -------------------------------------------------------------------------------------


def _check_file(report: Report) -> str | None:
    """Look at the file, and return the name of its entry."""
    if report.path.endswith(".py"):
        text = "it is no library: try a provider written in Python with ort.Ep and compare_ep"
        report.found("file", text)
        return None
    try:
        library = elf.read(report.path)
    except (OSError, elf.ElfError) as error:
        report.found("file", str(error))
        return None
    exports = library.exports
    if exports is None:
        report.notes.append("what it exports is not known")
        return ENTRIES[0]
    entry = next((name for name in ENTRIES if name in exports), None)
    if entry is None:
        report.found("file", f"it exports neither {' nor '.join(ENTRIES)}")
    beside = sorted(name for name in exports - EXPORTS if not name.startswith(STANDARD))
    if entry is not None and beside:
        names = shortened(beside)
        report.notes.append(f"exports beside {entry}, and may clash with others': {names}")
    facts = read_facts(report.path)
    if facts is not None:
        _check_facts(report, facts)
    return entry


def _check_facts(report: Report, facts: FileFacts) -> None:
    for family, version in sorted(facts.versions.items()):
        report.notes.append(f"needs {family} {version} or newer")
    if facts.experimental:
        text = "it asks for experimental functions, which only ONNX Runtime 1.28 to 1.30 has: "
        report.found("file", text + ", ".join(facts.experimental))
    if facts.unique:
        report.notes.append(
            f"copies of it share the symbols that are unique in a process: it has {facts.unique}"
        )
    if "OrtGetApiBase" in facts.undefined:
        report.found(
            "file", "it finds OrtGetApiBase by name: use the base that it is given instead"
        )
    if any(name.startswith("libonnxruntime.so") for name in facts.needed):
        report.found("file", "it is linked with a libonnxruntime, and loads that one too")
    for path in facts.paths:
        if path.startswith("/"):
            report.found("file", f"it searches libraries in {path}")
    _check_symbols(report, facts)


def _check_symbols(report: Report, facts: FileFacts) -> None:
    missing = missing_symbols(report.path, facts, report.seconds(check_client.SECONDS))
    if missing is None:
        report.notes.append("whether all of its undefined symbols are defined is not known")
        return
    python = [name for name in missing if name.startswith(("Py", "_Py"))]
    if python:
        report.notes.append(
            f"expects {len(python)} symbols of a Python interpreter, so it loads only in one"
        )
    for name in missing:
        if name not in python and name != "OrtGetApiBase":
            text = f"no library that it needs defines {name}: link it with the one that does"
            report.found("file", text)


# --- the command ----------------------------------------------------------------------------------


def _check_with(host: str, paths: Sequence[str], *, as_json: bool) -> int:
    """Only register the libraries with one host, and report what each calls."""
    clients = [examine(os.fspath(path), host) for path in paths]
    failed = any(client.problem for client in clients)
    if as_json:
        found = [check_client.as_document(client) for client in clients]
        text = json.dumps({"ok": not failed, "registrations": found}, indent=2)
    else:
        text = "\n".join(check_client.describe(client) for client in clients)
    sys.stdout.write(text + "\n")
    return int(failed)


def _timeout(text: str) -> float:
    try:
        return child.seconds_of(float(text))
    except ValueError:
        message = f"expected a number of seconds above 0, not {text!r}"
        raise argparse.ArgumentTypeError(message) from None


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=program_name("check"),
        description="Find what is wrong with libraries of custom ops or execution providers.",
        epilog=f"The exit code is {OK} if nothing is wrong, {WRONG} if something is, and {UNTRIED} "
        "if nothing was found to be wrong, but not every op could be tried.",
    )
    path = "a library of custom ops or execution providers, or the name of an installed one: ggml"
    parser.add_argument("path", nargs="+", help=path)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument(
        "--junit",
        metavar="FILE",
        help="also write JUnit's XML: a test case for each op, or for each rule on each host",
    )
    parser.add_argument(
        "--api",
        metavar="HOST",
        type=known_host,
        help="only register the library with this host, and print which versions it asks for, "
        f"which slots it calls and what it registers: {HOSTS}",
    )
    parser.add_argument(
        "--timeout",
        metavar="SECONDS",
        type=_timeout,
        default=TIMEOUT,
        help=f"how long the check of a library may take (default: {TIMEOUT})",
    )
    add_arguments(parser)
    return parser


def _write_files(options: argparse.Namespace, reports: list[Report]) -> None:
    for file_name, written in ((options.junit, as_junit), (options.html, as_html)):
        if file_name is not None:
            write_whole(file_name, written(reports))


def _printed(report: Report) -> str:
    """What is printed for people: cases for pytest come before the report, with their lines."""
    return "\n\n".join([*report.cases, describe(report)])


def main(arguments: Sequence[str]) -> int:
    """Run the command; the exit code is 0 only if all was tried and nothing is wrong."""
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.api is not None and (options.junit is not None or options.html is not None):
        parser.error("--junit and --html are not for --api, which looks for no findings")
    for option in ("junit", "html"):
        path = getattr(options, option)
        if path is not None and (reason := unwritable(path)):
            parser.error(printable(f"--{option}: {reason}"))
    try:
        if options.api is not None:
            return _check_with(options.api, options.path, as_json=options.json)
        with child.prepared(*PREPARED):
            reports = [check(os.fspath(path), options) for path in options.path]
    except (OrtError, LookupError, ValueError) as error:
        parser.error(printable(str(error)))
    try:
        _write_files(options, reports)
    except OSError as error:
        parser.error(printable(str(error)))
    code = max(map(exit_code, reports), key=[OK, UNTRIED, WRONG].index)
    if options.json:
        found = list(map(as_document, reports))
        text = json.dumps({"ok": code == OK, "libraries": found}, indent=2)
    else:
        text = "\n".join(map(_printed, reports))
    sys.stdout.write(text + "\n")
    return code
