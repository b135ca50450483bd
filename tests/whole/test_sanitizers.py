# SPDX-License-Identifier: MIT
"""The clients in C under sanitizers and valgrind, and that these find an error that is planted."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

SANITIZERS = {"asan": "address", "ubsan": "undefined", "tsan": "thread"}
PLANTED = [
    ("asan", "overrun", "heap-buffer-overflow"),
    ("asan", "leak", "detected memory leaks"),
    ("ubsan", "shift", "shift exponent 32 is too large"),
    ("tsan", "race", "data race"),
    ("valgrind", "overrun", "Invalid write of size 1"),
    ("valgrind", "leak", "definitely lost"),
]

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def make(
    tmp_path_factory: pytest.TempPathFactory, make_core: list[str], c_compiler: list[str]
) -> Callable[..., str]:
    build = tmp_path_factory.mktemp("checks")

    def make(tool: str, *arguments: str, fails: bool = False) -> str:
        forbid_what_is_missing(tool, c_compiler, build)
        command = [*make_core, "-s", f"BUILD={build}", tool, *arguments]
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        assert (done.returncode != 0) == fails, done.stdout + done.stderr
        return done.stdout

    return make


def forbid_what_is_missing(tool: str, compiler: list[str], folder: Path) -> None:
    if tool == "valgrind":
        if shutil.which(tool) is None:
            pytest.skip("valgrind is not installed")
        return
    source = folder / "empty.c"
    source.write_text("int main(void) { return 0; }\n")
    flag = f"-fsanitize={SANITIZERS[tool]}"
    command = [*compiler, flag, str(source), "-o", str(folder / "empty")]
    if subprocess.run(command, check=False, capture_output=True).returncode != 0:
        pytest.skip(f"the compiler cannot link a program with {flag}")


@pytest.mark.parametrize("tool", [*SANITIZERS, "valgrind"])
def test_nothing_is_found_in_the_core_and_its_clients(make, tool):
    assert "storm" in make(tool)


@pytest.mark.parametrize(("tool", "error", "report"), PLANTED)
def test_a_planted_error_is_found(make, tool, error, report):
    assert report in make(tool, f"RUNS=planted:{error}", fails=True)
