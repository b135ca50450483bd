# SPDX-License-Identifier: MIT
"""A host that counts the calls of its slots, and has one of them fail."""

import functools
import gc
from collections import Counter
from collections.abc import Callable
from typing import Any

from ortcffi._native import by_slot, ffi
from ortcffi._table import HIGHEST_VERSION, host_function, of_core
from ortcffi.ep.watched import faults_by_slot, set_faults
from ortcffi.errors import OrtError
from ortcffi.table.api import Api
from ortcffi.table.trace import Trace
from ortcffi.testing.live_objects import left_alive, live_objects


def watched_host(version: int = HIGHEST_VERSION) -> Api:
    """Get a host of the core whose slots note what they make, as ``watch=True`` has it for ops."""
    base = host_function("OrtcoreWatchedBase")(version)
    return of_core(base.GetApi(version), base, version)


@functools.cache
def _with_status() -> frozenset[str]:
    tables = (ffi.typeof(table).fields for table in ("OrtApi", "OrtEpApi"))
    return frozenset(
        name
        for fields in tables
        for name, field in fields
        if field.type.result.cname.startswith("struct OrtStatus")
    ) - {"CreateStatus"}  # with which clients answer that something has failed


class FailingSlots:
    """A host of the core for libraries of execution providers: a trace of a watched one."""

    def __init__(self, version: int = HIGHEST_VERSION) -> None:
        self._figures = ffi.new("OrtcoreFigures*")
        self._trace = Trace(watched_host(version), self._figures)
        self.api = self._trace.api  # what ``Env.register_ep(host=...)`` takes
        self.begin()

    def begin(self, fails: tuple[str, int] | None = None) -> None:
        """Count anew. The n-th call of a slot from here on fails, for ``(slot, n)``."""
        self._before = Counter(by_slot(self._figures.calls))
        self._fails = fails
        set_faults(self._figures, faults_by_slot(None if fails is None else dict([fails])))

    @property
    def calls(self) -> dict[str, int]:
        """How often each slot that can fail was called since `begin`."""
        made = Counter(by_slot(self._figures.calls)) - self._before
        return {slot: count for slot, count in made.items() if slot in _with_status()}

    @property
    def has_failed(self) -> bool:
        """Whether the call that is to fail has been made."""
        return self._fails is not None and self.calls.get(self._fails[0], 0) >= self._fails[1]


def in_turn(calls: dict[str, int]) -> list[tuple[str, int]]:
    """Each call of each slot: the first ones of all slots, then the second ones, and so on."""
    return [
        (slot, number)
        for number in range(1, max(calls.values(), default=0) + 1)
        for slot, count in calls.items()
        if number <= count
    ]


def sweep_failing_slots(call: Callable[[], Any], host: FailingSlots, most: int = 500) -> int:
    """Call a function again and again, with another call of a slot that fails each time.

    The function uses a library on that host. It may raise `OrtError`, or go on without what it
    could not get: anything else is an `AssertionError`, and so are more objects of the core that it
    leaves alive than where nothing fails. `most` calls of slots are to fail: the first of each
    slot, then the second ones, and so on. Returns how many failed.
    """
    __tracebackhide__ = True
    call()
    gc.collect()
    before = live_objects()
    host.begin()
    call()
    gc.collect()
    usual = Counter(left_alive(before))  # a provider has the graphs that it compiled to its end
    failed = 0
    for slot, number in in_turn(host.calls)[:most]:
        gc.collect()
        before = live_objects()
        host.begin((slot, number))
        what = f"call {number} of {slot} failed"
        try:
            call()
        except OrtError:
            pass
        except Exception as error:
            if not host.has_failed:
                raise
            text = f"{what}, and the call raised {type(error).__name__}: {error}"
            raise AssertionError(text) from error
        finally:
            failed += host.has_failed
            host.begin()
        gc.collect()
        if left := Counter(left_alive(before)) - usual:
            kinds = ", ".join(f"{n} of kind {kind!r}" for kind, n in left.items())
            raise AssertionError(f"{what}, after which the call leaves {kinds}")
    return failed
