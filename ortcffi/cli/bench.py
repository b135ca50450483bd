# SPDX-License-Identifier: MIT
# ruff: noqa: T201 - a command prints
"""``python -m ortcffi bench``: what this package takes for runs, beside onnxruntime.

Calls are measured in turns, so that what disturbs one of them disturbs all.
"""

import argparse
import asyncio
import importlib
import os
import platform
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from functools import partial
from itertools import repeat
from statistics import quantiles
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from ortcffi._public import aligned, duration, printable
from ortcffi.callbacks.logs import LogSeverity
from ortcffi.cli.info import package_version
from ortcffi.cli.program import fail, program_name
from ortcffi.errors import OrtError
from ortcffi.models.graph import Graph
from ortcffi.options.session_options import SessionOptions
from ortcffi.session.session import Session
from ortcffi.table.load import VARIABLE, LibraryNotFound, LoadError
from ortcffi.testing.random_inputs import random_feed, shapes_of

SECONDS = 30
MOST_SECONDS = 86_400
SAMPLE = 50e-6  # seconds of calls of the small model, which are too short for the clock
TURN = 0.02  # seconds
SLOW = 0.2  # a call that takes longer is tried once before it is measured
CPU = ["CPUExecutionProvider"]
DESCRIPTION = """Measures some calls of ortcffi beside the same calls of the package onnxruntime, in
one process, in turns: runs of a model with random inputs, by default of a small one. The table has
the time that half of the calls take at most (p50), and that of 99 of 100 (p99)."""

Turn = Callable[[int, int], list[float]]
"""Takes a number of samples, each of so many calls; returns the seconds of a call in each."""


class Row(NamedTuple):
    """A call that is measured, of this package and of onnxruntime where that has one."""

    title: str
    ours: Turn
    theirs: Turn | None


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return the exit code."""
    parser = argparse.ArgumentParser(prog=program_name("bench"), description=DESCRIPTION)
    add: Any = parser.add_argument
    add("model", metavar="MODEL", nargs="?", help="the path of a model")
    add("--size", type=int, default=1, help="of open dimensions (default: 1)")
    add("--shape", metavar="NAME=1,3,48,192", action="append", default=[], help="of an input")
    add("--threads", type=int, default=0, help="of MODEL's sessions; 0: the library chooses")
    text = "in all, about (default: %(default)s)"
    add("--seconds", type=_seconds, default=SECONDS, help=text)
    given = parser.parse_args(arguments)
    if given.size < 1 or given.threads < 0:
        parser.error("--size must be 1 or more, --threads 0 or more")
    try:
        with ExitStack() as stack:
            _measure(given, stack)
    except LibraryNotFound as error:
        missing = "found no library that runs models: run 'pip install onnxruntime' or set "
        return fail(parser.prog, f"{missing}{VARIABLE}" if error.path is None else error)
    except (OrtError, LoadError, OSError, ValueError, RuntimeError) as error:
        return fail(parser.prog, error)
    return 0


def _seconds(text: str) -> float:
    seconds = float(text)
    if not 0 < seconds <= MOST_SECONDS:  # also false for nan
        raise argparse.ArgumentTypeError(f"{text} is not above 0 and at most {MOST_SECONDS}")
    return seconds


def _measure(given: argparse.Namespace, stack: ExitStack) -> None:
    rows = _rows(given, stack)
    print(f"measuring for about {given.seconds:g} seconds ...\n", flush=True)
    turns = [turn for row in rows for turn in (row.theirs, row.ours) if turn is not None]
    figures = iter(measure(turns, given.seconds, 0 if given.model else SAMPLE))
    lines: list[tuple[str, ...]] = [
        ("", "onnxruntime p50", "p99", "ortcffi p50", "p99", "times as fast")
    ]
    for row in rows:
        theirs = None if row.theirs is None else next(figures)
        ours = next(figures)
        cells = [duration(each) for each in (*(theirs or (None, None)), *ours)]
        lines.append((row.title, *cells, f"{theirs[0] / ours[0]:.2f}" if theirs else ""))
    print("\n".join(aligned(lines)))


# --- what is measured -----------------------------------------------------------------------------


def _rows(given: argparse.Namespace, stack: ExitStack) -> list[Row]:
    """Return what is measured, and print what that is."""
    official = _official()
    versions = [f"{name} {package_version(name)}" for name in ("ortcffi", "onnxruntime")]
    machine = f"{platform.system()} {platform.machine()}, {os.cpu_count()} processors"
    print(*versions, f"Python {platform.python_version()}", machine, sep=", ")
    if official is None:
        print("onnxruntime is not installed: ortcffi is measured alone")
    model, threads = given.model or small_model(), given.threads if given.model else 1
    with SessionOptions(intra_op_threads=threads, log_severity=LogSeverity.FATAL) as options:
        session = stack.enter_context(Session(model, options))
    print(printable(f"library of the runs: {session.api}"))
    feed: dict[str, Any] = {"x": np.ones((1, 4), np.float32)}
    if not given.model:
        print("model: y = x + w, of four numbers, on one thread")
    else:
        feed = random_feed(session, {}, shapes_of(given.shape), given.size)
        for name, array in feed.items():
            print(printable(f"input {name}: {array.dtype}{list(array.shape)}"))
    session.run(feed)  # says best what is wrong with a shape
    make = partial(_made_by, model, threads)
    return list(run_rows(session, make, official, feed, stack))


def _official() -> ModuleType | None:
    try:
        return importlib.import_module("onnxruntime")
    except ImportError:
        return None


def _made_by(model: str | bytes, threads: int, package: Any) -> Any:
    """Make a session by a package with the names of onnxruntime."""
    options = package.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = LogSeverity.FATAL
    return package.InferenceSession(model, options, providers=CPU)


def small_model() -> bytes:
    """Return a model whose run is next to nothing but the call: y = x + w, of four numbers."""
    graph = Graph()
    graph.input("x", "f4", [1, 4])
    graph.initializer("w", np.ones((1, 4), np.float32))
    graph.node("Add", ["x", "w"], ["y"])
    graph.output("y", "f4", [1, 4])
    return graph.to_bytes()


def run_rows(
    ours: Session,
    make: Callable[[Any], Any],
    package: ModuleType | None,
    feed: dict[str, Any],
    stack: ExitStack,
) -> Iterator[Row]:
    """Yield the rows of a model's runs; what they use is closed with the stack."""
    from ortcffi import compat

    official = None if package is None else make(package)
    theirs = official and calls(partial(official.run, None, feed))
    yield Row("run", calls(partial(ours.run, feed)), theirs)
    drop_in = calls(partial(make(compat).run, None, feed))
    yield Row("run by a program of onnxruntime, unchanged", drop_in, theirs)
    with suppress(OrtError, TypeError, ValueError):  # an input that no array can be bound to
        bound = calls(ours.bind(feed).run)
        theirs = official and _officially_bound(official, feed)
        yield Row("run with arrays that are bound once", bound, theirs)
    theirs = official and _officially_awaited(official, feed, stack)
    yield Row("run that is awaited", awaits(partial(ours.run_async, feed)), theirs)


def _officially_bound(session: Any, feed: dict[str, Any]) -> Turn | None:
    binding = session.io_binding()
    try:
        for name, array in feed.items():
            binding.bind_cpu_input(name, array)
    except (RuntimeError, TypeError, ValueError):
        return None
    for output in session.get_outputs():
        binding.bind_output(output.name)
    return calls(partial(session.run_with_iobinding, binding))


def _officially_awaited(session: Any, feed: dict[str, Any], stack: ExitStack) -> Turn:
    """Await runs on a pool of threads, as a program of onnxruntime does."""
    pool = stack.enter_context(ThreadPoolExecutor(2))
    run = partial(session.run, None, feed)
    return awaits(lambda: asyncio.get_running_loop().run_in_executor(pool, run))


# --- how it is measured ---------------------------------------------------------------------------


def calls(function: Callable[[], object]) -> Turn:
    """Measure a function without arguments."""

    def turn(samples: int, count: int) -> list[float]:
        times = []
        for _ in range(samples):
            began = time.perf_counter()
            for _ in repeat(None, count):
                function()
            times.append((time.perf_counter() - began) / count)
        return times

    return turn


def awaits(function: Callable[[], Awaitable[object]]) -> Turn:
    """Measure what a function without arguments returns to be awaited, one after the other."""

    async def turn(samples: int, count: int) -> list[float]:
        times = []
        for _ in range(samples):
            began = time.perf_counter()
            for _ in repeat(None, count):
                await function()
            times.append((time.perf_counter() - began) / count)
        return times

    return lambda samples, count: asyncio.run(turn(samples, count))


def measure(turns: Sequence[Turn], seconds: float, sample: float) -> list[tuple[float, float]]:
    """Measure all turns, again and again, until the time is over; each has one turn at least.

    Returns
    -------
    list of tuple of float
        The seconds of each: half of the samples took no longer, and 99 of 100. A sample takes
        `sample` seconds at least; 0 measures each call.
    """
    end = time.monotonic() + seconds
    sizes = [_sizes(turn, sample) for turn in turns]
    times: list[list[float]] = [[] for _ in turns]
    while not times[0] or time.monotonic() < end:
        for turn, size, so_far in zip(turns, sizes, times, strict=True):
            so_far.extend(turn(*size))
    return [_figures(each) for each in times]


def _sizes(turn: Turn, sample: float) -> tuple[int, int]:
    """Return how many samples of how many calls fill a turn."""
    times = turn(1, 1)
    # The first call may have started threads.
    while sum(times) < (TURN / 4 if len(times) > 1 else SLOW):
        times = turn(4 * len(times), 1)
    call = max(min(times), 1e-9)
    count = max(1, round(sample / call))
    return max(1, round(TURN / (call * count))), count


def _figures(times: list[float]) -> tuple[float, float]:
    parts = quantiles(times, n=100, method="inclusive") if len(times) > 1 else times * 99
    return parts[49], parts[98]
