# SPDX-License-Identifier: MIT
"""What a library for Windows needs and has, as objdump of MinGW-w64 prints it."""

import re
from pathlib import Path

from support.paths import CHECKOUT
from support.processes import run

MINGW = "x86_64-w64-mingw32-"
# Every Windows has it; each C compiler's library adds its own.
ALWAYS_THERE = "KERNEL32.dll"


def _printed(library: Path) -> str:
    return run(f"{MINGW}objdump", "-p", library).stdout


def needed(library: Path) -> set[str]:
    """The libraries that it needs."""
    return set(re.findall(r"DLL Name: (\S+)", _printed(library)))


def exported(library: Path) -> list[str]:
    """The functions that it exports."""
    table = re.search(r"^\[Ordinal/Name Pointer\] Table.*?\n\n", _printed(library), re.M | re.S)
    assert table is not None
    return re.findall(r"^\s*\[\s*\d+\].*?(\w+)$", table[0], re.M)


def exported_for_all(library: Path) -> list[str]:
    """The same without those that the core has for the extension."""
    return sorted(x for x in exported(library) if not x.startswith("ortcore_private_"))


def listed(name: str) -> list[str]:
    """The functions that a list of core/exports has."""
    return (CHECKOUT / f"core/exports/{name}.def").read_text().partition("EXPORTS")[2].split()
