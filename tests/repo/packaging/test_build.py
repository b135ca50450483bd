# SPDX-License-Identifier: MIT
"""The build: what it needs, and whose flags it takes."""

import importlib.util
import os
import sys
import sysconfig
from types import ModuleType

import pytest
from support.paths import CHECKOUT
from support.processes import run


@pytest.fixture
def build(monkeypatch) -> ModuleType:
    """build_ort.py, as it is in an environment without flags for compilers."""
    return build_with(monkeypatch)


def build_with(monkeypatch: pytest.MonkeyPatch, **flags: str) -> ModuleType:
    for name in ["CFLAGS", "LDFLAGS", "ORTCFFI_USE_MALLOC", "ORTCFFI_USE_MIMALLOC"]:
        monkeypatch.delenv(name, raising=False)
    for name, value in flags.items():
        monkeypatch.setenv(name, value)
    spec = importlib.util.spec_from_file_location("build_of_a_test", CHECKOUT / "build_ort.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_metadata_of_the_package_needs_no_compiler():
    pytest.importorskip("setuptools", minversion="77")
    environment = {**os.environ, "CC": "/nonexistent"}
    done = run(sys.executable, "setup.py", "--version", cwd=CHECKOUT, env=environment)
    assert done.stdout == "0.1.0\n"


NO_HEADERS = """
from distutils import sysconfig
sysconfig.get_python_inc = lambda *arguments, **named: "/nonexistent"
"""
OLD = "setuptools.__version__ = '76.1'"
LACKS = {  # what is done before the build, and what it says at last
    "a compiler": (
        "import os; os.environ['CC'] = '/nonexistent'",
        "To compile ortcffi, install a C compiler, here /nonexistent (package gcc).",
    ),
    "headers of Python": (
        NO_HEADERS,
        "To compile ortcffi, install Python's headers (package python3-dev).",
    ),
    "a new setuptools": (
        OLD,
        "ortcffi needs setuptools 77 or later: pip install 'setuptools>=77'",
    ),
}


@pytest.mark.parametrize("lacking", LACKS)
def test_a_build_without_what_it_needs_says_what_to_install(lacking, tmp_path):
    pytest.importorskip("setuptools", minversion="77")
    before, text = LACKS[lacking]
    words = ["-q", "build_ext", "--build-lib", str(tmp_path)]
    program = f"import runpy, setuptools, sys\n{before}\nsys.argv[1:] = {words}\n"
    program += "runpy.run_path('setup.py', run_name='__main__')"
    said = run(sys.executable, "-c", program, code=1, cwd=CHECKOUT).stderr
    assert said.splitlines()[-1] == text


def test_a_build_for_a_free_threaded_python_leaves_the_stable_abi(monkeypatch):
    assert build_with(monkeypatch).IS_ABI3
    monkeypatch.setitem(sysconfig.get_config_vars(), "Py_GIL_DISABLED", 1)
    assert not build_with(monkeypatch).IS_ABI3


def test_a_build_for_another_python_says_that_there_is_none_yet(monkeypatch):
    monkeypatch.setattr(sys.implementation, "name", "pypy")
    with pytest.raises(SystemExit, match="needs CPython"):
        build_with(monkeypatch)


def test_flags_of_a_distribution_come_after_ours_and_it_strips_by_itself(monkeypatch):
    build = build_with(monkeypatch, CFLAGS="-O3 -g '-DTWO=a b'", LDFLAGS="-Wl,-z,lazy")
    assert build.COMPILE_FLAGS[-3:] == ["-O3", "-g", "-DTWO=a b"]
    for flags in (build.CORE_LINK_FLAGS, build.EXTENSION_LINK_FLAGS):
        assert flags[-1] == "-Wl,-z,lazy"
        assert not {"-Wl,-s", "-Wl,-x"} & set(flags)


def test_a_build_without_flags_of_others_is_optimised_and_stripped(build):
    assert {"-O2", "-g0"} <= set(build.COMPILE_FLAGS)
    assert {"-Wl,-s", "-Wl,-x"} & set(build.EXTENSION_LINK_FLAGS)


def test_a_build_with_malloc_is_for_debuggers(monkeypatch):
    build = build_with(monkeypatch, ORTCFFI_USE_MALLOC="1")
    assert "core/src/heap/heap_wrapped.c" in build.CORE_SOURCES
    assert "core/src/heap/heap.c" not in build.CORE_SOURCES
    assert {"-DCORE_USE_MALLOC", "-g", "-O1"} <= set(build.COMPILE_FLAGS)
    assert not {"-Wl,-s", "-Wl,-x"} & set(build.LINK_FLAGS)
