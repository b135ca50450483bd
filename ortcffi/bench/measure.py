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
FEWEST = 3
"""Turns without which nothing is known of a figure's spread."""
UNKNOWN = 0.5
"""By how much a figure of fewer turns may be off, as far as goals are concerned."""
LEAST_SECONDS = {
    "resident": 4.0,
    "numpy-256M": 4.0,
    "zeros-1024M": 3.0,
    "zeros-resident": 2.5,
    "model-open-1G": 4.0,
    "model-write": 2.0,
    "model-bytes": 2.0,
    "two-threads": 1.2,
    "arena-two-threads": 1.2,
}
"""How long one turn of each subject takes, about, in rows where that is long."""


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
    def doubtful(self) -> dict[str, float]:
        """Subject to what its minimum might be in another run: the lower quartile of its turns."""
        return {name: _quartile(slices) for name, slices in self.slices.items()}

    @property
    def spread(self) -> float | None:
        """The greatest distance from a minimum to its quartile, relative to the minimum.

        None if a subject had fewer than `FEWEST` turns.
        """
        if min(map(len, self.slices.values()), default=0) < FEWEST:
            return None
        figures, doubtful = self.figures, self.doubtful
        return max((doubtful[name] - least) / abs(least or 1) for name, least in figures.items())

    def verdict(self, goal: str) -> str:
        """Whether a goal is met, in a word.

        Returns
        -------
        str
            "ok" or "MISSED"; "noisy" if the spread of the figures hides the answer; "?" if what
            decides it was not measured.
        """
        figures, doubtful = self.figures, self.doubtful
        answers = {
            meets(goal, chosen | {name: core[name] for name in ("core",) if name in core})
            for chosen, core in ((figures, doubtful), (doubtful, figures))
        }
        if None in answers:
            return "?"
        if answers == {True}:
            return "ok"
        # More turns might still find a lower minimum.
        return "noisy" if True in answers or self.spread is None else "MISSED"


def _quartile(slices: Sequence[float]) -> float:
    if len(slices) < FEWEST:
        return min(slices) + UNKNOWN * abs(min(slices))
    return sorted(slices)[len(slices) // 4]


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
                slices[name].append(_turn(task, slice_seconds))
            if time.monotonic() >= end:
                return Result(row, {n: _figures(slices[n], tasks[n], row) for n in tasks})
    finally:
        for task in tasks.values():
            task.close()


def _figures(samples: list[float], task: Task, row: Row) -> list[float]:
    return [(each - task.base) * row.scale for each in samples]


def _turn(task: Task, seconds: float) -> float:
    """The minimum of the samples that fit into a turn."""
    end = time.monotonic() + seconds
    best = task.sample()
    while time.monotonic() < end:
        best = min(best, task.sample())
    return best
