# SPDX-License-Identifier: MIT
"""Tasks, which sample one figure of one subject: loops in C, and child processes."""

import os
import subprocess
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from itertools import repeat
from time import perf_counter_ns
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from ortcffi import _bench
from ortcffi._native import ffi

from .subjects import Subject

SAMPLE_NS = 2_000_000
SIZE_BITS = 17
SLOTS = 4096
STEPS = 1 << 16


class Task(Protocol):
    """Samples one figure of one subject.

    Attributes
    ----------
    base : float
        What is subtracted from every sample once all are taken.
    """

    base: float = 0.0

    def prepare(self) -> None:
        """Does the work that must not be part of the samples."""

    def sample(self) -> float:
        """One figure."""

    def close(self) -> None:
        """Releases what the task holds."""


def repeated(call: Callable[[], object], count: int) -> float:
    """Call a function `count` times; the nanoseconds that passed."""
    start = perf_counter_ns()
    for _ in repeat(None, count):
        call()
    return perf_counter_ns() - start


class Counted(Task, ABC):
    """A task that measures nanoseconds per operation."""

    step = 1
    """The number of operations is a multiple of this."""
    _count = 1

    @abstractmethod
    def run(self, count: int) -> float:
        """Does `count` operations; the nanoseconds that passed."""

    def prepare(self) -> None:
        """Finds out how many operations fit into a sample."""
        count = self.step
        # The best of three, because the first runs touch new pages.
        while (taken := min(self.run(count) for _ in range(3))) < SAMPLE_NS / 4:
            count *= 4
        self._count = max(1, round(count / self.step * SAMPLE_NS / taken)) * self.step

    def sample(self) -> float:
        """Nanoseconds per operation."""
        return self.run(self._count) / self._count


def make_plan(steps: int) -> npt.NDArray[np.uint32]:
    """Random lifetimes, drawn before anything is measured.

    Each step names a slot, whose block is freed, and a size, which is taken in its place.

    Parameters
    ----------
    steps : int
        Length of the plan.

    Returns
    -------
    ndarray of uint32, shape (steps,)
        The slot, below `SLOTS`, in the upper bits; the size, log-uniform from 16 B to 64 KiB, in
        the lower `SIZE_BITS`.
    """
    random = np.random.default_rng(30)
    sizes = np.exp(random.uniform(np.log(16), np.log(65536), steps)).astype(np.uint32)
    slots = random.integers(0, SLOTS, steps, dtype=np.uint32)
    return (slots << np.uint32(SIZE_BITS)) | sizes


@dataclass(frozen=True)
class Loop:
    """One of the loops in C. Called with a subject, makes the task.

    Attributes
    ----------
    name : str
        Its name in ``ortcffi_bench_loop``, without the prefix.
    size : int
        Bytes per block.
    message : bytes
        Of the statuses.
    slots : int
        Blocks in use at a time.
    plan : int
        Steps of the plan of random lifetimes, for loops that follow one.
    """

    name: str
    size: int = 0
    message: bytes = b""
    slots: int = 0
    plan: int = 0

    def __call__(self, subject: Subject) -> "LoopTask":
        """The task that runs it over a subject."""
        return LoopTask(self, subject)


class LoopTask(Counted):
    """A loop in C over one subject.

    Attributes
    ----------
    plan : ndarray of uint32
        See `make_plan`.
    """

    def __init__(self, loop: Loop, subject: Subject) -> None:
        self.plan = make_plan(loop.plan)
        self.step = loop.plan or loop.slots or 1
        self._subject = subject
        members: dict[str, Any] = {
            "subject": subject.handle[0],
            "loop": getattr(_bench.lib, f"ORTCFFI_BENCH_{loop.name}"),
            "size": loop.size,
            "message": ffi.new("char[]", loop.message),
            "plan": ffi.from_buffer("uint32_t[]", self.plan),
            "plan_count": loop.plan,
            "slots": ffi.new("void *[]", max(loop.slots, 1)),
            "slot_count": loop.slots,
        }
        self._job = _bench.ffi.new("ortcffi_bench_job*", members)
        self._pointees = members  # the job points to them, but does not keep them

    def replace_allocator(self, handle: Any) -> None:
        """Runs over another ``OrtAllocator *`` of the subject's table."""
        self._job.subject.allocator = handle

    def run(self, count: int) -> float:
        """Does `count` operations; the nanoseconds that passed."""
        self._job.count = count
        taken: int = _bench.lib.ortcffi_bench_run(self._job)
        if taken < 0:
            raise RuntimeError(f"{self._subject.name} gave an answer that the loop did not expect")
        return taken

    def close(self) -> None:
        """Frees the blocks in use."""
        _bench.lib.ortcffi_bench_clear(self._job)


class ProcessTask(Task):
    """A Python process that prints a figure.

    Parameters
    ----------
    arguments : str
        Of the interpreter.
    """

    def __init__(self, *arguments: str) -> None:
        self._command = [sys.executable, *arguments]
        # With PYTHONDONTWRITEBYTECODE Python compiles the package anew in each process.
        self._environment = {
            name: text for name, text in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"
        }

    def prepare(self) -> None:
        """Needs no preparation."""

    def sample(self) -> float:
        """The figure that one process prints."""
        done = subprocess.run(
            self._command, check=False, capture_output=True, text=True, env=self._environment
        )
        if done.returncode:
            command = " ".join(self._command)
            raise RuntimeError(f"{command} ended with {done.returncode}: {done.stderr.strip()}")
        return float(done.stdout)

    def close(self) -> None:
        """Holds nothing."""
