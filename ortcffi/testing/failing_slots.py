# SPDX-License-Identifier: MIT
"""A host that counts the calls of its slots, and has one of them fail."""

import functools
from collections import Counter
from typing import TYPE_CHECKING

from ortcffi._native import by_slot, ffi
from ortcffi._table import HIGHEST_VERSION, host_function, of_core
from ortcffi.ep.watched import faults_by_slot, set_faults
from ortcffi.table.trace import Trace

if TYPE_CHECKING:
    from ortcffi.table.api import Api


def watched_host(version: int = HIGHEST_VERSION) -> "Api":
    """Get a host of the core whose slots note what they make, as ``watch=True`` has it for ops."""
    base = host_function("OrtcoreWatchedBase")(version)
    return of_core(base.GetApi(version), base, version)


@functools.cache
def _with_status() -> frozenset[str]:
    """Return the slots that can fail."""
    tables = (ffi.typeof(table).fields for table in ("OrtApi", "OrtEpApi"))
    return frozenset(
        name
        for fields in tables
        for name, field in fields
        if field.type.result.cname.startswith("struct OrtStatus")
    ) - {"CreateStatus"}  # with which clients answer that something has failed


class FailingSlots:
    """A host of the core for libraries of execution providers: a trace of a watched one.

    Attributes
    ----------
    api : Api
        What ``Env.register_ep(host=...)`` takes.
    """

    def __init__(self, version: int = HIGHEST_VERSION) -> None:
        self._figures = ffi.new("OrtcoreFigures*")
        self._trace = Trace(watched_host(version), self._figures)
        self.api = self._trace.api
        self.begin()

    def begin(self, fails: tuple[str, int] | None = None) -> None:
        """Count anew. The n-th call of a slot from here on fails, for ``(slot, n)``."""
        self._before = Counter(by_slot(self._figures.calls))
        set_faults(self._figures, faults_by_slot(None if fails is None else dict([fails])))

    @property
    def calls(self) -> dict[str, int]:
        """How often each slot that can fail was called since `begin`."""
        made = Counter(by_slot(self._figures.calls)) - self._before
        return {slot: count for slot, count in made.items() if slot in _with_status()}


def in_turn(calls: dict[str, int]) -> list[tuple[str, int]]:
    """Each call of each slot: the first ones of all slots, then the second ones, and so on."""
    return [
        (slot, number)
        for number in range(1, max(calls.values(), default=0) + 1)
        for slot, count in calls.items()
        if number <= count
    ]
