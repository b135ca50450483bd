# SPDX-License-Identifier: MIT
"""Tests with ``ort_isolated``, each of which pytest runs in another process.

A second pytest is started once. It reads the ini file, imports the plugins and the conftest files,
and forks for each test; where there are no forks, it runs one test. The fork writes the reports of
the test's phases to a file. If it ends before the last one, or takes too long, a failed report says
so.
"""

import json
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from typing import Any

import pytest

from ortcffi.kernels import child

_is_child = False

MARK = "ort_isolated"
_LIBRARIES = {"ort_library", "ort_ep"}  # the fixtures that the ini option isolates
_MOST_LINES = 100  # of what a crashed test printed
# A frame of what runs every test.
_FRAME = re.compile(
    r' {2}File "(?:.*[/\\](?:_pytest|pluggy)[/\\].*|.*isolated_tests\.py|<string>)", line '
)
_LISTS = (("-p", "plugins"), ("-o", "override_ini"), ("-W", "pythonwarnings"))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Run a test with the mark in another process, and report what that reports."""
    if _is_child or not _is_isolated(item):
        return None
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    for report in [*_reports_of(item), *_torn_down(item, nextitem)]:
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


def _is_isolated(item: pytest.Item) -> bool:
    if item.get_closest_marker(MARK) is not None:
        return True
    fixtures = _LIBRARIES.intersection(getattr(item, "fixturenames", ()))
    return bool(fixtures and item.config.getini(MARK))


def _seconds(timeout: float = child.SECONDS) -> float:
    return child.seconds_of(timeout)


# --- the process that runs tests ------------------------------------------------------------------


_OTHER = pytest.StashKey[child.Prepared]()


def _other(item: pytest.Item) -> child.Prepared:
    """Return the other pytest of this session, which is started where there is none."""
    config = item.config
    running = config.stash.get(_OTHER, None)
    if running is None or running.ended:
        where = "ortcffi.testing.isolated_tests", "serve"
        folder = config.invocation_params.dir
        running = child.Prepared(*where, *_arguments(item), folder=folder, faults=True)
        config.stash[_OTHER] = running
        config.add_cleanup(running.close)
    return running


def _run(item: pytest.Item, seconds: float) -> tuple[str, list[str], list[list[str]]]:
    """Return how the process of a test ended, what it printed, and the lines of its files."""
    with tempfile.TemporaryDirectory() as folder:
        test = os.path.join(item.config.rootpath, item.nodeid)
        code, written = _other(item).call(folder, test, seconds)
        end = child.too_long(seconds) if code is None else child.end_of(code)
        # Files and no pipes, which a process that the test starts and leaves would keep open.
        texts = [each.decode(errors="backslashreplace") for each in written]
        names = ("reports", "terminal", "ops")
        return end, texts, [_read(os.path.join(folder, name)) for name in names]


def _reports_of(item: pytest.Item) -> Iterator[Any]:
    mark = item.get_closest_marker(MARK) or pytest.mark.ort_isolated.mark
    limits: list[float] = []
    reading = pytest.CallInfo.from_call(
        lambda: limits.append(_seconds(*mark.args, **mark.kwargs)), "setup"
    )
    if not limits:
        yield pytest.TestReport.from_item_and_call(item, reading)
        return
    end, (out, err), (reports, terminal, used) = _run(item, limits[0])
    written = [json.loads(line) for line in reports if line.endswith("\n")]
    when = "setup"
    for data in written:
        if isinstance(data["longrepr"], list):  # of a skip; JSON has no tuples
            data["longrepr"] = tuple(data["longrepr"])
        report = item.config.hook.pytest_report_from_serializable(config=item.config, data=data)
        output = (("out", out), ("err", err)) if report.failed else ()
        for name, wrote in output:
            if wrote:
                report.sections.append((f"Captured std{name} of its process", wrote))
        when = {"setup": "call", "call": "teardown"}.get(report.when, "")
        if report.when == "setup" and not report.passed:
            when = "teardown"
        yield report
    if when:
        lines = (out + err).splitlines(keepends=True)
        text = "".join(line for line in lines if not _FRAME.match(line))
        printed = child.printed(text if written else "".join(terminal) + text, "\n", _MOST_LINES)
        ops = f", with kernels of {', '.join(map(str.strip, dict.fromkeys(used)))}" if used else ""
        message = f"{item.nodeid}, in its {when}{ops}: {end}{printed}"
        crash = pytest.CallInfo.from_call(lambda: pytest.fail(message, pytrace=False), when)  # type: ignore[arg-type]
        yield pytest.TestReport.from_item_and_call(item, crash)


def _read(path: str) -> list[str]:
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8", errors="backslashreplace") as file:
        return list(file)


def _arguments(item: pytest.Item) -> list[str]:
    """Get what the other pytest is given: the test, and of the options those that it depends on."""
    config, option = item.config, item.config.option
    given = [f"--rootdir={config.rootpath}", "-s", "-p", "no:cacheprovider"]
    given.append("--no-summary")  # of which hypothesis makes a part, and takes a second for it
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
    if option.ort_no_copy:
        given.append("--ort-no-copy")
    return [*given, os.path.join(config.rootpath, item.nodeid)]  # whose conftest files are read


def _torn_down(item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[Any]:
    """End what earlier tests share and the next one does not, as no fixtures were made here."""

    def end() -> None:
        item.session._setupstate.teardown_exact(nextitem)

    call = pytest.CallInfo.from_call(end, "teardown")
    if call.excinfo is not None:
        yield pytest.TestReport.from_item_and_call(item, call)


# --- in the other pytest --------------------------------------------------------------------------


class _Ops(set[str]):
    """Writes the names of the ops to a file, which stays when the process crashes."""

    def __init__(self, path: str) -> None:
        self._path = path

    def add(self, name: str) -> None:
        with open(self._path, "a", encoding="utf-8") as file:
            file.write(f"{name}\n")


class _Server:
    """Forks for each test that it is asked for; the fork writes the reports to a file."""

    def __init__(self, answers: int) -> None:
        self._answers = answers
        self._folder = ""
        self._config: Any = None

    @pytest.hookimpl(tryfirst=True)
    def pytest_cmdline_main(self, config: pytest.Config) -> int | None:
        """Answer with the exit code of each test. In a fork, pytest goes on with the test."""
        from ortcffi.kernels.make_kernel import OPS_USED

        self._config = config
        found = child.next_fork(self._answers)
        if found is None:
            return 0
        self._folder, test = found
        OPS_USED.set(_Ops(os.path.join(self._folder, "ops")))
        config.args = [test]
        path = os.path.join(self._folder, "terminal")
        sys.stdout = open(path, "w", encoding="utf-8")  # noqa: SIM115  # until the process ends
        return None

    def pytest_sessionstart(self) -> None:
        sys.stdout = sys.__stdout__

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            print(report.longrepr)  # noqa: T201  # for the message of the test

    def pytest_runtest_logreport(self, report: Any) -> None:
        data = self._config.hook.pytest_report_to_serializable(config=self._config, report=report)
        with open(os.path.join(self._folder, "reports"), "a", encoding="utf-8") as file:
            file.write(json.dumps(data) + "\n")


def serve(*arguments: str) -> None:
    """Run tests that are asked for on standard input, each in a fork of this process."""
    global _is_child  # noqa: PLW0603  # once in a process
    _is_child = True
    answers = os.dup(1)
    os.dup2(2, 1)
    import ortcffi.kernels.make_kernel  # noqa: F401  # once for all forks

    sys.exit(pytest.main(list(arguments), plugins=[_Server(answers)]))
