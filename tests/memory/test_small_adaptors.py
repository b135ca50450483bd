# SPDX-License-Identifier: MIT
"""`Aligned` and `Failing`, and what all adaptors do with memory that is not the core's."""

import pytest
from support.allocators import ADAPTORS

from ortcffi import Aligned, Failing, Tracking, load


@pytest.mark.parametrize("alignment", [1 << i for i in range(22)])
@pytest.mark.parametrize("size", [1, 1000, 100_000])
def test_blocks_begin_at_multiples_of_any_power_of_two_up_to_2_mib(api, alignment, size):
    arrays = [Aligned(api.default_allocator, alignment).full(size, i, "u1") for i in range(3)]
    assert [array.ctypes.data % alignment for array in arrays] == [0, 0, 0]
    assert [array.sum() for array in arrays] == [0, size, 2 * size]


@pytest.mark.parametrize("alignment", [0, 3, 4 << 20, 100])
def test_an_alignment_that_is_no_power_of_two_up_to_2_mib_is_an_error(api, alignment):
    with pytest.raises(ValueError, match="alignment must be a power of two up to 2 MiB"):
        Aligned(api.default_allocator, alignment)


@pytest.fixture
def make(api):
    return lambda after: Failing(api.default_allocator, after=after)


@pytest.mark.parametrize("after", [0, 1, 5])
def test_the_first_allocations_succeed_and_all_others_fail(make, after):
    failing = make(after)
    arrays = [failing.empty(3) for _ in range(after)]
    for refused in (1, 2):
        with pytest.raises(MemoryError):
            failing.empty(3)
        assert failing.refused == refused
    assert len(arrays) == after


def test_frees_do_not_give_back_allocations(make):
    failing = make(1)
    failing.empty(3)
    with pytest.raises(MemoryError):
        failing.empty(3)


def test_reset_restarts_the_counts(make):
    failing = make(0)
    with pytest.raises(MemoryError):
        failing.empty(3)
    failing.reset(1)
    assert failing.refused == 0
    assert failing.empty(3).size == 3
    with pytest.raises(MemoryError):
        failing.empty(3)


def test_an_empty_array_needs_no_allocation_that_could_fail(make):
    assert make(0).empty(0).size == 0


@pytest.mark.parametrize("method", ["zeros", "copy_of", "full"])
def test_a_failure_leaves_nothing_behind(make, method):
    pool = Tracking(make(0))
    arguments = {"zeros": (3,), "copy_of": ([1, 2],), "full": (3, 1.5)}[method]
    with pytest.raises(MemoryError):
        getattr(pool, method)(*arguments)
    assert (pool.bytes_allocated, pool.num_allocations) == (0, 0)


@pytest.mark.parametrize("kind", ADAPTORS)
def test_blocks_of_another_library_are_freed_in_any_order_and_on_any_page(kind):
    with ADAPTORS[kind](load().default_allocator) as pool:
        blocks = [pool.alloc(1 + 37 * i) for i in range(400)]
        for step in (3, 2, 1):
            for block in blocks[::step]:
                pool.free(block)
            blocks = [block for i, block in enumerate(blocks) if i % step]
        assert blocks == []
