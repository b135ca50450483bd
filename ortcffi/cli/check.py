# SPDX-License-Identifier: MIT
"""``python -m ortcffi check PATH``: what is wrong with a library of custom ops or plug-in EPs.

Each step runs in a process of its own, so that a crash is a finding.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

from ortcffi._convert import absolute
from ortcffi._program import printable, program_name
from ortcffi.cli import check_client
from ortcffi.cli.check_client import Client, examine
from ortcffi.cli.check_file import FileFacts, read_facts
from ortcffi.cli.check_report import Finding, Report, as_document, describe
from ortcffi.cli.check_symbols import missing_symbols
from ortcffi.cli.child import search_path
from ortcffi.table import elf
from ortcffi.table.emulate import emulate
from ortcffi.table.hosts import HOSTS, release_of
from ortcffi.table.load import installed_libraries

ENTRIES = ("RegisterCustomOps", "CreateEpFactories")
SECONDS = 120
MOST_CRASHES = 20
_PROBE = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]);"
    "import ortcffi; ortcffi.core_api();"
    "from ortcffi.cli.check_probe import answer; answer(sys.argv[2], int(sys.argv[3]))"
)


def check(path: str) -> Report:
    """Check a library of custom ops, or one of execution providers."""
    path = absolute("path", path)
    report = Report(path, [], [], [])
    entry = _check_file(report)
    if entry == ENTRIES[0]:
        report.registrations.extend(_check_registration(report))
        if not report.registrations[0].problem:
            _check_ops(report)
    elif entry == ENTRIES[1]:
        report.registrations.extend(_check_factories(report))
    return report


# --- the file -------------------------------------------------------------------------------------


def _check_file(report: Report) -> str | None:
    """Look at the file, and return the name of its entry."""
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
    beside = len(exports) - (entry is not None)
    if entry is not None and beside:
        report.notes.append(f"exports {beside} names beside {entry}: they may clash with others'")
    facts = read_facts(report.path)
    if facts is not None:
        _check_facts(report, facts)
    return entry


def _check_facts(report: Report, facts: FileFacts) -> None:
    for family, version in sorted(facts.versions.items()):
        report.notes.append(f"needs {family} {version} or newer")
    if facts.unique:
        report.notes.append(
            f"has {facts.unique} symbols that are unique in the process: copies of it share them"
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
    missing = missing_symbols(report.path, facts)
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
            told = f"no library that it needs defines {name}: link it with the one that does"
            report.findings.append(Finding("file", told))


# --- registration ---------------------------------------------------------------------------------


def _check_registration(report: Report) -> list[Client]:
    core = examine(report.path)
    clients = [core]
    if core.problem:
        report.findings.append(Finding("registration", f"on the core: {core.problem}"))
        return clients
    report.notes.append(f"registers {_count_ops(core)} on the core")
    needs = core.needs.version
    if core.asked and not core.adapts and min(core.asked) > needs:
        asked = min(core.asked)
        report.notes.append(
            f"asks for API version {asked}, and needs {needs}: older hosts could run it"
        )
    lowest = needs if core.adapts else max(min(core.asked, default=1), needs)
    for host in dict.fromkeys([str(lowest), *(["real"] if _has_installed() else [])]):
        client = examine(report.path, host)
        name = "the installed library" if host == "real" else f"a host of API version {host}"
        if client.problem:
            report.findings.append(Finding("registration", f"on {name}: {client.problem}"))
        elif len(client.ops) != len(core.ops):
            told = f"on {name} it registers {_count_ops(client)}"
            report.notes.append(told)
        clients.append(client)
    return clients


def _count_ops(client: Client) -> str:
    return f"{len(client.ops)} op{'' if len(client.ops) == 1 else 's'}"


# --- execution providers --------------------------------------------------------------------------


def _check_factories(report: Report) -> list[Client]:
    clients = [examine(report.path, host) for host in ("core", "real")[: 1 + _has_installed()]]
    for client, name in zip(clients, ("the core", "the installed library"), strict=False):
        if client.problem:
            report.findings.append(Finding("registration", f"on {name}: {client.problem}"))
    core = clients[0]
    for factory in core.factories:
        title = f"{factory.name} {factory.ep_version}".strip() or "a factory without a name"
        report.notes.append(f"makes a factory of {title} by {factory.vendor or 'nobody'}")
        report.findings.extend(
            Finding("factories", f"{title}: {problem}") for problem in factory.problems
        )
    asked = max(core.asked, default=0)
    for factory in core.factories:
        if asked and factory.version > asked:
            told = f"{factory.name}: its struct has API version {factory.version}, and it asks for"
            report.findings.append(Finding("factories", f"{told} {asked}"))
    return clients


def _has_installed() -> bool:
    return bool(installed_libraries())


# --- ops and kernels ------------------------------------------------------------------------------


def _check_ops(report: Report) -> None:
    """Have a process look at the ops; after a crash another one goes on behind it."""
    first, crashes = 0, 0
    while crashes < MOST_CRASHES:
        facts, problem = _probe(report.path, first)
        for fact in facts:
            if "finding" in fact:
                report.findings.append(Finding("ops", fact["finding"]))
        if problem is None:
            return
        begun = [fact for fact in facts if "begins" in fact]
        if not begun:
            report.findings.append(Finding("ops", problem))
            return
        told = f"{begun[-1]['name']}: while a kernel is made, {problem}"
        report.findings.append(Finding("kernels", told))
        first, crashes = begun[-1]["begins"] + 1, crashes + 1


def _probe(path: str, first: int) -> tuple[list[dict[str, Any]], str | None]:
    """What the process told, and how it ended; None if it came to its end."""
    command = [sys.executable, "-c", _PROBE, search_path(), path, str(first)]
    try:
        done = subprocess.run(
            command, check=False, capture_output=True, stdin=subprocess.DEVNULL, timeout=SECONDS
        )
    except subprocess.TimeoutExpired as late:
        return _facts(late.stdout or b""), f"it does not return within {SECONDS} seconds"
    facts = _facts(done.stdout)
    if any("done" in fact for fact in facts):
        return facts, None
    if done.returncode < 0:
        return facts, f"it crashes ({signal.Signals(-done.returncode).name})"
    last = done.stderr.decode(errors="replace").strip().splitlines()
    return facts, f"it ends the process: {last[-1] if last else done.returncode}"


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
    """Only register the libraries with one host, and tell what each calls."""
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


def main(arguments: Sequence[str]) -> int:
    """Run the command; the exit code is 0 only without findings."""
    parser = argparse.ArgumentParser(
        prog=program_name("check"),
        description="Find what is wrong with libraries of custom ops or execution providers.",
    )
    parser.add_argument("path", nargs="+", help="a library of custom ops or execution providers")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument(
        "--api",
        metavar="HOST",
        type=_host,
        help="only register the library with this host, and tell which versions it asks for, which "
        f"slots it calls and what it registers: {HOSTS}",
    )
    options = parser.parse_args(arguments)
    try:
        if options.api is not None:
            return _check_with(options.api, options.path, as_json=options.json)
        reports = [check(os.fspath(path)) for path in options.path]
    except ValueError as error:
        parser.error(printable(str(error)))
    if options.json:
        found = list(map(as_document, reports))
        text = json.dumps(
            {"ok": not any(r.findings for r in reports), "libraries": found}, indent=2
        )
    else:
        text = "\n".join(describe(report) for report in reports)
    sys.stdout.write(text + "\n")
    return int(any(report.findings for report in reports))
