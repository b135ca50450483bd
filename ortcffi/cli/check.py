# SPDX-License-Identifier: MIT
"""``python -m ortcffi check PATH``: what is wrong with a library of custom ops or plug-in EPs.

Each step runs in a process of its own, so that a crash is a finding.
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ortcffi._convert import absolute
from ortcffi._public import printable
from ortcffi.cli import check_client
from ortcffi.cli.check_client import Client, examine, older_hosts
from ortcffi.cli.check_ep import (
    EpRequest,
    add_arguments,
    check_eps,
    for_installed,
    request_of,
)
from ortcffi.cli.check_file import FileFacts, read_facts
from ortcffi.cli.check_html import as_html
from ortcffi.cli.check_report import (
    Finding,
    Report,
    TimeIsUp,
    as_document,
    as_junit,
    describe,
)
from ortcffi.cli.check_symbols import missing_symbols
from ortcffi.cli.program import program_name, unwritable
from ortcffi.errors import OrtError
from ortcffi.kernels import child
from ortcffi.platform.new_file import write_whole
from ortcffi.table import elf
from ortcffi.table.hosts import HOSTS, emulate, release_of
from ortcffi.table.load import installed_libraries
from ortcffi.table.trace import Needs

ENTRIES = ("RegisterCustomOps", "CreateEpFactories")
EXPORTS = {*ENTRIES, "ReleaseEpFactory"}
SECONDS = 60  # for the ops of a library, in each process
TIMEOUT = 600  # for all of it
MOST_CRASHES = 20
MOST_NAMES = 5


def check(path: str, request: EpRequest | None = None, timeout: float = TIMEOUT) -> Report:
    """Check a library of custom ops or of execution providers.

    What would take longer than `timeout` seconds is not tried, which is a finding.
    """
    path = absolute("path", path)
    report = Report(path, [], [], [], [], time.monotonic() + timeout)
    try:
        entry = _check_file(report)
        if entry == ENTRIES[0]:
            _check_library(report)
        elif entry == ENTRIES[1]:
            _check_factories(report, request or EpRequest())
    except TimeIsUp:
        text = f"not all was tried within {timeout:g} seconds, the limit that --timeout sets"
        report.findings.append(Finding("time", text))
    return report


# --- the file -------------------------------------------------------------------------------------


def _check_file(report: Report) -> str | None:
    """Look at the file, and return the name of its entry."""
    if report.path.endswith(".py"):
        text = "it is no library: try a provider written in Python with ort.Ep and compare_ep"
        report.findings.append(Finding("file", text))
        return None
    try:
        library = elf.read(report.path)
    except (OSError, elf.ElfError) as error:
        report.findings.append(Finding("file", str(error)))
        return None
    exports = library.exports
    if exports is None:
        report.notes.append("what it exports is not known")
        return ENTRIES[0]
    entry = next((name for name in ENTRIES if name in exports), None)
    if entry is None:
        report.findings.append(Finding("file", f"it exports neither {' nor '.join(ENTRIES)}"))
    beside = len(exports - EXPORTS)
    if entry is not None and beside:
        report.notes.append(f"exports {beside} names beside {entry}: they may clash with others'")
    facts = read_facts(report.path)
    if facts is not None:
        _check_facts(report, facts)
    return entry


def _check_facts(report: Report, facts: FileFacts) -> None:
    for family, version in sorted(facts.versions.items()):
        report.notes.append(f"needs {family} {version} or newer")
    if facts.experimental:
        text = "it asks for experimental functions, which only ONNX Runtime 1.28 to 1.30 has: "
        report.findings.append(Finding("file", text + ", ".join(facts.experimental)))
    if facts.unique:
        report.notes.append(
            f"copies of it share the symbols that are unique in a process: it has {facts.unique}"
        )
    if "OrtGetApiBase" in facts.undefined:
        report.findings.append(
            Finding("file", "it finds OrtGetApiBase by name: use the base that it is given instead")
        )
    if any(name.startswith("libonnxruntime.so") for name in facts.needed):
        report.findings.append(
            Finding("file", "it is linked with a libonnxruntime, and loads that one too")
        )
    for path in facts.paths:
        if path.startswith("/"):
            report.findings.append(Finding("file", f"it searches libraries in {path}"))
    _check_symbols(report, facts)


def _check_symbols(report: Report, facts: FileFacts) -> None:
    missing = missing_symbols(report.path, facts, report.seconds(SECONDS))
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
            message = f"no library that it needs defines {name}: link it with the one that does"
            report.findings.append(Finding("file", message))


# --- registration ---------------------------------------------------------------------------------


def _check_library(report: Report) -> None:
    """Register it with the core, make and run kernels there; then the same with other hosts."""
    core = _register(report, "core", "the core")
    if core.problem:
        return
    report.notes.append(f"registers {_count_ops(core)} on the core")
    _check_ops(report)
    trials = _compute(report, core.host_version)
    _check_asked(report, core, trials)
    structs = [op.version for op in core.ops]  # kernels are given the table of that version
    needs = max([core.needs.version, *structs, *(trial.needs for trial in trials.values())])
    if core.asked and not core.adapts and min(core.asked) > needs:
        asked, rest = min(core.asked), _untried(trials)
        tried = f", as far as was tried: {rest}" if rest else ""
        report.notes.append(
            f"asks for API version {asked}, and needs {needs}: older hosts could run it{tried}"
        )
    elif rest := _untried(trials):
        report.notes.append(f"not all was tried: {rest}")
    lowest = needs if core.adapts else max(min(core.asked, default=1), needs)
    name = f"a host of API version {lowest}"
    client = _register(report, str(lowest), name, len(core.ops))
    if lowest < core.host_version and not client.problem:
        _compare(report, name, trials, _compute(report, lowest))
    _check_older(report, core)
    if installed_libraries():
        _register(report, "real", "the installed library", len(core.ops))


def _check_older(report: Report, core: Client) -> None:
    """Report what a library calls that an older host lacks, whose version it then asks for."""
    for client in older_hosts(core, report.seconds(check_client.SECONDS)):
        version = client.host_version
        on = f"on a host of API version {version}, for which it asks where there is no newer one,"
        if client.needs.version > version:
            text = f"{on} it calls {_later(client.needs)}: such hosts crash"
            report.findings.append(Finding("registration", text))
        if client.problem:
            continue
        for name, trial in _compute(report, version).items():
            if trial.needs > version:
                text = f"{name}: {on} it calls {_later(Needs(trial.needs, tuple(trial.slots)))}"
                report.findings.append(Finding("kernels", f"{text}: such hosts crash"))
        return


def _later(needs: Needs) -> str:
    return f"{', '.join((*needs.slots, *needs.fields))} of API version {needs.version}"


def _register(report: Report, host: str, name: str, count: int | None = None) -> Client:
    """Register the library with a host, where it should have so many ops."""
    client = examine(report.path, host, report.seconds(check_client.SECONDS))
    report.registrations.append(client)
    if client.problem:
        message = f"on {name}: {client.problem}{child.printed(client.printed)}"
        report.findings.append(Finding("registration", message))
    elif count is not None and len(client.ops) != count:
        report.notes.append(f"on {name} it registers {_count_ops(client)}")
    return client


def _count_ops(client: Client) -> str:
    return f"{len(client.ops)} op{'' if len(client.ops) == 1 else 's'}"


# --- execution providers --------------------------------------------------------------------------


def _check_factories(report: Report, request: EpRequest) -> None:
    core = _register(report, "core", "the core")
    for factory in core.factories:
        title = f"{factory.name} {factory.ep_version}".strip() or "a factory without a name"
        report.notes.append(f"makes a factory of {title} by {factory.vendor or 'nobody'}")
    if not core.problem:
        check_eps(report, core, request)


# --- ops and kernels ------------------------------------------------------------------------------


class Trial(NamedTuple):
    """What the kernels of an op did on a host; with `ends`, one ended the process, or hung."""

    made: bool
    computes: bool
    needs: int
    slots: list[str]
    ends: bool = False


_REPORTED = ("made", "computes", "needs", "slots")


def _check_ops(report: Report) -> None:
    """Have a process look at the ops."""
    for fact in _probe(report, "answer"):
        if "finding" in fact:
            report.findings.append(Finding("ops", fact["finding"]))
        elif "crash" in fact:
            name = fact["name"]
            when = "while kernels are made and destroyed"
            message = f"{name}: {when}, {fact['crash']}" if name else fact["crash"]
            report.findings.append(Finding("kernels" if name else "ops", message))


def _compute(report: Report, version: int) -> dict[str, Trial]:
    """What the kernels of each op do on a host of an API version, with inputs of small shapes.

    An op does not declare which inputs it supports, so a crash only means that it was not tried.
    """
    trials = {}
    for fact in _probe(report, "compute", version):
        if "finding" in fact:
            finding = Finding("kernels", fact["finding"])
            if finding not in report.findings:  # of another host
                report.findings.append(finding)
        elif "tried" in fact:
            trials[fact["tried"]] = Trial(*(fact[field] for field in _REPORTED))
        elif fact.get("name") and "crash" in fact:
            trials[fact["name"]] = Trial(False, False, 1, [], ends=True)
    return trials


def _untried(trials: dict[str, Trial]) -> str:
    """Which ops made no kernel, or one that did not compute, or ended the process."""
    ended = [name for name, trial in trials.items() if trial.ends]
    unmade = [name for name, trial in trials.items() if not trial.made and not trial.ends]
    idle = [name for name, trial in trials.items() if trial.made and not trial.computes]
    sentences = {
        "no kernel of {} was made": unmade,
        "none of {} computed": idle,
        "with inputs made up here, {} crashed or did not return": ended,
    }
    return "; ".join(text.format(_shortened(names)) for text, names in sentences.items() if names)


def _shortened(names: list[str]) -> str:
    more = len(names) - MOST_NAMES
    return ", ".join(names[:MOST_NAMES]) + (f" and {more} more" if more > 0 else "")


def _check_asked(report: Report, core: Client, trials: dict[str, Trial]) -> None:
    """Report kernels that call slots newer than the API version that they asked for."""
    for op in core.ops:
        name, asked = f"{op.domain}:{op.name}", max(op.version, *core.asked, 1)
        trial = trials.get(name)
        if trial is not None and trial.needs > asked:
            report.findings.append(
                Finding(
                    "kernels",
                    f"{name}: it calls {', '.join(trial.slots)} of API version {trial.needs}, and "
                    f"asks for version {asked}, whose table ends before: older hosts crash",
                )
            )


def _compare(report: Report, host: str, trials: dict[str, Trial], others: dict[str, Trial]) -> None:
    for name, trial in trials.items():
        other = others.get(name)
        if other is None:
            continue
        what = "make its kernel" if trial.made and not other.made else "compute"
        if (trial.made, trial.computes) > (other.made, other.computes):
            message = f"{name}: on {host} it does not {what}, which it does on the core"
            report.findings.append(Finding("kernels", message))


def _probe(report: Report, what: str, *arguments: int) -> Iterator[dict[str, Any]]:
    """What a process reports; after a crash, another process continues behind the op."""
    first = 0
    for _ in range(MOST_CRASHES):
        seconds = report.seconds(SECONDS)
        facts, problem = _run_probe(report.path, seconds, what, first, *arguments)
        yield from facts
        if problem is None:
            return
        begun = [fact for fact in facts if "begins" in fact]
        yield {"crash": problem, "name": begun[-1]["name"] if begun else ""}
        if not begun:
            return
        first = begun[-1]["begins"] + 1


def _run_probe(
    path: str, seconds: float, what: str, *numbers: int
) -> tuple[list[dict[str, Any]], str | None]:
    """What the process reported, and how it crashed; None if it did not."""
    code, output, errors = child.run(
        "ortcffi.cli.check_probe", what, path, *numbers, seconds=seconds
    )
    facts = _facts(output)
    if code is None:
        return facts, f"it does not return within {seconds:.0f} seconds"
    if any("done" in fact for fact in facts):
        return facts, None
    return facts, child.end_of(code) + child.printed(errors)


def _facts(output: bytes) -> list[dict[str, Any]]:
    facts = []
    for line in output.splitlines():
        try:
            fact = json.loads(line)
        except ValueError:  # a line that the library wrote
            continue
        if isinstance(fact, dict):
            facts.append(fact)
    return facts


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


def _host(name: str) -> str:
    if (release := release_of(name)) is not None:
        try:
            emulate(release)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None
    return name


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
        type=_host,
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


def main(arguments: Sequence[str]) -> int:
    """Run the command; the exit code is 0 only without findings."""
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
        request = request_of(options)
        reports = [
            check(*for_installed(os.fspath(path), request), options.timeout)
            for path in options.path
        ]
    except (OrtError, LookupError, ValueError) as error:
        parser.error(printable(str(error)))
    try:
        _write_files(options, reports)
    except OSError as error:
        parser.error(printable(str(error)))
    has_findings = any(report.findings for report in reports)
    if options.json:
        found = list(map(as_document, reports))
        text = json.dumps({"ok": not has_findings, "libraries": found}, indent=2)
    else:
        text = "\n".join(describe(report) for report in reports)
    sys.stdout.write(text + "\n")
    return int(has_findings)
