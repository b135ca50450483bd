# SPDX-License-Identifier: MIT
"""Compilers, and what ``make -C core`` builds with them.

What is built stays in ``core/build/tests``, a folder for each configuration, so that all tests and
all later runs share it; make brings it up to date.
"""

import fcntl
import functools
import os
import re
import shlex
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import pytest
from support.paths import CHECKOUT
from support.processes import run
from support.threads import wait_until

USES_MIMALLOC = os.environ.get("ORTCFFI_USE_MIMALLOC") == "1"  # as build_ort.py and core/Makefile
CORE = CHECKOUT / "core"
UNOPTIMISED = "CFLAGS=-O0"  # compiles in half of the time; the package has optimised code
# Flags that valgrind needs, so that its clients share a build with all tests of the core on malloc.
# These tests are in the group "malloc": one process makes that build.
FLAGS_ON_MALLOC = "-O0 -g1 -fno-omit-frame-pointer"
ON_MALLOC = ["USE_MALLOC=1", f"CFLAGS={FLAGS_ON_MALLOC}"]
LONGEST_BUILD = 600  # seconds: valgrind and sanitizers, on a busy machine


def find_compiler(variable: str, names: list[str]) -> list[str]:
    """The command that an environment variable names, or else the first that is installed."""
    commands = [shlex.split(os.environ.get(variable, "")), *([name] for name in names)]
    for command in commands:
        if command and shutil.which(command[0]):
            return command
    pytest.skip(f"no compiler: {variable} names none, and none of {', '.join(names)} was found")


def has_mimalloc(compiler: list[str]) -> bool:
    """Whether the compiler finds the header of mimalloc."""
    command = [*compiler, "-include", "mimalloc.h", "-E", "-x", "c", os.devnull]
    return run(*command, code=None).returncode == 0


@functools.cache
def builds() -> Path:
    """The folder of all builds; a temporary one where the checkout cannot be written to."""
    folder = CORE / "build/tests"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError:
        return Path(tempfile.mkdtemp(prefix="ortcffi-builds-"))


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keeps other processes of this test run from building in a folder at the same time."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as file:
        wait_until(lambda: try_lock(file), limit=LONGEST_BUILD)
        yield


def try_lock(file: IO[str]) -> bool:
    """Lock a file if no other process has it locked; whether it is locked now."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def build_folder(compiler: list[str], *arguments: str) -> Path:
    """The folder of what a compiler builds with these variables of the Makefile."""
    given = [word for word in arguments if USES_MIMALLOC or word != "USE_MIMALLOC=0"]
    words = [*(Path(word).name for word in compiler), *given]
    # make takes a target with "=" in it for a variable.
    return builds() / re.sub(r"[^\w.-]", "_", "-".join(words))


def make_command(compiler: list[str]) -> list[str]:
    """The beginning of a command that builds the core."""
    if shutil.which("make") is None:
        pytest.skip("make is not installed")
    return ["make", "-s", "-j2", "-C", str(CORE), f"CC={shlex.join(compiler)}"]


def make(compiler: list[str], *targets: str, arguments: tuple[str, ...] = ()) -> Path:
    """``make -C core`` with these variables and targets; returns the folder of the build.

    Without flags among the variables it compiles without optimisation.

    ``@`` at the beginning of a target stands for that folder.
    """
    folder = build_folder(compiler, *arguments)
    command = make_command(compiler)
    places = [target.replace("@", str(folder), 1) for target in targets]
    with locked(folder):
        run(*command, UNOPTIMISED, f"BUILD={folder}", *arguments, *places)
    return folder


def compile_shared(program: Path, sources: list[Path], *command: str | Path) -> Path:
    """A program that all tests share; compiled where it is older than files of these folders."""
    folders = [*sources, CORE / "include"]
    with locked(program.parent):
        newest = max(file.stat().st_mtime for folder in folders for file in folder.iterdir())
        if not program.exists() or program.stat().st_mtime < newest:
            run(*command)
    return program
