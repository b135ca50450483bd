# SPDX-License-Identifier: MIT
"""What `ortcffi top` knows of each official session."""

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ortcffi.memory.stats import AllocatorStats

__all__ = ["Sample", "SessionRecord"]


class Sample(NamedTuple):
    """The arena of a session at a moment.

    Attributes
    ----------
    seconds : float
        Since the recorder was made.
    in_use, reserved : int
        Bytes in use, and bytes that the arena holds.
    """

    seconds: float
    in_use: int
    reserved: int


@dataclass
class SessionRecord:
    """One official session.

    Attributes
    ----------
    model : str
        The model's path, or how large its bytes were.
    runs, failures : int
        How often it ran, and how often that raised.
    total_seconds, worst_seconds : float
        What the runs took together, and the longest.
    messages : Counter
        Log messages by the name of their severity.
    samples : list of Sample
        The arena over time, the oldest first.
    stats : AllocatorStats or None
        The arena's statistics when they were last read; None where they cannot be read.
    problem : str
        Why they cannot.
    is_open : bool
        Whether the session is still alive.
    """

    model: str
    runs: int = 0
    failures: int = 0
    total_seconds: float = 0.0
    worst_seconds: float = 0.0
    messages: Counter[str] = field(default_factory=Counter)
    samples: list[Sample] = field(default_factory=list)
    stats: "AllocatorStats | None" = None
    problem: str = ""
    is_open: bool = True

    def add_run(self, seconds: float, failed: bool) -> None:
        """Count a run."""
        self.runs += 1
        self.failures += failed
        self.total_seconds += seconds
        # No call stands between reading and writing, where another thread could get in.
        if seconds > self.worst_seconds:  # noqa: PLR1730
            self.worst_seconds = seconds
