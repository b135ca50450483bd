# SPDX-License-Identifier: MIT
"""A host that counts the calls of its slots, and has one of them fail."""

import gc
from collections import Counter
from collections.abc import Callable
from typing import Any

from ortcffi._native import ffi
from ortcffi._table import HIGHEST_VERSION, core_api, of_core
from ortcffi.errors import ErrorCode, OrtError
from ortcffi.kernels.host import host_function
from ortcffi.testing.live_objects import left_alive, live_objects

__all__ = ["FailingSlots", "in_turn", "sweep_failing_slots"]

_NEVER = {"CreateStatus", "GetErrorCode"}  # with which a client answers that something has failed


class FailingSlots:
    """A host of the core for libraries of execution providers.

    Its tables, `OrtApi` and `OrtEpApi`, are the core's, in which Python stands before each function
    that answers a status. They note what they make, as those of ``CustomOpLibrary(watch=True)``.

    Attributes
    ----------
    api : Api
        What ``Env.register_ep(host=...)`` takes.
    calls : Counter
        How often each slot was called since `begin`.
    has_failed : bool
        Whether the call that is to fail has been made.
    """

    def __init__(self, version: int = HIGHEST_VERSION) -> None:
        self.calls = Counter[str]()
        self.has_failed = False
        self._fails: tuple[str, int] | None = None
        self._kept: list[Any] = []
        base = host_function("OrtcoreWatchedBase")(version)
        inner = base.GetApi(version)
        self._create_status: Any = core_api().pointer.CreateStatus  # of no client
        table = self._copy("OrtApi", inner)
        ep_table = self._copy("OrtEpApi", inner.GetEpApi())
        self._put(table, "GetEpApi", lambda: ep_table)
        mine = ffi.new("OrtApiBase*", base[0])
        self._put(mine, "GetApi", lambda asked: table if 1 <= asked <= version else ffi.NULL)
        self._kept.append(mine)
        self.api = of_core(table, mine, version)
        vars(self.api)["_keeps"] = self._kept  # whatever has the table calls these functions

    def begin(self, fails: tuple[str, int] | None = None) -> None:
        """Count anew. The n-th call of a slot from here on fails, for ``(slot, n)``."""
        self.calls.clear()
        self.has_failed, self._fails = False, fails

    def _copy(self, kind: str, inner: Any) -> Any:
        table = ffi.new(f"{kind}*", inner[0])
        self._kept.append(table)
        for name, _ in ffi.typeof(kind).fields:
            function = getattr(inner, name)
            result = ffi.typeof(function).result.cname
            if result.startswith("struct OrtStatus") and name not in _NEVER:
                self._put(table, name, self._before(name, function))
        return table

    def _put(self, table: Any, name: str, function: Callable[..., Any]) -> None:
        pointer = ffi.callback(ffi.typeof(getattr(table, name)), function)
        self._kept.append(pointer)
        setattr(table, name, pointer)

    def _before(self, name: str, function: Any) -> Callable[..., Any]:
        def answer(*arguments: Any) -> Any:
            self.calls[name] += 1
            if self._fails == (name, self.calls[name]):
                self.has_failed = True
                text = f"{name} was made to fail".encode()
                return self._create_status(ErrorCode.FAIL, text)
            return function(*arguments)

        return answer


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

    Parameters
    ----------
    call : callable
        What is tested. It may raise `OrtError`, or go on without what it could not get.
    host : FailingSlots
        The host of the library that it uses.
    most : int, optional
        How many calls of slots are to fail: the first of each slot, then the second ones, ...

    Returns
    -------
    int
        How many failed.

    Raises
    ------
    AssertionError
        The function raised something else, or left more objects of the core alive than it does
        where nothing fails.
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
    for slot, number in in_turn(dict(host.calls))[:most]:
        gc.collect()
        before = live_objects()
        host.begin((slot, number))
        what = f"call {number} of {slot} failed"
        try:
            call()
        except OrtError:
            pass
        except Exception as error:
            raise AssertionError(f"{what}, and {type(error).__name__} was raised") from error
        finally:
            failed += host.has_failed
            host.begin()
        gc.collect()
        if left := Counter(left_alive(before)) - usual:
            kinds = ", ".join(f"{n} of kind {kind!r}" for kind, n in left.items())
            raise AssertionError(f"{what}, after which the call leaves {kinds}")
    return failed
