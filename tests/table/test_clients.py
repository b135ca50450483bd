# SPDX-License-Identifier: MIT
"""Programs that use only the public header, built with warnings as errors, run as processes."""

from collections.abc import Callable
from pathlib import Path

import pytest
from support.compilers import USES_MIMALLOC, build_folder, compile_shared
from support.paths import CHECKOUT
from support.processes import run
from support.versions import API_VERSION

SOURCES = CHECKOUT / "tests/c/clients"
INCLUDE = CHECKOUT / "core/include"
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]
HEADERS = ["onnxruntime_c_api.h", "onnxruntime_ep_c_api.h", "ortcore.h"]
Compile = Callable[..., Path]


@pytest.fixture
def compile_client(core_library: Path, c_compiler: list[str], cxx_compiler: list[str]) -> Compile:
    """``compile_client(name)`` builds a file of tests/c/clients and links it with the core.

    All tests and runs share what it has built.
    """

    def compile_client(name: str) -> Path:
        compiler = c_compiler if name.endswith(".c") else cxx_compiler
        program = build_folder(compiler, "linked") / name.replace(".", "_")
        standard = "-std=c11" if name.endswith(".c") else "-std=c++17"
        library = [f"-L{core_library.parent}", "-lortcore", f"-Wl,-rpath,{core_library.parent}"]
        command = [*compiler, standard, *WARNINGS, f"-I{INCLUDE}", SOURCES / name, "-o", program]
        return compile_shared(program, [SOURCES], *command, *library, "-ldl", "-pthread")

    return compile_client


@pytest.fixture
def real_library_of_this_version(real_library: Path) -> Path:
    """The real library, if it knows the version that the clients ask for."""
    if int(real_library.name.split(".")[-2]) < API_VERSION:
        pytest.skip(f"{real_library.name} is older than API version {API_VERSION}")
    return real_library


def build(command: list[str]) -> None:
    assert run(*command).stderr == ""


@pytest.mark.parametrize("standard", ["c11", "c17", "c++11", "c++14", "c++17", "c++20"])
def test_each_header_compiles_by_itself(
    standard: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    in_cxx = "+" in standard
    compiler = request.getfixturevalue("cxx_compiler" if in_cxx else "c_compiler")
    sources = [tmp_path / f"{header}.{'cc' if in_cxx else 'c'}" for header in HEADERS]
    for header, source in zip(HEADERS, sources, strict=True):
        source.write_text(f'#include "{header}"\n')
    flags = [f"-std={standard}", *WARNINGS, f"-I{INCLUDE}", "-fsyntax-only", *sources]
    assert run(*compiler, *flags).stderr == ""


def test_dropping_a_status_is_a_warning(c_compiler: list[str], tmp_path: Path) -> None:
    source = tmp_path / "client.c"
    source.write_text(
        '#include "onnxruntime_c_api.h"\n'
        "void f(const OrtApi* api, OrtAllocator* a, void* p) { api->AllocatorFree(a, p); }\n"
    )
    command = [*c_compiler, "-Wall", f"-I{INCLUDE}", "-c", str(source), "-o", "/dev/null"]
    done = run(*command)
    assert "unused-result" in done.stderr


@pytest.mark.parametrize("on_real", [False, True], ids=["core", "real"])
def test_a_client_runs_on_the_library_that_it_is_linked_with_and_on_a_real_one(
    compile_client: Compile, on_real: bool, request: pytest.FixtureRequest
) -> None:
    real = [request.getfixturevalue("real_library_of_this_version")] if on_real else []
    if USES_MIMALLOC:
        pytest.skip("who links mimalloc gets its operator new, and malloc's blocks are not its own")
    assert run(compile_client("client.cc"), *real).stdout == "ok\n"


def test_structs_have_the_layout_that_compiled_clients_rely_on(
    compile_client: Compile, core_library: Path
) -> None:
    assert run(compile_client("abi.c"), core_library).stdout == "ok\n"


def test_the_real_library_has_at_least_the_same_tables(
    compile_client: Compile, real_library_of_this_version: Path
) -> None:
    assert run(compile_client("abi.c"), real_library_of_this_version).stdout == "ok\n"
