# SPDX-License-Identifier: MIT
"""What the file of a shared library says of it, for ``ortcffi check``, and what no library defines.

It is read without pyelftools, so that ``check`` reports the same wherever it is installed. The
loader says where the libraries are that it needs: it is opened in a process of its own, without
its functions being resolved.
"""

import json
import mmap
import os
import re
import struct
import sys
from contextlib import suppress
from typing import NamedTuple

from ortcffi.kernels import child
from ortcffi.table import elf

__all__ = ["FileFacts", "missing_symbols", "read_facts"]

_NEEDED, _RPATH, _RUNPATH = 1, 15, 29
_UNIQUE, _WEAK = 10, 2
# What GetExperimentalFunction is asked for. The function that only shows how these work is left.
_EXPERIMENTAL = re.compile(rb"\0(Ort\w{0,20}Api_(?!ExperimentalApiTest_)\w{1,100}_SinceV28)(?=\0)")
SECONDS = 60
_PROBE = """
import ctypes, json, os, sys

class Info(ctypes.Structure):
    _fields_ = [("address", ctypes.c_size_t), ("name", ctypes.c_char_p)]

Visit = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Info), ctypes.c_size_t, ctypes.c_void_p)
paths = []

@Visit
def visit(info, size, data):
    paths.append(os.fsdecode(info.contents.name or b""))
    return 0

ctypes.CDLL(sys.argv[1], mode=os.RTLD_LAZY | os.RTLD_LOCAL)
ctypes.CDLL(None).dl_iterate_phdr(visit, None)
print()
print(json.dumps(paths), flush=True)
os._exit(0)
"""


class FileFacts(NamedTuple):
    """Facts of an ELF library of 64 bits."""

    needed: tuple[str, ...]  # the libraries that it needs
    paths: tuple[str, ...]  # its RPATH and RUNPATH entries
    versions: dict[str, str]  # the newest that it needs, by family: GLIBC, GLIBCXX, CXXABI
    undefined: tuple[str, ...]  # symbols, without weak ones
    unique: int  # how many symbols are unique in the process (STB_GNU_UNIQUE)
    experimental: tuple[str, ...]  # functions that it names and that newer libraries do not have
    exports: frozenset[str]


def read_facts(path: str) -> FileFacts | None:
    """Read the facts; None for a file that has no such tables, or damaged ones."""
    try:
        library = elf.read(path, elf.DYNAMIC, elf.SYMBOLS, elf.VERSIONS)
    except (OSError, elf.ElfError):
        return None
    if library.exports is None:
        return None
    needed, paths, versions = list[str](), list[str](), dict[str, str]()
    undefined, unique = list[str](), 0
    for table in library.tables:
        if table.kind == elf.DYNAMIC:
            for tag, value in struct.iter_unpack("<QQ", table.data):
                if tag == _NEEDED:
                    needed.append(table.text(value))
                elif tag in (_RPATH, _RUNPATH):
                    paths += table.text(value).split(":")
        elif table.kind == elf.SYMBOLS:
            for name, info, _, section, _, _ in struct.iter_unpack("<IBBHQQ", table.data):
                unique += info >> 4 == _UNIQUE and section != 0
                if section == 0 and name and info >> 4 != _WEAK:
                    undefined.append(table.text(name))
        else:
            versions |= _newest(table)
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        names = {found[1].decode() for found in _EXPERIMENTAL.finditer(data)}
    lists = tuple(needed), tuple(paths), versions, tuple(sorted(undefined))
    return FileFacts(*lists, unique, tuple(sorted(names)), library.exports)


def _newest(table: elf.Table) -> dict[str, str]:
    """The newest version of each family in a table of versions that are needed."""
    versions, start = dict[str, str](), 0
    with suppress(struct.error):  # a damaged table
        for _ in range(table.entries):
            _, names, _, first, following = struct.unpack_from("<HHIII", table.data, start)
            place = start + first
            for _ in range(names):
                name, after = struct.unpack_from("<8xII", table.data, place)
                family, _, number = table.text(name).rpartition("_")
                if family and _number(number) > _number(versions.get(family, "0")):
                    versions[family] = number
                place += after
            start += following
    return versions


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version))


# --- undefined symbols ----------------------------------------------------------------------------


def missing_symbols(path: str, facts: FileFacts, seconds: float = SECONDS) -> list[str] | None:
    """The undefined symbols that no needed library defines.

    None if they are not known: the library or one that it needs cannot be loaded within so many
    seconds, or has no list of its symbols.
    """
    loaded = _loaded(path, seconds)
    if loaded is None:
        return None
    defined, wanted, seen = set(facts.exports), list(facts.needed), set[str]()
    while wanted:
        name = wanted.pop()
        if name not in seen:
            seen.add(name)
            found = read_facts(loaded.get(name, ""))
            if found is None:
                return None
            defined |= found.exports
            wanted += found.needed
    return [name for name in facts.undefined if name not in defined]


def _loaded(path: str, seconds: float) -> dict[str, str] | None:
    """The libraries of a process that has opened the library, by the end of their paths."""
    done = child.run_command([sys.executable, "-I", "-S", "-c", _PROBE, path], seconds)
    try:
        paths = json.loads(done.output.splitlines()[-1])
    except (IndexError, ValueError):  # it crashed, or its time was up
        return None
    return {os.path.basename(each): each for each in paths if each}
