# SPDX-License-Identifier: MIT
"""Libraries with the C API are listed without loading them."""

import os
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import pytest
from support.processes import run_python
from support.versions import API_VERSION, VERSION_STRING

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


def test_the_embedded_core_is_listed_first_with_its_version():
    core = find_runtimes()[0]
    path = loading.extension_path()
    assert core == Runtime(path, "embedded core", VERSION_STRING, "library", (1, API_VERSION))


@pytest.mark.usefixtures("real_api")
def test_the_installed_library_is_listed_with_the_version_in_its_name():
    (wheel,) = [r for r in find_runtimes() if r.source == "onnxruntime wheel"]
    release = version("onnxruntime")
    assert (wheel.path, wheel.chosen) == (ortcffi.load().path, True)
    assert (wheel.version, wheel.version_from) == (release, "file name")
    assert wheel.api_versions == (1, int(release.split(".")[1]))
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
    assert [(r.version, r.api_versions) for r in found] == [
        ("1.25.1", (1, 25)),
        ("1.20.0", (1, 20)),
    ]
    assert not any(r.chosen for r in found)  # an import would not find this package


def test_a_file_is_listed_once_for_the_first_place_that_names_it(bare, package):
    site = package("libonnxruntime.so.1.20.1")
    (path,) = site.glob("onnxruntime/capi/*")
    bare.setenv("ORTCFFI_LIBRARY", str(path))
    bare.setattr(sys, "path", [str(site)])
    bare.setattr(runtimes, "_system_libraries", lambda: [str(path)])
    assert [r.source for r in find_runtimes()] == ["embedded core", "ORTCFFI_LIBRARY"]


def test_a_library_without_a_version_in_its_name_has_that_of_its_package(bare, package):
    site = package("libonnxruntime.so")
    metadata = site / "onnxruntime_gpu-1.23.1.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Name: onnxruntime-gpu\nVersion: 1.23.1\n")
    (metadata / "RECORD").write_text("onnxruntime/capi/libonnxruntime.so,,\n")
    (site / "~emoved-1.0.dist-info").mkdir()  # as pip leaves it
    bare.setattr(sys, "path", [str(site)])
    found = find_runtimes()[1]
    assert (found.version, found.version_from) == ("1.23.1", "package metadata")
    assert found.api_versions == (1, 23)


def test_a_library_of_unknown_version_is_listed_without_one(bare, package):
    bare.setattr(sys, "path", [str(package("libonnxruntime.so"))])
    found = find_runtimes()[1]
    assert (found.version, found.version_from, found.api_versions) == (None, None, None)
    assert found.problem is None


def test_a_library_that_is_too_old_by_its_name_has_a_problem(bare, package):
    bare.setattr(sys, "path", [str(package("libonnxruntime.so.0.5.0"))])
    found = find_runtimes()[1]
    assert (found.version, found.api_versions) == ("0.5.0", None)
    assert found.problem.startswith("is too old")


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
