# SPDX-License-Identifier: MIT
"""What `ortcffi top` prints of recorded sessions: a table, JSON."""

import json
from collections.abc import Sequence
from itertools import zip_longest
from typing import Any, NamedTuple

from ortcffi._public import aligned, duration, joined, printable, scaled, size
from ortcffi.official.records import OFFICIAL, SessionRecord, summed

_HEADINGS = ("session", "runs", "runs/s", "p50", "p99", "in use", "peak", "limit", "log")
_NAME_WIDTHS = (12, 42)  # the least, also in a narrow terminal, and the most of the first column
_GAP = "  "
_LETTERS = {"VERBOSE": "V", "INFO": "I", "WARNING": "W", "ERROR": "E", "FATAL": "F"}


def as_table(
    records: Sequence[SessionRecord], width: int | None = None, rates: Sequence[float] = ()
) -> str:
    """Return the report for people, a line per session, and notes below.

    Lines of sessions are not wider than the terminal. The rates are the runs a second of the first
    sessions; by default, and for others, those since the session was made.
    """
    if not records:
        return "ortcffi top: the program made no session\n"
    headings, lines = _lines(records, rates)
    cells = [headings[1:], *(line.figures for line in lines)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    least, room = _NAME_WIDTHS
    if width is not None:
        room = max(least, min(room, width - sum(widths) - len(_GAP) * len(widths)))
    names = [headings[0], *(line.named(room) for line in lines)]
    table = aligned([(name, *row) for name, row in zip(names, cells, strict=True)])
    return joined([*(line[:width] for line in table), *_all_notes(records)]) + "\n"


def as_json(records: Sequence[SessionRecord]) -> str:
    """Return the report for programs: an object with the lists ``sessions`` and ``sums``.

    The statistics in ``stats`` are strings, by the names that the library gives them.
    """
    sums = [summed(each) for each in _workers(records)]
    document = {"sessions": list(map(_document, records)), "sums": list(map(_document, sums))}
    return json.dumps(document, indent=1) + "\n"


class _Line(NamedTuple):
    first: str
    model: str
    figures: tuple[str, ...]

    def named(self, width: int = 1 << 20) -> str:
        return f"{self.first} {shortened(self.model, width - len(self.first) - 1)}"


def _lines(
    records: Sequence[SessionRecord], rates: Sequence[float] = ()
) -> tuple[tuple[str, ...], list[_Line]]:
    """Get the headings and the lines: of sessions, then of what several processes did together."""
    pairs = list(zip_longest(records, rates[: len(records)]))
    rate_of = {id(record): rate for record, rate in pairs}
    lines = [
        _Line(str(n), _called(record), _figures(record, rate))
        for n, (record, rate) in enumerate(pairs, 1)
    ]
    for workers in _workers(records):
        total, known = summed(workers), [rate_of[id(record)] for record in workers]
        rate = sum(
            record.runs_per_second if rate is None else rate
            for record, rate in zip(workers, known, strict=True)
        )
        lines.append(_Line("sum", _called(total), _figures(total, rate)))
    if len({record.pid for record in records}) < 2:
        return _HEADINGS, lines
    pids = [str(record.pid) for record in records] + ["-"] * (len(lines) - len(records))
    return (_HEADINGS[0], "pid", *_HEADINGS[1:]), [
        line._replace(figures=(pid, *line.figures)) for pid, line in zip(pids, lines, strict=True)
    ]


def _workers(records: Sequence[SessionRecord]) -> list[list[SessionRecord]]:
    """Return the sessions of the same model in several processes."""
    groups: dict[tuple[str, str], list[SessionRecord]] = {}
    for record in records:
        groups.setdefault((record.model, record.kind), []).append(record)
    return [each for each in groups.values() if len({record.pid for record in each}) > 1]


def _called(record: SessionRecord) -> str:
    """Return the model, and the kind of session if it is not the official package's."""
    model = printable(record.model)
    return model if record.kind == OFFICIAL else f"{model} ({record.kind})"


def _figures(record: SessionRecord, rate: float | None = None) -> tuple[str, ...]:
    stats = record.stats
    rate = record.runs_per_second if rate is None else rate
    runs_per_second = scaled(rate, (("k", 1e3), ("", 1.0))).rstrip()
    times = duration(record.quantile(0.5)), duration(record.quantile(0.99))
    sizes = (
        ("-", "-", "-")
        if stats is None
        else (size(stats.bytes_allocated), size(stats.max_memory), size(stats.limit))
    )
    counts = {_LETTERS.get(name, name): count for name, count in dict(record.messages).items()}
    log = " ".join(f"{count}{letter}" for letter, count in sorted(counts.items()))
    return (str(record.runs), runs_per_second, *times, *sizes, log or "-")


def _notes(record: SessionRecord) -> list[str]:
    notes = [record.problem] if record.problem else []
    if record.failures:
        notes.append(f"{record.failures} of {record.runs} runs failed")
    if grown := record.growth():
        what, first, last = grown
        kept = ": the program keeps outputs" if what == "memory in use" else ""
        notes.append(
            f"{what} grew from {size(first)} to {size(last)} in the last half of the runs{kept}"
        )
    return notes


def _all_notes(records: Sequence[SessionRecord]) -> list[str]:
    return [
        f"session {n}: {note}" for n, record in enumerate(records, 1) for note in _notes(record)
    ]


def _document(record: SessionRecord) -> dict[str, Any]:
    names = (
        "model",
        "kind",
        "pid",
        "runs",
        "failures",
        "runs_per_second",
        "total_seconds",
        "problem",
    )
    document: dict[str, Any] = {name: getattr(record, name) for name in (*names, "is_open")}
    quantiles = {"p50_seconds": 0.5, "p99_seconds": 0.99, "worst_seconds": 1.0}
    document |= {name: record.quantile(part) for name, part in quantiles.items()}
    document["messages"] = dict(record.messages)
    document["samples"] = [sample._asdict() for sample in record.samples]
    document["stats"] = dict(record.stats.raw) if record.stats else None
    return document


def shortened(text: str, width: int) -> str:
    """Return the end of a text, with an ellipsis where it is longer."""
    return text if len(text) <= width else f"…{text[len(text) - width + 1 :]}"
