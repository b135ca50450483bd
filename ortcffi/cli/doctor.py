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
from ortcffi._table import supported_version
from ortcffi.cli import ep_doctor
from ortcffi.cli.program import program_name
from ortcffi.kernels import child
from ortcffi.kernels.child import limit_this_process
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

    runtime: Runtime  # the library, with a problem if it cannot be used
    used_version: int | None = None  # that ``load`` uses; None if the library cannot be used
    build_info: str | None = None  # what ``GetBuildInfoString`` answers
    printed: str = ""  # what the library wrote to stderr

    @property
    def asked_for(self) -> bool:
        """Whether the user named this library, or ``load`` opens it: a problem is then an error."""
        return self.runtime.chosen or self.runtime.source in ("given", loading.VARIABLE)


def examine(runtime: Runtime, seconds: float = SECONDS) -> Finding:
    """Open a library that `find_runtimes` found, in another process."""
    if runtime.problem or not sys.executable:
        return Finding(runtime)
    facts, problem, printed = child.ask(
        "ortcffi.cli.doctor", "answer", runtime.path, seconds=seconds
    )
    if problem:
        return _broken(runtime, problem.removeprefix("it "), printed=printed)
    found = facts[-1]
    if "problem" in found:
        return _broken(runtime, found["problem"], found["remedy"], printed)
    version = found["version"]
    versions = (1, supported_version(version))
    runtime = runtime._replace(version=version, version_from="library", api_versions=versions)
    return Finding(runtime, found["used_version"], found["build_info"], printed)


def _broken(
    runtime: Runtime, problem: str, remedy: str = loading.OTHER_BUILD, printed: str = ""
) -> Finding:
    return Finding(runtime._replace(problem=problem, remedy=remedy), printed=printed)


def answer(path: str) -> None:
    """Open a library and give `examine` the answer, as a dict."""
    limit_this_process()
    found: dict[str, Any]
    try:
        api = loading.load(path)
        found = {"version": api.version_string, "used_version": api.version}
        found["build_info"] = api.build_info
    except loading.LoadError as error:
        found = {"problem": error.problem, "remedy": error.remedy}
    child.tell(**found, done=True)


def diagnose(given: Sequence[str] = ()) -> list[Finding]:
    """Find all libraries, including those given, and open each one."""
    core, *others = find_runtimes(*given)
    known = core.api_versions or (1, 1)
    return [Finding(core, known[1]), *map(examine, others)]


def _describe(finding: Finding) -> str:
    runtime = finding.runtime
    version = f"version {runtime.version}" if runtime.version else "version unknown"
    if runtime.version_from in ("file name", "package metadata"):
        version += f" by its {runtime.version_from}"
    if runtime.api_versions:
        version += ", API versions {} to {}".format(*runtime.api_versions)
    lines = [f"{runtime.source}: {version}", runtime.path]
    if finding.build_info:
        lines.append(finding.build_info)
    lines += [f"it printed: {line}" for line in finding.printed.splitlines()]
    if runtime.problem:
        lines += [f"BROKEN: {runtime.problem}", f"what to do: {runtime.remedy}"]
    else:
        lines.append(f"ok: {_use(finding)}")
    return joined(lines, "\n    ")


def _use(finding: Finding) -> str:
    runtime, version = finding.runtime, finding.used_version
    if runtime.source == "embedded core":
        return "ortcffi.default_api() is this one; it needs no library"
    at = f"at API version {version}" if version else "not tried"
    if not runtime.chosen:
        return f"ortcffi.load(PATH) opens it, {at}"
    reasons = {
        loading.VARIABLE: f"{loading.VARIABLE} names it",
        "onnxruntime wheel": f"{loading.VARIABLE} is not set and the package onnxruntime has it",
    }
    otherwise = "nothing names another, no package has one, and the system's loader finds it"
    return f"ortcffi.load() opens it, {at}, because {reasons.get(runtime.source, otherwise)}"


def _conclude(findings: Sequence[Finding]) -> str:
    chosen = [finding.runtime for finding in findings if finding.runtime.chosen]
    if not chosen:
        return (
            "ortcffi.load() finds no library. The embedded core needs none; for another, run "
            f"'pip install onnxruntime', set {loading.VARIABLE}, or give load() a path."
        )
    if chosen[0].problem:
        named = chosen[0].source == loading.VARIABLE
        advice = f" Set {loading.VARIABLE} to another library, or unset it." if named else ""
        return f"ortcffi.load() fails: {chosen[0].path} {chosen[0].problem}.{advice}"
    return f"ortcffi.load() opens {chosen[0].path}."


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
        eps = ep_doctor.examine()
    except ValueError as error:
        parser.error(printable(str(error)))
    broken = any(finding.asked_for and finding.runtime.problem for finding in findings)
    if options.json:
        rows = [finding._asdict() | finding.runtime._asdict() for finding in findings]
        for row in rows:
            del row["runtime"]
        document = {"ok": not broken, "runtimes": rows}
        document["execution_providers"] = [each._asdict() for each in eps]
        text = json.dumps(document, indent=2)
    else:
        package = map(ep_doctor.describe, eps)
        text = "\n\n".join([*map(_describe, findings), *package, printable(_conclude(findings))])
    sys.stdout.write(text + "\n")
    return int(broken)
