# SPDX-License-Identifier: MIT
"""Reads the platform and the exported symbols of an ELF shared library, without loading it.

The file may be hostile: every offset and count is checked against the size of the file before it is
used. A wrong header or segment table, which the loader needs, raises `ElfError`. A file may lack
sections: its exports are then unknown.

pyelftools does not take its place, as every `load` of a library by its path reads the file, which
must not need one more package, and pyelftools trusts the counts and offsets of a file.
"""

import os
import stat
import struct
from typing import BinaryIO, NamedTuple

_LOAD_SEGMENT, _STRINGS, _SHARED_OBJECT = 1, 3, 3
DYNAMIC, SYMBOLS = 6, 11  # kinds of sections
_ENTRIES = {DYNAMIC: 16, SYMBOLS: 24}  # bytes of their entries
_TABLE_LIMIT = 1 << 25  # bytes; hundreds of times what a library that exports a C API has
_NAME_LIMIT, _EXPORTS_LIMIT = 1024, 100_000  # so that a hostile file cannot fill the memory
_OTHER_FORMATS = {
    b"MZ": "a Windows library",
    b"\xcf\xfa\xed\xfe": "a macOS library",
    b"\xca\xfe\xba\xbe": "a macOS library",
    b"!<arch>\n": "a static library",
    b"PK\x03\x04": "a zip file, such as a wheel",
}
_MACHINES = {3: "x86", 21: "POWER", 22: "s390x", 40: "ARM", 62: "x86-64", 183: "AArch64"}
_MACHINES |= {243: "RISC-V", 258: "LoongArch"}
_KINDS = {1: "an object file", 2: "a program", 4: "a core dump"}


class ElfError(ValueError):
    """The file is not an ELF shared library. The text completes the sentence 'the file ...'."""


class Platform(NamedTuple):
    """The machine, word size and byte order that a process shares with its libraries."""

    machine: int
    bits: int
    byte_order: str

    def __str__(self) -> str:
        name = _MACHINES.get(self.machine, f"machine {self.machine}")
        return f"{name} ({self.bits} bits, {self.byte_order}-endian)"


class SharedLibrary(NamedTuple):
    """An ELF shared library: its platform, and the names that it exports.

    `exports` is None if the file has no section that lists them. `tables` has the sections that
    were asked for, which are those of a library of 64 bits and little-endian.
    """

    platform: Platform
    exports: frozenset[str] | None
    tables: tuple["Table", ...] = ()


class Table(NamedTuple):
    """A section, with the texts that it refers to."""

    kind: int
    data: bytes
    strings: bytes

    def text(self, place: int) -> str:
        """Return the text at an offset; "" where there is none."""
        end = self.strings.find(b"\0", place, place + _NAME_LIMIT)
        return self.strings[place:end].decode(errors="replace") if end >= 0 else ""


class _File(NamedTuple):
    stream: BinaryIO
    size: int
    order: str  # of bytes, for struct

    def take(self, offset: int, count: int) -> bytes | None:
        """`count` bytes at `offset`; None if the file is too short or the count is too large."""
        if count > _TABLE_LIMIT or offset > self.size or count > self.size - offset:
            return None
        self.stream.seek(offset)
        taken = self.stream.read(count)
        return taken if len(taken) == count else None


def read(path: str, *kinds: int) -> SharedLibrary:
    """Read the library at `path`, with its sections of some kinds.

    Raises `ElfError` for a file that is not a valid ELF shared library, `OSError` for one that
    cannot be read.
    """
    mode = os.stat(path).st_mode
    if not stat.S_ISREG(mode):  # reading a FIFO would wait for a writer
        raise ElfError("is a directory" if stat.S_ISDIR(mode) else "is no regular file")
    with open(path, "rb") as stream:
        head = stream.read(64)
        if not head.startswith(b"\x7fELF"):
            raise ElfError(f"is no ELF file: it {_beginning(head)}")
        if len(head) < 20 or head[4] not in (1, 2) or head[5] not in (1, 2):
            raise ElfError("is damaged: its ELF header is malformed")
        bits, order = 32 * head[4], ("<", ">")[head[5] - 1]
        kind, machine = struct.unpack_from(order + "HH", head, 16)
        if kind != _SHARED_OBJECT:
            raise ElfError(f"is no shared library but {_KINDS.get(kind, 'of an unknown kind')}")
        platform = Platform(machine, bits, {"<": "little", ">": "big"}[order])
        if bits == 32:  # the layouts below are of 64 bits; the loader reports what is wrong
            return SharedLibrary(platform, None)
        file = _File(stream, os.fstat(stream.fileno()).st_size, order)
        tables = _tables(file, head, {SYMBOLS, *kinds})
        exports = next((_defined(order, each) for each in tables if each.kind == SYMBOLS), None)
        return SharedLibrary(platform, exports, tuple(tables) if kinds and order == "<" else ())


def _beginning(head: bytes) -> str:
    if not head:
        return "is empty"
    for magic, name in _OTHER_FORMATS.items():
        if head.startswith(magic):
            return f"is {name}"
    return f"begins with {head[:16]!r}"


def _tables(file: _File, head: bytes, kinds: set[int]) -> list[Table]:
    if len(head) < 64:
        raise ElfError("is cut off within its ELF header")
    segments, sections, _, _, segment_size, segment_count, section_size, section_count = (
        struct.unpack_from(file.order + "QQIHHHHH", head, 32)
    )
    table = file.take(segments, 56 * segment_count) if segment_size == 56 else None
    if not table:
        raise ElfError("is damaged: it has no table of segments, or lacks part of it")
    # A loader may map a truncated file, and crash when it reads the missing part.
    for kind, _, start, _, _, length, _, _ in struct.iter_unpack(file.order + "IIQQQQQQ", table):
        if kind == _LOAD_SEGMENT and start + length > file.size:
            raise ElfError(f"is cut off: it has {file.size} of at least {start + length} bytes")
    table = file.take(sections, 64 * section_count) if section_size == 64 else None
    found = list(struct.iter_unpack(file.order + "IIQQQQIIQQ", table or b""))
    tables = []
    for _, kind, _, _, offset, length, link, _, _, size in found:
        entry = _ENTRIES.get(kind, 1)
        if kind in kinds and length % entry == 0 and size in (entry, 0) and link < len(found):
            strings = file.take(*found[link][4:6]) if found[link][1] == _STRINGS else None
            data = file.take(offset, length)
            if data is not None and strings is not None:
                tables.append(Table(kind, data, strings))
    return tables


def _defined(order: str, table: Table) -> frozenset[str] | None:
    names = set()
    for name, info, other, section, _, _ in struct.iter_unpack(order + "IBBHQQ", table.data):
        if section and info >> 4 in (1, 2, 10) and other & 3 in (0, 3):  # defined, global, visible
            names.add(table.text(name))
            if len(names) > _EXPORTS_LIMIT:
                return None
    return frozenset(names - {""})
