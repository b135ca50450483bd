# SPDX-License-Identifier: MIT
"""Zeroed memory: pages from the system for large blocks, written zeros for small ones."""

import sys

import numpy as np
import pytest
from support.allocators import ADAPTORS

import ortcffi as ort

MIB = 1 << 20
MAKERS = {
    "default": lambda inner: inner,
    **{name: ADAPTORS[name] for name in ("aligned", "limiting", "tracking", "arena")},
    "chain": lambda inner: ort.Tracking(ort.Arena(ort.Aligned(inner, 256))),
}


@pytest.fixture(params=MAKERS)
def make_pool(request, core_api):
    return lambda: MAKERS[request.param](core_api.default_allocator)


def make_by_allocator(pool, size):
    return pool.zeros(size, "u1")


def make_by_numpy(pool, size):
    with ort.numpy_allocator(pool):
        return np.zeros(size, "u1")


@pytest.fixture(params=[make_by_allocator, make_by_numpy])
def make(request):
    return request.param


def resident_bytes():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


def test_memory_that_was_used_before_is_zero_again(make_pool, make):
    pool = make_pool()
    for size in (1, 63, 4096, 200_000, MIB - 1, MIB, MIB + 1, 3 * MIB + 77):
        for _ in range(3):
            x = make(pool, size)
            assert not x.any()
            x[:] = 0xAB
            del x


def test_blocks_beside_one_that_is_zeroed_keep_their_bytes(make_pool, make):
    pool = make_pool()
    sizes = [MIB + 100, 2 * MIB + 4000, 64 * 1024]
    around = [pool.full(size, 7, "u1") for size in sizes for _ in range(3)]
    dirty = [pool.full(2 * MIB + 300, 9, "u1") for _ in range(3)]
    del dirty[1]
    fresh = make(pool, 2 * MIB + 300)
    assert not fresh.any()
    assert all((x == 7).all() for x in around)
    assert all((x == 9).all() for x in dirty)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_large_zeros_touch_only_the_pages_at_their_ends(make_pool, make):
    pool = make_pool()
    if "segment heap" not in ort.core_api().build_info:
        pytest.skip("only this heap knows which memory is its own")
    # The second time from memory that the heap or the arena kept.
    for size in [64 * MIB, 1024 * MIB, 1025 * MIB] * 2:
        before = resident_bytes()
        x = make(pool, size)
        gained = resident_bytes() - before
        assert gained <= 4 * MIB  # a huge page at each end
        x[:: size // 2] = 1
        del x


def test_zeros_in_the_memory_of_another_library_are_written(real_api, make):
    for _ in range(2):
        x = make(real_api.default_allocator, 2 * MIB + 5)
        assert not x.any()
        x[:] = 5
