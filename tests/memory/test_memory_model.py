# SPDX-License-Identifier: MIT
"""Random sequences of allocator calls from Python, compared with a model."""

import gc

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    invariant,
    rule,
    run_state_machine_as_test,
)

import ortcffi
from ortcffi import Aligned, Failing, Limiting, Tracking

LIMIT = 1 << 20
SIZES = st.one_of(st.integers(0, 300), st.integers(0, LIMIT), st.just(1 << 40))


class Memory(RuleBasedStateMachine):
    """Arrays and blocks of one pool. The model has their contents and the bytes in use."""

    arrays = Bundle("arrays")
    blocks = Bundle("blocks")
    api = None

    def __init__(self):
        super().__init__()
        limiting = Limiting(self.api.default_allocator, LIMIT)
        self.pool = Tracking(Aligned(Failing(limiting, after=1 << 40), 32))
        self.out = []  # blocks to free at the end
        self.live = self.peak = 0
        # What the limit sees: beside the bytes, what two adaptors put in front and around.
        self.cost = 0

    def fits(self, size):
        return self.cost + size + self.overhead() <= LIMIT

    def overhead(self):
        return 64 + 64 + 31

    def take(self, size):
        self.cost += size + self.overhead() if size else 0
        self.live += size
        self.peak = max(self.peak, self.live)

    def give(self, size):
        self.cost -= size + self.overhead() if size else 0
        self.live -= size

    @rule(target=arrays, size=SIZES, value=st.integers(0, 255))
    def full(self, size, value):
        if self.pool.closed:
            with pytest.raises(ValueError, match="closed"):
                self.pool.empty(size, "u1")
            return None
        if size and not self.fits(size):
            with pytest.raises(MemoryError):
                self.pool.empty(size, "u1")
            return None
        array = self.pool.full(size, value, np.uint8)
        self.take(size)
        return [array], size, value

    @rule(entry=consumes(arrays))
    def drop(self, entry):
        if entry is not None:
            (array,), size, value = entry
            assert (array == value).all()
            del array
            entry[0].clear()
            self.give(size)

    @rule(target=blocks, size=SIZES)
    def alloc(self, size):
        if self.pool.closed or (size and not self.fits(size)):
            with pytest.raises((ValueError, MemoryError)):
                self.pool.alloc(size)
            return None
        block = self.pool.alloc(size)
        assert bool(block) == bool(size)
        self.take(size)
        self.out.append(block)
        return block, size

    @rule(entry=consumes(blocks))
    def free(self, entry):
        if entry is not None and not self.pool.closed:
            self.pool.free(entry[0])
            self.out.remove(entry[0])
            self.give(entry[1])

    @rule(size=st.integers(1, 1000))
    def use_a_scope(self, size):
        if not self.pool.closed and self.fits(size):
            with self.pool.scope() as scope:
                self.pool.empty(size, "u1")
            assert (scope.peak, scope.live, scope.num_frees) == (size, 0, 1)
            self.peak = max(self.peak, self.live + size)

    @rule()
    def release_unused(self):
        if not self.pool.closed and self.api.path is None:
            self.pool.release_unused()

    @rule()
    def close_the_allocators_inside(self):
        inner = self.pool.inner
        while isinstance(inner, ortcffi.memory.adaptors.Adaptor):
            inner.close()
            inner = inner.inner

    @rule()
    def collect(self):
        gc.collect()

    @rule(sure=st.integers(0, 9))
    def close(self, sure):
        if sure == 9 and not self.live:
            self.pool.close()

    @invariant()
    def figures_are_exact(self):
        if not self.pool.closed:
            assert (self.pool.bytes_allocated, self.pool.max_memory) == (self.live, self.peak)

    def teardown(self):
        for block in self.out:
            if not self.pool.closed:
                self.pool.free(block)


def test_any_sequence_of_calls_does_what_the_model_says(api):
    machine = type("Memory", (Memory,), {"api": api})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=25,
            stateful_step_count=40,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
