# SPDX-License-Identifier: MIT
"""`Limiting` refuses allocations above the limit, and no others."""

import gc
from functools import partial

import pytest
from support.threads import run_threads

from ortcffi import Limiting, Tracking
from ortcffi.testing.live_objects import live_objects


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


def test_a_limit_that_many_blocks_reach_is_exact(make):
    small = make(1_000_000)
    arrays = [small.empty(1000, "u1") for _ in range(1000)]
    with pytest.raises(MemoryError):
        small.empty(1, "u1")
    arrays.clear()
    assert small.empty(1_000_000, "u1").nbytes == 1_000_000


def test_a_limit_of_0_refuses_all_sizes_but_0(make):
    none = make(0)
    assert none.empty(0).size == 0
    with pytest.raises(MemoryError):
        none.empty(1, "u1")


def test_the_largest_limit_refuses_only_sizes_that_are_too_large(make):
    large = make(2**63 - 1)
    for size in (2**63 - 1, 2**63 - 64, 2**62):
        with pytest.raises(MemoryError):
            large.alloc(size)
    held = [large.empty(size, "u1") for size in (1, 100_000, 1 << 20)]
    assert large.stats.bytes_allocated == sum(array.nbytes for array in held)


def test_the_statistics_have_the_limit_and_the_bytes_in_use(make):
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

    run_threads(*[partial(work, step) for step in (1000, 2000, 3000, 777)])
    headers = 64 * inner.num_allocations  # at most
    assert refused
    assert inner.max_memory <= limit + headers
    assert inner.bytes_allocated == 0


@pytest.fixture
def make_soft(api):
    return lambda limit, **more: Limiting(api.default_allocator, limit, soft=True, **more)


def test_a_soft_limit_grants_and_counts_what_goes_over_it(make_soft):
    watched = make_soft(1000)
    within = watched.empty(1000, "u1")
    assert (watched.excesses, watched.max_excess) == (0, 0)
    held = [watched.empty(100, "u1"), watched.empty(50, "u1")]
    assert (watched.excesses, watched.max_excess) == (2, 150)
    assert (watched.stats.limit, watched.stats.bytes_allocated) == (1000, 1150)
    assert watched.stats.raw["MaxExcess"] == "150"
    del held, within
    assert watched.empty(1000, "u1").size == 1000
    assert (watched.excesses, watched.max_excess) == (2, 150)


def test_a_soft_limit_counts_blocks_that_replace_others_above_it(make_soft):
    watched = make_soft(64 << 20)  # where threads keep a reserve of 32 KiB
    held = [watched.empty(64 << 20, "u1"), watched.empty(100_000, "u1")]
    assert watched.excesses == 1
    for _ in range(5):
        watched.empty(10_000, "u1")
    assert (watched.excesses, len(held)) == (6, 2)


def test_a_soft_limit_of_0_grants_everything(make_soft):
    watched = make_soft(0)
    assert watched.zeros(5, "u1").tolist() == [0] * 5
    assert (watched.excesses, watched.max_excess) == (1, 5)


def test_a_size_that_no_machine_has_is_refused_by_a_soft_limit_too(make_soft):
    watched = make_soft(2**63 - 1)
    with pytest.raises(MemoryError) as caught:
        watched.alloc(2**63 - 1)
    assert "the limit is" not in str(caught.value)
    assert watched.stats.bytes_allocated == 0


def test_on_excess_is_called_for_each_block_above_a_soft_limit(make_soft):
    reported = []
    watched = make_soft(100, on_excess=lambda limiting, size: reported.append((limiting, size)))
    held = [watched.empty(size, "u1") for size in (60, 50, 40)]
    assert reported == [(watched, 50), (watched, 40)]
    del reported[:], held
    watched.zeros(100, "u1")
    assert reported == []


def test_on_excess_may_allocate_from_its_own_allocator(make_soft):
    kept = []
    watched = make_soft(10, on_excess=lambda limiting, _size: kept.append(limiting.empty(7, "u1")))
    first = watched.empty(20, "u1")
    assert (len(kept), watched.excesses, watched.max_excess) == (1, 2, 17)
    assert first.size == 20
    kept.clear()


def test_an_exception_of_on_excess_is_reported_and_the_block_granted(make_soft, monkeypatch):
    seen = []
    monkeypatch.setattr("sys.unraisablehook", lambda each: seen.append(str(each.exc_value)))

    def fail(_limiting, _size):
        raise ValueError("too much")

    assert make_soft(10, on_excess=fail).empty(11, "u1").size == 11
    assert seen == ["too much"]


def test_on_excess_is_called_as_long_as_an_array_keeps_the_allocator(make_soft):
    reported = []
    watched = make_soft(10, on_excess=lambda _limiting, size: reported.append(size))
    array = watched.empty(11, "u1")
    outer = Tracking(watched)
    watched.close()
    del watched, array
    gc.collect()
    outer.empty(12, "u1")
    assert reported[0] == 11
    assert reported[1] >= 12


def test_several_threads_count_what_goes_over_a_soft_limit(make_soft):
    reported = []
    watched = make_soft(0, on_excess=lambda _limiting, size: reported.append(size))
    run_threads(*[lambda: [watched.empty(10, "u1") for _ in range(100)]] * 4)
    assert watched.excesses == len(reported) == 400
    assert watched.stats.bytes_allocated == 0


@pytest.mark.parametrize("method", ["alloc", "reserve"])
def test_an_allocator_that_is_closed_as_it_refuses_ends_after_the_error_was_made(api, method):
    alive = []

    class Closing(Limiting):
        is_armed = False

        def _limits(self):
            found = super()._limits()
            if self.is_armed:  # another thread closes it
                self.close()
                alive.append(live_objects()["adaptor"])
            return found

    small = Closing(api.default_allocator, 100)
    before, small.is_armed = live_objects()["adaptor"], True
    with pytest.raises(MemoryError, match="the limit is 100 bytes, and 0 are in use"):
        getattr(small, method)(200)
    assert alive == [before]
