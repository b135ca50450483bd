# SPDX-License-Identifier: MIT
"""Scopes of `Tracking`."""

import gc
from concurrent.futures import ThreadPoolExecutor

import pytest
from support.processes import TIME_LIMIT

from ortcffi import Tracking


def sizes(scope):
    return [leak.size for leak in scope.leaks]


def test_a_scope_sees_all_threads(make):
    pool = make()
    with ThreadPoolExecutor(1) as threads, pool.scope() as scope:
        array = threads.submit(pool.empty, 10, "u1").result(TIME_LIMIT)
    assert (scope.live, sizes(scope)) == (array.nbytes, [10])


def test_nested_scopes_count_the_same_block(make):
    pool = make()
    with pool.scope() as outer, pool.scope(leaks=False) as inner:
        array = pool.empty(10, "u1")
    assert [scope.live for scope in (outer, inner)] == [10] * 2
    assert [sizes(scope) for scope in (outer, inner)] == [[10], []]
    assert array.size == 10


def test_scopes_may_overlap(make):
    pool = make()
    first, second = (pool.scope() for _ in range(2))
    first.__enter__()
    arrays = [pool.empty(1, "u1")]
    pool.empty(900, "u1")
    second.__enter__()
    arrays.append(pool.empty(10, "u1"))
    first.__exit__(None, None, None)
    arrays.append(pool.empty(100, "u1"))
    second.__exit__(None, None, None)
    assert (first.live, first.peak, second.live, second.peak) == (11, 901, 110, 110)
    with pytest.raises(RuntimeError, match="is not open"):
        first.__exit__(None, None, None)
    arrays.clear()


def test_a_scope_can_be_entered_again(make):
    pool = make()
    scope = pool.scope()
    for size in (10, 20):
        with scope:
            array = pool.empty(size, "u1")
        assert (scope.live, sizes(scope), array.size) == (size, [size], size)
        del array


def test_a_scope_counts_in_its_own_allocator_alone(make):
    pool = make()
    outer = Tracking(pool)
    with outer.scope() as scope, pool.scope() as inner:
        array = outer.empty(10, "u1")
        other = pool.empty(20, "u1")
    assert (scope.live, inner.num_allocations) == (10, 2)
    assert array.size + other.size == 30


def test_to_leave_a_scope_that_is_not_open_is_an_error(make):
    pool = make()
    with pool.scope("mine") as scope:
        pass
    with pytest.raises(RuntimeError, match="'mine' is not open"):
        scope.__exit__(None, None, None)


def test_an_allocator_may_be_closed_in_its_scope(make):
    pool = make()
    with pool.scope() as scope:
        array = pool.empty(10, "u1")
        pool.close()
    assert (scope.live, array.size) == (10, 10)


def test_a_scope_that_nobody_leaves_ends_with_its_last_reference(make):
    pool = make()
    array = pool.empty(1, "u1")
    scope = pool.scope()
    scope.__enter__()
    del array, scope
    kept = pool.empty(10, "u1")
    pool.close()
    del pool
    gc.collect()
    assert kept.size == 10
