# SPDX-License-Identifier: MIT
"""`Limiting` refuses what would be too much, and nothing else."""

import threading

import pytest

from ortcffi import Limiting, Tracking


@pytest.fixture
def make(api):
    return lambda limit: Limiting(api.default_allocator, limit)


@pytest.mark.parametrize("limit", [1, 100, 4096, 1 << 20, 64 << 20])
def test_the_limit_is_exact_on_one_thread(make, limit):
    small = make(limit)
    first = small.empty(limit // 2, "u1")
    rest = small.empty(limit - limit // 2, "u1")
    with pytest.raises(MemoryError):
        small.empty(1, "u1")
    del first
    again = small.empty(limit // 2, "u1")
    assert again.nbytes + rest.nbytes == limit


def test_a_limit_that_was_reached_by_many_blocks_is_exact(make):
    small = make(1_000_000)
    arrays = [small.empty(1000, "u1") for _ in range(1000)]
    with pytest.raises(MemoryError):
        small.empty(1, "u1")
    arrays.clear()
    assert small.empty(1_000_000, "u1").nbytes == 1_000_000


def test_a_limit_of_0_refuses_all_but_nothing(make):
    none = make(0)
    assert none.empty(0).size == 0
    with pytest.raises(MemoryError):
        none.empty(1, "u1")


def test_the_largest_limit_there_is_refuses_what_cannot_be_had_and_nothing_else(make):
    large = make(2**63 - 1)
    for size in (2**63 - 1, 2**63 - 64, 2**62):
        with pytest.raises(MemoryError):
            large.alloc(size)
    held = [large.empty(size, "u1") for size in (1, 100_000, 1 << 20)]
    assert large.stats.bytes_allocated == sum(array.nbytes for array in held)


def test_the_figures_say_the_limit_and_what_is_in_use(make):
    small = make(5000)
    array = small.empty(1234, "u1")
    assert (small.stats.limit, small.stats.bytes_allocated) == (5000, array.nbytes)


def test_several_threads_together_stay_below_the_limit(make):
    limit = 1 << 20
    inner = Tracking(make(limit).inner)
    small = Limiting(inner, limit)
    refused = []

    def work(step):
        held = []
        for i in range(400):
            try:
                held.append(small.empty(step * (1 + i % 7), "u1"))
            except MemoryError:
                refused.append(i)
                held.clear()

    threads = [threading.Thread(target=work, args=(step,)) for step in (1000, 2000, 3000, 777)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    headers = 64 * inner.num_allocations  # at most
    assert refused
    assert inner.max_memory <= limit + headers
    assert inner.bytes_allocated == 0


def test_what_one_thread_frees_another_can_take(make):
    small = make(1 << 20)
    arrays = [small.empty(1 << 18, "u1") for _ in range(4)]
    thread = threading.Thread(target=arrays.clear)
    thread.start()
    thread.join()
    reserve = 1 << 10  # what the other thread may keep
    assert small.empty((1 << 20) - reserve, "u1").nbytes == (1 << 20) - reserve


@pytest.mark.parametrize(("limit", "error"), [(-1, ValueError), (1.5, TypeError), ("1", TypeError)])
def test_a_bad_limit_is_an_error_that_names_it(make, limit, error):
    with pytest.raises(error, match="limit must be"):
        make(limit)
