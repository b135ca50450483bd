# SPDX-License-Identifier: MIT
"""The wheels that tools/build_wheels.py makes with zig, also for systems that are not here."""

import hashlib
import importlib.util
import io
import os
import re
import shutil
import sys
import zipfile
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from support import windows
from support.macos import check_core, check_extension, commands_of, processor_of
from support.paths import CHECKOUT
from support.processes import run

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("wheels")]

HERE = "manylinux_2_17_x86_64"
# As macholib reads them.
CPU_X86_64, CPU_ARM64 = 0x1000007, 0x100000C
MACOS_11 = 11 << 16
EXTENSION = "ortcffi/_ort.abi3.so"
ENDS = ".so", ".dylib", ".pyd", ".dll"
WINDOWS = "ortcffi/_ort.pyd", "ortcffi/ortcore.dll"


def build(checkout: Path, folder: Path) -> dict[str, Path]:
    """Build the sdist and one wheel, without optimisation; return the files by their names."""
    if importlib.util.find_spec("ziglang") is None:
        pytest.skip("ziglang is not installed")
    # Without asserts, sanitizers and symbols, which name the files of headers.
    quickly = {"CFLAGS": "-O0 -DNDEBUG -fno-sanitize=all", "LDFLAGS": "-Wl,-s"}
    environment = {**os.environ, **quickly, "SOURCE_DATE_EPOCH": "1700000000"}
    command = [sys.executable, "tools/build_wheels.py", "--folder", folder, HERE]
    run(*command, cwd=checkout, env=environment)
    return {path.name: path for path in folder.iterdir()}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """An sdist and a wheel of a copy of this checkout."""
    return build_copy(tmp_path_factory.mktemp("checkout"))


def build_copy(folder: Path) -> dict[str, Path]:
    ignored = shutil.ignore_patterns("build", "_build", ".*_cache", ".venv", "__pycache__", "*.so")
    shutil.copytree(CHECKOUT, folder / "copy", ignore=ignored)
    return build(folder / "copy", folder / "dist")


@pytest.fixture(scope="module")
def wheels(request: pytest.FixtureRequest) -> list[Path]:
    """The wheels in the folder ``ORTCFFI_WHEELS``, or one that is built for these tests."""
    if folder := os.environ.get("ORTCFFI_WHEELS"):
        return sorted(Path(folder).glob("*.whl"))
    return [path for path in request.getfixturevalue("built").values() if path.suffix == ".whl"]


def libraries(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        names = [
            name for name in archive.namelist() if name.endswith((".so", ".dylib", ".pyd", ".dll"))
        ]
        return {name: archive.read(name) for name in names}


def test_each_wheel_has_the_extension_and_the_library_for_c_clients(wheels):
    assert wheels
    for wheel in wheels:
        core = "libortcore.dylib" if "macosx" in wheel.name else "libortcore.so"
        expected = WINDOWS if "win_amd64" in wheel.name else (EXTENSION, f"ortcffi/lib/{core}")
        assert set(libraries(wheel)) == set(expected)


def test_no_library_names_a_folder_of_the_machine_that_built_it(wheels):
    for wheel in wheels:
        for name, content in libraries(wheel).items():
            assert re.findall(rb"[ -~]*/(?:root|home|Users|tmp)/[ -~]*", content) == [], name
            beside = content.startswith(b"\x7fELF") and name == EXTENSION
            assert search_paths(content) == (["$ORIGIN/lib"] if beside else []), name


def search_paths(library: bytes) -> list[str]:
    """Where a library for Linux has other libraries searched for."""
    if not library.startswith(b"\x7fELF"):
        return []
    tags = ELFFile(io.BytesIO(library)).get_section_by_name(".dynamic").iter_tags()
    return [
        getattr(tag, tag.entry.d_tag.removeprefix("DT_").lower())
        for tag in tags
        if tag.entry.d_tag in ("DT_RPATH", "DT_RUNPATH")
    ]


def test_two_builds_in_different_folders_make_the_same_bytes(built, tmp_path):
    again = build_copy(tmp_path)
    assert set(again) == set(built)
    assert {name: digest(path) for name, path in again.items()} == {
        name: digest(path) for name, path in built.items()
    }


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_a_platform_that_is_not_known_is_refused(tmp_path):
    command = [sys.executable, "tools/build_wheels.py", "--folder", tmp_path, "win_arm64"]
    assert "no platform: win_arm64" in run(*command, cwd=CHECKOUT, code=2).stderr


def test_wheels_for_macos_are_of_their_architecture_and_need_only_the_system(wheels, tmp_path):
    for wheel in wheels:
        for name, content in libraries(wheel).items() if "macosx" in wheel.name else ():
            library = tmp_path / Path(name).name
            library.write_bytes(content)
            (check_extension if name == EXTENSION else check_core)(library)
            assert processor_of(library) == (CPU_ARM64 if "arm64" in wheel.name else CPU_X86_64)
            [version] = commands_of(library)["LC_BUILD_VERSION"]
            assert version.minos == MACOS_11


def test_the_wheel_for_windows_needs_only_windows_and_the_stable_abi(wheels, tmp_path):
    if shutil.which(f"{windows.MINGW}objdump") is None:
        pytest.skip("MinGW-w64 is not installed")
    for wheel in wheels:
        for name, content in libraries(wheel).items() if "win_amd64" in wheel.name else ():
            library = tmp_path / Path(name).name
            library.write_bytes(content)
            # The C library of Windows 10 and later is in many files.
            found = {each for each in windows.needed(library) if not each.startswith("api-ms-win-")}
            is_extension = library.suffix == ".pyd"
            beside = {"python3.dll", "ortcore.dll"} if is_extension else set()
            assert found == {windows.ALWAYS_THERE} | beside
            named = windows.listed("extension" if is_extension else "ortcore")
            assert windows.exported_for_all(library) == sorted(named)
