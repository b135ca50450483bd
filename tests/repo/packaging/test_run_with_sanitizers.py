# SPDX-License-Identifier: MIT
"""tools/run_with_sanitizers.py --filled: what it builds, and that freed memory is filled."""

import json
import platform
import sys

import pytest
from support.paths import CHECKOUT
from support.processes import run_python

READ_BUILD = """
import json, sys
sys.path.insert(0, sys.argv[1])
import build_ort as build
print(json.dumps([build.CORE_SOURCES, build.COMPILE_FLAGS, build.LINK_FLAGS]))
"""


@pytest.fixture
def tool(monkeypatch):
    if platform.libc_ver()[0] != "glibc":
        pytest.skip("only glibc fills memory that is freed")
    monkeypatch.setattr(sys, "path", [str(CHECKOUT / "tools"), *sys.path])
    import run_with_sanitizers

    return run_with_sanitizers


def test_memory_that_is_freed_is_filled(tool):
    assert tool.fills()


def test_memory_that_is_not_filled_is_noticed(tool, monkeypatch):
    monkeypatch.setitem(tool.FILLED, "GLIBC_TUNABLES", "")
    assert not tool.fills()


def test_a_build_for_it_has_malloc_and_symbols(tool):
    read = run_python(READ_BUILD, CHECKOUT, ORTCFFI_SANITIZERS="", **tool.FILLED_BUILD)
    sources, compile_flags, link_flags = json.loads(read)
    assert "core/src/heap/heap_wrapped.c" in sources
    assert "core/src/heap/heap.c" not in sources
    assert {"-DCORE_USE_MALLOC", "-g", "-O1"} <= set(compile_flags)
    assert not {"-Wl,-s", "-Wl,-x"} & set(link_flags)
