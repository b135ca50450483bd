# SPDX-License-Identifier: MIT
"""Scopes of `Tracking` that belong to a thread or a context, and `carry`."""

import asyncio
import contextvars
import gc
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from support.processes import TIME_LIMIT
from support.threads import run_async, run_threads

from ortcffi import Tracking, carry

OWNED = ["thread", "context"]


@pytest.fixture(params=OWNED)
def belongs_to(request):
    return request.param


@pytest.fixture(params=["process", *OWNED])
def any_owner(request):
    return request.param


@pytest.fixture
def threads():
    with ThreadPoolExecutor(2) as threads:
        yield threads


def sizes(scope):
    return [leak.size for leak in scope.leaks]


def test_scopes_of_two_threads_do_not_see_each_others_bytes(make, belongs_to):
    pool = make()
    meet, scopes = threading.Barrier(2), {}

    def work(size):
        with pool.scope(belongs_to=belongs_to) as scopes[size]:
            meet.wait(TIME_LIMIT)
            kept = pool.empty(size, "u1")
            pool.empty(10 * size, "u1")
            meet.wait(TIME_LIMIT)
        return kept

    with ThreadPoolExecutor(2) as threads:
        arrays = list(threads.map(work, [100, 200]))
    for size, scope in scopes.items():
        assert (scope.live, scope.peak, sizes(scope)) == (size, 11 * size, [size])
        assert (scope.num_allocations, scope.num_frees, scope.total_bytes) == (2, 1, 11 * size)
        assert sum(group.size for group in scope.at_peak) == scope.peak
    assert sum(array.nbytes for array in arrays) == pool.bytes_allocated == 300


def test_a_scope_of_the_process_sees_all_threads(make, threads):
    pool = make()
    with pool.scope() as scope:
        array = threads.submit(pool.empty, 10, "u1").result(TIME_LIMIT)
    assert (scope.live, scope.belongs_to) == (array.nbytes, "process")


def test_a_free_on_another_thread_counts_in_the_scope_of_the_block(make, belongs_to):
    pool = make()
    with pool.scope(belongs_to=belongs_to) as scope:
        arrays = [pool.empty(100, "u1"), pool.empty(20, "u1")]
        run_threads(arrays.pop)
    assert (scope.live, scope.num_frees, scope.peak) == (100, 1, 120)
    arrays.clear()


def test_nested_scopes_of_all_kinds_count_the_same_block(make):
    pool = make()
    with (
        pool.scope() as process,
        pool.scope(belongs_to="thread") as outer,
        pool.scope(belongs_to="context") as context,
        pool.scope(belongs_to="thread", leaks=False) as inner,
    ):
        array = pool.empty(10, "u1")
    assert [scope.live for scope in (process, outer, context, inner)] == [10] * 4
    assert [sizes(scope) for scope in (process, outer, context, inner)] == [[10]] * 3 + [[]]
    assert array.size == 10


def test_scopes_of_one_owner_may_overlap(make, any_owner):
    pool = make()
    first, second = (pool.scope(belongs_to=any_owner) for _ in range(2))
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


def test_a_scope_can_be_entered_again(make, belongs_to):
    pool = make()
    scope = pool.scope(belongs_to=belongs_to)
    for size in (10, 20):
        with scope:
            array = pool.empty(size, "u1")
        assert (scope.live, sizes(scope)) == (size, [size])
    assert array.size == 20


def test_a_scope_counts_in_its_own_allocator_alone(make, belongs_to):
    pool = make()
    outer = Tracking(pool)
    with outer.scope(belongs_to=belongs_to) as scope, pool.scope(belongs_to=belongs_to) as inner:
        array = outer.empty(10, "u1")
        other = pool.empty(20, "u1")
    assert (scope.live, inner.num_allocations) == (10, 2)
    assert array.size + other.size == 30


def test_tasks_of_one_thread_have_scopes_of_their_own(make):
    pool = make()

    async def work(size):
        with pool.scope(belongs_to="context") as scope:
            await asyncio.sleep(0)
            array = pool.empty(size, "u1")
            await asyncio.sleep(0)
        return scope.live, scope.peak, array.size

    async def both():
        with pool.scope(belongs_to="thread") as scope:
            return await asyncio.gather(work(10), work(20)), scope

    figures, thread = run_async(both())
    assert (figures, thread.num_allocations) == ([(10, 10, 10), (20, 20, 20)], 2)


def test_tasks_and_threads_that_a_task_starts_are_in_its_scope(make):
    pool = make()

    async def take(size):
        return pool.empty(size, "u1")

    async def work():
        with pool.scope(belongs_to="context") as scope:
            arrays = [await asyncio.create_task(take(10))]
            arrays.append(await asyncio.to_thread(pool.empty, 20, "u1"))
        return scope, arrays

    scope, arrays = run_async(work())
    assert (scope.live, sizes(scope)) == (30, [10, 20])
    arrays.clear()


def test_a_context_that_outlives_a_scope_no_longer_counts_in_it(make):
    pool = make()
    with pool.scope(belongs_to="context") as scope:
        copy = contextvars.copy_context()
    array = copy.run(pool.empty, 10, "u1")
    assert (scope.live, array.size) == (0, 10)


def test_to_leave_a_scope_in_another_thread_is_an_error_and_leaves_it_open(make, threads):
    pool = make()
    with pool.scope("mine", belongs_to="thread") as scope:
        leave = threads.submit(scope.__exit__, None, None, None)
        with pytest.raises(RuntimeError, match="'mine' was entered in another thread"):
            leave.result(TIME_LIMIT)
        array = pool.empty(10, "u1")
    assert (scope.live, pool.scopes, array.size) == (10, [], 10)


def test_to_leave_a_scope_in_another_context_is_an_error_and_leaves_it_open(make):
    pool = make()
    with pool.scope("mine", belongs_to="context") as scope:
        with pytest.raises(RuntimeError, match="'mine' was entered in another context"):
            contextvars.copy_context().run(scope.__exit__, None, None, None)
        array = pool.empty(10, "u1")
    assert (scope.live, pool.scopes, array.size) == (10, [], 10)


def test_to_leave_a_scope_that_is_not_open_is_an_error(make, belongs_to):
    pool = make()
    with pool.scope("mine", belongs_to=belongs_to) as scope:
        pass
    with pytest.raises(RuntimeError, match="'mine' is not open"):
        scope.__exit__(None, None, None)


def test_an_allocator_may_be_closed_in_its_scope(make, any_owner):
    pool = make()
    with pool.scope(belongs_to=any_owner) as scope:
        array = pool.empty(10, "u1")
        pool.close()
    assert (scope.live, array.size) == (10, 10)


def test_a_scope_that_nobody_leaves_ends_with_its_last_reference(make, any_owner):
    pool = make()
    array = pool.empty(1, "u1")
    scope = pool.scope(belongs_to=any_owner)
    scope.__enter__()
    del array, scope
    kept = pool.empty(10, "u1")
    pool.close()
    del pool
    gc.collect()
    assert kept.size == 10


def test_carried_work_counts_in_the_scopes_of_who_handed_it_over(make, threads, belongs_to):
    pool = make()
    with pool.scope(belongs_to=belongs_to) as scope:
        arrays = list(threads.map(carry(pool.zeros), [(10,), (20,)]))
        arrays.append(threads.submit(pool.zeros, 1000).result(TIME_LIMIT))
    assert (scope.live, len(scope.leaks)) == (240, 2)
    arrays.clear()


def test_carried_work_counts_in_scopes_of_the_thread_that_does_it_as_well(make, threads):
    pool = make()

    def work():
        with pool.scope(belongs_to="thread") as scope:
            array = take()
        return scope.live, array.size

    with pool.scope(belongs_to="thread") as scope:
        take = carry(lambda: pool.empty(10, "u1"))
        assert threads.submit(work).result(TIME_LIMIT) == (10, 10)
    assert (scope.num_allocations, scope.live) == (1, 0)


def test_work_after_carried_work_on_the_same_thread_does_not_count(make, belongs_to):
    pool = make()

    def work():
        return take(), pool.empty(100, "u1")

    with ThreadPoolExecutor(1) as threads, pool.scope(belongs_to=belongs_to) as scope:
        take = carry(lambda: pool.empty(10, "u1"))
        arrays = threads.submit(work).result(TIME_LIMIT)
    assert (scope.live, len(arrays)) == (10, 2)


def test_carried_work_that_raises_leaves_the_scopes(make, threads, belongs_to):
    pool = make()
    with pool.scope(belongs_to=belongs_to) as scope:
        with pytest.raises(ZeroDivisionError):
            threads.submit(carry(lambda: 1 // 0)).result(TIME_LIMIT)
        for each in [threads.submit(pool.empty, 10) for _ in range(4)]:
            each.result(TIME_LIMIT)
    assert scope.num_allocations == 0


def test_carried_work_in_the_same_thread_counts_once(make, belongs_to):
    pool = make()
    with pool.scope(belongs_to=belongs_to) as scope:
        array = carry(carry(pool.empty))(10, "u1")
        other = pool.empty(20, "u1")
    assert (scope.num_allocations, scope.live, array.size + other.size) == (2, 30, 30)


def test_carried_work_after_the_scope_does_not_count(make, belongs_to):
    pool = make()
    with pool.scope(belongs_to=belongs_to) as scope:
        take = carry(pool.empty)
    assert (scope.num_allocations, take(3).size) == (0, 3)


def test_a_carried_function_has_the_name_and_the_answer_of_the_function():
    carried = carry(sorted)
    assert (carried.__name__, carried([2, 1], reverse=False)) == ("sorted", [1, 2])


async def late():
    pass


def generator():
    yield


@pytest.mark.parametrize("function", [late, generator, 5, None])
def test_what_cannot_be_carried_is_an_error(function):
    with pytest.raises(TypeError, match="function must"):
        carry(function)


def test_scopes_of_many_threads_are_exact_while_they_free_each_others_blocks(make, belongs_to):
    pool = make()
    handed, figures = [], []

    def work():
        with pool.scope(belongs_to=belongs_to) as scope:
            for size in range(1, 101):
                handed.append(pool.empty(size, "u1"))
                with pool.scope(leaks=False, belongs_to=belongs_to) as inner:
                    handed.pop()  # its own, or another thread's
                assert (inner.num_allocations, inner.live) == (0, 0)
        figures.append((scope.num_allocations, scope.total_bytes))

    run_threads(*[work] * 4)
    assert (figures, handed, pool.bytes_allocated) == ([(100, 5050)] * 4, [], 0)


def test_a_scope_is_a_decorator_with_the_figures_of_the_last_call(make):
    tracking = make()
    scope = tracking.scope("work")
    kept = []

    @scope
    def work(size, *, keep=False):
        """Take some memory."""
        array = tracking.empty(size, np.uint8)
        if keep:
            kept.append(array)
        return size

    assert (work(1000), work(500, keep=True)) == (1000, 500)
    assert (scope.peak, scope.live, scope.num_allocations, len(scope.leaks)) == (500, 500, 1, 1)
    assert (work.__name__, work.__doc__) == ("work", "Take some memory.")
    assert "in work" in scope.leaks[0].place


def test_calls_of_a_decorated_function_may_overlap(make):
    tracking = make()
    scope = tracking.scope("down", belongs_to="thread")

    @scope
    def down(depth):
        array = tracking.empty(100, np.uint8)
        if depth:
            down(depth - 1)
        return len(array)

    down(3)
    assert (scope.peak, scope.live) == (400, 0)
    run_threads(lambda: down(0), lambda: down(0))
    assert scope.peak == 100


def test_a_decorated_function_that_raises_leaves_its_scope(make):
    tracking = make()
    scope = tracking.scope("work")

    @scope
    def work():
        tracking.empty(70, np.uint8)
        raise LookupError("no")

    with pytest.raises(LookupError):
        work()
    assert scope.peak == 70
    assert tracking.scopes == []
