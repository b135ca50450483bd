# SPDX-License-Identifier: MIT
"""How one figure of one subject is sampled."""

from typing import Any, Protocol

import numpy as np

from ortcffi._native import ffi, lib

from .subjects import Subject

SIZE_BITS = 17
SLOTS = 4096
STEPS = 1 << 16


class Task(Protocol):
    """Something that can be run again and again."""

    def run(self, count: int) -> float:
        """Does `count` operations; nanoseconds passed."""

    def close(self) -> None:
        """Gives back what the task holds."""

    @property
    def step(self) -> int:
        """Counts are multiples of this."""


def make_plan() -> Any:
    """Random lifetimes, drawn before anything is measured.

    Returns
    -------
    ndarray of uint32, shape (STEPS,)
        Each a slot in the upper bits and a size, log-uniform from 16 B to 64 KiB, in the lower 17.
    """
    random = np.random.default_rng(30)
    sizes = np.exp(random.uniform(np.log(16), np.log(65536), STEPS)).astype(np.uint32)
    slots = random.integers(0, SLOTS, STEPS, dtype=np.uint32)
    return slots << SIZE_BITS | sizes


class LoopTask:
    """One of the loops in C over one subject.

    Parameters
    ----------
    loop : str
        The loop's name in ``ortcffi_bench_loop``, without its prefix.
    size : int, optional
        Bytes per block.
    message : bytes, optional
        For statuses.
    slots : int, optional
        Blocks in use at a time; a batch's length.
    planned : bool, optional
        Whether the loop follows the plan of random lifetimes.
    """

    def __init__(
        self,
        subject: Subject,
        loop: str,
        size: int = 0,
        message: bytes = b"",
        slots: int = 0,
        planned: bool = False,
    ) -> None:
        self._job = ffi.new("ortcffi_bench_job *")
        self._job.subject = subject.handle[0]
        self._job.loop = getattr(lib, f"ORTCFFI_BENCH_{loop}")
        self._job.size = size
        self._message = ffi.new("char[]", message)
        self._job.message = self._message
        self._slots = ffi.new("void *[]", max(slots, 1))
        self._job.slots = self._slots
        self._job.slot_count = slots
        self.step = slots or 1
        if planned:
            self._plan = make_plan()
            self._job.plan = ffi.from_buffer("uint32_t[]", self._plan)
            self._job.plan_count = len(self._plan)
            self.step = len(self._plan)
        self._subject = subject

    def run(self, count: int) -> float:
        """Does `count` operations; nanoseconds passed."""
        self._job.count = count
        taken = lib.ortcffi_bench_run(self._job)
        if taken < 0:
            raise RuntimeError(f"{self._subject.name}: the loop got an answer it did not expect")
        return float(taken)

    def close(self) -> None:
        """Frees the blocks in use."""
        lib.ortcffi_bench_clear(self._job)
