# SPDX-License-Identifier: MIT
"""Log records without a logger, and two threads on one environment."""

import re
import sys
from pathlib import Path

import pytest
from support.processes import run

TIME = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{9}"
COLOURS = {"W": "\033[0;93m", "E": "\033[1;31m", "F": "\033[1;37;41m"}


@pytest.fixture(params=["core", "real"])
def library(request: pytest.FixtureRequest) -> Path:
    """The path of each library in turn."""
    return request.getfixturevalue(f"{request.param}_library")


# A kernel logs at each severity from INFO on.
LOGS = """
import sys
from ortcffi.conformance.rows import Bench
from ortcffi.testing.rules import Subject

sys.stderr = sys.stdout
message = 'Logger_LogMessage(KernelInfo_GetLogger(i), severity, "message", "b.c", 12, "f")'
asks = f"making(lambda i: tuple({message} for severity in (1, 2, 3, 4)))"
make = 'e = CreateEnvWithCustomLogger(None, None, WARNING, "id")'
assert Bench(Subject(sys.argv[1])).answer(f"{make}; {asks}") == "OK; OK; OK; OK"
"""


def test_records_without_a_logger_are_lines_on_stderr(library):
    lines = run(sys.executable, "-c", LOGS, library).stderr.splitlines()
    expected = [
        re.escape(colour) + TIME + re.escape(f" [{letter}:onnxruntime:, b.c:12 f] message\033[m")
        for letter, colour in COLOURS.items()
    ]
    assert len(lines) == len(expected), lines  # not the first, whose severity is too low
    for line, pattern in zip(lines, expected, strict=True):
        assert re.fullmatch(pattern, line), line


def test_two_threads_share_one_environment(build_client, core_library):
    run(build_client("shared_env"), core_library, "20000")


def test_a_child_of_a_fork_has_an_environment_whatever_other_threads_did(
    build_client, core_library
):
    run(build_client("shared_env"), core_library, "100000", "200")
