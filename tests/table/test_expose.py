# SPDX-License-Identifier: MIT
"""``expose_symbols``, in child processes because its effect cannot be undone."""

from collections.abc import Callable
from pathlib import Path

import pytest
from support.processes import run_python
from support.versions import VERSION_STRING

from ortcffi.table import load as loading

BY_NAME = """
#include "onnxruntime_c_api.h"
ORT_EXPORT const char* version_string(void) { return OrtGetApiBase()->GetVersionString(); }
"""
# argv: the library that finds OrtGetApiBase by name, and the real library
HEAD = """
import ctypes, os, sys
import ortcffi
from ortcffi.table.load import expose_symbols

by_name, real = sys.argv[1:]

def version_string():
    library = ctypes.CDLL(by_name, mode=os.RTLD_NOW | os.RTLD_LOCAL)
    library.version_string.restype = ctypes.c_char_p
    return library.version_string().decode()
"""


@pytest.fixture
def by_name(compile_c: Callable[..., Path]) -> Path:
    """A library with an undefined ``OrtGetApiBase`` that is linked to nothing that has it."""
    return compile_c(BY_NAME, "-shared", "-fPIC")


@pytest.fixture
def run(by_name: Path, real_library: Path) -> Callable[..., str]:
    """``run(code)`` runs Python code in a new process and returns what it prints."""

    def run(code: str, **environment: str) -> str:
        return run_python(HEAD + code, by_name, real_library, **environment)

    return run


def test_a_library_that_finds_the_entry_by_name_does_not_load_before_exposing(run):
    code = """
try:
    version_string()
except OSError as error:
    print(error)
"""
    assert "undefined symbol: OrtGetApiBase" in run(code)


def test_a_library_that_finds_the_entry_by_name_loads_after_exposing(run):
    code = "print(expose_symbols()); expose_symbols(); print(version_string())"
    assert run(code).splitlines() == [loading.core_path(), VERSION_STRING]


def test_a_library_that_was_made_global_before_wins_and_is_named(run, real_library):
    code = """
ctypes.CDLL(real, mode=os.RTLD_NOW | os.RTLD_GLOBAL)
print(expose_symbols() == real, version_string())
"""
    version = real_library.name.partition(".so.")[2]
    assert run(code) == f"True {version}"


def test_a_preloaded_library_wins_and_the_core_stays_the_core(run, real_library):
    code = "print(expose_symbols() == real, ortcffi.default_api().version_string)"
    assert run(code, LD_PRELOAD=str(real_library)) == f"True {VERSION_STRING}"


def test_a_library_that_is_made_global_afterwards_comes_second(run):
    code = """
expose_symbols()
ctypes.CDLL(real, mode=os.RTLD_NOW | os.RTLD_GLOBAL)
print(version_string())
"""
    assert run(code) == VERSION_STRING


def test_a_loaded_library_uses_its_own_entry_point_after_exposing(run, real_library):
    code = "expose_symbols(); print(ortcffi.load(real).version_string)"
    assert run(code) == real_library.name.partition(".so.")[2]
