# SPDX-License-Identifier: MIT
"""Profiles of sessions and of runs, as the library writes them."""

import json
from typing import Any, NamedTuple

from ortcffi._public import public

__all__ = ["Profile", "ProfileEvent", "read_profile"]


@public
class ProfileEvent(NamedTuple):
    """One event of a `Profile`.

    Attributes
    ----------
    name : str
        What was done, such as ``"model_run"`` or the name of a node and ``"_kernel_time"``.
    category : str
        ``"Session"`` or ``"Node"``.
    start, duration : int
        Microseconds since the profile began, and for how long.
    thread : int
        The thread that did it.
    arguments : dict of str to object
        What else the library tells, such as ``op_name`` and ``provider``.
    """

    name: str
    category: str
    start: int
    duration: int
    thread: int
    arguments: dict[str, Any]


@public
class Profile(NamedTuple):
    """Where the time went.

    Attributes
    ----------
    path : str
        The file that the library wrote, as `chrome://tracing` and Perfetto read it; of a single run
        it is gone.
    events : list of ProfileEvent
        What it tells, in the order of the file.
    """

    path: str
    events: list[ProfileEvent]

    def by_operator(self) -> dict[str, int]:
        """Microseconds spent in the kernels of each operator, the most first."""
        sums: dict[str, int] = {}
        for event in self.events:
            if event.category == "Node" and event.name.endswith("_kernel_time"):
                op = str(event.arguments.get("op_name", "?"))
                sums[op] = sums.get(op, 0) + event.duration
        return dict(sorted(sums.items(), key=lambda pair: -pair[1]))


def read_profile(path: str) -> Profile:
    """Parse a file that the library wrote."""
    with open(path, encoding="utf-8", errors="replace") as file:
        entries = json.load(file)
    events = [
        ProfileEvent(
            entry.get("name", ""),
            entry.get("cat", ""),
            entry.get("ts", 0),
            entry.get("dur", 0),
            entry.get("tid", 0),
            entry.get("args", {}),
        )
        for entry in entries
        if entry.get("ph") == "X"
    ]
    return Profile(path, events)
