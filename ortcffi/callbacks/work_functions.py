# SPDX-License-Identifier: MIT
"""Functions in Python that a library's threads call around their work."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ortcffi._convert import callable_or_none
from ortcffi._native import address_of, address_of_function, ffi
from ortcffi.callbacks.from_c import (
    Context,
    called_from_c,
    find,
    forget,
    remember,
    report_exception,
)

if TYPE_CHECKING:
    from ortcffi._ort import Cdata

__all__ = ["WorkFunctions"]

EVENTS = ("started", "stopped", "abandoned")
_C_NAMES = ("enqueued", *EVENTS)


class _Subject:
    """The functions that C knows by a number."""

    __slots__ = ("called", "enqueued")

    def __init__(
        self,
        enqueued: Callable[[], object] | None,
        called: tuple[Callable[[Any], object] | None, ...],
    ) -> None:
        self.enqueued = enqueued
        self.called = called


class WorkFunctions:
    """The functions around work. C can call them as long as this object lives."""

    __slots__ = ("_context", "_given")

    def __init__(
        self,
        enqueued: Callable[[], object] | None,
        *called: Callable[[Any], object] | None,
    ) -> None:
        self._given = (enqueued, *called)
        for name, function in zip(_C_NAMES, self._given, strict=True):
            callable_or_none(name, function)
        self._context = Context(_Subject(enqueued, called))

    def struct(self, version: int) -> Any:
        """The C struct for a library of that API version, which copies it.

        It has all four functions: each work must end.
        """
        functions = [address_of_function(f"ortcffi_work_{name}") for name in _C_NAMES]
        values = (version, *functions, self._context.pointer)
        return ffi.new("OrtThreadPoolCallbacksConfig*", values)


_REPORT = "a function around the work of threads"


@called_from_c("ortcffi_python_enqueued", report_exception(_REPORT, ffi.NULL))
def _enqueued(context: "Cdata") -> "Cdata":
    """Work was put into a queue. The answer is passed to the other functions for that work."""
    subject: _Subject | None = find(context)
    made = None if subject is None or subject.enqueued is None else subject.enqueued()
    return ffi.cast("void*", remember((made,)))


@called_from_c("ortcffi_python_work", report_exception(_REPORT))
def _work(context: "Cdata", event: int, data: "Cdata") -> None:
    """One of `EVENTS` happened to work."""
    subject: _Subject | None = find(context)
    known = find(data) if event == 0 else forget(address_of(data))
    function = None if subject is None else subject.called[event]
    if function is not None:
        function(known[0] if known else None)
