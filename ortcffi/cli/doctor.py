# SPDX-License-Identifier: MIT
"""``python -m ortcffi doctor``: lists libraries with the C API, and what is wrong with each.

Each library is opened in its own process, so that one that crashes, hangs or writes to the terminal
is only reported.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

from ortcffi._public import joined, printable
from ortcffi._table import core_api
from ortcffi.cli.program import program_name
from ortcffi.ep.devices import EpDevice
from ortcffi.ep.hardware import HardwareType
from ortcffi.ep.installed import InstalledEp, ep_named, installed_eps, registered_in
from ortcffi.errors import OrtError
from ortcffi.kernels import child
from ortcffi.table import load as loading
from ortcffi.table.find import Runtime, find_runtimes

DESCRIPTION = """\
List the libraries with the ONNX Runtime C API: the embedded core, those that ortcffi.load() looks
for, and those given. Each library is opened, in its own process. Of packages with execution
providers, tell whether they load, and what devices they list. For libraries of custom ops or
execution providers there is 'ortcffi check'."""
EPILOG = """\
The exit code is 1 if one of these is broken: a library that was given, the one that ORTCFFI_LIBRARY
names, or the one that ortcffi.load() opens. Otherwise it is 0."""
SECONDS = 60  # after which a library is reported as hanging


class Finding(NamedTuple):
    """The result of opening a library."""

    path: str
    source: str  # as of `Runtime`, or the package of an execution provider
    problem: str | None = None  # why the library cannot be used
    remedy: str | None = None  # what to do then
    chosen: bool = False  # whether ``load`` opens it
    version: str | None = None  # of the library
    used_version: int | None = None  # the API version that ``load`` uses
    build_info: str | None = None  # what ``GetBuildInfoString`` answers
    provider: str = ""  # the name of an execution provider
    devices: Sequence[str] = ()  # of an execution provider, with the kind of hardware
    printed: str = ""  # what the library wrote to stderr

    @property
    def asked_for(self) -> bool:
        """Whether the user named this library, or ``load`` opens it: a problem is then an error."""
        return self.chosen or self.source in ("given", loading.VARIABLE)


def examine(runtime: Runtime, seconds: float = SECONDS) -> Finding:
    """Open a library that `find_runtimes` found, in another process."""
    finding = Finding(*runtime)
    if runtime.problem or not sys.executable:
        return finding
    return _asked(finding, "open_library", runtime.path, seconds)


def examine_ep(ep: InstalledEp, seconds: float = SECONDS) -> Finding:
    """Load the library of an installed execution provider into the core, in another process."""
    finding = Finding(ep.path, f"package {ep.package}", provider=ep.name)
    return _asked(finding, "load_ep", ep.name, seconds)


def _asked(finding: Finding, function: str, subject: str, seconds: float) -> Finding:
    told, problem, printed = child.ask(__name__, function, subject, seconds=seconds)
    facts: dict[str, Any] = {"problem": problem.removeprefix("it "), "remedy": loading.OTHER_BUILD}
    if not problem:
        facts = {name: fact for name, fact in told[-1].items() if name in Finding._fields}
    return finding._replace(printed=printed, **facts)


def open_library(path: str) -> None:
    """Open a library and tell what it is."""
    child.limit_this_process()
    try:
        api = loading.load(path)
        facts = {"version": api.version_string, "build_info": api.build_info}
        child.tell(**facts, used_version=api.version, done=True)
    except loading.LoadError as error:
        child.tell(problem=error.problem, remedy=error.remedy, done=True)


def load_ep(name: str) -> None:
    """Load a library of execution providers and tell its devices."""
    from ortcffi.env.env import Env  # which imports NumPy

    child.limit_this_process()
    try:
        devices = registered_in(Env("doctor", core_api()), ep_named(name)).devices
        child.tell(devices=[_device(each) for each in devices], done=True)
    except (OrtError, LookupError) as error:
        child.tell(problem=str(error), remedy=loading.OTHER_BUILD, done=True)


def _device(device: EpDevice) -> str:
    hardware = device.hardware
    kind = hardware.kind.name if isinstance(hardware.kind, HardwareType) else hardware.kind
    return f"{device.name} on {kind} {hardware.vendor}".rstrip()


def diagnose(given: Sequence[str] = ()) -> list[Finding]:
    """Find all libraries, including those given, and open each one."""
    core, *others = find_runtimes(*given)
    api = core_api()
    ours = Finding(*core, version=api.version_string, used_version=api.version)
    eps = installed_eps() if sys.executable else []
    return [ours, *map(examine, others), *map(examine_ep, eps)]


def describe(finding: Finding) -> str:
    """Return a finding as lines of text."""
    title = f"{finding.source}: version {finding.version or 'unknown'}"
    if finding.provider:
        title = f"execution provider {finding.provider!r}: {finding.source}"
    lines = [title, finding.path, *filter(None, [finding.build_info])]
    lines += [f"it printed: {line}" for line in finding.printed.splitlines()]
    if finding.problem:
        lines += [f"BROKEN: {finding.problem}", f"what to do: {finding.remedy}"]
    elif not finding.provider:
        lines.append(f"ok: {_use(finding)}")
    elif finding.devices:
        lines.append(f"ok: ortcffi.Session(model, providers=[{finding.provider!r}]) uses the first")
        lines += [f"    {device}" for device in finding.devices]
    else:
        lines.append("it loads, and lists no device here")
    return joined(lines, "\n    ")


def _use(finding: Finding) -> str:
    if finding.source == "embedded core":
        return "ortcffi.default_api() is this one; it needs no library"
    version = finding.used_version
    at = f"at API version {version}" if version else "not tried"
    if not finding.chosen:
        return f"ortcffi.load(PATH) opens it, {at}"
    reasons = {
        loading.VARIABLE: f"{loading.VARIABLE} names it",
        "onnxruntime wheel": f"{loading.VARIABLE} is not set and the package onnxruntime has it",
    }
    otherwise = "nothing names another, no package has one, and the system's loader finds it"
    return f"ortcffi.load() opens it, {at}, because {reasons.get(finding.source, otherwise)}"


def _conclude(findings: Sequence[Finding]) -> str:
    chosen = next((each for each in findings if each.chosen), None)
    if chosen is None:
        return (
            "ortcffi.load() finds no library. The embedded core needs none; for another, run "
            f"'pip install onnxruntime', set {loading.VARIABLE}, or give load() a path."
        )
    if chosen.problem:
        named = chosen.source == loading.VARIABLE
        advice = f" Set {loading.VARIABLE} to another library, or unset it." if named else ""
        return f"ortcffi.load() fails: {chosen.path} {chosen.problem}.{advice}"
    return f"ortcffi.load() opens {chosen.path}."


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command with its arguments, by default the process's, and return the exit code."""
    parser = argparse.ArgumentParser(
        prog=program_name("doctor"), description=DESCRIPTION, epilog=EPILOG
    )
    parser.add_argument("path", nargs="*", help="another library to examine")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args(arguments)
    try:
        findings = diagnose(options.path)
    except ValueError as error:
        parser.error(printable(str(error)))
    broken = any(finding.asked_for and finding.problem for finding in findings)
    if options.json:
        libraries = [finding._asdict() for finding in findings]
        text = json.dumps({"ok": not broken, "libraries": libraries}, indent=2)
    else:
        text = "\n\n".join([*map(describe, findings), printable(_conclude(findings))])
    sys.stdout.write(text + "\n")
    return int(broken)
