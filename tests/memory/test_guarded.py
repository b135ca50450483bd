# SPDX-License-Identifier: MIT
"""`Guarded` finds writes beyond blocks (1 s)."""

import ctypes
import gc
import threading

import pytest
from support.prepared import run_program

import ortcffi as ort
from ortcffi import Guarded, Tracking, errors, ffi
from ortcffi._native import address_of

SIZES = [1, 24, 64, 1000, 5000, 1 << 20]


@pytest.fixture(params=[False, True], ids=["zones", "closed pages"])
def guarded(request, api):
    with Guarded(api.default_allocator, close_pages=request.param) as guarded:
        yield guarded


def write(block, offset, *values):
    ctypes.memmove(address_of(block) + offset, bytes(values), len(values))


@pytest.mark.parametrize("size", SIZES)
def test_a_write_before_a_block_is_found_once(guarded, size):
    block = guarded.alloc(size)
    assert guarded.find_damage() is None
    write(block, -6, 0, 0)
    assert guarded.find_damage() == (address_of(block), size, -6, 2, False)
    assert guarded.find_damage() is None
    guarded.free(block)


@pytest.mark.parametrize("size", [size for size in SIZES if size % 64])
def test_a_write_after_a_block_is_found_also_when_it_is_freed(guarded, size):
    block = guarded.alloc(size)
    write(block, size, 0)
    guarded.free(block)
    assert guarded.find_damage() == (address_of(block), size, size, 1, True)
    assert guarded.find_damage() is None


def test_a_write_over_the_whole_zone_harms_nothing(api):
    with Guarded(api.default_allocator) as guarded:
        blocks = [guarded.alloc(64) for _ in range(3)]
        write(blocks[1], 64, *bytes(256))
        write(blocks[1], -256, *bytes(256))
        found = [guarded.find_damage(), guarded.find_damage()]
        assert {(each.offset, each.length) for each in found if each} == {(64, 256)}
        for block in blocks:
            guarded.free(block)


def test_blocks_are_filled_and_aligned(guarded):
    for size in SIZES:
        block = guarded.alloc(size)
        assert address_of(block) % 64 == 0
        assert set(bytes(ffi.buffer(block, size))) == {0xA5}
        guarded.free(block)
    assert guarded.alloc(0) == ffi.NULL


def test_frees_of_what_is_no_block_are_refused(guarded):
    block = guarded.alloc(100)
    guarded.free(block)
    for pointer in (block, ffi.new("char[100]"), ffi.cast("void*", 4096 * 5 + 64)):
        with pytest.raises(errors.InvalidArgument, match="is not a block of this allocator"):
            guarded.free(ffi.cast("void*", pointer))


def test_all_memory_is_given_back(api):
    for close_pages in (False, True):
        with Tracking(api.default_allocator) as tracking:
            with Guarded(tracking, close_pages) as guarded:
                arrays = [guarded.zeros(n, "u1") for n in range(1, 300)]
                assert all(not array.any() for array in arrays)
                del arrays
            assert tracking.bytes_allocated == 0


def test_any_threads_allocate_and_free(guarded):
    def work():
        for n in range(1, 200):
            array = guarded.empty(n, "u1")
            array[:] = 7

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert guarded.find_damage() is None


READ = """
import ctypes
import gc
import ortcffi as ort
guarded = ort.Guarded(ort.core_api().default_allocator, close_pages=True)
array = guarded.zeros(16, "f4")
print(ctypes.string_at(array.ctypes.data + 60, 4), flush=True)
ctypes.string_at(array.ctypes.data + {beyond}, 1)
print("read")
"""


def test_a_closed_page_ends_who_reads_beyond_a_block():
    done = run_program(READ.format(beyond=64), code=None)
    assert done.returncode < 0
    assert "read" not in done.stdout
    assert r"b'\x00\x00\x00\x00'" in done.stdout


def test_damage_says_what_it_is():
    damage = ort.Damage(4096, 16, -3, 2, False)
    assert str(damage) == "a block of 16 bytes: bytes -3 to -2"
    assert str(damage._replace(offset=16, length=1, is_freed=True)) == (
        "a block of 16 bytes, which was freed since: byte 16"
    )


def test_it_counts_the_bytes_of_its_blocks(core_api):
    with ort.Guarded(core_api.default_allocator) as guarded:
        first, second = guarded.empty(100, "u1"), guarded.empty(28, "u1")
        assert (guarded.bytes_allocated, guarded.max_memory) == (128, 128)
        del first
        gc.collect()
        assert (guarded.bytes_allocated, guarded.max_memory) == (28, 128)
        guarded._limit_to(100)
        with pytest.raises(MemoryError):
            guarded.empty(73, "u1")
        assert guarded.bytes_allocated == second.nbytes
        assert guarded.empty(72, "u1").nbytes == 72
