# SPDX-License-Identifier: MIT
"""Exports, dependencies and loader flags of the built libraries, read from the files."""

import importlib.util
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from elftools.elf.dynamic import DynamicSection
from elftools.elf.elffile import ELFFile
from elftools.elf.gnuversions import GNUVerNeedSection, GNUVerSymSection
from elftools.elf.relocation import RelocationSection
from elftools.elf.sections import Section, Symbol, SymbolTableSection
from support.compilers import USES_MIMALLOC
from support.paths import CHECKOUT
from support.processes import run

EXPORTS = CHECKOUT / "core/exports"
# What the core exports for the extension, where it has not hidden it.
FOR_EXTENSION = ["ortcore_private_*"]
ON_WINDOWS = {"ortcore_private_core_library_open_utf8"}  # taken by the extension for Windows alone
# What the compiler's own start-up files leave to be filled by a profiler or a transactional memory.
COMPILERS_OWN = {
    "__gmon_start__",
    "_ITM_deregisterTMCloneTable",
    "_ITM_registerTMCloneTable",
}
BIND_NOW = 0x8
FLAGS_1_NOW = 0x1
EXECUTABLE = 0x1
POINTER = 8


@pytest.fixture(scope="session")
def extension() -> Path:
    spec = importlib.util.find_spec("ortcffi._ort")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin)


@pytest.fixture(params=["core", "extension"])
def library(request: pytest.FixtureRequest) -> Iterator[ELFFile]:
    fixture = {"core": "core_library", "extension": "extension"}[request.param]
    with request.getfixturevalue(fixture).open("rb") as file:
        yield ELFFile(file)


@pytest.fixture
def core(build_core: Callable[..., Path]) -> Iterator[ELFFile]:
    """The core as make builds it: that of the package is stripped."""
    with build_core().open("rb") as file:
        yield ELFFile(file)


def section(library: ELFFile, name: str) -> Section:
    found = library.get_section_by_name(name)
    assert found is not None, f"no section {name}"
    return found


def dynamic(library: ELFFile, tag: str) -> list[Any]:
    table = section(library, ".dynamic")
    assert isinstance(table, DynamicSection)
    names = {"DT_NEEDED": "needed", "DT_RPATH": "rpath", "DT_RUNPATH": "runpath"}
    found = list(table.iter_tags(tag))
    return [getattr(entry, names[tag]) if tag in names else entry["d_val"] for entry in found]


def symbols(library: ELFFile) -> list[Symbol]:
    table = section(library, ".dynsym")
    assert isinstance(table, SymbolTableSection)
    return [symbol for symbol in table.iter_symbols() if symbol.name]


def exported(library: ELFFile) -> list[Symbol]:
    return [symbol for symbol in symbols(library) if symbol["st_shndx"] != "SHN_UNDEF"]


def undefined(library: ELFFile) -> dict[str, str | None]:
    """Each undefined symbol and the library that its version is of; None without a version."""
    needs, versions = section(library, ".gnu.version_r"), section(library, ".gnu.version")
    assert isinstance(needs, GNUVerNeedSection)
    assert isinstance(versions, GNUVerSymSection)
    library_of = {
        aux["vna_other"]: need.name for need, auxes in needs.iter_versions() for aux in auxes
    }
    table = section(library, ".dynsym")
    assert isinstance(table, SymbolTableSection)
    return {
        symbol.name: library_of.get(versions.get_symbol(index)["ndx"])
        for index, symbol in enumerate(table.iter_symbols())
        if symbol.name and symbol["st_shndx"] == "SHN_UNDEF"
    }


def is_chosen_heap(name: str) -> bool:
    """Whether a library, or a symbol without a version, is of the heap that the build asked for."""
    return USES_MIMALLOC and name.startswith(("libmimalloc.so", "mi_"))


def names_in_list(path: Path) -> list[str]:
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".map":
        listed = re.search(r"global:(.*)local:\s*\*;", text, re.S)
        assert listed is not None
        return re.findall(r"[\w*]+(?=;)", listed[1])
    lines = [line.strip() for line in text.splitlines() if not line.startswith((";", "#"))]
    if path.suffix == ".def":
        return lines[lines.index("EXPORTS") + 1 :]
    assert all(line.startswith("_") for line in lines)
    return [line.removeprefix("_") for line in lines]


@pytest.mark.parametrize("stem", ["ortcore", "extension"])
def test_the_lists_for_all_systems_name_the_same_functions(stem: str) -> None:
    lists = {
        suffix: names_in_list(EXPORTS / f"{stem}{suffix}") for suffix in (".map", ".def", ".exp")
    }
    assert lists[".map"]
    assert lists[".exp"] == lists[".map"]
    # On Windows, the compiler exports what is for the extension.
    assert lists[".def"] == [name for name in lists[".map"] if name not in FOR_EXTENSION]


def test_every_list_of_exports_is_of_the_core_or_of_the_extension() -> None:
    assert {path.stem for path in EXPORTS.iterdir()} == {"ortcore", "extension"}


APPENDS_CPU = """
#include <stdio.h>
#include "onnxruntime_c_api.h"
int main(void) {
  const OrtApi* api = OrtGetApiBase()->GetApi(ORT_API_VERSION);
  OrtSessionOptions* options = NULL;
  OrtStatus* status = api->CreateSessionOptions(&options);
  if (status == NULL) status = OrtSessionOptionsAppendExecutionProvider_CPU(options, 1);
  puts(status == NULL ? "appended" : api->GetErrorMessage(status));
  api->ReleaseSessionOptions(options);
  return 0;
}
"""


def test_a_program_that_is_linked_with_the_function_of_the_cpu_provider_runs(
    compile_c: Callable[..., Path], core_library: Path
) -> None:
    program = compile_c(APPENDS_CPU, str(core_library), f"-Wl,-rpath,{core_library.parent}")
    assert run(program).stdout == "appended\n"


def test_the_core_exports_what_its_list_names_and_what_the_extension_takes(
    core: ELFFile, extension: Path
) -> None:
    names = {symbol.name for symbol in exported(core)}
    with extension.open("rb") as file:
        taken = names.intersection(undefined(ELFFile(file)))
    for_all = set(names_in_list(EXPORTS / "ortcore.def"))
    assert for_all <= names
    assert names - for_all - ON_WINDOWS == taken - for_all != set()


def test_the_extension_exports_what_its_list_names(extension: Path) -> None:
    with extension.open("rb") as file:
        names = [symbol.name for symbol in exported(ELFFile(file))]
    assert sorted(names) == sorted(names_in_list(EXPORTS / "extension.map"))


def test_only_functions_are_exported(library: ELFFile) -> None:
    assert {symbol["st_info"]["type"] for symbol in exported(library)} == {"STT_FUNC"}


def test_the_core_needs_nothing_but_libc(core: ELFFile) -> None:
    needed = [name for name in dynamic(core, "DT_NEEDED") if not is_chosen_heap(name)]
    assert needed == ["libc.so.6"]


def test_every_undefined_symbol_of_the_core_is_in_the_c_library(core: ELFFile) -> None:
    strangers = {name for name, library in undefined(core).items() if library != "libc.so.6"}
    assert {name for name in strangers if not is_chosen_heap(name)} <= COMPILERS_OWN


def test_every_undefined_symbol_of_the_extension_is_in_the_core_or_python_or_the_c_library(
    extension: Path, core: ELFFile
) -> None:
    with extension.open("rb") as file:
        left_open = undefined(ELFFile(file))
    ours_in_core = {symbol.name for symbol in exported(core)}
    strangers = {name for name, library in left_open.items() if library is None} - COMPILERS_OWN
    ours = {name for name in strangers if not name.startswith(("Py", "_Py"))} - ours_in_core
    assert {name for name in ours if not is_chosen_heap(name)} == set()


def test_the_core_has_no_path_to_search_for_other_libraries(core: ELFFile) -> None:
    assert dynamic(core, "DT_RPATH") == []
    assert dynamic(core, "DT_RUNPATH") == []


def test_the_extension_searches_for_the_core_beside_itself_alone(extension: Path) -> None:
    with extension.open("rb") as file:
        elf = ELFFile(file)
        assert dynamic(elf, "DT_RPATH") == ["$ORIGIN/lib"]  # which is before LD_LIBRARY_PATH
        assert dynamic(elf, "DT_RUNPATH") == []


def test_all_symbols_are_bound_at_once(library: ELFFile) -> None:
    [flags], [flags_1] = dynamic(library, "DT_FLAGS"), dynamic(library, "DT_FLAGS_1")
    assert flags & BIND_NOW
    assert flags_1 & FLAGS_1_NOW


def test_constants_are_read_only_after_relocation(library: ELFFile) -> None:
    protected = [part for part in library.iter_segments() if part["p_type"] == "PT_GNU_RELRO"]
    assert len(protected) == 1
    start, end = protected[0]["p_vaddr"], protected[0]["p_vaddr"] + protected[0]["p_memsz"]
    constants = section(library, ".data.rel.ro")
    assert start <= constants["sh_addr"]
    assert constants["sh_addr"] + constants["sh_size"] <= end


def test_the_stack_is_not_executable(library: ELFFile) -> None:
    stacks = [part for part in library.iter_segments() if part["p_type"] == "PT_GNU_STACK"]
    assert [part["p_flags"] & EXECUTABLE for part in stacks] == [0]


def test_no_code_is_relocated(library: ELFFile) -> None:
    assert dynamic(library, "DT_TEXTREL") == []


def test_thread_local_variables_fit_into_the_static_tls_block(library: ELFFile) -> None:
    sizes = [part["p_memsz"] for part in library.iter_segments() if part["p_type"] == "PT_TLS"]
    assert all(size <= 128 for size in sizes)  # glibc keeps room for 512, for all libraries


@pytest.mark.parametrize("name", [".init_array", ".fini_array"])
def test_no_code_of_the_core_runs_at_load_or_unload(library: ELFFile, name: str) -> None:
    entries = library.get_section_by_name(name)
    assert entries is None or entries["sh_size"] <= POINTER


@pytest.mark.parametrize(
    ("name", "compilers"),
    [(".init_array", "frame_dummy"), (".fini_array", "__do_global_dtors_aux")],
)
def test_only_the_compilers_code_runs_at_load_or_unload(
    core: ELFFile, name: str, compilers: str
) -> None:
    entries = core.get_section_by_name(name)
    if entries is None:
        return  # this compiler has nothing to run
    relocations, table = section(core, ".rela.dyn"), section(core, ".symtab")
    assert isinstance(relocations, RelocationSection)
    assert isinstance(table, SymbolTableSection)
    addresses = {
        relocation["r_addend"]
        for relocation in relocations.iter_relocations()
        if entries["sh_addr"] <= relocation["r_offset"] < entries["sh_addr"] + entries["sh_size"]
    }
    functions = [symbol for symbol in table.iter_symbols() if symbol["st_value"] in addresses]
    assert compilers in {symbol.name for symbol in functions}
