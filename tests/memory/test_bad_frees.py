# SPDX-License-Identifier: MIT
"""Frees of what is no block of the default allocator, and writes into blocks that are free.

They are reported, as docs/heap.md says, and the heap goes on as if nothing had happened.
"""

from itertools import pairwise

import pytest
from support.compilers import USES_MIMALLOC
from support.paths import finds_support
from support.processes import run_python

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


WRITTEN = {  # the bytes of a free block that is written to, and how that comes about
    "overrun": (
        256,
        """
blocks = {address_of(block): block for block in (pool.alloc(256) for _ in range(64))}
first, second = next((a, a + 256) for a in sorted(blocks) if a + 256 in blocks)
pool.free(blocks[second])
write(first, 256 + 64)
again = pool.alloc(256)
""",
    ),
    "written after it was freed": (
        256,
        """
block = pool.alloc(256)
second = address_of(block)
pool.free(block)
write(second, 256)
again = pool.alloc(256)
""",
    ),
    "written before it is borrowed": (  # it would do for a size that has none free itself
        1280,
        """
block = pool.alloc(1280)
second = address_of(block)
pool.free(block)
write(second, 64)
borrowers = [pool.alloc(1152) for _ in range(64)]
again = next((each for each in borrowers if address_of(each) == second), borrowers[0])
""",
    ),
}
PROGRAM = """
import os, sys
import ortcffi as ort
from memory.test_bad_frees import must_go_on
from ortcffi._native import address_of, ffi

pool = ort.core_api().default_allocator
os.dup2(1, 2)

def write(address, count):
    ffi.buffer(ffi.cast("char*", address), count)[:] = bytes([1]) * count

%s
assert address_of(again) != second
must_go_on(pool, int(sys.argv[1]))
print(hex(second))
"""


@pytest.mark.skipif(USES_MIMALLOC, reason="mimalloc does not notice it, as heap_mimalloc.h says")
@pytest.mark.parametrize("mistake", WRITTEN)
def test_a_free_block_that_was_written_to_is_reported_and_not_handed_out(mistake):
    size, lines = WRITTEN[mistake]
    said, place = run_python(PROGRAM % lines, str(size), **finds_support()).splitlines()
    assert said == (
        f"ortcffi: block {place} of {size} bytes was written to after it was freed, or overrun"
    )
