# SPDX-License-Identifier: MIT
"""An allocator that is written in Python."""

from typing import Any

from ortcffi import PythonAllocator, ffi


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
