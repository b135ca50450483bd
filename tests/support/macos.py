# SPDX-License-Identifier: MIT
"""What libraries for macOS say to its loader, read with macholib."""

from pathlib import Path
from typing import Any

from support.compilers import CORE

# The linker adds them to each library.
OF_THE_LINKER = {"__mh_dylib_header", "___dso_handle"}
PRIVATE = "_ortcore_private_"  # what leaves the core for the extension alone


def exported(library: Path) -> set[str]:
    from macholib.MachO import MachO
    from macholib.SymbolTable import SymbolTable

    symbols = SymbolTable(MachO(str(library))).extdefsyms
    return {name.decode() for _, name in symbols} - OF_THE_LINKER


def processor_of(library: Path) -> int:
    """The architecture of a library that has one, as the system numbers it."""
    from macholib.MachO import MachO

    [header] = MachO(str(library)).headers
    return int(header.header.cputype)


def commands_of(library: Path) -> dict[str, list[Any]]:
    """The load commands of a library for macOS, by name, each with what follows it."""
    from macholib.MachO import MachO

    [header] = MachO(str(library)).headers
    found: dict[str, list[Any]] = {}
    for command, body, data in header.commands:
        name = command.get_cmd_name()
        has_path = "DYLIB" in name or name == "LC_RPATH"
        found.setdefault(name, []).append(data.rstrip(b"\0").decode() if has_path else body)
    return found


def listed(file: str) -> set[str]:
    lines = (CORE / "exports" / file).read_text().splitlines()
    return {line for line in lines if not line.startswith("#")}


def check_core(library: Path) -> None:
    """A core that a client on a Mac finds, and that nothing has to be written into to load it."""
    commands = commands_of(library)
    assert commands["LC_ID_DYLIB"] == ["@rpath/libortcore.dylib"]
    assert commands["LC_LOAD_DYLIB"] == ["/usr/lib/libSystem.B.dylib"]
    for_extension = {name for name in exported(library) if name.startswith(PRIVATE)}
    assert f"{PRIVATE}core_api_base" in for_extension
    for_all = {name for name in listed("ortcore.exp") if not name.startswith(PRIVATE)}
    assert exported(library) - for_extension == for_all
    [symbols] = commands["LC_DYSYMTAB"]
    assert (symbols.nextrel, symbols.nlocrel) == (0, 0)


def check_extension(library: Path) -> None:
    """An extension that exports its list, and finds the core in a folder beside it."""
    commands = commands_of(library)
    needed = {"@rpath/libortcore.dylib", "/usr/lib/libSystem.B.dylib"}
    assert set(commands["LC_LOAD_DYLIB"]) == needed
    assert commands["LC_RPATH"] == ["@loader_path/lib"]
    assert exported(library) == listed("extension.exp")
