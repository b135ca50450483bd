# SPDX-License-Identifier: MIT
"""An allocator that is written in Python."""

from ortcffi import PythonAllocator, ffi


class InPython(PythonAllocator):
    """Blocks of CFFI's, by their addresses."""

    def __init__(self, api=None):
        super().__init__(api)
        self.blocks = {}

    def alloc(self, size):
        """A new block."""
        block = ffi.new("char[]", size)
        self.blocks[int(ffi.cast("uintptr_t", block))] = block
        return block

    def free(self, pointer):
        """Drop a block."""
        del self.blocks[int(ffi.cast("uintptr_t", pointer))]
