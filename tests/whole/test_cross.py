# SPDX-License-Identifier: MIT
"""The core for another kind of processor: clients in C on it, in an emulator."""

import re
import shutil

import pytest
from support.compilers import CORE, build_folder, locked
from support.processes import run

CROSS = "aarch64-linux-gnu"
EMULATOR = ["qemu-aarch64", "-R", "16G", "-L", f"/usr/{CROSS}"]
SECONDS = 600  # the emulator is slow, and so may be the machine
RUNS = "abi storm:2:1000:1 kernels platform"


@pytest.mark.slow
def test_the_core_for_another_processor_runs_clients():
    for tool in ("make", f"{CROSS}-gcc", EMULATOR[0]):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed")
    build = build_folder([f"{CROSS}-gcc"])
    flags = ["CFLAGS=-O0 -Werror", f"BUILD={build}", f"CROSS={CROSS}", f"RUNS_OF_CROSS={RUNS}"]
    with locked(build):
        made = run("make", "-s", "-j2", "-C", CORE, "cross", *flags, timeout=SECONDS)
    assert len(re.findall("^== ", made.stdout, re.M)) == len(RUNS.split())


def test_a_missing_compiler_is_named_with_its_package():
    if shutil.which("make") is None:
        pytest.skip("make is not installed")
    command = ["make", "-s", "-C", CORE, "cross", "CROSS=none-linux-gnu"]
    said = run(*command, code=2).stderr
    assert "none-linux-gnu-gcc is missing: it is in the package gcc-none-linux-gnu" in said
