# SPDX-License-Identifier: MIT
"""`Failing` refuses allocations after the given number."""

import pytest

from ortcffi import Failing, Tracking


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
