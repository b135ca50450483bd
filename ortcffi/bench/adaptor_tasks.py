# SPDX-License-Identifier: MIT
"""The cost of adaptors, and NumPy's speed with an allocator."""

import tracemalloc
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from time import perf_counter_ns

import numpy as np

from ortcffi._table import core_api
from ortcffi.memory.adaptors import Aligned, Failing
from ortcffi.memory.allocator import Allocator
from ortcffi.memory.limiting import Limiting
from ortcffi.memory.numpy_memory import numpy_allocator
from ortcffi.memory.tracking import Tracking
from ortcffi.table.load import load

from .resident import resident_bytes
from .subjects import Subject
from .tasks import Counted, Loop, Task, repeated

WRAP: dict[str, Callable[[Allocator], Allocator]] = {
    "tracking": Tracking,
    "limiting": lambda inner: Limiting(inner, 1 << 40),
    "aligned": lambda inner: Aligned(inner, 4096),
    "failing": lambda inner: Failing(inner, after=1 << 60),
}
FIRST = 100


@dataclass(frozen=True)
class AdaptorCost:
    """The time that an adaptor adds to an allocation and its free; called with a subject, its task.

    Attributes
    ----------
    name : str
        One of `WRAP`.
    around_real : bool
        Whether it is around the real library's allocator instead of the subject's.
    """

    name: str
    around_real: bool = False

    def __call__(self, subject: Subject) -> "AdaptorTask":
        """The task that measures it around a subject's default allocator."""
        return AdaptorTask(self, subject)


class AdaptorTask(Task):
    """The time of a pair of calls through an adaptor, minus that of the inner pair."""

    def __init__(self, cost: AdaptorCost, subject: Subject) -> None:
        api = load() if cost.around_real else subject.api
        if api is None:
            raise ValueError(f"subject {subject.name} has no table that Python can call")
        pair = Loop("PAIR", size=1024)
        self._adaptor = WRAP[cost.name](api.default_allocator)
        self._inner, self._outer = pair(subject), pair(subject)
        self._inner.replace_allocator(api.default_allocator.handle)
        self._outer.replace_allocator(self._adaptor.handle)

    def prepare(self) -> None:
        """Measures the inner pair first, so that its minimum is right after few samples."""
        self._inner.prepare()
        self._outer.prepare()
        self.base = min(self._inner.sample() for _ in range(FIRST))

    def sample(self) -> float:
        """Nanoseconds per outer pair; `base` is the minimum of the inner ones.

        The minimum of all inner pairs is known at the end only. One that is subtracted before it is
        known is too large, and the smallest difference would be the one with the largest.
        """
        self.base = min(self.base, self._inner.sample())
        return self._outer.sample()

    def close(self) -> None:
        """Closes the adaptor."""
        self._inner.close()
        self._outer.close()
        self._adaptor.close()


class LeakScope(Counted):
    """An array of NumPy made and freed where stacks are noted, deep in an installed package.

    A leak scope notes them, or in the real library's column `tracemalloc`.
    """

    def __init__(self, subject: Subject) -> None:
        self._is_traced = subject.name == "real"
        self._pool = Tracking(core_api().default_allocator)
        self._deep: Callable[[int, int], float] = _as_installed(self._run)

    def _run(self, count: int) -> float:
        return repeated(partial(np.empty, 512), count)  # NumPy caches smaller blocks

    def run(self, count: int) -> float:
        """Make `count` arrays; the nanoseconds that passed."""
        if not self._is_traced:
            with numpy_allocator(self._pool), self._pool.scope():
                return self._deep(count, 20)
        tracemalloc.start(25)  # as many as reach the line that a scope finds
        try:
            return self._deep(count, 20)
        finally:
            tracemalloc.stop()

    def close(self) -> None:
        """Closes the adaptor."""
        self._pool.close()


def _as_installed(work: Callable[[int], float]) -> Callable[[int, int], float]:
    """A function that calls `work` so many calls deep, in the file of an installed package."""

    def deep(count: int, depth: int) -> float:
        return deep(count, depth - 1) if depth else work(count)

    deep.__code__ = deep.__code__.replace(co_filename="/site-packages/deep.py")
    return deep


@dataclass(frozen=True)
class Temporaries:
    """NumPy's temporaries of one expression; called with a subject, its task.

    Attributes
    ----------
    size : int
        Bytes per array.
    """

    size: int

    def __call__(self, subject: Subject) -> "TemporariesTask":
        """The task that measures them in the memory of a subject, NumPy's own without a table."""
        return TemporariesTask(self.size, subject)


@dataclass(frozen=True)
class Zeros:
    """NumPy's zeros that are never touched; called with a subject, its task.

    Attributes
    ----------
    size : int
        Bytes per array.
    resident : bool
        Whether to measure the resident memory of one instead of the time.
    """

    size: int
    resident: bool = False

    def __call__(self, subject: Subject) -> "ZerosTask":
        """The task that measures them in the memory of a subject, NumPy's own without a table."""
        return ZerosTask(self, subject)


class ZerosTask(Counted):
    """An array of zeros, made and freed."""

    def __init__(self, zeros: Zeros, subject: Subject) -> None:
        self._zeros = zeros
        self._memory: AbstractContextManager[object] = nullcontext()
        if subject.api is not None:
            self._memory = numpy_allocator(subject.api.default_allocator)

    def run(self, count: int) -> float:
        """Make `count` arrays; the nanoseconds that passed."""
        size = self._zeros.size
        with self._memory:
            start = perf_counter_ns()
            for _ in range(count):
                np.zeros(size, np.uint8)
            return perf_counter_ns() - start

    def sample(self) -> float:
        """Nanoseconds per array, or the bytes that one adds to the resident memory."""
        if not self._zeros.resident:
            return super().sample()
        with self._memory:
            before = resident_bytes()
            array = np.zeros(self._zeros.size, np.uint8)
            gained = resident_bytes() - before
            del array
        return gained

    def close(self) -> None:
        """Holds nothing."""


class TemporariesTask(Counted):
    """An expression with a temporary and a result."""

    def __init__(self, size: int, subject: Subject) -> None:
        self._x = np.ones(size // 4, np.float32)
        self._memory: AbstractContextManager[object] = nullcontext()
        if subject.api is not None:
            self._memory = numpy_allocator(subject.api.default_allocator)

    def run(self, count: int) -> float:
        """Evaluate the expression `count` times; the nanoseconds that passed."""
        x = self._x
        with self._memory:
            start = perf_counter_ns()
            for _ in range(count):
                (x + 1) * x
            return perf_counter_ns() - start

    def close(self) -> None:
        """Holds nothing."""
