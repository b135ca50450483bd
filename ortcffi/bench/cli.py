# SPDX-License-Identifier: MIT
# ruff: noqa: T201 - a command prints
"""``python -m ortcffi bench``."""

import argparse
import sys
import time
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from ortcffi.cli.program import program_name, unwritable
from ortcffi.platform.new_file import write_whole

from . import report
from .measure import LEAST_SECONDS, Result, able, measure
from .plot import FORMATS, PlotError, plot, require_matplotlib
from .rows import ROWS, Row
from .subjects import NAMES, Missing, Subject, find

SECONDS = 75
QUICK_SECONDS = 10
MOST_SECONDS = 86_400
BAR_WIDTH = 30
LARGEST_SHARE = 10
"""A row that takes more than this part of the time is left out where there are others."""

DESCRIPTION = """Measures statuses, memory, values, kernels and runs of models, of this package and,
beside it, of the real library and of other allocators on this machine, in one process, in turns.
The fastest turn is printed; 'spread' is how far the lower quartile of the turns is above it. Rows
for which the time does not suffice are left out. With a path of a model as the first argument it
measures that model instead: see 'bench MODEL --help'."""


def _seconds(text: str) -> float:
    seconds = float(text)
    if not 0 < seconds <= MOST_SECONDS:  # also false for nan
        raise argparse.ArgumentTypeError(f"{text} is not above 0 and at most {MOST_SECONDS}")
    return seconds


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the command's arguments."""
    parser.description = DESCRIPTION
    duration = parser.add_mutually_exclusive_group()
    duration.add_argument(
        "--seconds",
        type=_seconds,
        default=SECONDS,
        help="time to take in all, about (default: %(default)s)",
    )
    duration.add_argument(
        "--quick",
        action="store_const",
        dest="seconds",
        const=QUICK_SECONDS,
        help=f"the same as --seconds {QUICK_SECONDS}",
    )
    parser.add_argument(
        "--rows", metavar="PATTERN", default="*", help="only these, such as 'status-*,alloc-64'"
    )
    parser.add_argument(
        "--subjects", metavar="NAMES", default=",".join(NAMES), help="only these of %(default)s"
    )
    parser.add_argument("--list", action="store_true", help="print the rows and their goals")
    parser.add_argument(
        "--against", metavar="PATH", help="compare with this library, which has OrtGetApiBase"
    )
    parser.add_argument(
        "--aligned",
        action="store_true",
        help="ask plain allocators for blocks aligned to 64 bytes as well",
    )
    parser.add_argument("--json", metavar="FILE", type=Path, help="write all figures")
    parser.add_argument(
        "--plot", metavar="FILE", type=Path, help="draw them, as " + ", ".join(FORMATS)
    )
    parser.add_argument("--check", action="store_true", help="fail if a required figure is missed")


def run(arguments: argparse.Namespace, parser: argparse.ArgumentParser) -> int:
    """The command; returns the exit code."""
    end = time.monotonic() + arguments.seconds
    rows = _rows(arguments.rows, parser)
    if arguments.list:
        widths = [
            max(map(len, texts)) + 2 for texts in ([r.name for r in rows], [r.title for r in rows])
        ]
        for row in rows:
            print(f"{row.name:{widths[0]}}{row.title:{widths[1]}}{row.required:15}{row.wanted}")
        return 0
    _check_files(arguments, parser)
    subjects, missing = _subjects(arguments, parser)
    for note in report.notes(subjects, missing):
        print(note)
    print("\n" + report.heading(subjects), flush=True)
    results, left_out = _measure_all(rows, subjects, end)
    for reason in dict.fromkeys(left_out.values()):
        names = ", ".join(name for name in left_out if left_out[name] == reason)
        print(f"left out: {names}: {reason}")
    if arguments.json is not None:
        write_whole(arguments.json, report.as_json(results, subjects, missing, left_out))
    if arguments.plot is not None:
        plot(results, subjects, arguments.plot)
    missed = report.missed(results)
    if arguments.check and missed:
        print("required figures missed: " + ", ".join(missed), file=sys.stderr)
        return 1
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    """The command as a program of its own; by default with the process's arguments."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given and not given[0].startswith("-"):
        from . import model

        return model.main(given)
    parser = argparse.ArgumentParser(prog=program_name("bench"))
    add_arguments(parser)
    return run(parser.parse_args(given), parser)


def _check_files(arguments: argparse.Namespace, parser: argparse.ArgumentParser) -> None:
    """Check the output files before the measurement, not after it."""
    for option in ("json", "plot"):
        path = getattr(arguments, option)
        if path is not None and (reason := unwritable(path)):
            parser.error(f"--{option}: {reason}")
    if arguments.plot is not None:
        if arguments.plot.suffix not in FORMATS:
            expected = " or ".join(FORMATS)
            parser.error(f"--plot: {arguments.plot} does not end in {expected}")
        try:
            require_matplotlib()
        except PlotError as error:
            parser.error(f"--plot: {error}")


def _rows(patterns: str, parser: argparse.ArgumentParser) -> list[Row]:
    chosen: set[str] = set()
    for pattern in patterns.split(","):
        found = {row.name for row in ROWS if fnmatchcase(row.name, pattern.strip())}
        if not found:
            names = ", ".join(row.name for row in ROWS)
            parser.error(f"--rows: nothing matches {pattern!r}; the rows are {names}")
        chosen |= found
    return [row for row in ROWS if row.name in chosen]


def _subjects(
    arguments: argparse.Namespace, parser: argparse.ArgumentParser
) -> tuple[list[Subject], dict[str, str]]:
    names = arguments.subjects.split(",")
    subjects: list[Subject] = []
    missing: dict[str, str] = {}
    for name in names:
        if name not in NAMES:
            parser.error(f"--subjects: {name!r} is none of {', '.join(NAMES)}")
        try:
            subjects.append(find(name, arguments.against, arguments.aligned))
        except Missing as error:
            # A library that was given by path must exist; one that is searched for need not.
            if name == "real" and arguments.against is not None:
                parser.error(f"--against: {error}")
            missing[name] = str(error)
    return subjects, missing


def _measure_all(
    rows: Sequence[Row], subjects: Sequence[Subject], end: float
) -> tuple[list[Result], dict[str, str]]:
    """Measures until a time of the monotonic clock; the results, and why other rows have none."""
    wanted = [row for row in rows if able(row, subjects)]
    longest = max(end - time.monotonic(), 0) / min(len(wanted) or 1, LARGEST_SHARE)
    left_out = {
        row.name: f"takes about {LEAST_SECONDS[row.name]:g} s at least"
        for row in wanted
        if len(wanted) > 1 and LEAST_SECONDS.get(row.name, 0) > longest
    }
    wanted = [row for row in wanted if row.name not in left_out]
    results: list[Result] = []
    try:
        for i, row in enumerate(wanted):
            left = end - time.monotonic()
            if results and left <= 0:
                left_out[row.name] = "no time is left"
                continue
            _show_progress(i, len(wanted), row.title)
            result = measure(row, subjects, max(left, 0) / (len(wanted) - i))
            _wipe_bar()
            print(report.line(result, subjects), flush=True)
            results.append(result)
    finally:
        _wipe_bar()
    return results, left_out


def _show_progress(done: int, of: int, text: str) -> None:
    """Draws a bar on a terminal, and writes a line elsewhere."""
    if sys.stderr.isatty():
        bar = "#" * (BAR_WIDTH * done // of)
        print(f"\r\033[K[{bar:{BAR_WIDTH}}] {text}", end="", file=sys.stderr, flush=True)
    else:
        print(f"{done + 1} of {of}: {text}", file=sys.stderr, flush=True)


def _wipe_bar() -> None:
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr, flush=True)
