# SPDX-License-Identifier: MIT
"""The clients in C under sanitizers and valgrind, and that these find an error that is planted."""

import os
import shutil
from collections.abc import Callable

import pytest
from support.compilers import FLAGS_ON_MALLOC, LONGEST_BUILD, ON_MALLOC, build_folder, locked
from support.processes import run

SANITIZERS = {"asan": "address,undefined", "tsan": "thread,undefined"}
PLANTED = [
    ("asan", "overrun", "heap-buffer-overflow"),
    ("asan", "leak", "detected memory leaks"),
    ("asan", "shift", "shift exponent 32 is too large"),
    ("tsan", "race", "data race"),
    ("tsan", "shift", "shift exponent 32 is too large"),
    ("valgrind", "overrun", "Invalid write of size 1"),
    ("valgrind", "leak", "definitely lost"),
]

pytestmark = pytest.mark.slow


def cases(*rows):
    """The parameters of a test whose first is the tool; one process builds what a tool needs."""
    groups = {"valgrind": "malloc"}
    return [
        pytest.param(*row, marks=pytest.mark.xdist_group(groups.get(row[0], row[0])))
        for row in rows
    ]


@pytest.fixture
def make(make_core: list[str], c_compiler: list[str]) -> Callable[..., str]:
    def make(tool: str, *arguments: str, fails: bool = False) -> str:
        skip_without(tool, c_compiler)
        if tool == "valgrind":
            folder = build_folder(c_compiler, *ON_MALLOC)
            arguments += (f"BUILD_OF_VALGRIND={folder}", f"FLAGS_OF_VALGRIND={FLAGS_ON_MALLOC}")
        else:
            folder = build_folder(c_compiler, tool)
        with locked(folder):
            command = [*make_core, "-s", f"BUILD={folder}", tool, *arguments]
            done = run(*command, code=None, timeout=LONGEST_BUILD)
        assert (done.returncode != 0) == fails, done.stdout + done.stderr
        return done.stdout

    return make


def skip_without(tool: str, compiler: list[str]) -> None:
    if tool == "valgrind":
        if shutil.which(tool) is None:
            pytest.skip("valgrind is not installed")
        return
    flag = f"-fsanitize={SANITIZERS[tool]}"
    command = [*compiler, flag, "-x", "c", "-", "-o", os.devnull]
    if run(*command, code=None, input="int main(void) { return 0; }").returncode != 0:
        pytest.skip(f"the compiler cannot link a program with {flag}")


@pytest.mark.parametrize("tool", cases(*((tool,) for tool in (*SANITIZERS, "valgrind"))))
def test_nothing_is_found_in_the_core_and_its_clients(make, tool):
    assert "storm" in make(tool)


@pytest.mark.parametrize(("tool", "error", "report"), cases(*PLANTED))
def test_a_planted_error_is_found(make, tool, error, report):
    assert report in make(tool, f"RUNS=planted:{error}", fails=True)
