# SPDX-License-Identifier: MIT
"""Measure calls in turns, so that what disturbs one of them disturbs all."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from itertools import repeat
from statistics import quantiles
from typing import NamedTuple

TURN = 0.02  # seconds
SPIN = 0.005
SLOW = 0.2  # a call that takes longer is tried once before it is measured

Turn = Callable[[int, int], list[float]]
"""Takes a number of samples, each of so many calls; returns the seconds of a call in each."""


class Figures(NamedTuple):
    """The seconds that a call took: half of the samples, and 99 of 100, took no longer."""

    p50: float
    p99: float
    calls: int


def calls(function: Callable[[], object]) -> Turn:
    """Measure a function without arguments."""
    return partial(_call, function)


def awaits(function: Callable[[], Awaitable[object]]) -> Turn:
    """Measure what a function without arguments returns to be awaited, one after the other."""
    return lambda samples, count: asyncio.run(_await(function, samples, count))


def _call(function: Callable[[], object], samples: int, count: int) -> list[float]:
    times = []
    for _ in range(samples):
        began = time.perf_counter()
        for _ in repeat(None, count):
            function()
        times.append((time.perf_counter() - began) / count)
    return times


async def _await(
    function: Callable[[], Awaitable[object]], samples: int, count: int
) -> list[float]:
    times = []
    for _ in range(samples):
        began = time.perf_counter()
        for _ in repeat(None, count):
            await function()
        times.append((time.perf_counter() - began) / count)
    return times


def measure(
    turns: Mapping[str, Turn], seconds: float, sample: float
) -> tuple[dict[str, Figures], float]:
    """Measure all turns, again and again, until the time is over; each has one turn at least.

    A sample takes `sample` seconds at least, since short calls are not measured one by one; 0
    measures each call. Returned are the figures by name, and the part of the time that the
    processor was given to other programs.
    """
    end = time.monotonic() + seconds
    sizes = {name: _sizes(turn, sample) for name, turn in turns.items()}
    times: dict[str, list[float]] = {name: [] for name in turns}
    passed = worked = 0.0
    while not passed or time.monotonic() < end:
        for name, turn in turns.items():
            times[name] += turn(*sizes[name])
        wall, cpu = _spin()
        passed, worked = passed + wall, worked + cpu
    figures = {name: _figures(each, sizes[name][1]) for name, each in times.items()}
    return figures, max(0.0, 1 - worked / passed)


def _sizes(turn: Turn, sample: float) -> tuple[int, int]:
    """Return how many samples of how many calls fill a turn."""
    times = turn(1, 1)
    # The first call may have started threads.
    while sum(times) < (TURN / 4 if len(times) > 1 else SLOW):
        times = turn(4 * len(times), 1)
    call = max(min(times), 1e-9)
    count = max(1, round(sample / call))
    return max(1, round(TURN / (call * count))), count


def _spin() -> tuple[float, float]:
    """Use the processor for a moment; return the seconds that passed, and those it was ours."""
    wall, cpu = time.perf_counter(), time.thread_time()
    while time.perf_counter() - wall < SPIN:
        pass
    return time.perf_counter() - wall, time.thread_time() - cpu


def _figures(times: list[float], count: int) -> Figures:
    parts = quantiles(times, n=100, method="inclusive") if len(times) > 1 else times * 99
    return Figures(parts[49], parts[98], len(times) * count)
