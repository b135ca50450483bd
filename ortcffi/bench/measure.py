# SPDX-License-Identifier: MIT
"""Subjects take turns within a row, so that noise hits all alike; minima are kept."""

import time
from collections.abc import Iterable

from .rows import Row
from .subjects import Subject
from .tasks import Task

SAMPLE_NS = 1_000_000


def _calibrated(task: Task) -> int:
    count = task.step
    # The first runs touch new pages, which says nothing of the later ones: the best of three.
    while (taken := min(task.run(count) for _ in range(3))) < SAMPLE_NS / 4:
        count *= 4
    return max(1, round(count / task.step * SAMPLE_NS / taken)) * task.step


def measure(row: Row, subjects: Iterable[Subject], seconds: float) -> dict[str, list[float]]:
    """Each subject's figures, one per slice."""
    chosen = [s for s in subjects if s.has_table or not row.needs_table]
    tasks = {s.name: row.make(s) for s in chosen}
    slices: dict[str, list[float]] = {name: [] for name in tasks}
    slice_seconds = max(0.002, min(0.015, seconds / len(tasks) / 8))
    try:
        counts = {name: _calibrated(task) for name, task in tasks.items()}
        end = time.monotonic() + seconds
        while time.monotonic() < end or not slices:
            for name, task in tasks.items():
                slice_end = time.monotonic() + slice_seconds
                best = task.run(counts[name]) / counts[name]
                while time.monotonic() < slice_end:
                    best = min(best, task.run(counts[name]) / counts[name])
                slices[name].append(best * row.scale)
    finally:
        for task in tasks.values():
            task.close()
    return slices
