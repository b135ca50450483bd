# SPDX-License-Identifier: MIT
"""The core as a DLL for Windows, built with MinGW-w64, and clients in C on it under wine."""

import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.compilers import CORE, LONGEST_BUILD, build_folder, locked
from support.processes import run
from support.windows import ALWAYS_THERE, MINGW, exported_for_all, listed, needed

SERVER_STAYS = 300

pytestmark = pytest.mark.xdist_group("windows")  # one wine for all

Make = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def build() -> Path:
    """The folder that the Makefile builds in."""
    return build_folder([f"{MINGW}gcc"])


@pytest.fixture(scope="module")
def make(build: Path) -> Make:
    """``make(target, *arguments)`` builds with MinGW-w64, warnings as errors."""
    for tool in ("make", f"{MINGW}gcc", f"{MINGW}objdump"):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed")

    def make(target: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        flags = ["CFLAGS=-O0 -Werror", f"BUILD={build}", f"MINGW={MINGW}gcc"]
        with locked(build):
            command = ["make", "-s", "-j2", "-C", CORE, target, *flags, *arguments]
            return run(*command, timeout=LONGEST_BUILD)

    return make


@pytest.fixture(scope="module")
def dll(make: Make, build: Path) -> Path:
    """``ortcore.dll``."""
    make("windows")
    return build / "windows/ortcore.dll"


@pytest.fixture(scope="module")
def wine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A Windows of its own for this module, whose services stay between two programs.

    By default wine ends its server and services with each program, and starts them for the next
    one: while they end, on a busy machine, the next one may fail.
    """
    for tool in ("wine", "wineserver"):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed")
    prefix = tmp_path_factory.mktemp("wine")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WINEPREFIX", str(prefix))
        patch.setenv("WINEDEBUG", "-all")
        patch.setenv("WINEDLLOVERRIDES", "mscoree,mshtml=")
        patch.delenv("DISPLAY", raising=False)
        run("wine", "cmd", "/c", "ver")
        run("wineserver", "-w")  # until it has ended; there can be one only
        # It ends by itself as well, this many seconds after the last program.
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        run("wineserver", f"-p{SERVER_STAYS}", **quiet)  # it would keep a pipe open
        yield
        run("wineserver", "-k", code=None)
    shutil.rmtree(prefix, ignore_errors=True)  # a copy of all of Windows


def test_the_dll_exports_what_its_list_names(dll: Path) -> None:
    assert exported_for_all(dll) == listed("ortcore") != []


def test_the_dll_needs_only_what_every_windows_has(dll: Path) -> None:
    assert needed(dll) == {ALWAYS_THERE, "msvcrt.dll"}


@pytest.mark.slow
@pytest.mark.usefixtures("wine")
def test_clients_run_on_the_dll(make: Make) -> None:
    ran = re.findall(r"== \S*/(\w+)\.exe", make("wine").stdout)
    assert {"abi", "storm", "platform"} <= set(ran)


@pytest.mark.slow
@pytest.mark.usefixtures("wine")
@pytest.mark.parametrize("run", ["many_threads:4000:16", "reload:100:4", "heap:resident"])
def test_memory_goes_back_when_threads_end_and_when_it_is_asked_for(make: Make, run: str) -> None:
    make("wine", f"RUNS={run}")
