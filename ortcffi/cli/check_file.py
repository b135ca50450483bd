# SPDX-License-Identifier: MIT
"""What the file of a shared library says of it, for ``ortcffi check``. Nothing is loaded.

It is read without pyelftools, so that ``check`` reports the same wherever it is installed.
"""

import mmap
import re
import struct
from collections.abc import Iterator
from typing import Any, NamedTuple

__all__ = ["FileFacts", "read_facts"]

_DYNAMIC, _DYNSYM, _VERNEED = 6, 11, 0x6FFFFFFE
_NEEDED, _RPATH, _RUNPATH = 1, 15, 29
_UNIQUE, _WEAK = 10, 2
# What GetExperimentalFunction is asked for. The function that only shows how these work is left.
_EXPERIMENTAL = re.compile(rb"\0(Ort\w{0,20}Api_(?!ExperimentalApiTest_)\w{1,100}_SinceV28)(?=\0)")


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
