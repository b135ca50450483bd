# SPDX-License-Identifier: MIT
"""Profiles of sessions and of runs, as the library writes them."""

import os
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from ortcffi._public import public
from ortcffi.errors import NotImplemented
from ortcffi.options.run_options import RunOptions

if TYPE_CHECKING:
    from ortcffi.session.session import Session


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
        Further facts that the library gives, such as ``op_name`` and ``provider``.
    """

    name: str
    category: str
    start: int
    duration: int
    thread: int
    arguments: dict[str, Any]


@public
class OperatorTime(int):
    """Microseconds spent in the kernels of an operator.

    Attributes
    ----------
    count : int
        How often its kernels ran.
    share : float
        Its part of the time of all kernels, between 0 and 1.
    """

    count: int
    share: float

    def __new__(cls, time: int, count: int = 0, share: float = 0.0) -> Self:
        """Return the number alone suffices: a copy gets the attributes afterwards."""
        self = super().__new__(cls, time)
        self.count, self.share = count, share
        return self


@public
class Profile(NamedTuple):
    """The events of a profile: what took how long.

    Attributes
    ----------
    path : str
        The file that the library wrote, as `chrome://tracing` and Perfetto read it; of single runs
        it is gone.
    events : list of ProfileEvent
        The events in the order of the file, run after run if there were several.
    """

    path: str
    events: list[ProfileEvent]

    def by_operator(self) -> dict[str, OperatorTime]:
        """Microseconds spent in the kernels of each operator, the most first."""
        times: dict[str, list[int]] = {}
        for event in self.events:
            if event.category == "Node" and event.name.endswith("_kernel_time"):
                op = str(event.arguments.get("op_name", "?"))
                times.setdefault(op, []).append(event.duration)
        whole = sum(map(sum, times.values())) or 1
        found = [
            (op, OperatorTime(sum(each), len(each), sum(each) / whole))
            for op, each in times.items()
        ]
        return dict(sorted(found, key=lambda pair: -pair[1]))

    def __repr__(self) -> str:
        most = [f"{op} {time.share:.0%}" for op, time in self.by_operator().items()][:3]
        return f"<Profile {', '.join([f'{len(self.events)} events', *most])}: {self.path}>"


def read_profile(path: str) -> Profile:
    """Parse a file that the library wrote."""
    import json

    with open(path, encoding="utf-8", errors="replace") as file:
        entries = json.load(file)
    facts = {"name": "", "cat": "", "ts": 0, "dur": 0, "tid": 0, "args": {}}
    kept = (facts | entry for entry in entries if entry.get("ph") == "X")
    return Profile(path, [ProfileEvent(*map(entry.get, facts)) for entry in kept])


def profiled_run(
    session: "Session", /, *arguments: Any, **settings: Any
) -> tuple[list[Any], Profile]:
    """Return the outputs of a run and its profile, as `Session.run_profiled` describes."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        with RunOptions(session.api, profiling=os.path.join(folder, "run")) as options:
            results = session.run(*arguments, options=options, **settings)
        paths = [os.path.join(folder, name) for name in os.listdir(folder)]
        if not paths:
            raise NotImplemented(f"{session.api} writes no profile of a run", "Run")
        return results, read_profile(paths[0])
