# SPDX-License-Identifier: MIT
"""What does an array of NumPy cost in a scope that finds leaks?

Simulates a job whose arrays are made twenty calls deep in an installed package. The scope notes the
stack of each array. `tracemalloc` is beside it, with as many lines as reach the line that the scope
finds, and with five, which do not. NumPy alone is the baseline.

Needs pyperf. Run ``python benchmarks/bench_what_does_a_leak_scope_cost.py``.
"""

import tracemalloc
from collections.abc import Callable
from itertools import repeat
from time import perf_counter

import numpy as np
import pyperf

import ortcffi as ort

DEPTH = 20


def deep(count: int, depth: int) -> float:
    """The seconds of so many arrays, made so many calls deep."""
    if depth:
        return deep(count, depth - 1)
    began = perf_counter()
    for _ in repeat(None, count):
        np.empty(512)  # NumPy caches smaller blocks
    return perf_counter() - began


deep.__code__ = deep.__code__.replace(co_filename="/site-packages/deep.py")


def alone(count: int) -> float:
    return deep(count, DEPTH)


def scoped(count: int) -> float:
    pool = ort.Tracking(ort.core_api().default_allocator)
    with ort.numpy_allocator(pool), pool.scope():
        return deep(count, DEPTH)


def traced(lines: int) -> Callable[[int], float]:
    def run(count: int) -> float:
        tracemalloc.start(lines)
        try:
            return deep(count, DEPTH)
        finally:
            tracemalloc.stop()

    return run


def main() -> None:
    runner = pyperf.Runner()
    runner.bench_time_func("numpy.empty", alone)
    runner.bench_time_func("numpy.empty in a scope", scoped)
    for lines in (5, 25):
        runner.bench_time_func(f"numpy.empty, tracemalloc({lines})", traced(lines))


if __name__ == "__main__":
    main()
