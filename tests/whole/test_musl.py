# SPDX-License-Identifier: MIT
"""The core for the C library musl, as on Alpine Linux: clients in C on it."""

import re
import shutil
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.enums import ENUM_DT_FLAGS
from support.compilers import CORE, build_folder, locked
from support.processes import run

CLIENTS = {"abi", "heap", "kernels", "platform", "storm"}


@pytest.fixture(scope="module")
def musl() -> tuple[Path, str]:
    """The library for musl, on which the clients have run, and what make said."""
    for tool in ("make", "musl-gcc"):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed")
    build = build_folder(["musl-gcc"])
    with locked(build):
        said = run("make", "-s", "-j2", "-C", CORE, "musl", "CFLAGS=-O0 -Werror", f"BUILD={build}")
    return build / "musl/libortcore.so", said.stdout


@pytest.mark.slow
@pytest.mark.xdist_group("musl")
def test_clients_open_the_core_for_musl_and_run_with_threads_and_forks(musl):
    ran = re.findall(r"^== \S*/(\w+) (.*)", musl[1], re.M)
    assert {name for name, _ in ran} > CLIENTS
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


def test_a_missing_compiler_for_musl_is_named_with_its_package():
    if shutil.which("make") is None:
        pytest.skip("make is not installed")
    said = run("make", "-s", "-C", CORE, "musl", "MUSL=none-gcc", code=2).stderr
    assert "none-gcc is missing: it is in the package musl-tools" in said
