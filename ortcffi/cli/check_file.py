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
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from ortcffi.kernels import child
from ortcffi.table import elf

__all__ = ["FileFacts", "missing_symbols", "read_facts"]

_DYNAMIC, _DYNSYM, _VERNEED = 6, 11, 0x6FFFFFFE
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
    """Facts of an ELF library of 64 bits.

    Attributes
    ----------
    needed : tuple of str
        The libraries that it needs.
    paths : tuple of str
        Its RPATH and RUNPATH entries.
    versions : dict of str to str
        The newest version that it needs, by family: ``GLIBC``, ``GLIBCXX``, ``CXXABI``.
    undefined : tuple of str
        Undefined symbols, without weak ones.
    unique : int
        How many symbols are unique in the process (``STB_GNU_UNIQUE``).
    experimental : tuple of str
        The experimental functions that it names and that newer libraries do not have.
    """

    needed: tuple[str, ...]
    paths: tuple[str, ...]
    versions: dict[str, str]
    undefined: tuple[str, ...]
    unique: int
    experimental: tuple[str, ...]


def read_facts(path: str) -> FileFacts | None:
    """Read the facts; None for a file that has no such tables, or damaged ones."""
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        try:
            return _facts(data)
        except (struct.error, IndexError, ValueError):
            return None


def _facts(data: Any) -> FileFacts | None:
    if data[:6] != b"\x7fELF\x02\x01":
        return None
    offset, size, count = struct.unpack_from("<Q10xHH", data, 40)
    sections = [struct.unpack_from("<IIQQQQIIQQ", data, offset + i * size) for i in range(count)]
    needed, paths, versions = list[str](), list[str](), dict[str, str]()
    undefined, unique = list[str](), 0
    for _, kind, _, _, start, length, link, entries, _, _ in sections:
        if kind == _DYNAMIC:
            _read_dynamic(data, start, length, sections[link][4], needed, paths)
        elif kind == _DYNSYM:
            unique += _read_symbols(data, start, length, sections[link][4], undefined)
        elif kind == _VERNEED:
            for version in _versions(data, start, sections[link][4], entries):
                family, _, number = version.rpartition("_")
                if family and _number(number) > _number(versions.get(family, "0")):
                    versions[family] = number
    names = {found[1].decode() for found in _EXPERIMENTAL.finditer(data)}
    experimental = tuple(sorted(names))
    lists = tuple(needed), tuple(paths), versions, tuple(sorted(undefined))
    return FileFacts(*lists, unique, experimental)


def _read_dynamic(  # noqa: PLR0913, PLR0917  # where the table is, and what is filled
    data: Any, start: int, length: int, strings: int, needed: list[str], paths: list[str]
) -> None:
    for tag, value in struct.iter_unpack("<QQ", data[start : start + length // 16 * 16]):
        if tag == _NEEDED:
            needed.append(_text(data, strings + value))
        elif tag in (_RPATH, _RUNPATH):
            paths += _text(data, strings + value).split(":")


def _read_symbols(data: Any, start: int, length: int, strings: int, undefined: list[str]) -> int:
    """Add what is undefined, and return how many symbols are unique."""
    unique = 0
    table = data[start : start + length // 24 * 24]
    for name, info, _, section, _, _ in struct.iter_unpack("<IBBHQQ", table):
        unique += info >> 4 == _UNIQUE and section != 0
        if section == 0 and name and info >> 4 != _WEAK:
            undefined.append(_text(data, strings + name))
    return unique


def _versions(data: Any, start: int, strings: int, count: int) -> Iterator[str]:
    for _ in range(count):
        _, names, _, first, following = struct.unpack_from("<HHIII", data, start)
        place = start + first
        for _ in range(names):
            name, after = struct.unpack_from("<8xII", data, place)
            yield _text(data, strings + name)
            place += after
        start += following


def _text(data: Any, place: int) -> str:
    end = data.find(b"\0", place)
    return str(data[place:end].decode(errors="replace"))


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
    defined, wanted, seen = set[str](), list(facts.needed), set[str]()
    while wanted:
        name = wanted.pop()
        if name in seen:
            continue
        seen.add(name)
        found = _exports(loaded.get(name, ""))
        if found is None:
            return None
        exports, needed = found
        defined |= exports
        wanted += needed
    own = elf.read(path).exports or frozenset()
    return [name for name in facts.undefined if name not in defined and name not in own]


def _exports(path: str) -> tuple[frozenset[str], Iterable[str]] | None:
    try:
        exports, facts = elf.read(path).exports, read_facts(path)
    except (OSError, elf.ElfError):
        return None
    return None if exports is None or facts is None else (exports, facts.needed)


def _loaded(path: str, seconds: float) -> dict[str, str] | None:
    """The libraries of a process that has opened the library, by the end of their paths."""
    done = child.run_command([sys.executable, "-I", "-S", "-c", _PROBE, path], seconds)
    try:
        paths = json.loads(done.output.splitlines()[-1])
    except (IndexError, ValueError):  # it crashed, or its time was up
        return None
    return {os.path.basename(each): each for each in paths if each}
