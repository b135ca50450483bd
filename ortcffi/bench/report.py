# SPDX-License-Identifier: MIT
"""What ``ortcffi bench`` says of its figures: a table, notes, JSON."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from .rows import Row
from .turns import Figures

BUSY = 0.1
"""The share of a processor that other programs may take before the report says so."""


class Result(NamedTuple):
    """A row and its figures; ``theirs`` is None where onnxruntime was not measured."""

    row: Row
    ours: Figures
    theirs: Figures | None

    @property
    def ratio(self) -> float | None:
        """How many times as fast this package is."""
        return None if self.theirs is None else self.theirs.p50 / self.ours.p50


def table(results: Sequence[Result], with_p99: bool) -> Iterator[str]:
    """Yield the lines of the table."""
    width = max(len(each.row.title) for each in results) + 2
    packages = f"{'onnxruntime':>{24 if with_p99 else 12}}{'ortcffi':>{24 if with_p99 else 12}}"
    yield f"{'':{width}}{packages}   times as fast"
    if with_p99:
        yield f"{'':{width}}" + 2 * f"{'p50':>12}{'p99':>12}"
    for each in results:
        cells = "".join(_cells(figures, with_p99) for figures in (each.theirs, each.ours))
        ratio = "" if each.ratio is None else f"{each.ratio:11.2f}"
        yield f"{each.row.title:{width}}{cells}{ratio}"


def _cells(figures: Figures | None, with_p99: bool) -> str:
    if figures is None:
        return f"{'-':>{24 if with_p99 else 12}}"
    return f"{_time(figures.p50):>12}" + (f"{_time(figures.p99):>12}" if with_p99 else "")


def summary(results: Sequence[Result], is_small: bool, busy: float) -> Iterator[str]:
    """Yield what the table does not say: of a small model, and of a busy machine."""
    run = next(each for each in results if each.row.name == "run")
    if is_small and run.theirs is not None and run.theirs.p50 > run.ours.p50:
        gain = _time(run.theirs.p50 - run.ours.p50)
        yield f"Runs of larger models gain the same {gain}: above 100 us that is next to nothing."
    if busy > BUSY:
        share = f"other programs had this processor for {busy:.0%} of the time"
        yield f"The machine is too busy for good figures: {share}. Measure again when it is idle."


def as_json(
    results: Sequence[Result], model: str | None, busy: float, texts: Mapping[str, object]
) -> str:
    """Return the figures for programs: times in seconds."""
    rows = [
        {
            "name": row.name,
            "title": row.title,
            "onnxruntime": None if theirs is None else theirs._asdict(),
            "ortcffi": ours._asdict(),
        }
        for row, ours, theirs in results
    ]
    return json.dumps({"model": model, "busy": busy, **texts, "rows": rows}, indent=1) + "\n"


def _time(seconds: float) -> str:
    if seconds < 1e-6:
        return f"{seconds * 1e9:.0f} ns"
    if seconds < 1e-3:
        return f"{seconds * 1e6:.1f} us"
    return f"{seconds * 1e3:.2f} ms"
