# SPDX-License-Identifier: MIT
"""What is shipped: the sdist, the wheel that is built from it, and the package that it installs."""

import importlib.util
import json
import os
import re
import shutil
import sys
import tarfile
import venv
import zipfile
from email.message import Message
from email.parser import Parser
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from support.paths import CHECKOUT
from support.processes import run
from support.versions import VERSION_STRING

import ortcffi
from ortcffi._native import lib

FOLDERS = ["core", "ortcffi", "tests", "tools", "benchmarks", "docs", ".ci", ".github"]
FILES = """
.clang-format .gitignore .pre-commit-config.yaml CHANGELOG.md CONTRIBUTING.md LICENSE MANIFEST.in
NOTICE README.md SECURITY.md build_ort.py pyproject.toml setup.py
"""
SHIPPED = [*FOLDERS, *FILES.split()]

PYTEST = [sys.executable, "-P", "-m", "pytest", "-p", "no:cacheprovider", "-q"]

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("packaging")]

CLIENT = """
#include <stdio.h>
#include "onnxruntime_c_api.h"
int main(void) {
  const OrtApi* api = OrtGetApiBase()->GetApi(ORT_API_VERSION);
  OrtAllocator* allocator = NULL;
  if (api->GetAllocatorWithDefaultOptions(&allocator) != NULL) return 1;
  void* block = allocator->Alloc(allocator, 100);
  printf("%s %d", OrtGetApiBase()->GetVersionString(), (int)((size_t)block % 64));
  allocator->Free(allocator, block);
  return 0;
}
"""


def run_outside(*command: str | Path, cwd: Path, **variables: str) -> str:
    """Runs a command where the package under test cannot be found by accident."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return run(*command, cwd=cwd, env=environment | variables).stdout


def sources(folder: Path) -> set[str]:
    """The files below a directory that were written, not built."""
    names = [str(path.relative_to(CHECKOUT)) for path in folder.rglob("*") if path.is_file()]
    built = r"(\.so|\.o)$|/_?build/|^docs/c/|^docs/python/.*rst$|/__pycache__/|_cache/"
    return {name for name in names if not re.search(built, name)}


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with an sdist of this checkout and a wheel that was built from the sdist.

    ``ORTCFFI_DIST`` names one where both have been built from these sources already. This one is
    compiled without optimisation, which takes half of the time.
    """
    if built := os.environ.get("ORTCFFI_DIST"):
        return Path(built)
    work = tmp_path_factory.mktemp("dist")
    for name in SHIPPED:
        if (CHECKOUT / name).is_dir():
            ignored = shutil.ignore_patterns("build", "_build", "__pycache__", "*.so")
            shutil.copytree(CHECKOUT / name, work / "checkout" / name, ignore=ignored)
        else:
            shutil.copy(CHECKOUT / name, work / "checkout" / name)
    build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", work]
    run_outside(*build, cwd=work / "checkout", CFLAGS="-O0")
    return work


@pytest.fixture(scope="module")
def wheel(dist: Path) -> Path:
    (path,) = dist.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def unpacked(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("unpacked")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


@pytest.fixture(scope="module")
def metadata(unpacked: Path) -> Message:
    (path,) = unpacked.glob("*.dist-info/METADATA")
    return Parser().parsestr(path.read_text())


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The ``bin`` of an environment in which nothing but the wheel and its needs is installed."""
    folder = tmp_path_factory.mktemp("installed")
    venv.create(folder)
    pip = [sys.executable, "-m", "pip", "--python", folder, "--disable-pip-version-check"]
    # Compiled would be all of NumPy, of which a few modules are imported here.
    run_outside(*pip, "install", "--quiet", "--no-cache-dir", "--no-compile", wheel, cwd=folder)
    return folder / "bin"


def test_the_sdist_holds_every_source(dist):
    (path,) = dist.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        names = {member.name.partition("/")[2] for member in archive.getmembers()}
    written = {name for name in SHIPPED if not (CHECKOUT / name).is_dir()}
    for folder in FOLDERS:
        written |= sources(CHECKOUT / folder)
    assert written <= names


@pytest.fixture(scope="module")
def unpacked_sdist(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    (path,) = dist.glob("*.tar.gz")
    folder = tmp_path_factory.mktemp("sdist")
    with tarfile.open(path) as archive:
        archive.extractall(folder, filter="data")
    (root,) = folder.iterdir()
    return root


def test_tests_of_a_topic_pass_in_an_unpacked_sdist(unpacked_sdist):
    run(*PYTEST, "-x", "tests/status", cwd=unpacked_sdist)


@pytest.mark.usefixtures("real_api")  # the examples load it
def test_examples_of_pages_print_in_an_unpacked_sdist_what_these_show(unpacked_sdist, tmp_path):
    if importlib.util.find_spec("sphinx") is None:
        pytest.skip("sphinx is not installed: pip install 'ortcffi[docs]'")
    # All pages are in the sdist and are tested elsewhere: to read them takes most of the time.
    pages = ["-Dinclude_patterns=guide/errors.md,guide/values.md", "-Droot_doc=guide/errors"]
    command = [sys.executable, "-P", "-m", "sphinx", "-b", "doctest", *pages, "docs", tmp_path]
    said = run(*command, cwd=unpacked_sdist).stdout
    assert int(re.search(r"summary\n=+\n +(\d+) tests", said)[1]) > 30


def test_one_wheel_serves_every_python_from_3_11_on(wheel):
    assert re.fullmatch(r"ortcffi-[0-9.]+-cp311-abi3-linux_\w+\.whl", wheel.name)


def test_the_wheel_holds_what_c_clients_and_type_checkers_need(unpacked):
    headers = {path.name for path in (CHECKOUT / "core/include").iterdir()}
    assert {path.name for path in (unpacked / "ortcffi/include").iterdir()} == headers
    for name in ["lib/libortcore.so", "_ort.abi3.so", "_ort.pyi", "py.typed"]:
        assert (unpacked / "ortcffi" / name).is_file(), name


def test_the_wheel_holds_no_sources_of_the_build(unpacked):
    names = [str(path.relative_to(unpacked)) for path in unpacked.rglob("*")]
    assert not [name for name in names if name.endswith((".c", ".o", ".map"))]
    assert {path.name for path in unpacked.iterdir() if path.suffix != ".dist-info"} == {"ortcffi"}
    assert not (unpacked / "ortcffi/boundary").exists()


@pytest.mark.parametrize("name", ["_ort.abi3.so", "lib/libortcore.so"])
def test_the_binaries_are_stripped(name):
    # Of the package that is tested, because what is built with CFLAGS keeps its symbols.
    with (Path(ortcffi.__file__).parent / name).open("rb") as file:
        sections = {section.name for section in ELFFile(file).iter_sections()}
    assert not {section for section in sections if section.startswith((".debug", ".symtab"))}


def test_the_wheel_says_what_it_is_made_of_and_under_which_licences(unpacked, metadata):
    assert set(metadata.get_all("License-File")) == {"LICENSE", "NOTICE"}
    [parts] = unpacked.glob("*.dist-info/sboms/*")
    bill = json.loads(parts.read_text())
    assert bill["metadata"]["component"]["version"] == metadata["Version"]
    names = {part["name"] for part in bill["components"]}
    assert names == {"cffi", "numpy", "ONNX Runtime headers", "ONNX operator schemas"}


def test_only_cffi_and_numpy_are_needed_at_run_time(metadata):
    needed = [line for line in metadata.get_all("Requires-Dist", []) if "extra ==" not in line]
    assert sorted(re.match(r"\w+", line)[0] for line in needed) == ["cffi", "numpy"]


def dynamic(library: Path) -> dict[str, set[str]]:
    """What a library says to the loader: its name, its needs, its flags, its exports."""
    with library.open("rb") as file:
        elf = ELFFile(file)
        tags = list(elf.get_section_by_name(".dynamic").iter_tags())
        symbols = list(elf.get_section_by_name(".dynsym").iter_symbols())
        return {
            "soname": {tag.soname for tag in tags if tag.entry.d_tag == "DT_SONAME"},
            "needed": {tag.needed for tag in tags if tag.entry.d_tag == "DT_NEEDED"},
            "flags": {
                f"{tag.entry.d_tag} {tag.entry.d_val}" for tag in tags if "FLAGS" in tag.entry.d_tag
            },
            "exports": {symbol.name for symbol in symbols if symbol.entry.st_shndx != "SHN_UNDEF"},
        }


def test_the_wheels_core_is_the_one_that_make_builds(unpacked, build_core):
    assert dynamic(unpacked / "ortcffi/lib/libortcore.so") == dynamic(build_core())


def test_it_installs_with_nothing_but_cffi_and_numpy(installed, tmp_path):
    program = "from importlib import metadata as m; print(*{d.name for d in m.distributions()})"
    names = set(run_outside(installed / "python", "-c", program, cwd=tmp_path).split())
    assert names == {"ortcffi", "cffi", "numpy", "pycparser"}


def test_it_works_where_nothing_else_is_installed(installed, tmp_path):
    program = """
import numpy, ortcffi
array = ortcffi.default_api().default_allocator.zeros((3, 5), numpy.float32)
try:
    ortcffi.default_api().memory_info("NoSuchDevice")
except ortcffi.OrtError as error:
    print(array.sum(), error.code.name)
"""
    printed = run_outside(installed / "python", "-c", program, cwd=tmp_path)
    assert printed == "0.0 INVALID_ARGUMENT\n"


def test_it_installs_a_command(installed, tmp_path):
    assert f"{lib.ORTCFFI_SLOTS}" in run_outside(installed / "ortcffi", "info", cwd=tmp_path)


def test_a_c_client_compiles_against_the_installed_package(installed, tmp_path, c_compiler):
    places = "import ortcffi; print(ortcffi.get_include(), ortcffi.get_library())"
    include, library = run_outside(installed / "python", "-c", places, cwd=tmp_path).split()
    (tmp_path / "client.c").write_text(CLIENT)
    linked = [library, f"-Wl,-rpath,{Path(library).parent}"]
    run_outside(*c_compiler, "client.c", f"-I{include}", *linked, "-o", "client", cwd=tmp_path)
    assert run_outside("./client", cwd=tmp_path) == f"{VERSION_STRING} 0"
