# SPDX-License-Identifier: MIT
"""The core for the C library musl, as on Alpine Linux, and for another kind of processor."""

import re
import shutil
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.enums import ENUM_DT_FLAGS
from support.compilers import CORE, build_folder, locked
from support.processes import run

CROSS = "aarch64-linux-gnu"
SECONDS = 600  # the emulator is slow, and so may be the machine
CROSS_RUNS = "abi storm:2:1000:1 kernels platform"
MUSL_CLIENTS = {"abi", "heap", "kernels", "platform", "storm"}


def build(target: str, compiler: str, *tools: str, **variables: str) -> tuple[Path, str]:
    """The folder of a build, on which the clients have run, and what make said."""
    for tool in ("make", compiler, *tools):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed")
    folder = build_folder([compiler])
    words = [f"{name}={value}" for name, value in variables.items()]
    command = ["make", "-s", "-j2", "-C", CORE, target, "CFLAGS=-O0 -Werror", f"BUILD={folder}"]
    with locked(folder):
        return folder, run(*command, *words, timeout=SECONDS).stdout


@pytest.mark.slow
def test_the_core_for_another_processor_runs_clients():
    tools, variables = ("qemu-aarch64",), {"CROSS": CROSS, "RUNS_OF_CROSS": CROSS_RUNS}
    _, said = build("cross", f"{CROSS}-gcc", *tools, **variables)
    assert len(re.findall("^== ", said, re.M)) == len(CROSS_RUNS.split())


@pytest.fixture(scope="module")
def musl() -> tuple[Path, str]:
    """The library for musl, and what make said."""
    folder, said = build("musl", "musl-gcc")
    return folder / "musl/libortcore.so", said


@pytest.mark.slow
@pytest.mark.xdist_group("musl")
def test_clients_open_the_core_for_musl_and_run_with_threads_and_forks(musl):
    ran = re.findall(r"^== \S*/(\w+) (.*)", musl[1], re.M)
    assert {name for name, _ in ran} > MUSL_CLIENTS
    assert sum("fork" in arguments.split() for _, arguments in ran) >= 3


def has_static_tls(library: Path) -> bool:
    """Whether the loader must have room among the variables of the threads that run already."""
    with library.open("rb") as file:
        tags = ELFFile(file).get_section_by_name(".dynamic").iter_tags("DT_FLAGS")
        return any(tag.entry.d_val & ENUM_DT_FLAGS["DF_STATIC_TLS"] for tag in tags)


@pytest.mark.slow
@pytest.mark.xdist_group("musl")
def test_the_core_takes_static_thread_local_storage_only_from_glibc(musl, core_library):
    # musl opens no such library.
    assert not has_static_tls(musl[0])
    assert has_static_tls(core_library)


@pytest.mark.parametrize(
    ("target", "variable", "missing", "package"),
    [
        ("cross", "CROSS=none-linux-gnu", "none-linux-gnu-gcc", "gcc-none-linux-gnu"),
        ("musl", "MUSL=none-gcc", "none-gcc", "musl-tools"),
    ],
)
def test_a_missing_compiler_is_named_with_its_package(target, variable, missing, package):
    if shutil.which("make") is None:
        pytest.skip("make is not installed")
    said = run("make", "-s", "-C", CORE, target, variable, code=2).stderr
    assert f"{missing} is missing: it is in the package {package}" in said
