# SPDX-License-Identifier: MIT
"""Subjects take turns within a row, so that noise affects all of them equally; minima are kept."""

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .goals import meets
from .rows import Row
from .subjects import Subject
from .tasks import Task

TURNS = 8
"""Turns that each subject has at least, where a row's time allows."""


@dataclass(frozen=True)
class Result:
    """The result of a row.

    Attributes
    ----------
    row : Row
        What was measured.
    slices : dict of str to list of float
        Subject to the minimum of each of its turns, in the row's unit.
    """

    row: Row
    slices: dict[str, list[float]]

    @property
    def figures(self) -> dict[str, float]:
        """Subject to its minimum."""
        return {name: min(slices) for name, slices in self.slices.items()}

    @property
    def ratio(self) -> float | None:
        """The real library's figure over the core's."""
        figures = self.figures
        return figures["real"] / figures["core"] if {"real", "core"} <= figures.keys() else None

    @property
    def meets_required(self) -> bool | None:
        """None if what decides it was not measured."""
        return meets(self.row.required, self.figures)

    @property
    def meets_wanted(self) -> bool | None:
        """None if what decides it was not measured."""
        return meets(self.row.wanted, self.figures)


def able(row: Row, subjects: Iterable[Subject]) -> list[Subject]:
    """The subjects that a row can be measured on."""
    return [subject for subject in subjects if row.asks in subject.can]


def measure(row: Row, subjects: Sequence[Subject], seconds: float) -> Result:
    """Takes a row's figures.

    Parameters
    ----------
    row : Row
        What to measure.
    subjects : sequence of Subject
        The subjects; those that cannot be measured are left out.
    seconds : float
        How long to measure. Every subject has at least one turn.
    """
    chosen = able(row, subjects)
    tasks: dict[str, Task] = {}
    slices: dict[str, list[float]] = {subject.name: [] for subject in chosen}
    slice_seconds = min(0.015, seconds / max(len(chosen), 1) / TURNS)
    end = time.monotonic() + seconds
    try:
        tasks |= {subject.name: row.make(subject) for subject in chosen}
        for task in tasks.values():
            task.prepare()
        while True:
            for name, task in tasks.items():
                slices[name].append(_turn(task, slice_seconds) * row.scale)
            if time.monotonic() >= end:
                return Result(row, slices)
    finally:
        for task in tasks.values():
            task.close()


def _turn(task: Task, seconds: float) -> float:
    """The minimum of the samples that fit into a turn."""
    end = time.monotonic() + seconds
    best = task.sample()
    while time.monotonic() < end:
        best = min(best, task.sample())
    return best
