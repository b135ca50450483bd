# SPDX-License-Identifier: MIT
"""The import of ortcffi in a process that has loaded a libortcore before."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from support.processes import run_python

import ortcffi as ort

IMPORT = """if True:
    import ctypes, os, sys
    ctypes.CDLL(sys.argv[1], mode=getattr(os, sys.argv[2]))
    import ortcffi
    try:
        print(ortcffi.core_api().version, ortcffi.find_runtimes()[0].path)
    except ImportError as error:
        print(error)
"""
BUILD = "ortcore_private_core_build"
HINT = "import ortcffi before what loads another library of that name"

both = pytest.mark.parametrize("mode", ["RTLD_LOCAL", "RTLD_GLOBAL"])


@pytest.fixture
def compile_core(compile_c: Callable[..., Path]) -> Callable[[str], Path]:
    """``compile_core(source)`` makes a library that the loader takes for libortcore."""
    return lambda source: compile_c(source, "-shared", "-fPIC", "-Wl,-soname,libortcore.so")


@both
def test_a_library_without_the_cores_functions_is_an_import_error(compile_core, mode):
    said = run_python(IMPORT, compile_core("int nothing;"), mode)
    assert "_ort.abi3.so: undefined symbol: " in said
    assert HINT in said


@both
def test_a_core_of_another_build_is_an_import_error_and_no_function_of_it_runs(
    compile_core, core_library, mode
):
    with core_library.open("rb") as file:
        symbols = list(ELFFile(file).get_section_by_name(".dynsym").iter_symbols())
    names = {symbol.name for symbol in symbols if symbol["st_shndx"] != "SHN_UNDEF"}
    source = "#include <stdlib.h>\n" + "\n".join(
        f"void {name}(void) {{ abort(); }}" for name in sorted(names - {BUILD})
    )
    source += f'\nconst char* {BUILD}(void) {{ return "another"; }}'
    said = run_python(IMPORT, compile_core(source), mode)
    assert said.startswith("the libortcore in this process is of another build. ")
    assert HINT in said


@both
def test_a_copy_of_the_core_is_the_core(core_library, tmp_path, mode):
    copy = shutil.copy(core_library, tmp_path / "copy.so")
    assert run_python(IMPORT, copy, mode).split()[1] == str(copy)


def test_a_function_of_another_library_is_not_taken_for_one_of_the_core(compile_c):
    other = compile_c("const char* core_build(void) { return 0; }", "-shared", "-fPIC")
    assert run_python(IMPORT, other, "RTLD_GLOBAL").startswith("32 ")


def test_the_core_beside_the_extension_comes_before_the_search_path(compile_core, core_library):
    library = compile_core("int nothing;")
    folder = library.rename(library.with_name("libortcore.so")).parent
    found = "import ortcffi; print(ortcffi.find_runtimes()[0].path)"
    assert run_python(found, LD_LIBRARY_PATH=str(folder)) == str(core_library)


def test_the_file_of_the_core_is_loaded_as_the_core(core_library):
    loaded = ort.load(core_library)
    assert loaded.is_core
    assert loaded == ort.core_api()
    assert loaded.same_library(ort.core_api())
