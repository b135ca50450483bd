# SPDX-License-Identifier: MIT
"""Repeated blocks in a sequence of nodes, such as the layers of a network."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Block", "Folded", "fold"]

_LONGEST = 4000  # of a block, in nodes
_LEAST_SAVED = 4  # nodes, for which a block is worth it


class Block(NamedTuple):
    """A part of the sequence that repeats.

    Attributes
    ----------
    start, stop : int
        The nodes of its first time.
    times : int
        How many times it is there, one behind the other.
    depth : int
        How many blocks it is inside of.
    """

    start: int
    stop: int
    times: int
    depth: int


class Folded(NamedTuple):
    """A sequence whose repetitions are left out.

    Attributes
    ----------
    shown : list of int
        Of each node the one that stands for it: itself, or that of the first time.
    blocks : list of Block
        What repeats, outer blocks before those inside of them.
    """

    shown: list[int]
    blocks: list[Block]


def fold(names: Sequence[str]) -> Folded:
    """Find what repeats in the names of operators."""
    numbers = {name: i for i, name in enumerate(dict.fromkeys(names))}
    ids = np.array([numbers[name] for name in names], np.int64)
    folded = Folded(list(range(len(names))), [])
    _fold(ids, 0, len(names), 0, folded)
    return folded


def _fold(
    ids: "np.ndarray[tuple[int], np.dtype[np.int64]]",
    start: int,
    stop: int,
    depth: int,
    folded: Folded,
) -> None:
    """Fold a part: the repetition that saves the most, then what is before, in and behind it."""
    if stop - start <= _LEAST_SAVED:
        return
    best = max(_repetitions(ids[start:stop]), default=(0, 0, 0, 0))
    saved, at, period, count = best
    if saved < _LEAST_SAVED or count < 2:
        return
    first, end = start + at, start + at + period * count
    folded.blocks.append(Block(first, first + period, count, depth))
    for i in range(first + period, end):
        folded.shown[i] = first + (i - first) % period
    _fold(ids, start, first, depth, folded)
    _fold(ids, first, first + period, depth + 1, folded)
    _fold(ids, end, stop, depth, folded)
    for i in range(first + period, end):  # what stands for it may be left out, too
        folded.shown[i] = folded.shown[folded.shown[i]]


def _repetitions(ids: "NDArray[np.int64]") -> list[tuple[int, int, int, int]]:
    """For each period the longest repetition: nodes that it saves, start, period, count."""
    found = []
    for period in range(1, min(len(ids) // 2, _LONGEST) + 1):
        differs = np.flatnonzero(ids[:-period] != ids[period:])
        edges = np.concatenate(([-1], differs, [len(ids) - period]))
        lengths = np.diff(edges) - 1
        longest = int(np.argmax(lengths))
        count = int(lengths[longest]) // period + 1
        if count >= 2:
            # Of periods that save as much the shortest, so that the count is the largest.
            found.append(((count - 1) * period, int(edges[longest]) + 1, period, count))
    return [max(found, key=lambda each: (each[0], -each[2]))] if found else []
