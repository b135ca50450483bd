# SPDX-License-Identifier: MIT
"""Frees of pointers that are no blocks, through adaptors in memory that is not the core's."""

import pytest
from support.processes import run_python

import ortcffi
from ortcffi import Aligned, Failing, Limiting, Tracking, errors
from ortcffi._native import ffi

SIZES = [64, 5000, 1 << 26]  # the last one the system has back as soon as it is freed
MAKERS = {
    "tracking": Tracking,
    "limiting": lambda inner: Limiting(inner, 1 << 30),
    "aligned": lambda inner: Aligned(inner, 256),
    "failing": lambda inner: Failing(Tracking(inner), 1000),
}
# The blocks of this allocator are pages of their own, which end when the program says so.
OWN_PAGES = """
import ctypes, mmap
import ortcffi as ort
from ortcffi._native import ffi

class Pages(ort.PythonAllocator):
    def alloc(self, size):
        self.pages = mmap.mmap(-1, size)
        return ctypes.addressof(ctypes.c_char.from_buffer(self.pages))
    def free(self, pointer):
        pass

pages = Pages()
pool = ort.Tracking(pages)
block = pool.alloc(8192)
other = ort.Tracking(ort.load().default_allocator)
pool.close()
pages.pages.close()  # from here on nothing may map memory, which could be put there
try:
    other.free(block)
except ort.errors.InvalidArgument as error:
    print(error)
"""


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("kind", MAKERS)
def test_a_block_of_another_library_is_freed_once_and_the_second_free_is_refused(kind, size):
    with MAKERS[kind](ortcffi.load().default_allocator) as pool:
        kept, block = pool.alloc(64), pool.alloc(size)
        pool.free(block)
        if size == SIZES[-1]:
            with pytest.raises(errors.InvalidArgument, match="cannot be read"):
                pool.free(block)
        for pointer in (ffi.cast("void*", 4096 * 5 + 64), ffi.cast("void*", 2**63 + 4096)):
            with pytest.raises(errors.InvalidArgument, match="cannot be read"):
                pool.free(pointer)
        pool.free(kept)


@pytest.mark.parametrize("kind", MAKERS)
def test_blocks_of_another_library_are_freed_in_any_order_and_on_any_page(kind):
    with MAKERS[kind](ortcffi.load().default_allocator) as pool:
        blocks = [pool.alloc(1 + 37 * i) for i in range(400)]
        for step in (3, 2, 1):
            for block in blocks[::step]:
                pool.free(block)
            blocks = [block for i, block in enumerate(blocks) if i % step]
        assert blocks == []


def test_blocks_that_ended_with_their_adaptor_do_not_count_as_memory_that_can_be_read():
    assert "cannot be read" in run_python(OWN_PAGES)
