# SPDX-License-Identifier: MIT
# ruff: noqa: T201 - a command prints
"""``python -m ortcffi bench MODEL``: one model, run in all the ways that there are, in turns."""

import argparse
import asyncio
import importlib
import json
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from statistics import quantiles
from typing import Any, NamedTuple

from ortcffi._public import printable
from ortcffi.callbacks.logs import LogSeverity
from ortcffi.cli.program import fail, program_name, unwritable
from ortcffi.errors import OrtError
from ortcffi.options.session import SessionOptions
from ortcffi.platform.new_file import write_whole
from ortcffi.session.session import Session
from ortcffi.table.load import VARIABLE, LibraryNotFound, LoadError
from ortcffi.testing.random_inputs import random_feed, shapes_of

DESCRIPTION = """Runs a model with random inputs by the official package, by the drop-in for it, and
by a Session: as it is, bound, and awaited; in one process, in turns."""
_CPU = ["CPUExecutionProvider"]
_WARM_RUNS = 3
_TURN = 0.02  # seconds
_QUICK = 2  # seconds

# Runs the model so often, and answers how long each run took, in seconds.
Turn = Callable[[int], list[float]]


class Figures(NamedTuple):
    """How long the runs of one way took, in seconds."""

    way: str
    runs: int
    p50: float
    p99: float


def main(arguments: Sequence[str]) -> int:
    """Run the command; return the exit code."""
    parser = argparse.ArgumentParser(prog=program_name("bench"), description=DESCRIPTION)
    parser.add_argument("model", help="the path of a model")
    parser.add_argument("--size", type=int, default=1, help="of open dimensions (default: 1)")
    parser.add_argument(
        "--shape", metavar="NAME=1,3,48,192", action="append", default=[], help="of an input"
    )
    parser.add_argument("--threads", type=int, default=0, help="0: the library chooses")
    duration = parser.add_mutually_exclusive_group()
    duration.add_argument("--seconds", type=float, default=10, help="in all (default: 10)")
    duration.add_argument(
        "--quick",
        action="store_const",
        dest="seconds",
        const=_QUICK,
        help=f"the same as --seconds {_QUICK}",
    )
    parser.add_argument("--json", metavar="FILE", type=Path, help="write the figures")
    given = parser.parse_args(arguments)
    if given.size < 1 or given.threads < 0 or not 0 < given.seconds <= 86_400:
        parser.error("--size must be 1 or more, --threads 0 or more, --seconds above 0")
    if given.json is not None and (reason := unwritable(given.json)):
        parser.error(reason)
    try:
        figures = _measured(given)
    except LibraryNotFound as error:
        missing = "found no library that runs models: run 'pip install onnxruntime' or set "
        return fail(parser.prog, f"{missing}{VARIABLE}" if error.path is None else error)
    except (OrtError, LoadError, OSError, ValueError, RuntimeError) as error:
        return fail(parser.prog, error)
    if given.json is not None:
        rows = [each._asdict() for each in figures]
        write_whole(given.json, json.dumps({"model": given.model, "ways": rows}, indent=1) + "\n")
    return 0


def _measured(given: argparse.Namespace) -> list[Figures]:
    with (
        SessionOptions(intra_op_threads=given.threads, log_severity=LogSeverity.FATAL) as options,
        Session(given.model, options) as session,
    ):
        feed = random_feed(session, {}, shapes_of(given.shape), given.size)
        for name, array in feed.items():
            print(printable(f"input {name}: {array.dtype}{list(array.shape)}"))
        print(printable(f"library of the sessions: {session.api}"))
        session.run(feed)  # says best what is wrong with a shape
        turns, left_out = _ways(session, feed, given)
        for way, reason in left_out.items():
            print(printable(f"left out: {way}: {reason}"))
        return _printed(_taken(turns, given.seconds))


def _ways(
    session: Session, feed: dict[str, Any], given: argparse.Namespace
) -> tuple[dict[str, Turn], dict[str, str]]:
    """The ways to run the model, and why others are left out."""
    turns: dict[str, Turn] = {}
    left_out: dict[str, str] = {}
    for way, module in (("official", "onnxruntime"), ("drop-in", "ortcffi.compat")):
        try:
            package = importlib.import_module(module)
        except ImportError as error:
            left_out[way] = str(error)
            continue
        chosen = package.SessionOptions()
        chosen.intra_op_num_threads = given.threads
        chosen.log_severity_level = LogSeverity.FATAL
        made = package.InferenceSession(given.model, chosen, providers=_CPU)
        turns[way] = partial(_turn, partial(made.run, None, feed))
    turns["Session"] = partial(_turn, partial(session.run, feed))
    try:
        turns["bound"] = partial(_turn, session.bind(feed).run)
    except (OrtError, TypeError, ValueError) as error:
        left_out["bound"] = str(error)
    turns["awaited"] = lambda count: asyncio.run(_awaited_turn(session, feed, count))
    return turns, left_out


def _turn(run: Callable[[], object], count: int) -> list[float]:
    times = []
    for _ in range(count):
        began = time.perf_counter()
        run()
        times.append(time.perf_counter() - began)
    return times


async def _awaited_turn(session: Session, feed: dict[str, Any], count: int) -> list[float]:
    times = []
    for _ in range(count):
        began = time.perf_counter()
        await session.run_async(feed)
        times.append(time.perf_counter() - began)
    return times


def _taken(turns: dict[str, Turn], seconds: float) -> dict[str, list[float]]:
    """The times of all runs, by the way. A turn takes some milliseconds, or one run."""
    counts = {}
    for way, turn in turns.items():
        shortest = min(turn(_WARM_RUNS))
        counts[way] = max(1, round(_TURN / max(shortest, 1e-9)))
    times: dict[str, list[float]] = {way: [] for way in turns}
    end = time.monotonic() + seconds
    while not times["awaited"] or time.monotonic() < end:
        for way, turn in turns.items():
            times[way] += turn(counts[way])
    return times


def _printed(times: dict[str, list[float]]) -> list[Figures]:
    figures = []
    for way, each in times.items():
        parts = quantiles(each, n=100, method="inclusive") if len(each) > 1 else [each[0]] * 99
        figures.append(Figures(way, len(each), parts[49], parts[98]))
    first = figures[0]
    print(f"\n{'':10}{'p50':>12}{'p99':>12}{'runs/s':>12}   {first.way} = 1")
    for row in figures:
        shown = f"{row.way:10}{_time(row.p50):>12}{_time(row.p99):>12}{1 / row.p50:12.0f}"
        print(f"{shown}   {first.p50 / row.p50:.2f}")
    sys.stdout.flush()
    return figures


def _time(seconds: float) -> str:
    return f"{seconds * 1e6:.1f} us" if seconds < 1e-3 else f"{seconds * 1e3:.2f} ms"
