# SPDX-License-Identifier: MIT
"""The common behaviour of all heaps that a build can use under the default allocator."""

import shutil
import sysconfig
from collections.abc import Callable
from pathlib import Path

import pytest
from support.compilers import ON_MALLOC, has_mimalloc
from support.processes import run

HEAPS = {
    "segment heap": ["USE_MIMALLOC=0"],
    "mimalloc": ["USE_MIMALLOC=1"],
    "malloc": ON_MALLOC,
}
SYSTEM_HEADERS = Path("/usr/include")


@pytest.fixture(params=[pytest.param(heap, marks=pytest.mark.xdist_group(heap)) for heap in HEAPS])
def heap(request: pytest.FixtureRequest, c_compiler: list[str]) -> str:
    if request.param == "mimalloc" and not has_mimalloc(c_compiler):
        pytest.skip("mimalloc.h is not installed")
    return request.param


@pytest.fixture
def library(heap: str, build_core: Callable[..., Path]) -> Path:
    return build_core(*HEAPS[heap])


def output_of(*command: str | Path) -> str:
    done = run(*command)
    assert done.stderr == ""
    return done.stdout


def test_a_heap_keeps_the_allocators_contract(build_client, library):
    assert output_of(build_client("heap"), library, "resident").endswith("\nok\n")


def test_the_build_info_names_the_heap(build_client, library, heap):
    assert f", allocator={heap}" in output_of(build_client("heap"), library)


def test_a_heap_works_while_two_threads_allocate_and_free(build_client, library):
    assert output_of(build_client("storm"), library, "2", "100000", "2") == "calm\n"


def test_a_heap_works_after_a_fork_while_threads_allocate(build_client, library):
    assert output_of(build_client("storm"), library, "2", "100000", "2", "fork") == "calm\n"


@pytest.mark.xdist_group("malloc")
def test_building_with_another_heap_recompiles_everything(build_core, make_core, tmp_path):
    built, folder = build_core(*HEAPS["malloc"]), tmp_path / "build"
    shutil.copytree(built.parent / "src", folder / "src")
    for name in (built.name, "flags"):
        shutil.copy2(built.parent / name, folder)
    plan = [*make_core, "-n", f"BUILD={folder}"]
    assert ".o" not in output_of(*plan, *HEAPS["malloc"])
    *compilations, link = output_of(*plan, *HEAPS["segment heap"]).splitlines()
    objects = [word for word in link.split() if word.endswith(".o")]
    compiled = [line.split()[-1] for line in compilations if " -c " in line]
    assert sorted(objects) == sorted(compiled)
    assert sum((folder / name).exists() for name in objects) > len(objects) // 2


def test_a_build_with_mimalloc_says_which_package_is_missing(make_core, c_compiler, tmp_path):
    for header in SYSTEM_HEADERS.iterdir():
        if not header.name.startswith("mimalloc"):
            (tmp_path / header.name).symlink_to(header)
    ask = [*c_compiler, "-print-file-name=include"]
    own = run(*ask).stdout.strip()
    arch = tmp_path / (sysconfig.get_config_var("MULTIARCH") or "")
    search = ["-nostdinc", *(f"-isystem {path}" for path in (own, arch, tmp_path))]
    build = [*make_core, f"BUILD={tmp_path / 'build'}", "USE_MIMALLOC=1"]
    done = run(*build, f"CFLAGS={' '.join(search)}", code=None)
    assert done.returncode != 0
    assert "mimalloc.h is missing: install libmimalloc-dev" in done.stderr
