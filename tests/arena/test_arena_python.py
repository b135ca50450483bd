# SPDX-License-Identifier: MIT
"""Arenas in Python, over allocators of either library."""

import re
import threading
from functools import partial

import numpy as np
import pytest
from support.allocators import InPython
from support.processes import TIME_LIMIT, fork
from support.threads import join, run_threads, start

import ortcffi as ort

MIB = 1 << 20


@pytest.fixture
def arena(api):
    with ort.Arena(api.default_allocator) as arena:
        yield arena


def test_an_arena_has_all_nine_statistics(arena):
    x = arena.empty(1000, np.uint8)
    stats = arena.stats
    assert 1000 <= stats.bytes_allocated <= stats.bytes_reserved
    assert (stats.num_allocations, stats.num_extensions, stats.num_shrinkages) == (1, 1, 0)
    assert stats.max_memory >= stats.max_allocation >= 1000
    assert stats.num_reserves == 0
    assert stats.limit is not None
    del x
    assert arena.stats.bytes_allocated == 0


def test_shrink_returns_chunks(api):
    inner = ort.Tracking(api.default_allocator)
    with ort.Arena(inner, strategy="as_requested") as arena:
        x = arena.empty(64 * MIB, np.uint8)
        assert inner.bytes_allocated >= 64 * MIB
        arena.shrink()
        assert inner.bytes_allocated >= 64 * MIB
        del x
        assert inner.bytes_allocated >= 64 * MIB
        arena.shrink()
        assert inner.bytes_allocated == 0
        assert arena.stats.num_shrinkages > 0
    inner.close()


@pytest.mark.parametrize(
    ("measure", "error", "says"),
    [
        ({"max_bytes": -1}, ValueError, "max_bytes must be from 0"),
        ({"max_bytes": "1"}, ValueError, "max_bytes must be a number of bytes such as"),
        ({"growth_chunk_bytes": 1.5}, TypeError, "growth_chunk_bytes must be an int, not float"),
        ({"strategy": "double"}, ValueError, "strategy must be 'power_of_two' or 'as_requested'"),
        ({"strategy": 1}, ValueError, "strategy must be 'power_of_two' or 'as_requested'"),
    ],
)
def test_the_error_for_a_wrong_setting_names_it(api, measure, error, says):
    with pytest.raises(error, match=says):
        ort.Arena(api.default_allocator, **measure)
    with pytest.raises(error, match=says):
        ort.ArenaCfg(api, **measure)


def test_the_configuration_of_an_arena_has_all_settings(api):
    measures = {
        "max_bytes": 1 << 40,
        "strategy": "as_requested",
        "initial_chunk_bytes": 1 << 20,
        "growth_chunk_bytes": 1 << 21,
        "max_dead_bytes": 1 << 22,
        "max_power_of_two_bytes": 1 << 23,
    }
    with ort.ArenaCfg(api, **measures) as cfg:
        assert sorted(cfg.measures.values()) == [1, *(1 << n for n in (20, 21, 22, 23, 40))]
        assert " max_mem=1099511627776 " in repr(cfg)
    assert repr(cfg) == "<ArenaCfg closed>"
    with ort.ArenaCfg(api) as cfg:
        assert cfg.measures == {}
    with ort.Arena(api.default_allocator, initial_chunk_bytes=4 * MIB) as arena:
        arena.free(arena.alloc(10))
        assert arena.stats.bytes_reserved == 4 * MIB
        assert arena.measures == {"initial_chunk_size_bytes": 4 * MIB}


def test_an_exception_of_an_allocator_in_python_passes_through_an_arena():
    class Mine(ort.PythonAllocator):
        def alloc(self, size):
            raise KeyError(size)

        def free(self, pointer): ...

    with ort.Arena(Mine()) as arena, pytest.raises(MemoryError) as raised:
        arena.empty(10)
    assert type(raised.value.__cause__) is KeyError


def test_threads_share_an_arena(arena):
    wrong = []

    def work(seed):
        random = np.random.default_rng(seed)
        held = []
        for _ in range(300):
            array = arena.empty(int(random.integers(1, 5000)), np.uint8)
            array.fill(seed)
            held.append(array)
            if len(held) > 20:
                gone = held.pop(int(random.integers(len(held))))
                wrong.extend([seed] if (gone != seed).any() else [])

    run_threads(*[partial(work, seed) for seed in range(4)])
    assert not wrong
    assert arena.stats.bytes_allocated == 0


def test_the_error_of_an_arena_names_its_limit(core_api):
    arena = ort.Arena(core_api.default_allocator, max_bytes="4 MB")
    kept = arena.empty(1000, "u1")
    message = f"the limit is {4 << 20} bytes, and {1 << 20} are in use$"
    for allocator in (arena, ort.Tracking(arena)):
        with pytest.raises(MemoryError, match=message):
            allocator.empty(8 << 20, "u1")
    with pytest.raises(MemoryError) as caught, ort.numpy_allocator(arena):
        np.ones(8 << 20, "u1")
    assert re.search(message, str(caught.value.__cause__))
    del kept


class Waiting(InPython):
    """An allocator whose calls wait, where it holds them, until they may go on."""

    holds = False

    def __init__(self):
        super().__init__()
        self.is_held, self.may_go_on = threading.Event(), threading.Event()

    def pause(self):
        """Wait in a call."""
        if self.holds:
            self.is_held.set()
            self.may_go_on.wait(TIME_LIMIT)

    def alloc(self, size):
        """A block, after a wait."""
        self.pause()
        return super().alloc(size)

    def free(self, pointer):
        """Drop a block, after a wait."""
        self.pause()
        super().free(pointer)


@pytest.mark.parametrize("work", ["takes", "gives back"])
def test_the_child_of_a_fork_can_use_the_bytes_that_another_thread_had_reserved(work):
    inner = Waiting()
    arena = ort.Arena(inner, max_bytes=MIB, strategy="as_requested")

    def use_all():
        inner.holds = False
        block = arena.alloc(MIB)
        with pytest.raises(MemoryError):
            arena.alloc(1)
        arena.free(block)
        return True

    if work == "gives back":
        use_all()
    inner.holds = True
    (thread,) = start(arena.shrink if work == "gives back" else lambda: arena.empty(MIB, "u1"))
    assert inner.is_held.wait(TIME_LIMIT)
    status = fork(use_all)
    inner.may_go_on.set()
    join(thread)
    assert status == 0
