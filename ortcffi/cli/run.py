# SPDX-License-Identifier: MIT
"""``python -m ortcffi run``: runs a model and says how long it takes and what memory it needs."""

import argparse
import os
import sys
import zlib
from collections.abc import Sequence
from statistics import median
from time import perf_counter
from typing import Any
from zipfile import BadZipFile

import numpy as np

from ortcffi._public import printable
from ortcffi.cli.program import fail, program_name, write_log
from ortcffi.ep.installed import unknown_provider
from ortcffi.errors import OrtError
from ortcffi.options.session_options import SessionOptions
from ortcffi.session.limits import arena_stats
from ortcffi.session.session import Session
from ortcffi.table.engine import advice
from ortcffi.table.load import VARIABLE, LibraryNotFound, LoadError, load
from ortcffi.testing.random_inputs import random_feed, shapes_of

DESCRIPTION = """\
Run a model on the library that is found, or on another one, and print its outputs, times, and the
memory of its arena."""


_REFUSED = (
    OrtError,
    LoadError,
    OSError,
    TypeError,
    ValueError,
    MemoryError,
    LookupError,
    ImportError,
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return the exit code."""
    parser = argparse.ArgumentParser(prog=program_name("run"), description=DESCRIPTION)
    add: Any = parser.add_argument
    add("model", help="the path of a model")
    text = """NAME=FILE.npy, or FILE.npz with arrays by the names of inputs; those that are not
    given are random"""
    # Without a default, argparse says that an input is required.
    add("inputs", nargs="*", default=[], metavar="INPUT", help=text)
    add("--count", type=int, default=1, help="how often to run (default: 1)")
    add("--threads", type=int, default=0, help="0: the library chooses")
    add("--size", type=int, default=1, help="of open dimensions (default: 1)")
    add("--shape", metavar="NAME=1,3,48,192", action="append", default=[], help="of an input")
    add("--profile", action="store_true", help="print the time of each operator in one run more")
    add("--library", metavar="PATH", help="the library that runs the model")
    text = """an execution provider, which the core runs without another library: that of an
    installed package, such as nxrt or ggml, or the path of a library; may be repeated"""
    add("--ep", metavar="NAME", action="append", default=[], help=text)
    given = parser.parse_args(arguments)
    if given.count < 1 or given.size < 1 or given.threads < 0:
        parser.error("--count and --size must be 1 or more, --threads 0 or more")
    try:
        _run(given)
    except LibraryNotFound as error:
        return fail(parser.prog, _without_library(error))
    except _REFUSED as error:
        return fail(parser.prog, error)
    return 0


def _without_library(error: LibraryNotFound) -> str:
    """Return what is missing, and by which options it is given."""
    text = f"{VARIABLE} {error.path!r} {error.problem}; {error.remedy}"
    if error.path is None:
        remedy = advice("give --library PATH", "give --ep {}")
        text = f"found no library that runs models: {remedy}"
    if error.provider is None:
        return text if error.path is None else str(error)
    unknown = f"--ep has {error.provider!r}, which the core does not host"
    return f"{unknown}{unknown_provider(error.provider)}; {text}"


def _run(given: argparse.Namespace) -> None:
    feed, shapes = _given_feed(given.inputs), shapes_of(given.shape)
    api = None if given.library is None else load(given.library)
    begin = perf_counter()
    with SessionOptions(intra_op_threads=given.threads, logger=write_log) as options:
        session = Session(given.model, options, api=api, providers=given.ep or None)
    with session:
        _say(f"loaded in {(perf_counter() - begin) * 1e3:.1f} ms by {session.api}")
        feed = random_feed(session, feed, shapes, given.size)
        for name, array in feed.items():
            _say(f"input   {name}: {array.dtype}{list(array.shape)}")
        times, results = [], []
        for _ in range(given.count):
            begin = perf_counter()
            results = session.run(feed)
            times.append((perf_counter() - begin) * 1e3)
        for spec, result in zip(session.outputs, results, strict=True):
            _say(f"output  {spec.name}: {_described(result)}")
        _say(f"time    first {times[0]:.3f} ms, median {median(times):.3f}, best {min(times):.3f}")
        _tell_memory(session)
        if given.profile:
            _, profile = session.run_profiled(feed)
            _say("profile of one run more:")
            for op, time in profile.by_operator().items():
                _say(f"profile {op}: {time} us, {time.share:.0%}, {time.count} times")


def _given_feed(inputs: Sequence[str]) -> dict[str, Any]:
    feed: dict[str, Any] = {}
    for each in inputs:
        name, equals, path = each.partition("=")
        if not equals and not each.endswith(".npz"):
            raise ValueError(f"expected NAME=FILE.npy or FILE.npz, not {each!r}")
        found = read_arrays(path if equals else each)
        if equals and isinstance(found, dict):
            raise ValueError(
                f"{each!r}: the file has arrays by name, {', '.join(found)}: pass {path} alone"
            )
        feed.update({name: found} if equals else found)
    return feed


def read_arrays(path: str) -> Any:
    """Return the array of a file, or the arrays of an archive by name."""
    if os.path.exists(path) and not os.path.isfile(path):
        raise ValueError(f"{path} is not a regular file")
    try:
        with open(path, "rb") as file:
            found = np.load(file)
            return dict(found) if isinstance(found, np.lib.npyio.NpzFile) else found
    except (ValueError, EOFError, BadZipFile, zlib.error):
        raise ValueError(
            f"{path}: no file of numpy.save or numpy.savez, or one of Python objects; strings must "
            "be saved with dtype str"
        ) from None


def _described(result: Any) -> str:
    if isinstance(result, np.ndarray):
        shown = np.array2string(result.reshape(-1)[:4], separator=", ", precision=4)
        more = " ..." if result.size > 4 else ""
        return f"{result.dtype}{list(result.shape)} {shown}{more}"
    text = repr(result)
    return text if len(text) < 70 else f"{text[:66]} ..."


def _tell_memory(session: Session) -> None:
    stats = arena_stats(session)  # None of an older library
    if stats and stats.max_memory is not None and stats.bytes_reserved is not None:
        most, reserved = stats.max_memory / 1024, stats.bytes_reserved / 1024
        _say(f"memory  at most {most:.1f} KiB in use, {reserved:.1f} KiB reserved by the arena")


def _say(text: str) -> None:
    sys.stdout.write(f"{printable(text)}\n")
