# SPDX-License-Identifier: MIT
"""NumPy's own arrays in the memory of an allocator."""

import gc
import threading
import weakref
from contextvars import copy_context
from functools import partial

import numpy as np
import pytest
from numpy._core import multiarray
from support.allocators import InPython
from support.interrupts import ends
from support.processes import TIME_LIMIT
from support.threads import run_threads

from ortcffi import (
    Failing,
    Limiting,
    PythonAllocator,
    errors,
    numpy_allocator,
)

LARGE = 10_000  # NumPy keeps blocks up to 1 KiB for itself


def handler(array):
    return multiarray.get_handler_name(array)


def test_results_come_from_the_allocator(make):
    pool = make()
    with numpy_allocator(pool):
        array = np.ones(LARGE)
    assert handler(array) == "ortcffi"
    assert pool.bytes_allocated >= array.nbytes
    del array
    assert pool.bytes_allocated == 0


def test_temporaries_come_from_the_allocator(make):
    pool = make()
    x = np.ones(LARGE)
    with numpy_allocator(pool), pool.scope() as scope:
        y = np.sqrt(x) @ np.exp(x)
    assert y == pytest.approx(LARGE * np.e)
    assert scope.peak >= 2 * x.nbytes
    assert pool.bytes_allocated == 0


@pytest.mark.parametrize("dtype", ["i1", "f8", "c16", "O", "S7", [("a", "i4"), ("b", "f8", 3)]])
def test_arrays_of_any_type_have_their_values(make, dtype):
    pool = make()
    with numpy_allocator(pool):
        zeros = np.zeros(LARGE, dtype)
        copy = zeros.copy()
    assert (zeros == np.zeros(LARGE, dtype)).all()
    assert (copy == zeros).all()
    assert (handler(zeros), handler(copy)) == ("ortcffi", "ortcffi")
    del zeros, copy
    assert pool.bytes_allocated == 0


def test_arrays_that_grow_keep_their_values(make):
    pool = make()
    with numpy_allocator(pool):
        grown = np.fromiter((i for i in range(LARGE)), np.int64)
        resized = np.arange(10)
        resized.resize(LARGE, refcheck=False)
    assert (grown == range(LARGE)).all()
    assert resized[:10].tolist() == list(range(10))
    assert not resized[10:].any()
    del grown, resized
    assert pool.bytes_allocated == 0


def test_arrays_outlive_the_block_and_the_allocator(make):
    pool = make()
    with numpy_allocator(pool):
        array = np.full(LARGE, 7)
    pool.close()
    gone = weakref.ref(pool)
    del pool
    gc.collect()
    assert (array == 7).all()
    del array
    gc.collect()
    assert gone() is None


def test_blocks_nest(make):
    outer, inner = make(), make()
    with numpy_allocator(outer):
        with numpy_allocator(inner):
            first = np.ones(LARGE)
        second = np.ones(2 * LARGE)
    assert inner.bytes_allocated >= first.nbytes
    assert outer.bytes_allocated >= second.nbytes > inner.bytes_allocated


def test_an_exception_ends_the_block(make):
    with pytest.raises(ZeroDivisionError), numpy_allocator(make()):
        np.full(1, 1 / 0)
    assert handler(np.ones(LARGE)) == "default_allocator"


def test_a_block_covers_threads_that_run_in_a_copy_of_its_context(make):
    found = {}

    def work(name):
        found[name] = handler(np.ones(LARGE))

    with numpy_allocator(make()):
        run_threads(partial(copy_context().run, work, "covered"))
    run_threads(lambda: work("after"))
    assert found == {"covered": "ortcffi", "after": "default_allocator"}


def test_one_block_may_be_used_by_threads_at_the_same_time(make):
    block, step = numpy_allocator(make()), threading.Barrier(2)

    def work(first):
        if not first:
            step.wait(TIME_LIMIT)
        with block:
            if first:
                step.wait(TIME_LIMIT)
            step.wait(TIME_LIMIT)  # both are in the block
        found.append(handler(np.ones(LARGE)))

    found = []
    run_threads(lambda: work(True), lambda: work(False))
    assert found == ["default_allocator"] * 2


def test_an_allocation_that_fails_is_a_memory_error(make):
    pool = make()
    with pytest.raises(MemoryError) as caught, numpy_allocator(Limiting(pool, 1000)):
        np.ones(LARGE)
    text = "the allocator has no block of this size; the limit is 1000 bytes, and 0 are in use"
    assert caught.value.__cause__.message == text
    assert isinstance(caught.value.__cause__, errors.OutOfMemory)
    assert pool.bytes_allocated == 0


def test_array_growth_that_fails_does_not_change_the_array(make):
    pool = make()
    with numpy_allocator(Limiting(pool, 100_000)):
        array = np.arange(LARGE)
        with pytest.raises(MemoryError):
            array.resize(2 * LARGE, refcheck=False)
    assert (array == range(LARGE)).all()


@pytest.mark.parametrize("after", range(6))
def test_a_failure_of_any_allocation_leaks_nothing(make, after):
    pool = make()
    failing = Failing(pool, after=after)
    x = np.ones(LARGE)
    with pytest.raises(MemoryError), numpy_allocator(failing):
        [x + i for i in range(10)]
    gc.collect()
    assert pool.bytes_allocated == 0


class Broken(PythonAllocator):
    """An allocator whose `alloc` always raises."""

    def alloc(self, size):
        raise ValueError(f"nothing of {size} bytes")


def test_an_exception_of_an_allocator_in_python_is_the_cause():
    with pytest.raises(MemoryError) as caught, numpy_allocator(Broken()):
        np.ones(LARGE)
    assert str(caught.value.__cause__).startswith("nothing of 80")


def test_numpy_can_use_an_allocator_in_python():
    mine = InPython()
    with numpy_allocator(mine):
        array = np.arange(LARGE) * 2
    assert array[-1] == 2 * (LARGE - 1)
    with pytest.raises(ValueError, match="setting an array element"), numpy_allocator(mine):
        np.array([np.ones(LARGE), np.ones(3)], float)
    del array
    gc.collect()
    assert mine.blocks == {}


def test_a_closed_allocator_is_an_error(make):
    pool = make()
    pool.close()
    with pytest.raises(ValueError, match="closed"), numpy_allocator(pool):
        pass
    assert handler(np.ones(LARGE)) == "default_allocator"


def uses(scope):
    """Whether new arrays come from the allocator, and whether the scope can be left."""
    is_ours = handler(np.empty(LARGE)) == "ortcffi"
    try:
        scope.__exit__(None, None, None)
    except RuntimeError:
        return is_ours, False
    return is_ours, True


def test_an_interrupted_enter_changes_nothing(make):
    scope, point, is_entered = numpy_allocator(make()), 0, False
    while not is_entered:
        point += 1
        is_entered = ends(scope.__enter__, point)
        assert uses(scope) == (is_entered, is_entered)
    assert point > 1


def test_an_interrupted_exit_is_whole(make):
    scope, point, is_left = numpy_allocator(make()), 0, False
    while not is_left:
        point += 1
        scope.__enter__()
        is_left = ends(lambda: scope.__exit__(None, None, None), point)
        assert uses(scope) == (False, False)
    assert point > 1


def test_a_block_is_left_in_a_copy_of_its_context_too(make):
    block = numpy_allocator(make())
    with block:
        copied = copy_context()
        copied.run(block.__exit__, None, None, None)
        assert copied.run(lambda: handler(np.ones(LARGE))) == "default_allocator"
        assert handler(np.ones(LARGE)) == "ortcffi"
    with block, block:
        copied = copy_context()
    copied.run(block.__exit__, None, None, None)
    assert copied.run(lambda: handler(np.ones(LARGE))) == "ortcffi"
    copied.run(block.__exit__, None, None, None)
    assert copied.run(lambda: handler(np.ones(LARGE))) == "default_allocator"
