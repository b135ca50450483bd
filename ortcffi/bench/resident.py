# SPDX-License-Identifier: MIT
"""How much memory a heap keeps resident for the bytes in use.

``python -m ortcffi.bench.resident NAME ALIGNMENT [PATH]`` runs random lifetimes, whole blocks
written, in a process that does nothing else, and prints the percentage.
"""

import ctypes
import gc
import sys

import numpy as np

from .subjects import Subject, find
from .tasks import SIZE_BITS, SLOTS, STEPS, Loop, ProcessTask

LENGTH = 8 * STEPS


def resident_task(subject: Subject) -> ProcessTask:
    """The task that measures a subject in a process of its own."""
    alignment = "aligned" if subject.aligned else "plain"
    path = [subject.api.path] if subject.api and subject.api.path else []
    return ProcessTask("-m", __name__, subject.name, alignment, *path)


def resident_bytes() -> int:
    """What the kernel counts as this process's resident memory, exactly."""
    with open("/proc/self/smaps_rollup", encoding="ascii") as lines:
        for line in lines:
            if line.startswith("Rss:"):
                return int(line.split()[1]) << 10
    raise RuntimeError("/proc/self/smaps_rollup has no line Rss")


def _tidy() -> None:
    """Returns unused memory of the process to the system.

    Otherwise glibc's heap would reuse resident pages, which are not counted as gained.
    """
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


def percentage(subject: Subject) -> float:
    """Resident memory gained by random lifetimes, in percent of the bytes in use at their end."""
    task = Loop("FILL", slots=SLOTS, plan=LENGTH)(subject)
    sizes = np.zeros(SLOTS, np.int64)
    sizes[task.plan >> SIZE_BITS] = task.plan & ((1 << SIZE_BITS) - 1)
    live = int(sizes.sum())
    _tidy()
    before = resident_bytes()
    task.run(LENGTH)
    gained = resident_bytes() - before
    task.close()
    return 100 * gained / live


if __name__ == "__main__":
    name, alignment, *path = sys.argv[1:]
    chosen = find(name, path[0] if path else None, alignment == "aligned")
    sys.stdout.write(f"{percentage(chosen)}\n")
