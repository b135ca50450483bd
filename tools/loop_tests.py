# SPDX-License-Identifier: MIT
"""Repeats the tests that start processes or threads, to find those that fail by chance.

    python tools/loop_tests.py [--rounds 100] [--minutes 60] [--load 4] [PYTEST ARGUMENT ...]

The tests are run in rounds. After the first round only those go on that have started a process, a
thread or an event loop, also through the package. `--load` runs beside
busy processes. A new process of pytest begins after every few rounds, and after a crash. The tests
in LEFT_OUT are not repeated, unless an argument names their file.

What it prints at the end counts only rounds in which a test did start something: where tests share
what a process answered once, that is once for each process of pytest. The seconds are those of the
processor, for one round. The exit code is 1 if a test failed.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

CHECKOUT = Path(__file__).resolve().parents[1]
LEFT_OUT = {
    "tests/repo/packaging/test_docs.py": "Sphinx and other tools; nothing waits",
    "tests/repo/packaging/test_packaging.py": "pip and build; nothing waits for another process",
    "tests/repo/packaging/test_readme.py": "one command after the other",
    "tests/repo/packaging/test_stub.py": "mypy; nothing waits",
    "tests/whole/test_cross.py": "an emulator; the same clients run without it in tests/table",
    "tests/whole/test_sanitizers.py": "make -C core asan tsan valgrind: repeat that",
}
STARTS = {
    "os.fork",
    "os.forkpty",
    "os.posix_spawn",
    "os.system",
    "subprocess.Popen",
    "socket.__new__",  # every event loop makes a pair of them
}
LONGEST = 10  # lines of a failure at the end


class Loop:
    """A plugin of pytest that runs each module's tests in rounds and writes down each result."""

    def __init__(self, file: Path, rounds: int, end: float, left: dict[str, int]) -> None:
        self.file, self.rounds, self.end, self.left = file, rounds, end, left
        self.begun: set[str] = set()
        self.failure, self.skipped = "", False
        sys.addaudithook(self.watch)
        start = threading.Thread.start

        def watched_start(thread: threading.Thread) -> None:
            self.begun.add("thread")
            start(thread)

        threading.Thread.start = watched_start  # type: ignore[method-assign]  # no event in 3.11

    def watch(self, event: str, _arguments: tuple[Any, ...]) -> None:
        if event in STARTS:
            self.begun.add(event)

    def write(self, **fact: Any) -> None:
        with self.file.open("a", encoding="utf-8") as file:
            file.write(json.dumps(fact) + "\n")

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = [item for item in items if self.left.get(item.nodeid) != 0]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.skipped = self.skipped or report.skipped
        if report.failed and not self.failure:
            self.failure = f"{report.when}: {report.longreprtext}"

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        modules: dict[Any, list[pytest.Item]] = {}
        for item in session.items:
            modules.setdefault(item.getparent(pytest.Module), []).append(item)
        for items in modules.values():
            again = items
            for done in range(self.rounds):
                again = [item for item in again if self.run(item, done)]
            session._setupstate.teardown_exact(session)  # the fixtures of the module
        session._setupstate.teardown_exact(None)
        return True

    def run(self, item: pytest.Item, done: int) -> bool:
        """Run a test that has been run `done` times; whether it may be run again."""
        if time.time() > self.end or done >= self.left.get(item.nodeid, self.rounds):
            return False
        self.write(test=item.nodeid, result="began")
        self.begun.clear()
        self.failure, self.skipped = "", False
        before = sum(os.times()[:4])
        # With its own module as the next item, the fixtures of the module stay for the next round.
        item.ihook.pytest_runtest_protocol(item=item, nextitem=item.parent)
        result = "failed" if self.failure else "skipped" if self.skipped else "passed"
        seconds = sum(os.times()[:4]) - before
        starts = sorted(self.begun)
        fact = {"result": result, "seconds": seconds, "starts": starts, "failure": self.failure}
        self.write(test=item.nodeid, **fact)
        return bool(starts) or item.nodeid in self.left


def pytest_process(file: Path, rounds: int, end: float, arguments: list[str]) -> int:
    """What the processes do that this script starts."""
    loop = Loop(file, rounds, end, json.loads(file.with_suffix(".left").read_text()))
    options = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--rootdir", str(CHECKOUT)]
    return pytest.main([*options, *arguments], plugins=[loop])


# --- the tally ------------------------------------------------------------------------------------


class Tally:
    """What each test did, read from the lines that pytest's processes have written."""

    def __init__(self, file: Path) -> None:
        self.file, self.read = file, 0
        self.rounds: dict[str, int] = {}  # in which it started something
        self.runs: dict[str, int] = {}
        self.seconds: dict[str, float] = {}
        self.failures: dict[str, list[str]] = {}
        self.running: str | None = None

    def update(self) -> None:
        """Read the lines that are new."""
        with self.file.open(encoding="utf-8") as file:
            file.seek(self.read)
            while (line := file.readline()).endswith("\n"):
                self.add(json.loads(line))
                self.read = file.tell()

    def add(self, fact: dict[str, Any]) -> None:
        test = fact["test"]
        self.running = test if fact["result"] == "began" else None
        if self.running:
            return
        self.runs[test] = self.runs.get(test, 0) + 1
        self.seconds[test] = self.seconds.get(test, 0.0) + fact["seconds"]
        self.rounds[test] = self.rounds.get(test, 0) + bool(fact["starts"])
        if fact["result"] == "failed":
            self.fail(test, fact["failure"])

    def fail(self, test: str, text: str) -> None:
        self.failures.setdefault(test, []).append(text)
        sys.stdout.write(f"FAILED in run {self.runs.get(test, 1)}: {test}\n{text}\n\n")
        sys.stdout.flush()

    def crashed(self, code: int, output: str) -> bool:
        """Whether a process of pytest ended in a test, which then counts as a failure."""
        if self.running is None:
            return False
        test, self.running = self.running, None
        self.runs[test] = self.runs.get(test, 0) + 1
        self.rounds[test] = self.rounds.get(test, 0) + 1
        self.fail(test, f"pytest ended with {code}:\n{output}")
        return True

    def left(self, rounds: int) -> dict[str, int]:
        """How often each test that is known is still to be run."""
        return {
            test: max(0, rounds - count) if self.rounds[test] else 0
            for test, count in self.runs.items()
        }

    def looped(self) -> list[str]:
        return [test for test, count in self.rounds.items() if count]

    def print(self) -> None:
        write = sys.stdout.write
        write(f"\n{'rounds':>11} {'failed':>6} {'seconds':>8}  tests\n")
        modules: dict[str, list[str]] = {}
        for test in self.looped():
            modules.setdefault(test.partition("::")[0], []).append(test)
        for module, tests in sorted(modules.items()):
            counts = [self.rounds[test] for test in tests]
            span = (
                str(min(counts)) if min(counts) == max(counts) else f"{min(counts)}-{max(counts)}"
            )
            failed = sum(len(self.failures.get(test, ())) for test in tests)
            seconds = sum(self.seconds[test] / self.runs[test] for test in tests)
            write(f"{span:>11} {failed:6} {seconds:8.2f}  {len(tests):3} in {module}\n")
        write(f"{len(self.looped())} tests started processes or threads\n")
        for test, texts in self.failures.items():
            last = "\n    ".join(texts[0].splitlines()[-LONGEST:])
            write(f"FAILED {len(texts)} of {self.runs[test]}: {test}\n    {last}\n")


# --- the rounds -----------------------------------------------------------------------------------


@contextmanager
def load(count: int) -> Iterator[None]:
    """Busy processes; each ends with this one, also where this one is killed."""
    busy = f"import os\nwhile os.getppid() == {os.getpid()}: sum(range(100000))"
    processes = [subprocess.Popen([sys.executable, "-c", busy]) for _ in range(count)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def run_rounds(tally: Tally, rounds: int, at_once: int, end: float, arguments: list[str]) -> None:
    """Start pytest until all rounds are done or the time is over."""
    named = {argument.partition("::")[0] for argument in arguments}
    ignored = [f"--ignore={CHECKOUT / name}" for name in LEFT_OUT if name not in named]
    done = 0
    while done < rounds and time.time() < end:
        batch = min(at_once, rounds - done)
        done += batch
        options = ["--process", tally.file, f"--rounds={batch}", f"--end={end}"]
        crashed = True
        while crashed and time.time() < end:
            tally.file.with_suffix(".left").write_text(json.dumps(tally.left(done)))
            code, output = watch_pytest(tally, [*options, *ignored, *arguments])
            crashed = tally.crashed(code, output[-4000:])
        if not tally.looped():
            sys.stdout.write(output)
            return
        sys.stdout.write(f"{done} rounds\n")
        sys.stdout.flush()


def watch_pytest(tally: Tally, arguments: list[str | Path]) -> tuple[int, str]:
    """Start a process of pytest and read what it writes; its exit code and output."""
    log = tally.file.with_suffix(".log")
    command = [sys.executable, "-P", __file__, *arguments]
    with log.open("wb") as output:
        process = subprocess.Popen(command, cwd=CHECKOUT, stdout=output, stderr=output)
        try:
            while process.poll() is None:
                tally.update()
                time.sleep(0.5)
        finally:
            process.terminate()
            code = process.wait()
    tally.update()
    return code, log.read_text(errors="replace")


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0], allow_abbrev=False)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--at-once", type=int, default=10, help="rounds of a process of pytest")
    parser.add_argument("--minutes", type=float, default=600.0, help="stop after this time")
    parser.add_argument("--load", type=int, default=0, help="busy processes beside the tests")
    parser.add_argument("--process", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--end", type=float, help=argparse.SUPPRESS)
    options, arguments = parser.parse_known_args()
    if options.process is not None:
        return pytest_process(options.process, options.rounds, options.end, arguments)
    for ending in (signal.SIGINT, signal.SIGTERM):  # what was started ends too
        signal.signal(ending, signal.default_int_handler)
    with tempfile.TemporaryDirectory() as folder, load(options.load):
        file = Path(folder) / "tests.jsonl"
        file.touch()
        tally = Tally(file)
        end = time.time() + 60 * options.minutes
        try:
            run_rounds(tally, options.rounds, options.at_once, end, arguments)
        except KeyboardInterrupt:
            sys.stdout.write("interrupted\n")
        tally.print()
    return int(bool(tally.failures) or not tally.looped())


if __name__ == "__main__":
    sys.exit(main())
