# SPDX-License-Identifier: MIT
"""Libraries with the C API are listed without loading them."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from support.processes import run_python

import ortcffi
from ortcffi.table import find as runtimes
from ortcffi.table import load as loading
from ortcffi.table.find import Runtime, find_runtimes


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """A machine without any library besides the embedded core."""
    monkeypatch.delenv("ORTCFFI_LIBRARY", raising=False)
    monkeypatch.setattr(loading, "installed_libraries", list)
    monkeypatch.setattr(runtimes, "_system_libraries", list)
    monkeypatch.setattr(sys, "path", [])
    return monkeypatch


@pytest.fixture
def package(tmp_path: Path, core_library: Path) -> Callable[..., Path]:
    """``package(names)`` is a site directory whose package onnxruntime has those libraries."""

    def package(*names: str) -> Path:
        capi = tmp_path / "site" / "onnxruntime" / "capi"
        capi.mkdir(parents=True)
        for name in names:
            (capi / name).write_bytes(core_library.read_bytes())
        return tmp_path / "site"

    return package


def test_the_embedded_core_is_listed_first():
    assert find_runtimes()[0] == Runtime(loading.core_path(), "embedded core")


@pytest.mark.usefixtures("real_api")
def test_the_installed_library_is_listed():
    (wheel,) = [r for r in find_runtimes() if r.source == "onnxruntime wheel"]
    assert (wheel.path, wheel.chosen) == (ortcffi.load().path, True)
    assert (wheel.problem, wheel.remedy) == (None, None)


@pytest.mark.usefixtures("real_library")
def test_nothing_is_loaded_while_listing():
    code = (
        "import ortcffi, sys\n"
        "assert any(r.chosen for r in ortcffi.find_runtimes())\n"
        "maps = open('/proc/self/maps').read()\n"
        "assert 'libonnxruntime' not in maps and 'onnxruntime' not in sys.modules"
    )
    run_python(code)


@pytest.mark.usefixtures("bare")
def test_a_machine_without_libraries_has_the_embedded_core_alone():
    assert [r.source for r in find_runtimes()] == ["embedded core"]


def test_the_library_in_the_variable_is_chosen_even_if_it_is_broken(bare):
    bare.setenv("ORTCFFI_LIBRARY", "/no/such/library.so")
    assert find_runtimes()[1:] == [
        Runtime(
            "/no/such/library.so",
            "ORTCFFI_LIBRARY",
            problem="does not exist",
            remedy="expected the path of a shared library, such as libonnxruntime.so",
            chosen=True,
        )
    ]


def test_a_given_library_is_listed_and_not_chosen(bare, core_library):
    bare.chdir(core_library.parent)
    assert find_runtimes("libortcore.so")[1:] == [Runtime(str(core_library), "given")]
    given = find_runtimes(core_library.parent)[1]
    assert (given.source, given.problem) == ("given", "is a directory")
    assert given.remedy is not None


def test_every_copy_on_the_search_path_is_listed(bare, package):
    site = package("libonnxruntime.so.1.25.1", "libonnxruntime.so.1.20.0")
    bare.setattr(sys, "path", ["/no/such/directory", str(site)])
    found = find_runtimes()[1:]
    assert [os.path.basename(r.path) for r in found] == [
        "libonnxruntime.so.1.25.1",
        "libonnxruntime.so.1.20.0",
    ]
    assert not any(r.chosen for r in found)  # an import would not find this package


def test_a_file_is_listed_once_for_the_first_place_that_names_it(bare, package):
    site = package("libonnxruntime.so.1.20.1")
    (path,) = site.glob("onnxruntime/capi/*")
    bare.setenv("ORTCFFI_LIBRARY", str(path))
    bare.setattr(sys, "path", [str(site)])
    bare.setattr(runtimes, "_system_libraries", lambda: [str(path)])
    assert [r.source for r in find_runtimes()] == ["embedded core", "ORTCFFI_LIBRARY"]


def test_the_first_sound_library_of_the_system_is_chosen(bare, tmp_path, core_library):
    (tmp_path / "text").write_text("text")
    libraries = [str(tmp_path / "text"), str(core_library)]
    bare.setattr(runtimes, "_system_libraries", lambda: libraries)
    found = find_runtimes()[1:]
    assert [(r.source, r.chosen) for r in found] == [("system", False), ("system", True)]


def test_the_loaders_search_path_is_searched(monkeypatch, tmp_path, core_library):
    (tmp_path / "libonnxruntime.so.1").symlink_to(core_library)
    monkeypatch.setenv("LD_LIBRARY_PATH", f"/no/such/directory:{tmp_path}")
    (found,) = [r for r in find_runtimes() if r.path == str(tmp_path / "libonnxruntime.so.1")]
    assert (found.source, found.problem) == ("system", None)


def test_the_loaders_cache_is_read():
    cached = runtimes._loader_cache()
    assert any(os.path.basename(path) == "libc.so.6" for path in cached)
