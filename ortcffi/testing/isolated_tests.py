# SPDX-License-Identifier: MIT
"""Tests with ``ort_isolated``, each of which pytest runs in another process.

The other process writes the reports of the test's phases to a file. If it ends before the last one,
or takes too long, a failed report says so.
"""

import json
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from ortcffi.kernels import child

__all__ = ["pytest_runtest_protocol"]

_is_child = False

MARK = "ort_isolated"
_TERMINAL = ".terminal"  # what the other pytest says, whose standard output is the test's
_MOST_LINES = 100  # of what a crashed test printed
# A frame of what runs every test.
_FRAME = re.compile(
    r' {2}File "(?:.*[/\\](?:_pytest|pluggy)[/\\].*|.*isolated_tests\.py|<string>)", line '
)
_SWITCHES = ("ort_drop_in", "ort_no_copy")
_LISTS = (("-p", "plugins"), ("-o", "override_ini"), ("-W", "pythonwarnings"))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Run a test with the mark in another process, and report what that reports."""
    if _is_child or item.get_closest_marker(MARK) is None:
        return None
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    for report in [*_reports_of(item), *_torn_down(item, nextitem)]:
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


def _seconds(timeout: float = child.SECONDS) -> float:
    """The arguments of the mark."""
    return child.seconds_of(timeout)


class _Done(NamedTuple):
    """How the other process ended, what it printed, and the lines of its files."""

    end: str
    out: str
    err: str
    reports: list[str]
    terminal: str


def _run(item: pytest.Item, seconds: float) -> _Done:
    """Run a test in another process."""
    where = "ortcffi.testing.isolated_tests", "run"
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "reports")
        words = child.command(*where, path, *_arguments(item), faults=True)
        started = item.config.invocation_params.dir
        code, *wrote = child.run_command(words, seconds, folder=started, faults=True)
        end = child.too_long(seconds) if code is None else child.end_of(code)
        out, err = (text.decode(errors="backslashreplace") for text in wrote)
        return _Done(end, out, err, _read(path), "".join(_read(path + _TERMINAL)))


def _reports_of(item: pytest.Item) -> Iterator[Any]:
    mark = item.get_closest_marker(MARK)
    assert mark is not None  # noqa: S101  # for the type checker
    limits: list[float] = []
    reading = pytest.CallInfo.from_call(
        lambda: limits.append(_seconds(*mark.args, **mark.kwargs)), "setup"
    )
    if not limits:
        yield pytest.TestReport.from_item_and_call(item, reading)
        return
    done = _run(item, limits[0])
    written = [json.loads(line) for line in done.reports if line.endswith("\n")]
    when = "setup"
    for data in written:
        if isinstance(data["longrepr"], list):  # of a skip; JSON has no tuples
            data["longrepr"] = tuple(data["longrepr"])
        report = item.config.hook.pytest_report_from_serializable(config=item.config, data=data)
        output = (("out", done.out), ("err", done.err)) if report.failed else ()
        for name, wrote in output:
            if wrote:
                report.sections.append((f"Captured std{name} of its process", wrote))
        when = {"setup": "call", "call": "teardown"}.get(report.when, "")
        if report.when == "setup" and not report.passed:
            when = "teardown"
        yield report
    if when:
        lines = (done.out + done.err).splitlines(keepends=True)
        text = "".join(line for line in lines if not _FRAME.match(line))
        printed = child.printed(text if written else done.terminal + text, "\n", _MOST_LINES)
        message = f"{item.nodeid}, in its {when}: {done.end}{printed}"
        crash = pytest.CallInfo.from_call(lambda: pytest.fail(message, pytrace=False), when)  # type: ignore[arg-type]
        yield pytest.TestReport.from_item_and_call(item, crash)


def _read(path: str) -> list[str]:
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8", errors="backslashreplace") as file:
        return list(file)


def _arguments(item: pytest.Item) -> list[str]:
    """What the other pytest is given: the test, and of the options those that it depends on."""
    config, option = item.config, item.config.option
    given = [f"--rootdir={config.rootpath}", "-s", "-p", "no:cacheprovider"]
    if config.inipath is not None:
        given += ["-c", str(config.inipath)]
    for switch, name in _LISTS:
        for each in getattr(option, name, None) or ():
            given += [switch, each]
    given.append(f"--import-mode={option.importmode}")
    if config.pluginmanager.hasplugin("xdist"):
        given.append("-n0")
    if option.ort_host is not None:
        given.append(f"--ort-host={option.ort_host}")
    given += [f"--{name.replace('_', '-')}" for name in _SWITCHES if getattr(option, name)]
    given += [f"--ort-drop-in-ep={name}" for name in option.ort_drop_in_ep]
    return [*given, os.path.join(config.rootpath, item.nodeid)]


def _torn_down(item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[Any]:
    """End what earlier tests share and the next one does not, as no fixtures were made here."""

    def end() -> None:
        item.session._setupstate.teardown_exact(nextitem)

    call = pytest.CallInfo.from_call(end, "teardown")
    if call.excinfo is not None:
        yield pytest.TestReport.from_item_and_call(item, call)


class _Reporter:
    """Writes the reports to a file."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._config: Any = None

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        self._config = session.config
        sys.stdout = sys.__stdout__

    def pytest_runtest_logreport(self, report: Any) -> None:
        data = self._config.hook.pytest_report_to_serializable(config=self._config, report=report)
        with open(self._path, "a", encoding="utf-8") as file:
            file.write(json.dumps(data) + "\n")


def run(path: str, *arguments: str) -> None:
    """Run a test in this process, and write its reports to a file."""
    global _is_child  # noqa: PLW0603  # once in a process
    _is_child = True
    with open(path + _TERMINAL, "w", encoding="utf-8") as terminal:
        sys.stdout = terminal
        code = pytest.main(list(arguments), plugins=[_Reporter(path)])
        sys.stdout = sys.__stdout__
    sys.exit(code)
