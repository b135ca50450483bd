# SPDX-License-Identifier: MIT
# ruff: noqa: T201 - a command prints
"""``python -m ortcffi bench``."""

import argparse
import importlib
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import numpy as np

from ortcffi import compat
from ortcffi._new_file import write_whole
from ortcffi._public import printable
from ortcffi.callbacks.logs import LogSeverity
from ortcffi.cli.info import versions_and_machine
from ortcffi.cli.program import fail, program_name, unwritable
from ortcffi.errors import OrtError
from ortcffi.options.session_options import SessionOptions
from ortcffi.session.session import Session
from ortcffi.table.load import VARIABLE, LibraryNotFound, LoadError
from ortcffi.testing.random_inputs import random_feed, shapes_of

from .report import Result, as_json, summary, table
from .rows import Row, run_rows, session_of, small_model
from .turns import measure

PACKAGES = "ortcffi", "onnxruntime"
SECONDS = 30
MOST_SECONDS = 86_400
SAMPLE = 50e-6  # seconds
DESCRIPTION = """Measures some calls of ortcffi beside the same calls of the package onnxruntime, in
one process, in turns: runs of a model with random inputs, by default of a small one. The table has
the time that half of the calls take at most (p50), and of a MODEL that of 99 of 100 calls (p99)."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return the exit code."""
    parser = argparse.ArgumentParser(prog=program_name("bench"), description=DESCRIPTION)
    _add_arguments(parser)
    given = parser.parse_args(arguments)
    if given.size < 1 or given.threads < 0:
        parser.error("--size must be 1 or more, --threads 0 or more")
    if given.json is not None and (reason := unwritable(given.json)):
        parser.error(reason)
    try:
        _measure(given)
    except LibraryNotFound as error:
        missing = "found no library that runs models: run 'pip install onnxruntime' or set "
        return fail(parser.prog, f"{missing}{VARIABLE}" if error.path is None else error)
    except (OrtError, LoadError, OSError, ValueError, RuntimeError) as error:
        return fail(parser.prog, error)
    return 0


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    add: Any = parser.add_argument
    add("model", metavar="MODEL", nargs="?", help="the path of a model")
    add("--size", type=int, default=1, help="of open dimensions (default: 1)")
    add("--shape", metavar="NAME=1,3,48,192", action="append", default=[], help="of an input")
    add("--threads", type=int, default=0, help="of MODEL's sessions; 0: the library chooses")
    text = "in all, about (default: %(default)s)"
    add("--seconds", type=_seconds, default=SECONDS, help=text)
    add("--json", metavar="FILE", type=Path, help="write the figures")


def _seconds(text: str) -> float:
    seconds = float(text)
    if not 0 < seconds <= MOST_SECONDS:  # also false for nan
        raise argparse.ArgumentTypeError(f"{text} is not above 0 and at most {MOST_SECONDS}")
    return seconds


def _measure(given: argparse.Namespace) -> None:
    with ExitStack() as stack:
        rows = _rows(given, stack)
        print(f"measuring for about {given.seconds:g} seconds ...", flush=True)
        turns = {row.name: row.ours for row in rows}
        turns |= {f"official {row.name}": row.theirs for row in rows if row.theirs is not None}
        sample = 0 if given.model else SAMPLE
        figures, busy = measure(turns, given.seconds, sample)
    results = [Result(row, figures[row.name], figures.get(f"official {row.name}")) for row in rows]
    said = list(summary(results, not given.model, busy))
    print("", *table(results, with_p99=bool(given.model)), "", *said, sep="\n", flush=True)
    if given.json is not None:
        texts = {"measured": versions_and_machine(*PACKAGES), "summary": said}
        write_whole(given.json, as_json(results, given.model, busy, texts))


def _rows(given: argparse.Namespace, stack: ExitStack) -> list[Row]:
    official: Any = None
    with suppress(ImportError):
        official = importlib.import_module("onnxruntime")
    print(versions_and_machine(*PACKAGES))
    if official is None:
        print("onnxruntime is not installed: ortcffi is measured alone")
    about = given.model or small_model(), given.threads if given.model else 1
    with SessionOptions(intra_op_threads=about[1], log_severity=LogSeverity.FATAL) as options:
        ours = stack.enter_context(Session(about[0], options))
    theirs = None if official is None else session_of(official, *about)
    print(printable(f"library of the runs: {ours.api}"))
    feed: dict[str, Any] = {"x": np.ones((1, 4), np.float32)}
    if not given.model:
        print("model: y = x + w, of four numbers, on one thread")
    else:
        feed = random_feed(ours, {}, shapes_of(given.shape), given.size)
        for name, array in feed.items():
            print(printable(f"input {name}: {array.dtype}{list(array.shape)}"))
    ours.run(feed)  # says best what is wrong with a shape
    rows = list(run_rows(ours, session_of(compat, *about), theirs, feed, stack))
    if "bound" not in {row.name for row in rows}:
        print("left out: bound arrays, for an input is no tensor")
    return rows
