# SPDX-License-Identifier: MIT
"""Blocks of a scope of `Tracking`, and the stacks that took them."""

import os
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ortcffi._public import public, size
from ortcffi.memory.call_sites import lines_of, place_of


@public
class Leak(NamedTuple):
    """A block that was still in use.

    Attributes
    ----------
    size : int
        Bytes, as asked for.
    place : str
        ``file:line in function`` of the Python code that took it: the innermost that is not of an
        installed package or of Python's library, if there is one. "outside of Python" for a thread
        or a library that has no such code.
    stack : tuple of str
        The innermost lines that led to it, innermost first, as many as `Tracking.depth` says.
    """

    size: int
    place: str
    stack: tuple[str, ...] = ()


@public
class LeakGroup(NamedTuple):
    """Blocks that were taken with the same stack."""

    size: int
    blocks: int
    place: str
    stack: tuple[str, ...]


@public
class ScopeLine(NamedTuple):
    """Blocks of a scope that one line of the program took.

    Attributes
    ----------
    place : str
        As of each `Leak`.
    peak, peak_blocks : int
        Bytes, and blocks, in use when the scope had the most bytes.
    live, live_blocks : int
        Bytes, and blocks, in use at its end.
    """

    place: str
    peak: int
    peak_blocks: int
    live: int
    live_blocks: int


def leaks_of(blocks: Iterable[tuple[int, int]]) -> list[Leak]:
    """Blocks for a person to read, each of a size and a number of a stack."""
    places: dict[int, tuple[str, tuple[str, ...]]] = {}
    leaks = []
    for number, site in blocks:
        if site not in places:
            places[site] = place_of(site), lines_of(site)
        leaks.append(Leak(number, *places[site]))
    return leaks


def grouped(leaks: list[Leak]) -> list[LeakGroup]:
    """Blocks by their stacks, those with the most bytes first."""
    sizes: dict[tuple[str, tuple[str, ...]], list[int]] = {}
    for leak in leaks:
        sizes.setdefault((leak.place, leak.stack), []).append(leak.size)
    groups = [LeakGroup(sum(each), len(each), *where) for where, each in sizes.items()]
    return sorted(groups, key=lambda group: -group.size)


def by_line(at_peak: Iterable[LeakGroup], live: Iterable[LeakGroup]) -> list[ScopeLine]:
    """Blocks by lines of the program, those with the most bytes first."""
    lines: dict[str, list[int]] = {}
    for first, groups in ((0, at_peak), (2, live)):
        for group in groups:
            figures = lines.setdefault(group.place, [0, 0, 0, 0])
            figures[first] += group.size
            figures[first + 1] += group.blocks
    found = [ScopeLine(place, *figures) for place, figures in lines.items()]
    return sorted(found, key=lambda line: (-line.peak, -line.live))


HEADER = ("at the peak", "blocks", "live", "blocks", "line")


def rows_of(lines: Sequence[ScopeLine], top: int | None) -> list[tuple[str, ...]]:
    """Return the first lines as rows of a table under `HEADER`, and one row for all others."""
    shown = list(lines[:top])
    if rest := lines[len(shown) :]:
        sums = [sum(each) for each in zip(*(line[1:] for line in rest), strict=True)]
        shown.append(ScopeLine(f"{len(rest)} more", *sums))
    here = os.getcwd() + os.sep
    return [
        (size(peak), str(blocks), size(max(live, 0)), str(left), place.removeprefix(here))
        for place, peak, blocks, live, left in shown
    ]
