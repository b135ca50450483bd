# SPDX-License-Identifier: MIT
"""What a shared library in ELF format says about itself, read without loading it.

The file may be hostile: every offset and count is held against the size of the file before it is
used. What the loader relies on (header, segments) must be sound, or `ElfError` is raised. Sections
are a convenience, which a file may lack: what they would tell is then unknown.
"""

import os
import stat
import struct
from typing import BinaryIO, NamedTuple

_LOAD_SEGMENT, _STRINGS, _DYNAMIC_SYMBOLS, _SHARED_OBJECT = 1, 3, 11, 3
_TABLE_LIMIT = 1 << 25  # bytes; hundreds of times what a library that exports a C API has
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
    """The file cannot be an ELF shared library. The text completes 'the file ...'."""


class Platform(NamedTuple):
    """What a process and the libraries in it have in common."""

    machine: int
    bits: int
    byte_order: str

    def __str__(self) -> str:
        name = _MACHINES.get(self.machine, f"machine {self.machine}")
        return f"{name} ({self.bits} bits, {self.byte_order}-endian)"


class SharedLibrary(NamedTuple):
    """An ELF shared library: its platform, and whether it exports the symbol asked for.

    `exports` is None where the file does not tell.
    """

    platform: Platform
    exports: bool | None


class _File(NamedTuple):
    stream: BinaryIO
    size: int
    order: str  # of bytes, for struct

    def take(self, offset: int, count: int) -> bytes | None:
        """`count` bytes at `offset`; None if they are not all there or are too many to read."""
        if count > _TABLE_LIMIT or offset > self.size or count > self.size - offset:
            return None
        self.stream.seek(offset)
        taken = self.stream.read(count)
        return taken if len(taken) == count else None


def read(path: str, symbol: str) -> SharedLibrary:
    """Read the library at `path` and look for `symbol` among its exports.

    Raises `ElfError` for a file that is no sound ELF shared library, `OSError` for one that cannot
    be read.
    """
    mode = os.stat(path).st_mode
    if not stat.S_ISREG(mode):  # reading might wait for somebody to write
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
        if bits == 32:  # none of the layouts below; a process of 32 bits leaves it to the loader
            return SharedLibrary(platform, None)
        file = _File(stream, os.fstat(stream.fileno()).st_size, order)
        return SharedLibrary(platform, _exports(file, head, symbol.encode() + b"\0"))


def _beginning(head: bytes) -> str:
    if not head:
        return "is empty"
    for magic, name in _OTHER_FORMATS.items():
        if head.startswith(magic):
            return f"is {name}"
    return f"begins with {head[:16]!r}"


def _exports(file: _File, head: bytes, symbol: bytes) -> bool | None:
    if len(head) < 64:
        raise ElfError("is cut off within its ELF header")
    segments, sections, _, _, segment_size, segment_count, section_size, section_count = (
        struct.unpack_from(file.order + "QQIHHHHH", head, 32)
    )
    table = file.take(segments, 56 * segment_count) if segment_size == 56 else None
    if not table:
        raise ElfError("is damaged: it has no table of segments, or lacks part of it")
    # A loader may map a file that was cut off, and crash when it touches what is missing.
    for kind, _, start, _, _, length, _, _ in struct.iter_unpack(file.order + "IIQQQQQQ", table):
        if kind == _LOAD_SEGMENT and start + length > file.size:
            raise ElfError(f"is cut off: it has {file.size} of at least {start + length} bytes")
    table = file.take(sections, 64 * section_count) if section_size == 64 else None
    found = list(struct.iter_unpack(file.order + "IIQQQQIIQQ", table or b""))
    for _, kind, _, _, offset, length, link, _, _, size in found:
        if kind == _DYNAMIC_SYMBOLS and size == 24 and length % 24 == 0 and link < len(found):
            strings = file.take(*found[link][4:6]) if found[link][1] == _STRINGS else None
            return _defines(file, file.take(offset, length), strings, symbol)
    return None


def _defines(
    file: _File, symbols: bytes | None, strings: bytes | None, symbol: bytes
) -> bool | None:
    if symbols is None or strings is None:
        return None
    if symbol not in strings:  # nearly always decides alone
        return False
    return any(
        section and info >> 4 in (1, 2, 10) and other & 3 in (0, 3)  # defined, global, visible
        for name, info, other, section, _, _ in struct.iter_unpack(file.order + "IBBHQQ", symbols)
        if strings.startswith(symbol, name)
    )
