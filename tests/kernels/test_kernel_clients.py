# SPDX-License-Identifier: MIT
"""Clients in C of the kernel host that ortcore.h describes."""

from collections.abc import Callable
from pathlib import Path

import pytest
from support.compilers import build_folder, compile_shared
from support.paths import CHECKOUT
from support.processes import run


@pytest.fixture(scope="module")
def throwing_ops(cxx_compiler: list[str]) -> Path:
    """A library of custom ops in C++ whose functions throw."""
    library = build_folder(cxx_compiler, "clients") / "throwing_ops.so"
    source = CHECKOUT / "tests/c/clients/throwing_ops.cc"
    flags = ["-std=c++17", "-shared", "-fPIC", f"-I{CHECKOUT / 'core/include'}"]
    return compile_shared(library, [source.parent], *cxx_compiler, *flags, source, "-o", library)


def test_kernels_run_from_c_share_threads_survive_forks_and_do_not_grow(
    build_client: Callable[[str], Path], core_library: Path
) -> None:
    client = build_client("kernels")
    assert "kernels: OK" in run(client, core_library, "20000", "fork").stdout


def test_what_a_kernel_throws_is_a_status_with_its_text(
    build_client: Callable[[str], Path], core_library: Path, throwing_ops: Path
) -> None:
    assert "throwing: OK" in run(build_client("throwing"), core_library, throwing_ops).stdout


def test_a_private_copy_has_variables_of_its_own(
    build_insider: Callable[..., Path], core_library: Path, throwing_ops: Path
) -> None:
    client = build_insider("private_copy")
    assert "private_copy: OK" in run(client, core_library, throwing_ops).stdout
