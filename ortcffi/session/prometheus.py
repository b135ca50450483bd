# SPDX-License-Identifier: MIT
"""The counts of all models and workers as Prometheus has them.

Families and samples have the attributes that the package prometheus_client reads, which is not
imported.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from ortcffi.session.series import BATCH_WAITS, BYTES, ROWS, RUNS, WAITS, Series, end_of, errors_of

if TYPE_CHECKING:
    from ortcffi.memory.stats import AllocatorStats

_BOUNDS = [1 << power for power in range(10, 36, 2)]  # nanoseconds
_UNITS = {ROWS: 1024, BYTES: 1}  # nanoseconds, as C counts a row and a byte
_HISTOGRAMS = {
    RUNS: ("run_seconds", "How long runs took that succeeded."),
    WAITS: ("wait_seconds", "How long awaited runs waited for a thread."),
    BATCH_WAITS: ("batch_wait_seconds", "How long calls of a Batcher waited for their run."),
    ROWS: ("batch_rows", "Rows of the runs that a Batcher made."),
    BYTES: ("input_bytes", "Bytes of the input tensors of runs that succeeded."),
}


class Sample(NamedTuple):
    """A value, as ``prometheus_client.samples.Sample``."""

    name: str
    labels: dict[str, str]
    value: float
    timestamp: None = None
    exemplar: None = None
    native_histogram: None = None


class Family(NamedTuple):
    """Samples of a kind, as ``prometheus_client.Metric``."""

    name: str
    type: str
    documentation: str
    samples: list[Sample]
    unit: str = ""


def families(
    found: Iterable[Series], arenas: "Mapping[str, AllocatorStats] | None" = None
) -> Iterator[Family]:
    """Yield the families of some series, and of the arenas of this process."""
    labelled = [(_labels(model=each.model, worker=each.worker), each) for each in found]
    for which, (ending, text) in _HISTOGRAMS.items():
        name = f"ortcffi_{ending}"
        samples = [s for labels, each in labelled for s in _histogram(name, labels, each, which)]
        yield Family(name, "histogram", text, samples)
    samples = [
        Sample("ortcffi_run_errors_total", {**labels, "code": code}, count)
        for labels, each in labelled
        for code, count in errors_of(each.counts).items()
    ]
    yield Family("ortcffi_run_errors", "counter", "Runs that failed, by code.", samples)
    name = "ortcffi_runs_under_way"
    alive = [(labels, each.counts[-1]) for labels, each in labelled if each.alive]
    samples = [Sample(name, labels, max(running, 0)) for labels, running in alive]
    yield Family(name, "gauge", "Runs under way.", samples)
    name = "ortcffi_arena_bytes"
    samples = list(_arenas(name, arenas or {}))
    yield Family(name, "gauge", "Memory of arenas of the worker that answers.", samples)


def _histogram(name: str, labels: dict[str, str], each: Series, which: int) -> Iterator[Sample]:
    parts, total = each.counts[0][which]
    runs = sum(parts)
    for bound in _BOUNDS:
        within = sum(n for i, n in enumerate(parts) if n and end_of(i) <= bound)
        end = f"{bound / _UNITS[which]:.12g}" if which in _UNITS else f"{bound * 1e-9:.9g}"
        yield Sample(f"{name}_bucket", {**labels, "le": end}, within)
    yield Sample(f"{name}_bucket", {**labels, "le": "+Inf"}, runs)
    yield Sample(f"{name}_sum", labels, _number(which, total, runs) if which in _UNITS else total)
    yield Sample(f"{name}_count", labels, runs)


def _number(which: int, total: float, runs: int) -> int:
    """Return how many rows or bytes were counted as a time."""
    return round(total * 1e9 / _UNITS[which] + runs / 2)


def _arenas(name: str, arenas: "Mapping[str, AllocatorStats]") -> Iterator[Sample]:
    worker = str(os.getpid())
    for arena, stats in arenas.items():
        parts = {
            "reserved": stats.bytes_reserved,
            "in_use": stats.bytes_allocated,
            "peak": stats.max_memory,
            "limit": stats.limit or None,
        }
        for part, count in parts.items():
            if count is not None and count >= 0:
                yield Sample(name, _labels(arena=arena, part=part, worker=worker), count)


def _labels(**labels: str) -> dict[str, str]:
    """Return the labels, of paths that need not be UTF-8."""
    return {name: x.encode(errors="backslashreplace").decode() for name, x in labels.items()}


def text_of(found: Iterable[Family]) -> str:
    """Return the text that Prometheus reads."""
    lines = []
    for family in found:
        name = f"{family.name}_total" if family.type == "counter" else family.name
        lines += [f"# HELP {name} {family.documentation}", f"# TYPE {name} {family.type}"]
        for sample in family.samples:
            labels = ",".join(f'{key}="{_escaped(x)}"' for key, x in sample.labels.items())
            lines.append(f"{sample.name}{{{labels}}} {sample.value}")
    return "\n".join(lines) + "\n"


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace("\n", r"\n").replace('"', r"\"")
