# SPDX-License-Identifier: MIT
"""``python -m ortcffi check PATH``: what is wrong with a library of custom ops or plug-in EPs.

Each rule is tried in a process of its own, so that a crash is a finding.
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from ortcffi._new_file import write_whole
from ortcffi._public import printable
from ortcffi._table import core_api
from ortcffi.cli.check_ep import FAILURES, check_eps, subject_of
from ortcffi.cli.check_file import ENTRIES, LibraryFile
from ortcffi.cli.check_ops import check_ops, register
from ortcffi.cli.check_report import (
    NOT_ALL,
    OK,
    WRONG,
    Report,
    TimeIsUp,
    as_document,
    as_junit,
    as_statement,
    describe,
    exit_code,
    read_waivers,
)
from ortcffi.cli.info import package_version
from ortcffi.cli.program import program_name, unwritable
from ortcffi.ep.hardware import HardwareDevice
from ortcffi.ep.installed import ep_named
from ortcffi.errors import OrtError
from ortcffi.kernels import child
from ortcffi.table.hosts import HOSTS, emulate, release_of
from ortcffi.testing.ep_library_rules import registers
from ortcffi.testing.rules import BROKEN, RULES, Result, Subject

TIMEOUT = 600  # for all of it
FILES = {"junit": as_junit, "statement": as_statement}
# What the processes of trials import.
PREPARED = "ortcffi.cli.check_client", "ortcffi.testing.op_rules", "ortcffi.testing.ep_model_rules"


def check(subject: Subject, name: str, given: argparse.Namespace) -> Report:
    """Check a library of custom ops or of execution providers, as the arguments ask for.

    `name` is the path or the name of a provider that was given for it.

    What would take longer than the time limit is not tried, which is a finding.
    """
    until = time.monotonic() + given.timeout
    package = "" if os.path.exists(name) else ep_named(name).package
    title = f"{package} {package_version(package)}" if package else ""
    report = Report(subject.path, title, until=until, waived=given.waived)
    try:
        entry = _check_file(report)
        if entry == ENTRIES[0]:
            check_ops(report, subject, given.hosts)
        elif entry == ENTRIES[1]:
            core = register(report, "core")
            for factory in core.factories:
                title = f"{factory.name} {factory.ep_version}".strip() or "a factory without a name"
                report.notes.append(f"makes a factory of {title} by {factory.vendor or 'nobody'}")
            if not core.problem:
                check_eps(report, core, subject, given)
            else:
                text = core.problem + child.printed(core.printed)
                report.results.append(Result(registers.name, "core", BROKEN, text))
    except TimeIsUp:
        text = f"not all was tried within {given.timeout:g} seconds, the limit that --timeout sets"
        report.results.append(Result("time", "", BROKEN, text))
    return report


def _check_file(report: Report) -> str | None:
    first, *rest = (each for each in RULES if each.group == "file")
    file = LibraryFile(report.path)
    if not report.add(first, "", file):
        return None
    for each in rest:
        report.add(each, "", file)
    return file.entry


# --- the command ----------------------------------------------------------------------------------


def _known_host(name: str) -> str:
    if (release := release_of(name)) is not None:
        try:
            emulate(release)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None
    elif name not in {"core", "real"} and not os.path.exists(name):
        raise argparse.ArgumentTypeError(f"{name!r} is no host: give {HOSTS}")
    return name


def _hosts(text: str) -> tuple[str, ...]:
    return tuple(_known_host(host.strip()) for host in text.split(",") if host.strip())


def _not_below_0(kind: Any, what: str, text: str) -> Any:
    with suppress(ValueError):
        if (number := kind(text)) >= 0:  # no NaN
            return number
    raise argparse.ArgumentTypeError(f"expected {what} of 0 or more, not {text!r}")


def _timeout(text: str) -> float:
    with suppress(ValueError):
        return child.seconds_of(float(text))
    raise argparse.ArgumentTypeError(f"expected a number of seconds above 0, not {text!r}")


def _pair(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not key or not equals:
        raise argparse.ArgumentTypeError(f"expected KEY=VALUE, not {text!r}")
    return key, value


def _hardware(text: str) -> tuple[str, int]:
    kind, _, vendor = text.partition(":")
    try:
        number = int(vendor or "0", 0)
        HardwareDevice(kind, vendor_id=number, api=core_api()).close()
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return kind, number


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=program_name("check"),
        description="Find what is wrong with libraries of custom ops or execution providers.",
        epilog=f"The exit code is {OK} if nothing is wrong, {WRONG} if something is, and {NOT_ALL} "
        "if nothing was found to be wrong, but not all could be tried.",
    )
    add: Any = parser.add_argument
    path = "a library of custom ops or execution providers, or the name of an installed one: ggml"
    add("path", nargs="+", help=path)
    add("--json", action="store_true", help="print JSON")
    add("--junit", metavar="FILE", help="also write JUnit's XML: a test case for each rule")
    text = "also write a page of Markdown: versions, machine, counts, findings, waivers"
    add("--statement", metavar="FILE", help=text)
    text = "a rule that may be broken, and why, or a file of such rules; can be repeated"
    add("--waive", metavar="RULE=REASON", action="append", default=[], help=text)
    text = f"with commas: {HOSTS} (default: the lowest that has what it asks for, core and real)"
    add("--hosts", type=_hosts, default=(), help=text)
    text = f"how long the check of a library may take (default: {TIMEOUT})"
    add("--timeout", metavar="SECONDS", type=_timeout, default=TIMEOUT, help=text)
    add = parser.add_argument_group("execution providers").add_argument
    text = "also try the rules about models, with a small model of the check's own"
    add("--conformance", action="store_true", help=text)
    add("--model", default="", help="the same with this model")
    add("--inputs", default="", metavar="FILE.npz", help="its inputs, else random")
    text = """what to compare with: real, onnx, or a library of providers (default: the installed
    onnxruntime, else onnx)"""
    add("--against", default="", metavar="ENGINE", help=text)
    tolerance: Any = {"type": partial(_not_below_0, float, "a number"), "default": 1e-3}
    add("--rtol", help="relative tolerance of a comparison (default: 1e-3)", **tolerance)
    add("--atol", help="absolute tolerance of a comparison (default: 1e-3)", **tolerance)
    text = f"""how many calls of the host's functions fail, each in a process of its own (default:
    {FAILURES} with --model or --conformance)"""
    add("--failures", type=partial(_not_below_0, int, "a whole number"), metavar="N", help=text)
    add("--name", default="ortcffi", help="to register it under, as x.virtual")
    add("--option", action="append", default=[], metavar="KEY=VALUE", type=_pair)
    repeated: Any = {"action": "append", "default": [], "metavar": "KIND:VENDOR"}
    text = "what the core pretends to have, such as NPU:0x8086"
    add("--hardware", type=_hardware, help=text, **repeated)
    return parser


def main(arguments: Sequence[str]) -> int:
    """Run the command; the exit code is 0 only if all was tried and nothing is wrong."""
    parser = _parser()
    options = parser.parse_args(arguments)
    for name in FILES:
        path = getattr(options, name)
        if path is not None and (reason := unwritable(path)):
            parser.error(printable(f"--{name}: {reason}"))
    for name in ("inputs", "against"):
        if getattr(options, name) and not options.model:
            parser.error(f"--{name} needs --model: the results of the check's own model are known")
    try:
        options.waived = read_waivers(options.waive, RULES, "rule")
    except (OSError, ValueError) as error:
        parser.error(printable(f"--waive: {error}"))
    try:
        subjects = [subject_of(name, options) for name in options.path]  # before the first check
        with child.prepared(*PREPARED):
            pairs = zip(subjects, options.path, strict=True)
            reports = [check(subject, name, options) for subject, name in pairs]
    except (OrtError, LookupError, ValueError) as error:
        parser.error(printable(str(error)))
    for name, written in FILES.items():
        if (path := getattr(options, name)) is not None:
            write_whole(path, written(reports))
    code = max(map(exit_code, reports), key=[OK, NOT_ALL, WRONG].index)
    if options.json:
        found = list(map(as_document, reports))
        text = json.dumps({"ok": code == OK, "libraries": found}, indent=2)
    else:
        text = "\n".join(map(describe, reports))
    sys.stdout.write(text + "\n")
    return code
