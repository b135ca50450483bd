# SPDX-License-Identifier: MIT
"""What `ortcffi top` tells of recorded sessions: a table, JSON, a picture over time."""

import json
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from ortcffi.official.recording import SessionRecord

__all__ = ["as_json", "as_svg", "as_table"]

_HEADINGS = ("session", "runs", "mean", "worst", "in use", "peak", "limit", "allocs", "messages")
_MODEL_WIDTH = 40
_GROWTH = 1.1  # of the arena, from which on the report names it


def as_table(records: Sequence[SessionRecord]) -> str:
    """The report for people."""
    if not records:
        return "ortcffi top: the program made no session of the official package\n"
    rows = [_HEADINGS, *(_row(number, record) for number, record in enumerate(records, 1))]
    widths = [max(len(row[i]) for row in rows) for i in range(len(_HEADINGS))]
    lines = [
        "  ".join(
            cell.ljust(width) if i == 0 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    notes = [
        f"session {n}: {note}" for n, record in enumerate(records, 1) for note in _notes(record)
    ]
    return "\n".join([*lines, *notes]) + "\n"


def as_json(records: Sequence[SessionRecord]) -> str:
    """The report for programs: an object whose ``sessions`` have the attributes of the records."""
    return json.dumps({"sessions": [_document(record) for record in records]}, indent=1) + "\n"


def as_svg(records: Sequence[SessionRecord], path: str) -> None:
    """Draw the arenas over time.

    Raises
    ------
    ImportError
        Matplotlib is not installed.
    """
    import matplotlib as mpl

    mpl.use("svg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(9, 4.5), layout="constrained")
    for number, record in enumerate(records, 1):
        if record.samples:
            seconds, in_use, reserved = zip(*record.samples, strict=True)
            label = f"{number}: {_short(record.model)}"
            (line,) = axes.step(seconds, _megabytes(reserved), where="post", label=label)
            axes.step(seconds, _megabytes(in_use), ":", where="post", color=line.get_color())
    axes.set(xlabel="seconds", ylabel="MB (solid: held by the arena, dotted: in use)")
    axes.set_ylim(bottom=0)
    if axes.get_legend_handles_labels()[0]:
        axes.legend()
    figure.savefig(path, transparent=True)
    plt.close(figure)


def _row(number: int, record: SessionRecord) -> tuple[str, ...]:
    stats, runs = record.stats, record.runs
    mean = _time(record.total_seconds / runs) if runs else "-"
    sizes = (
        ("-", "-", "-", "-")
        if stats is None
        else (
            _size(stats.bytes_allocated),
            _size(stats.max_memory),
            _size(stats.limit),
            "-" if stats.num_allocations is None else str(stats.num_allocations),
        )
    )
    told = " ".join(f"{count} {name.lower()}" for name, count in sorted(record.messages.items()))
    worst = _time(record.worst_seconds) if runs else "-"
    return (f"{number} {_short(record.model)}", str(runs), mean, worst, *sizes, told or "-")


def _notes(record: SessionRecord) -> list[str]:
    notes = [record.problem] if record.problem else []
    if record.failures:
        notes.append(f"{record.failures} of {record.runs} runs failed")
    if len(record.samples) > 1:
        first, last = record.samples[0].reserved, record.samples[-1].reserved
        if last > first * _GROWTH:
            notes.append(f"the arena grew from {_size(first)} to {_size(last)}")
    return notes


def _document(record: SessionRecord) -> dict[str, Any]:
    document: dict[str, Any] = {each.name: getattr(record, each.name) for each in fields(record)}
    document["messages"] = dict(record.messages)
    document["samples"] = [sample._asdict() for sample in record.samples]
    document["stats"] = dict(record.stats.raw) if record.stats else None
    return document


def _short(model: str) -> str:
    return model if len(model) <= _MODEL_WIDTH else f"…{model[-_MODEL_WIDTH + 1 :]}"


def _time(seconds: float) -> str:
    for unit, scale in (("s", 1.0), ("ms", 1e3), ("us", 1e6)):
        if seconds * scale >= 1 or unit == "us":
            return f"{seconds * scale:.1f} {unit}"
    raise AssertionError  # the last unit always fits


def _size(number: int | None) -> str:
    if number is None or number < 0:
        return "-"
    for unit, scale in (("GB", 1 << 30), ("MB", 1 << 20), ("KB", 1 << 10)):
        if number >= scale:
            return f"{number / scale:.1f} {unit}"
    return f"{number} B"


def _megabytes(numbers: Sequence[int]) -> list[float]:
    return [number / (1 << 20) for number in numbers]
