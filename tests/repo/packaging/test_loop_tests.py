# SPDX-License-Identifier: MIT
"""tools/loop_tests.py repeats tests that start something, and counts what fails."""

import os
import sys

from support.paths import CHECKOUT
from support.processes import run

TESTS = """
import os
import threading
from pathlib import Path

runs = Path(__file__).with_name("runs")


def test_nothing_is_started():
    pass


def test_the_second_run_fails_and_the_third_crashes():
    if (child := os.fork()) == 0:
        os._exit(0)
    os.waitpid(child, 0)
    with runs.open("a") as file:
        file.write("x")
    count = runs.stat().st_size
    if count == 3:
        os.abort()
    assert count != 2, "the second run"


def test_a_thread_is_started():
    thread = threading.Thread(target=lambda: None)
    thread.start()
    thread.join(60)
"""


def test_failures_and_crashes_are_counted_in_tests_that_start_something(tmp_path):
    (tmp_path / "test_some.py").write_text(TESTS)
    tool = CHECKOUT / "tools/loop_tests.py"
    options = ["--rounds=4", "--at-once=3", "--load=1"]
    command = [sys.executable, "-P", tool, *options, tmp_path / "test_some.py"]
    done = run(*command, code=1, env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"})
    table = done.stdout.rpartition("rounds failed")[2]
    [row] = [line for line in table.splitlines() if " 2 in " in line]
    assert row.split()[:2] == ["4", "2"]  # the other test has its rounds in spite of the crash
    assert "2 tests started processes or threads" in table
    assert "FAILED 2 of 4: " in table
    assert "assert count != 2" in done.stdout
    assert "pytest ended with -6" in done.stdout
    assert "test_nothing_is_started" not in table
