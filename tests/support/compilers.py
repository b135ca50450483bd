# SPDX-License-Identifier: MIT
"""Which compilers there are, and what the package was compiled with."""

import os
import subprocess

USES_MIMALLOC = os.environ.get("ORTCFFI_USE_MIMALLOC") == "1"  # as build_ort.py and core/Makefile


def has_mimalloc(compiler: list[str]) -> bool:
    """Whether the compiler finds the header of mimalloc."""
    command = [*compiler, "-include", "mimalloc.h", "-E", "-x", "c", "/dev/null"]
    return subprocess.run(command, check=False, capture_output=True).returncode == 0
