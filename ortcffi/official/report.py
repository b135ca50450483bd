# SPDX-License-Identifier: MIT
"""What `ortcffi top` tells of recorded sessions, as a table and as JSON."""

import html
import json
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from ortcffi._program import joined, printable
from ortcffi._text import html_table, scaled, size
from ortcffi.official.records import SessionRecord

__all__ = ["as_html", "as_json", "as_table", "shortened", "size"]

_HEADINGS = ("session", "runs", "mean", "worst", "in use", "peak", "limit", "allocs", "log")
_NAME_WIDTHS = (12, 42)  # the least, also in a narrow terminal, and the most of the first column
_GAP = "  "
_GROWTH = 1.1  # of the arena, from which on the report names it
_PAGE = """\
<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>ortcffi top</title><style>
:root {{ color-scheme: light dark; font-family: sans-serif }}
td, th {{ padding: 0.2em 0.8em; text-align: right }}
td:first-child, th:first-child {{ text-align: left }}
svg {{ max-width: 100%; height: auto }}
</style></head><body>
{table}
{notes}
{picture}
</body></html>
"""
_LETTERS = {"VERBOSE": "V", "INFO": "I", "WARNING": "W", "ERROR": "E", "FATAL": "F"}


def as_table(records: Sequence[SessionRecord], width: int | None = None) -> str:
    """The report for people, a line per session, and notes below.

    Parameters
    ----------
    records : sequence of SessionRecord
        The sessions.
    width : int, optional
        Columns of the terminal, which the lines of sessions do not exceed; by default any number.
    """
    if not records:
        return "ortcffi top: the program made no session of the official package\n"
    cells = [_HEADINGS[1:], *map(_figures, records)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    least, room = _NAME_WIDTHS
    if width is not None:
        room = max(least, min(room, width - sum(widths) - len(_GAP) * len(widths)))
    names = [_HEADINGS[0], *(_name(n, record, room) for n, record in enumerate(records, 1))]
    first = max(map(len, names))
    lines = [
        _GAP.join([name.ljust(first), *map(str.rjust, row, widths)])
        for name, row in zip(names, cells, strict=True)
    ]
    return joined([*(line[:width] for line in lines), *_all_notes(records)]) + "\n"


def as_html(records: Sequence[SessionRecord], picture: str) -> str:
    """The report as a page that needs no other file.

    Parameters
    ----------
    records : sequence of SessionRecord
        The sessions.
    picture : str
        An SVG document, or nothing.
    """
    rows = [
        (f"{n} {printable(record.model)}", *_figures(record)) for n, record in enumerate(records, 1)
    ]
    table = html_table("Sessions of the official package", _HEADINGS, rows)
    notes = "".join(f"<p>{html.escape(printable(note))}</p>" for note in _all_notes(records))
    return _PAGE.format(table=table, notes=notes, picture=picture[picture.find("<svg") :])


def as_json(records: Sequence[SessionRecord]) -> str:
    """The report for programs: an object whose ``sessions`` have the attributes of the records.

    The statistics in ``stats`` are strings, by the names that the library gives them.
    """
    return json.dumps({"sessions": [_document(record) for record in records]}, indent=1) + "\n"


def _name(number: int, record: SessionRecord, width: int) -> str:
    return f"{number} {shortened(record.model, width - len(str(number)) - 1)}"


def _figures(record: SessionRecord) -> tuple[str, ...]:
    stats, runs = record.stats, record.runs
    mean = _time(record.total_seconds / runs) if runs else "-"
    worst = _time(record.worst_seconds) if runs else "-"
    sizes = (
        ("-", "-", "-", "-")
        if stats is None
        else (
            size(stats.bytes_allocated),
            size(stats.max_memory),
            size(stats.limit),
            "-" if stats.num_allocations is None else str(stats.num_allocations),
        )
    )
    told = {_LETTERS.get(name, name): count for name, count in dict(record.messages).items()}
    log = " ".join(f"{count}{letter}" for letter, count in sorted(told.items()))
    return (str(runs), mean, worst, *sizes, log or "-")


def _notes(record: SessionRecord) -> list[str]:
    notes = [record.problem] if record.problem else []
    if record.failures:
        notes.append(f"{record.failures} of {record.runs} runs failed")
    if len(record.samples) > 1:
        first, last = record.samples[0].reserved, record.samples[-1].reserved
        if last > first * _GROWTH:
            notes.append(f"the arena grew from {size(first)} to {size(last)}")
    return notes


def _all_notes(records: Sequence[SessionRecord]) -> list[str]:
    return [
        f"session {n}: {note}" for n, record in enumerate(records, 1) for note in _notes(record)
    ]


def _document(record: SessionRecord) -> dict[str, Any]:
    document: dict[str, Any] = {each.name: getattr(record, each.name) for each in fields(record)}
    document["messages"] = dict(record.messages)
    document["samples"] = [sample._asdict() for sample in record.samples]
    document["stats"] = dict(record.stats.raw) if record.stats else None
    return document


def shortened(text: str, width: int) -> str:
    """The end of a text, with an ellipsis where it is longer."""
    return text if len(text) <= width else f"…{text[len(text) - width + 1 :]}"


def _time(seconds: float) -> str:
    return scaled(seconds, (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)))
