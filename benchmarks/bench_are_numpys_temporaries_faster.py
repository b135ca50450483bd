# SPDX-License-Identifier: MIT
"""Are NumPy's temporaries faster in our memory?

Simulates a numerical job: expressions over arrays of one size, whose temporaries are made and
freed again and again. NumPy's own memory is the baseline; beside it are the core's heap, `Tracking`
around it, and an `Arena`. Each figure has processes of its own, since glibc
changes its thresholds by what was freed before; it is the median of their fastest turns.

Run ``python benchmarks/bench_are_numpys_temporaries_faster.py [--processes 3] [--json FILE]``.
"""

import argparse
import itertools
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import ortcffi as ort

if TYPE_CHECKING:
    from numpy.typing import NDArray

SIZES = (0.5, 1, 4, 16, 64)  # MB of an array
SHORTEST = 0.05  # seconds of a turn
TURNS = 5

OWN = "NumPy"


def heap() -> ort.Allocator:
    return ort.core_api().default_allocator


MEMORY: dict[str, Callable[[], AbstractContextManager[object]]] = {
    OWN: nullcontext,
    "heap": lambda: ort.numpy_allocator(heap()),
    "tracked": lambda: ort.numpy_allocator(ort.Tracking(heap())),
    "arena": lambda: ort.numpy_allocator(ort.Arena(heap())),
}
OURS = list(MEMORY)[1:]


def x_of(size: float) -> "NDArray[np.float32]":
    return np.ones((int(size * 1e6) // 64, 16), np.float32)


TASKS: dict[str, Callable[["NDArray[np.float32]"], Any]] = {
    "x + 1": lambda x: x + 1,
    "x * x + x / 2 - 1": lambda x: x * x + x / 2 - 1,
    "scale columns": lambda x: (x - x.mean(axis=0)) / (x.std(axis=0) + 1),
    "count a range": lambda x: ((x > 0.25) & (x < 0.75)).sum(),
    "four results": lambda x: [x + 1, x * 2, x - 3, x / 4],
}


def measure(memory: str, task: str, size: float) -> float:
    """The seconds of a task in the fastest of some turns, after one that is not counted."""
    with MEMORY[memory]():
        x, call, fastest = x_of(size), TASKS[task], float("inf")
        for _ in range(TURNS + 1):
            begin, count = time.perf_counter(), 0
            while (passed := time.perf_counter() - begin) < SHORTEST:
                call(x)
                count += 1
            fastest = min(fastest, passed / count)
        return fastest


def measure_elsewhere(memory: str, task: str, size: float, processes: int) -> float:
    command = [sys.executable, __file__, "--one", memory, task, str(size)]
    times = [float(subprocess.check_output(command, timeout=60)) for _ in range(processes)]
    return statistics.median(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--processes", type=int, default=3, help="for each figure")
    parser.add_argument("--json", help="write the figures to a file")
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        memory, task, size = options.one
        print(measure(memory, task, float(size)))
        return
    figures = []
    print(f"{'task':18}{'MB':>5}{'us: NumPy':>15}" + "".join(f"{each:>15}" for each in OURS))
    for task, size in itertools.product(TASKS, SIZES):
        found = {each: measure_elsewhere(each, task, size, options.processes) for each in MEMORY}
        figures.append({"task": task, "MB": size, "seconds": found})
        cells = [f"{found[each] * 1e6:.0f} {found[OWN] / found[each]:6.1f}x" for each in OURS]
        text = f"{task:18}{size:>5}{found[OWN] * 1e6:>15.0f}"
        print(text + "".join(f"{each:>15}" for each in cells), flush=True)
    if options.json:
        Path(options.json).write_text(json.dumps(figures), encoding="utf-8")


if __name__ == "__main__":
    main()
