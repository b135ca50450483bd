# SPDX-License-Identifier: MIT
"""How one figure of one subject is sampled: loops in C, and processes of their own."""

import subprocess
import sys
from typing import Any, Protocol

import numpy as np

from ortcffi._native import ffi, lib

from .subjects import Subject

SIZE_BITS = 17
SLOTS = 4096
STEPS = 1 << 16


class Task(Protocol):
    """Something that can be done again and again."""

    step: int
    """Counts are multiples of this; 0 if one run is a figure as it is."""

    def run(self, count: int) -> float:
        """Does `count` operations; the nanoseconds that passed, or the figure."""

    def close(self) -> None:
        """Gives back what the task holds."""


def make_plan(steps: int = STEPS) -> "np.ndarray[Any, np.dtype[np.uint32]]":
    """Random lifetimes, drawn before anything is measured.

    Each step names a slot, whose block is freed, and a size, which is taken in its place.

    Parameters
    ----------
    steps : int, optional
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
    return slots << SIZE_BITS | sizes


class LoopTask:
    """One of the loops in C over one subject.

    Parameters
    ----------
    subject : Subject
        What the loop runs over.
    loop : str
        Its name in ``ortcffi_bench_loop``, without the prefix.
    size : int, optional
        Bytes per block.
    message : bytes, optional
        Of the statuses.
    slots : int, optional
        Blocks in use at a time.
    plan : int, optional
        Steps of the plan of random lifetimes, for loops that follow one.
    """

    def __init__(
        self,
        subject: Subject,
        loop: str,
        size: int = 0,
        message: bytes = b"",
        slots: int = 0,
        plan: int = 0,
    ) -> None:
        self.plan = make_plan(plan)
        self.step = plan or slots or 1
        self._owned = (
            subject,
            ffi.new("char[]", message),
            ffi.from_buffer("uint32_t[]", self.plan),
            ffi.new("void *[]", max(slots, 1)),
        )
        self._job = ffi.new(
            "ortcffi_bench_job *",
            {
                "subject": subject.handle[0],
                "loop": getattr(lib, f"ORTCFFI_BENCH_{loop}"),
                "size": size,
                "message": self._owned[1],
                "plan": self._owned[2],
                "plan_count": plan,
                "slots": self._owned[3],
                "slot_count": slots,
            },
        )

    def run(self, count: int) -> float:
        """Does `count` operations; the nanoseconds that passed."""
        self._job.count = count
        taken = lib.ortcffi_bench_run(self._job)
        if taken < 0:
            name = self._owned[0].name
            raise RuntimeError(f"{name} gave an answer that the loop did not expect")
        return float(taken)

    def close(self) -> None:
        """Frees the blocks in use."""
        lib.ortcffi_bench_clear(self._job)


class ProcessTask:
    """A Python process that prints a figure.

    Parameters
    ----------
    arguments : str
        Of the interpreter.
    """

    step = 0

    def __init__(self, *arguments: str) -> None:
        self._command = [sys.executable, *arguments]

    def run(self, count: int) -> float:
        """The figure that one process prints; `count` is not used."""
        done = subprocess.run(self._command, check=False, capture_output=True, text=True)
        if done.returncode:
            command = " ".join(self._command)
            raise RuntimeError(f"{command} ended with {done.returncode}: {done.stderr.strip()}")
        return float(done.stdout)

    def close(self) -> None:
        """Holds nothing."""
