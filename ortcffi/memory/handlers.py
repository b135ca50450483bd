# SPDX-License-Identifier: MIT
"""Adaptors that call a function in Python: `Logging` and `Limiting`."""

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from ortcffi._convert import byte_count, integer
from ortcffi._native import address_of, compiled, ffi, lib
from ortcffi._public import public
from ortcffi.callbacks.from_c import called_from_c, report_exception
from ortcffi.memory.adaptors import Adaptor
from ortcffi.memory.blocks import Limits

if TYPE_CHECKING:
    from collections.abc import Callable

    from ortcffi._ort import Cdata
    from ortcffi.memory.allocator import Allocator

# Allocators whose handlers are running, by thread: a handler may allocate from its own allocator.
_running = threading.local()


@contextmanager
def handler_at(context: "Cdata") -> Iterator[Any]:
    """Yield the allocator at an address, or None if its handler is running already."""
    busy = vars(_running).setdefault("busy", set())
    if context in busy:
        yield None
        return
    busy.add(context)
    try:
        yield compiled.object_at(address_of(context))
    finally:
        busy.discard(context)


@public
class Logging(Adaptor):
    """Logs each allocation, refusal and free.

    Parameters
    ----------
    logger : logging.Logger, optional
        By default ``logging.getLogger("ortcffi.memory")``.
    level : int, optional
        The level of the records; refusals are warnings at least. Each record has the attributes
        ``event`` (``"allocated"``, ``"refused"`` or ``"freed"``), ``address``, and ``size`` in
        bytes. What a handler itself allocates from this allocator is not logged.
    """

    __slots__ = ("_level", "_logger")

    EVENTS = ("allocated", "refused", "freed")

    def __init__(
        self, inner: "Allocator", logger: logging.Logger | None = None, level: int = logging.DEBUG
    ) -> None:
        if logger is not None and not isinstance(logger, logging.Logger | logging.LoggerAdapter):
            raise TypeError(f"logger must be a logging.Logger, not {type(logger).__name__}")
        self._refuse_again()
        self._logger = logger or logging.getLogger("ortcffi.memory")
        self._level = integer("level", level)
        super().__init__(inner, partial(_create_observing, self))

    def _observe(self, event: int, block: Any, size: int) -> None:
        name = self.EVENTS[event]
        level = max(self._level, logging.WARNING) if name == "refused" else self._level
        if self._logger.isEnabledFor(level):
            address = address_of(block)
            extra = {"event": name, "address": address, "size": size}
            self._logger.log(level, "%s %d bytes at 0x%x", name, size, address, extra=extra)


def _create_observing(observer: Logging, inner: Any, out: Any) -> Any:
    return lib.ortcffi_observing(inner, ffi.cast("void*", id(observer)), out)


@called_from_c("ortcffi_python_observe", report_exception("the observe of an allocator"))
def _observe(context: "Cdata", event: int, block: "Cdata", size: int) -> None:
    with handler_at(context) as logging_allocator:
        if logging_allocator is not None:
            logging_allocator._observe(event, block, size)


@public
class Limiting(Adaptor):
    """Refuses blocks that would bring the bytes in use above a limit.

    Threads keep a little of the limit in reserve, each at most a 1024th of it and at most 64 KiB,
    so that with several of them a block may be refused that much early for each other thread.

    Parameters
    ----------
    limit : int or str
        Bytes, as asked for: what the allocators inside need beside does not count.
    soft : bool, optional
        Whether to grant blocks above the limit as well and only count them. A soft limit never is
        the reason why there is no block, so it may stand in an environment of ONNX Runtime.
    on_excess : callable, optional
        Only with `soft`. Called as ``on_excess(limiting, size)`` for each block that leaves more
        bytes in use than the limit, on the thread that takes it. It may allocate; what it takes
        from this allocator itself is counted but not reported. Exceptions go to
        ``sys.unraisablehook``. Arrays and values in this memory keep it alive, and the garbage
        collector does not see it: what it leads to is never freed if one of them is among that.

    Examples
    --------
    >>> from ortcffi import core_api
    >>> small = Limiting(core_api().default_allocator, 1 << 20)
    >>> try:
    ...     small.empty(1 << 21, "u1")
    ... except MemoryError as error:
    ...     print(str(error).split("; ")[1])
    the limit is 1048576 bytes, and 0 are in use
    >>> watched = Limiting(core_api().default_allocator, 1 << 20, soft=True)
    >>> x = watched.empty(1 << 21, "u1")
    >>> watched.excesses, watched.max_excess
    (1, 1048576)
    """

    __slots__ = ("limit", "on_excess", "soft")

    def __init__(
        self,
        inner: "Allocator",
        limit: int | str,
        *,
        soft: bool = False,
        on_excess: "Callable[[Limiting, int], object] | None" = None,
    ) -> None:
        self._refuse_again()
        if on_excess is not None and not soft:
            raise ValueError("on_excess needs soft=True: a hard limit is never exceeded")
        if on_excess is not None and not callable(on_excess):
            raise TypeError(f"on_excess must be callable, not {type(on_excess).__name__}")
        self.limit = byte_count("limit", limit)
        self.soft = bool(soft)
        self.on_excess = on_excess
        super().__init__(inner, partial(_create_limiting, self))

    @property
    def excesses(self) -> int:
        """Blocks that were granted above a soft limit."""
        return int(lib.core_limiting_excesses(self.handle).count)

    @property
    def max_excess(self) -> int:
        """The most bytes that were in use above a soft limit."""
        return int(lib.core_limiting_excesses(self.handle).largest)

    def _limits(self) -> Limits:
        # A closed one still limits those around it.
        address = ffi.cast("OrtAllocator*", self._handle_address)
        if self.soft or not address:
            return super()._limits()
        return [(self.limit, int(lib.core_limiting_in_use(address))), *super()._limits()]

    def _null_answers(self) -> str:
        return super()._null_answers() if self.soft else "a Limiting allocator"


def _create_limiting(limiting: Limiting, inner: Any, out: Any) -> Any:
    if limiting.soft:
        callee = ffi.cast("void*", 0 if limiting.on_excess is None else id(limiting))
        return lib.ortcffi_soft_limiting(inner, limiting.limit, callee, out)
    return lib.core_create_limiting(inner, limiting.limit, out)


@called_from_c("ortcffi_python_excess", report_exception("the on_excess of a Limiting"))
def _exceeded(context: "Cdata", size: int) -> None:
    with handler_at(context) as limiting:
        if limiting is not None:
            limiting.on_excess(limiting, size)
