# SPDX-License-Identifier: MIT
"""An exception between the return from C and the Python object's creation leaks nothing.

A KeyboardInterrupt, a MemoryError, what another thread has thrown into this one, and the limit of
recursion, which may be near as well where an object is released.
"""

import functools
import json
import sys
from pathlib import Path

import pytest
from support import interrupts
from support.compilers import CORE, build_folder, compile_shared
from support.paths import CHECKOUT, finds_support
from support.processes import run

LIMIT = 240  # seconds, of all kinds together, which take ten


@pytest.fixture(scope="session")
def counting_library(c_compiler: list[str]) -> Path:
    """A library that counts the objects which the installed onnxruntime makes."""
    source = CHECKOUT / "tests/c/clients/counting_library.c"
    library = build_folder(c_compiler, "clients") / "libcounting.so"
    flags = ["-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", f"-I{CORE / 'include'}"]
    command = [*c_compiler, *flags, "-shared", "-fPIC", source, "-o", library, "-ldl"]
    return compile_shared(library, [source.parent], *command)


@functools.cache
def points(*arguments: Path, **environment: str) -> dict[str, tuple[int, list[int], list[int]]]:
    """Of each kind how many points there were to strike at, and those at which one was lost.

    At last with how many calls left to the limit of recursion one was lost.
    """
    command = [sys.executable, "-P", "-m", "support.interrupts", *arguments]
    done = run(*command, env={**finds_support(), **environment}, timeout=LIMIT)
    found: dict[str, tuple[int, list[int], list[int]]] = json.loads(done.stdout)
    return found


@pytest.mark.xdist_group("interrupts of the core")
@pytest.mark.parametrize("kind", interrupts.CORE)
def test_an_exception_at_any_point_loses_no_object_of_the_core(kind):
    count, lost, _ = points()[kind]
    assert count > 1
    assert not lost


@pytest.mark.xdist_group("interrupts of the core")
@pytest.mark.parametrize("kind", interrupts.CORE)
def test_near_the_limit_of_recursion_no_object_of_the_core_is_lost(kind):
    assert not points()[kind][2]


@pytest.mark.xdist_group("interrupts of a library")
@pytest.mark.parametrize("kind", interrupts.ENGINE)
def test_an_exception_at_any_point_loses_no_object_of_a_library(
    kind, counting_library, real_library
):
    count, lost, _ = points(counting_library, COUNTED_LIBRARY=str(real_library))[kind]
    assert count > 1
    assert not lost


@pytest.mark.xdist_group("interrupts of a library")
@pytest.mark.parametrize("kind", interrupts.ENGINE)
def test_near_the_limit_of_recursion_no_object_of_a_library_is_lost(
    kind, counting_library, real_library
):
    assert not points(counting_library, COUNTED_LIBRARY=str(real_library))[kind][2]
