# SPDX-License-Identifier: MIT
"""Allocators: an adaptor of each kind, and one that is written in Python."""

from collections.abc import Callable
from typing import Any

from ortcffi import Aligned, Arena, Failing, Guarded, Limiting, PythonAllocator, Tracking, ffi

# How each is made around another allocator; they refuse nothing that a machine has.
ADAPTORS: dict[str, Callable[[Any], Any]] = {
    "aligned": lambda inner: Aligned(inner, 4096),
    "limiting": lambda inner: Limiting(inner, 1 << 60),
    "failing": lambda inner: Failing(inner, 1 << 40),
    "guarded": Guarded,
    "tracking": Tracking,
    "arena": Arena,
}


class InPython(PythonAllocator):
    """Blocks of CFFI's, by their addresses, which are multiples of 64; none of a tebibyte."""

    def __init__(self, api: Any = None) -> None:
        super().__init__(api)
        self.blocks: dict[int, memoryview] = {}

    def alloc(self, size: int) -> Any:
        """The address of a new block."""
        if size >= 1 << 40:
            return None
        room = ffi.new("char[]", size + 63)
        begin = -int(ffi.cast("uintptr_t", room)) % 64
        address = int(ffi.cast("uintptr_t", room + begin))
        self.blocks[address] = memoryview(ffi.buffer(room))[begin : begin + size]
        return address

    def free(self, pointer: Any) -> None:
        """Drop a block."""
        del self.blocks[int(ffi.cast("uintptr_t", pointer))]
