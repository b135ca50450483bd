# SPDX-License-Identifier: MIT
"""How long runs took: counts of ranges of durations, four for each power of two nanoseconds."""

from collections.abc import Sequence
from itertools import accumulate

__all__ = ["end_of", "place_of", "quantile"]

# As place_of() in boundary/session/counts.c.
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
