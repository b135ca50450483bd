# SPDX-License-Identifier: MIT
"""The open sessions of the process, with counts and durations of their runs."""

import os
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple

from ortcffi._native import compiled, lib
from ortcffi._public import aligned, duration, html_table, printable, public, quoted, size
from ortcffi.errors import ErrorCode
from ortcffi.memory.stats import AllocatorStats
from ortcffi.session.limits import arena_stats
from ortcffi.session.session import Session

__all__ = ["Metrics", "SessionMetrics", "count_runs", "metrics", "place_of", "quantile"]
__all__ += ["sessions"]

# Durations are counted by ranges, four for each power of two nanoseconds: as place_of() in
# boundary/session/counts.c.
_FIRST_POWER, _PARTS = 8, 4


def place_of(seconds: float) -> int:
    """The range that a duration is in."""
    nanoseconds = int(seconds * 1e9)
    power = nanoseconds.bit_length() - 1
    if power < _FIRST_POWER:
        return 0
    return (power - _FIRST_POWER) * _PARTS + (nanoseconds >> (power - 2) & _PARTS - 1)


def end_of(place: int) -> float:
    """The nanoseconds that end a range."""
    power, part = divmod(place, _PARTS)
    return (1 << (power + _FIRST_POWER)) * (1 + (part + 1) / _PARTS)


def quantile(counts: Sequence[int], part: float) -> float | None:
    """The seconds within which a part of the runs was done; None where there was no run.

    Parameters
    ----------
    counts : sequence of int
        How many runs were in each range.
    part : float
        From 0 to 1.
    """
    wanted = max(part * sum(counts), 1)
    places = (place for place, count in enumerate(accumulate(counts)) if count >= wanted)
    place = next(places, None)
    return None if place is None else end_of(place) * 1e-9


_ENDINGS = {1: "CANCELLED", 2: "TIMEOUT", 3: "INTERRUPTED", 4: "QUEUE_TIMEOUT"}
_BOUNDS = [1 << power for power in range(10, 36, 2)]  # nanoseconds, of Prometheus's histogram


@public
class SessionMetrics(NamedTuple):
    """Counts and durations of a session's runs, since it was made.

    Attributes
    ----------
    number : int
        1 for the first session that the process made, and so on.
    model : str
        The path of the model; ``"bytes"`` or ``"made in Python"`` where it has none.
    runs : int
        Runs that succeeded.
    running : int
        Runs under way.
    errors : mapping of str to int
        Runs that failed, by the name of the `ErrorCode`; ``"CANCELLED"``, ``"TIMEOUT"`` and
        ``"INTERRUPTED"`` for those that were ended early; ``"QUEUE_TIMEOUT"`` for those that did
        not begin within their timeout; ``"REFUSED"`` for calls whose arguments were wrong. For the
        last two the library was not called. Without those that are 0.
    seconds : float
        What the runs that succeeded took together.
    durations : tuple of int
        How many of them took how long: see `quantile`.
    arena : str or None
        The arena that has the memory of its CPU tensors: a key of `Metrics.arenas`.
    """

    number: int
    model: str
    runs: int
    running: int
    errors: Mapping[str, int]
    seconds: float
    durations: tuple[int, ...]
    arena: str | None

    def __repr__(self) -> str:
        errors = f" errors={dict(self.errors)}" if self.errors else ""
        return f"<SessionMetrics {self.number} {quoted(self.model)} runs={self.runs}{errors}>"

    def quantile(self, part: float) -> float | None:
        """The seconds within which a part of the runs succeeded; None where there was no run.

        Parameters
        ----------
        part : float
            From 0 to 1: 0.5 for the median, 0.99 for the 99th percentile.

        Notes
        -----
        Counted are ranges of durations, four for each power of two, so that the answer is up to
        25 % more than the exact one.
        """
        if not 0 <= part <= 1:
            raise ValueError(f"part must be from 0 to 1, not {part!r}")
        return quantile(self.durations, part)

    @property
    def p50(self) -> float | None:
        """The median of the durations, in seconds."""
        return self.quantile(0.5)

    @property
    def p99(self) -> float | None:
        """The 99th percentile of the durations, in seconds."""
        return self.quantile(0.99)


@public
class Metrics(NamedTuple):
    """The answer of `metrics`: open sessions and their arenas.

    Attributes
    ----------
    sessions : tuple of SessionMetrics
        The sessions that are open, the oldest first.
    arenas : mapping of str to AllocatorStats
        The statistics of each arena once, however many sessions share it: ``"session 1"`` for the
        arena of one session, ``"environment of libonnxruntime"`` for one of an environment, with
        the name of the library's file. That of arenas which were registered later, as by another
        call of `limit_session_memory`, ends with their number.
    """

    sessions: tuple[SessionMetrics, ...]
    arenas: "Mapping[str, AllocatorStats]"

    def prometheus(self) -> str:
        """The text that Prometheus reads, with times in seconds and memory in bytes.

        Examples
        --------
        >>> print(ort.metrics().prometheus().splitlines()[0])
        # HELP ortcffi_run_seconds How long runs took that succeeded.
        """
        return "\n".join(_lines(self)) + "\n"

    def __repr__(self) -> str:
        return f"<Metrics of {len(self.sessions)} sessions and {len(self.arenas)} arenas>"

    def __str__(self) -> str:
        header, rows = _header_and_rows(self)
        return "\n".join(aligned([header, *rows]))

    def _repr_html_(self) -> str:
        return html_table("Metrics", *_header_and_rows(self))


@public
def sessions() -> list[Session]:
    """The open sessions of this process, the oldest first; those of the drop-in among them."""
    found: list[Session] = compiled.open_sessions()
    return found


@public
def metrics() -> Metrics:
    """Return counts and durations of the open sessions' runs, and statistics of their arenas.

    Runs are counted where the library was called for them: those of `Session.run` and its kin, of
    bindings, awaited ones, and those of the drop-in. `count_runs` turns that off.

    Examples
    --------
    >>> for each in ort.metrics().sessions:  # doctest: +SKIP
    ...     print(each.model, each.runs, each.errors, each.p99)
    """
    found, arenas = [], {}
    for session in sessions():
        # In the child of a fork a session may have none yet; to ask would load the model.
        arena = _arena_of(session) if session._is_here() else None
        if arena is not None and arena not in arenas:
            stats = arena_stats(session)
            if stats is not None:
                arenas[arena] = stats
        found.append(_metrics_of(session, arena if arena in arenas else None))
    return Metrics(tuple(found), arenas)


@public
def count_runs(on: bool) -> None:
    """Turn the counting of runs on or off, for all sessions of the process; by default it is on."""
    if not isinstance(on, bool):
        raise TypeError(f"on must be a bool, not {type(on).__name__}")
    lib.ortcffi_count_runs(on)


# --- what is found --------------------------------------------------------------------------------


class Counts(NamedTuple):
    """Counts and durations of a session's runs, as C counts them.

    Attributes
    ----------
    durations : tuple of int
        Runs that succeeded, by the range of their duration.
    errors : dict of str to int
        The others, as `SessionMetrics` has them.
    seconds : float
        What the runs that succeeded took together.
    """

    durations: tuple[int, ...]
    errors: dict[str, int]
    seconds: float


def counts_of(session: Session) -> Counts:
    """The counts of a session, which may be closed."""
    durations, by_code, endings, refused, seconds = session._counts()
    errors = {ErrorCode(code).name: count for code, count in enumerate(by_code) if count}
    errors |= {name: endings[ending] for ending, name in _ENDINGS.items() if endings[ending]}
    errors |= {"REFUSED": refused} if refused else {}
    return Counts(durations, errors, seconds)


def _metrics_of(session: Session, arena: str | None) -> SessionMetrics:
    durations, errors, seconds = counts_of(session)
    model, runs = model_of(session), sum(durations)
    number, running = session._number, session.running
    return SessionMetrics(number, model, runs, running, errors, seconds, durations, arena)


def model_of(session: Session) -> str:
    """What a session was made of: the path of its model, if it has one."""
    source = session._source
    if isinstance(source, (str, os.PathLike)):
        return os.fsdecode(source)
    return "made in Python" if source is None else "bytes"


def _arena_of(session: Session) -> str | None:
    """The name of the arena; None where the options say that there is none."""
    options = session._options
    if options is not None and options.shared_arena:
        place = f"environment of {_short_name(session.api.library)}"
        return place if (session._arena or 0) < 2 else f"{place}, arena {session._arena}"
    return f"session {session._number}" if options is None or options.cpu_arena else None


_short_names: dict[Hashable, str] = {}  # of the libraries that metrics have named


def _short_name(library: Hashable) -> str:
    """The name of a library without folder and version, so that metrics keep it on any machine."""
    if library not in _short_names:
        name, *same = (_stem(each) for each in (library, *_short_names))
        number = same.count(name) + 1
        _short_names[library] = name if number == 1 else f"{name} {number}"
    return _short_names[library]


def _stem(library: Hashable) -> str:
    return os.path.basename(str(library)).partition(".")[0]


# --- as text --------------------------------------------------------------------------------------


def _header_and_rows(found: Metrics) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    header = "session", "runs", "errors", "p50", "p99", "arena"
    rows: list[tuple[str, ...]] = []
    for each in found.sessions:
        stats = found.arenas.get(each.arena or "")
        times = duration(each.p50), duration(each.p99)
        name = f"{each.number} {printable(each.model)}"
        held = size(None if stats is None else stats.bytes_reserved)
        rows.append((name, str(each.runs), str(sum(each.errors.values())), *times, held))
    return header, rows


def _lines(found: Metrics) -> Iterator[str]:
    yield from _head("run_seconds", "histogram", "How long runs took that succeeded.")
    for each in found.sessions:
        labels = _labels(each)
        for bound in _BOUNDS:
            within = sum(n for i, n in enumerate(each.durations) if end_of(i) <= bound)
            yield f'ortcffi_run_seconds_bucket{{{labels},le="{bound * 1e-9:.9g}"}} {within}'
        yield f'ortcffi_run_seconds_bucket{{{labels},le="+Inf"}} {each.runs}'
        yield f"ortcffi_run_seconds_sum{{{labels}}} {each.seconds:.9g}"
        yield f"ortcffi_run_seconds_count{{{labels}}} {each.runs}"
    yield from _head("run_errors_total", "counter", "Runs that failed, by code.")
    for each in found.sessions:
        for code, count in each.errors.items():
            yield f'ortcffi_run_errors_total{{{_labels(each)},code="{code}"}} {count}'
    yield from _head("runs_under_way", "gauge", "Runs under way.")
    for each in found.sessions:
        yield f"ortcffi_runs_under_way{{{_labels(each)}}} {each.running}"
    yield from _head("arena_bytes", "gauge", "Memory of arenas.")
    for arena, stats in found.arenas.items():
        yield from _arena_lines(arena, stats)


def _arena_lines(arena: str, stats: AllocatorStats) -> Iterable[str]:
    parts = {
        "reserved": stats.bytes_reserved,
        "in_use": stats.bytes_allocated,
        "peak": stats.max_memory,
        "limit": stats.limit,
    }
    for part, count in parts.items():
        if count is not None and (part != "limit" or count > 0):
            yield f'ortcffi_arena_bytes{{arena="{_escaped(arena)}",part="{part}"}} {count}'


def _head(name: str, kind: str, text: str) -> tuple[str, str]:
    return f"# HELP ortcffi_{name} {text}", f"# TYPE ortcffi_{name} {kind}"


def _labels(each: SessionMetrics) -> str:
    return f'session="{each.number}",model="{_escaped(each.model)}"'


def _escaped(text: str) -> str:
    text = text.encode(errors="backslashreplace").decode()  # a path need not be UTF-8
    return text.replace("\\", r"\\").replace("\n", r"\n").replace('"', r"\"")
