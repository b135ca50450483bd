# SPDX-License-Identifier: MIT
"""Frees of what is no block of the default allocator.

They are reported, and the heap goes on as if nothing had happened.
"""

from itertools import pairwise

import pytest
from support.compilers import USES_MIMALLOC

from ortcffi import errors
from ortcffi._native import address_of, ffi

INSIDE, TWICE = "points into a block, not to its start", "was freed before"
MISTAKES = {  # the bytes of a block, and where in it the pointer points; None: it was freed before
    "twice small": (100, None, TWICE),
    "twice large": (1 << 20, None, TWICE),
    "inside small": (256, 64, INSIDE),
    "inside unaligned": (256, 9, INSIDE),
    "inside large": (3 << 20, 64, INSIDE),
    "inside far": (3 << 20, 2 << 20, INSIDE),
}
NOTICED_BY_MIMALLOC = ["inside unaligned"]


@pytest.fixture
def allocator(core_api):
    return core_api.default_allocator


@pytest.fixture
def refuses(allocator, capfd):
    """``refuses(pointer, complaint)``: both ways to free a pointer report it, and count it."""

    def bad_frees():
        return int(allocator.stats.raw["NumBadFrees"])

    def refuses(pointer, complaint):
        before, named = bad_frees(), f"{address_of(pointer):#x}"
        with pytest.raises(errors.InvalidArgument, match=f"p {named} {complaint}$"):
            allocator.free(pointer)
        allocator.handle.Free(allocator.handle, pointer)
        said = capfd.readouterr().err
        assert said == f"ortcffi: Free: pointer {named} {complaint}; ignored\n"
        assert bad_frees() == before + 2

    return refuses


def must_go_on(allocator, size):
    """No two blocks that are handed out overlap."""
    blocks = [allocator.alloc(size) for _ in range(500)]
    assert all(b - a >= size for a, b in pairwise(sorted(map(address_of, blocks))))
    for block in blocks:
        allocator.free(block)


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_bad_free_is_refused_and_the_pointer_named(allocator, refuses, mistake):
    if USES_MIMALLOC and mistake not in NOTICED_BY_MIMALLOC:
        pytest.skip("mimalloc does not notice it, as heap_mimalloc.h says")
    size, offset, complaint = MISTAKES[mistake]
    block = allocator.alloc(size)
    if offset is None:
        allocator.free(block)
        refuses(block, complaint)
    else:
        ffi.memmove(block, bytes([7]) * size, size)
        refuses(ffi.cast("char*", block) + offset, complaint)
        assert bytes(ffi.buffer(block, size)) == bytes([7]) * size
        allocator.free(block)
    must_go_on(allocator, min(size, 4096))


@pytest.mark.skipif(USES_MIMALLOC, reason="mimalloc does not notice it, as heap_mimalloc.h says")
def test_the_second_free_of_a_huge_block_is_refused(allocator):
    block = allocator.alloc((1 << 30) + 1)
    allocator.free(block)
    # The heap may have given the memory back to the system.
    with pytest.raises(errors.InvalidArgument, match=f"{TWICE}|is not a block of this allocator"):
        allocator.free(block)


def test_memory_that_the_heap_does_not_have_is_refused(allocator, refuses):
    kept = ffi.new("char[64]")
    for pointer in (kept, ffi.cast("void*", 16), ffi.cast("void*", 2**64 - 64)):
        refuses(ffi.cast("void*", pointer), "is not a block of this allocator")
    must_go_on(allocator, 64)
