# SPDX-License-Identifier: MIT
"""The records of sessions that `ortcffi top` reports."""

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, NamedTuple

from ortcffi.session.series import place_of, quantile

if TYPE_CHECKING:
    from ortcffi.memory.stats import AllocatorStats

OFFICIAL = "official"
_RANGES = 116  # of durations: the last one ends after 137 seconds


class Sample(NamedTuple):
    """The arena of a session at a moment."""

    seconds: float  # since the recorder was made
    in_use: int  # bytes, as the next
    reserved: int
    runs: int = 0  # that there were before


@dataclass
class SessionRecord:
    """One session."""

    model: str  # its path, or how large its bytes were
    kind: str = OFFICIAL  # or "drop-in", or "Session"
    began: float = 0.0  # seconds since the recorder was made, as the next
    seen: float = 0.0  # when it was last looked at while it was alive
    durations: Sequence[int] = ()  # how many runs succeeded, by the range of their duration
    failures: int = 0
    total_seconds: float = 0.0  # of all runs
    messages: Counter[str] = field(default_factory=Counter)  # by the name of their severity
    samples: list[Sample] = field(default_factory=list)  # the oldest first
    stats: "AllocatorStats | None" = None  # when they were last read
    problem: str = ""  # why they cannot be read
    is_open: bool = True
    pid: int | None = field(default_factory=os.getpid)  # None for a sum of several processes

    def __post_init__(self) -> None:
        self._before: SessionRecord | None = None  # what it had when this process was forked
        self._counted = [0] * _RANGES  # what add_run counts
        self.durations = self.durations or self._counted

    @property
    def is_made_here(self) -> bool:
        """Whether this process made it, rather than one that it is a fork of."""
        return self._before is None

    @property
    def runs(self) -> int:
        """How often it ran."""
        return sum(self.durations) + self.failures

    @property
    def runs_per_second(self) -> float:
        """Runs for each second that it was seen alive; 0 where that was too short."""
        alive = self.seen - self.began
        return self.runs / alive if alive > 0 else 0.0

    def quantile(self, part: float) -> float | None:
        """Return the seconds within which a part of the runs succeeded, up to 25 % too many."""
        return quantile(self.durations, part)

    def add_run(self, seconds: float, failed: bool) -> None:
        """Count a run."""
        self.total_seconds += seconds
        if failed:
            self.failures += 1
        else:
            self._counted[min(place_of(seconds), _RANGES - 1)] += 1

    def begin_in_fork(self, now: float) -> None:
        """Leave what it did so far to the parent of this process."""
        self.samples.clear()
        self.messages.clear()
        self._before = replace(self, durations=tuple(self.durations))
        self.began, self.pid = now, os.getpid()

    def of_process(self) -> "SessionRecord":
        """Return a copy with what it did in this process."""
        before = self._before or SessionRecord("")
        return replace(
            self,
            durations=_added(self.durations, [-count for count in before.durations]),
            failures=self.failures - before.failures,
            total_seconds=self.total_seconds - before.total_seconds,
            samples=list(self.samples),
            messages=Counter(self.messages),
        )

    def growth(self) -> tuple[str, int, int] | None:
        """Return what grew in the second half of the runs, and from how much to how much.

        What grows in the first runs is what the model needs. ``"memory in use"`` grows where the
        program keeps outputs; its least is looked at, which is what no run uses.
        """
        late = [sample for sample in self.samples if 2 * sample.runs >= self.samples[-1].runs > 0]
        before, after = late[: len(late) // 2], late[len(late) // 2 :]
        if len(before) < _LEAST_SAMPLES:
            return None
        kept = [min(sample.in_use for sample in each) for each in (before, after)]
        held = [max(sample.reserved for sample in each) for each in (before, after)]
        for what, (first, last) in (("memory in use", kept), ("the arena", held)):
            if last > first * _GROWTH:
                return what, first, last
        return None


def summed(records: Sequence[SessionRecord]) -> SessionRecord:
    """Get what sessions of several processes did together; the most that each used, at any time."""
    first, stats = records[0], [record.stats for record in records if record.stats is not None]
    figures = ("bytes_allocated", "max_memory", "limit")
    sums: dict[str, Any] = {name: _sum(getattr(each, name) for each in stats) for name in figures}
    return replace(
        first,
        pid=None,
        began=min(record.began for record in records),
        seen=max(record.seen for record in records),
        durations=_added(*(record.durations for record in records)),
        failures=sum(record.failures for record in records),
        total_seconds=sum(record.total_seconds for record in records),
        messages=sum((record.messages for record in records), Counter()),
        samples=[],
        stats=stats[0]._replace(**sums) if stats else None,
        problem="",
        is_open=any(record.is_open for record in records),
    )


def _added(*counts: Sequence[int]) -> list[int]:
    return [sum(each) for each in zip_longest(*counts, fillvalue=0)]


def _sum(figures: Iterable[int | None]) -> int | None:
    known = [figure for figure in figures if figure is not None]
    return sum(known) if known else None


_GROWTH = 1.1  # from which on it is named
_LEAST_SAMPLES = 2  # on each side
