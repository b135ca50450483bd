# SPDX-License-Identifier: MIT
"""Blocks of a scope of `Tracking`, and the stacks that took them."""

from collections.abc import Iterable
from typing import NamedTuple

from ortcffi._public import public
from ortcffi.memory.call_sites import lines_of, place_of

__all__ = ["Leak", "LeakGroup"]


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
    """Blocks that were taken with the same stack.

    Attributes
    ----------
    size, blocks : int
        Bytes in all, and blocks.
    place : str
    stack : tuple of str
        As of each `Leak`.
    """

    size: int
    blocks: int
    place: str
    stack: tuple[str, ...]


def leaks_of(blocks: Iterable[tuple[int, int]]) -> list[Leak]:
    """Blocks for a person to read, each of a size and a number of a stack."""
    places: dict[int, tuple[str, tuple[str, ...]]] = {}
    leaks = []
    for size, site in blocks:
        if site not in places:
            places[site] = place_of(site), lines_of(site)
        leaks.append(Leak(size, *places[site]))
    return leaks


def grouped(leaks: list[Leak]) -> list[LeakGroup]:
    """Blocks by their stacks, those with the most bytes first."""
    sizes: dict[tuple[str, tuple[str, ...]], list[int]] = {}
    for leak in leaks:
        sizes.setdefault((leak.place, leak.stack), []).append(leak.size)
    groups = [LeakGroup(sum(each), len(each), *where) for where, each in sizes.items()]
    return sorted(groups, key=lambda group: -group.size)


def table_rows(title: str, groups: list[LeakGroup]) -> list[str]:
    """A table for a person to read; nothing if it were empty."""
    rows = [f"{'bytes':>14} {'blocks':>8}  {title}"]
    for group in groups:
        rows.append(f"{group.size:>14} {group.blocks:>8}  {group.place}")
        rows.extend(f"{'':>25} {line}" for line in group.stack if line != group.place)
    return rows if groups else []
