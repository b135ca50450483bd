# SPDX-License-Identifier: MIT
"""The open sessions of the process, with counts and durations of their runs."""

import os
from collections.abc import Hashable, Iterable, Mapping
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from ortcffi._public import aligned, duration, html_table, printable, public, quoted, size
from ortcffi.session.compiled import open_sessions
from ortcffi.session.limits import arena_stats
from ortcffi.session.series import RUNS, all_series, counts_in, end_of, errors_of, model_of
from ortcffi.session.session import Session

if TYPE_CHECKING:
    from ortcffi.memory.stats import AllocatorStats
    from ortcffi.session.prometheus import Family

__all__ = ["Metrics", "SessionMetrics", "metrics", "model_of", "sessions"]


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
        not begin within their timeout, ``"OVERLOADED"`` where more than ``max_waiting`` waited;
        ``"REFUSED"`` for calls whose arguments were wrong. For the last three the library was not
        called. Without those that are 0.
    seconds : float
        What the runs that succeeded took together, without waiting for a thread.
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
        """Get the seconds within which a part of the runs succeeded; None where there was no run.

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
        wanted = max(part * sum(self.durations), 1)
        counts = enumerate(accumulate(self.durations))
        place = next((place for place, count in counts if count >= wanted), None)
        return None if place is None else end_of(place) * 1e-9

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
        """Return the text that Prometheus reads, with times in seconds and memory in bytes.

        Its counts are those of each model since the process began, whatever sessions it had, as
        they are now. If the environment has ``PROMETHEUS_MULTIPROC_DIR``, the text has the counts
        of all workers with that variable.

        Examples
        --------
        >>> print(ort.metrics().prometheus().splitlines()[0])
        # HELP ortcffi_run_seconds How long runs took that succeeded.
        """
        from ortcffi.session.prometheus import text_of

        return text_of(self.collect())

    def collect(self) -> "Iterable[Family]":
        """Collect for prometheus_client: ``REGISTRY.register(ort.metrics())``."""
        from ortcffi.session.prometheus import families

        return families(all_series(), metrics().arenas)

    def describe(self) -> "Iterable[Family]":
        """Return the names of what `collect` gives."""
        from ortcffi.session.prometheus import families

        return families([])

    def __hash__(self) -> int:  # a registry of collectors needs it
        return hash(tuple(each.number for each in self.sessions))

    def __repr__(self) -> str:
        return f"<Metrics of {len(self.sessions)} sessions and {len(self.arenas)} arenas>"

    def __str__(self) -> str:
        header, rows = _header_and_rows(self)
        return "\n".join(aligned([header, *rows]))

    def _repr_html_(self) -> str:
        return html_table("Metrics", *_header_and_rows(self))


@public
def sessions() -> list[Session]:
    """Get the open sessions of this process, the oldest first; those of the drop-in among them."""
    found: list[Session] = open_sessions()
    return found


@public
def metrics() -> Metrics:
    """Return counts and durations of the open sessions' runs, and statistics of their arenas.

    Runs are counted where the library was called for them: those of `Session.run` and its kin, of
    bindings, awaited ones, and those of the drop-in.

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
        counts = counts_in(session._counts())
        durations, seconds = counts[0][RUNS]
        facts = session._number, model_of(session), sum(durations), session.running
        shown = arena if arena in arenas else None
        found.append(SessionMetrics(*facts, errors_of(counts), seconds, durations, shown))
    return Metrics(tuple(found), arenas)


# --- what is found --------------------------------------------------------------------------------


def _arena_of(session: Session) -> str | None:
    options = session._options
    if options is not None and options.shared_arena:
        place = f"environment of {_short_name(session.api.library)}"
        return place if (session._arena or 0) < 2 else f"{place}, arena {session._arena}"
    return f"session {session._number}" if options is None or options.cpu_arena else None


_short_names: dict[Hashable, str] = {}  # of the libraries that metrics have named


def _short_name(library: Hashable) -> str:
    """Return the name of a library without folder and version, the same on any machine."""
    if library not in _short_names:
        paths = map(str, (library, *_short_names))
        name, *same = (os.path.basename(path).partition(".")[0] for path in paths)
        number = same.count(name) + 1
        _short_names[library] = name if number == 1 else f"{name} {number}"
    return _short_names[library]


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
