# SPDX-License-Identifier: MIT
"""`Logging`: an allocator that logs each request."""

import logging
from functools import partial
from typing import TYPE_CHECKING, Any

from ortcffi._convert import integer
from ortcffi._native import address_of, ffi, lib
from ortcffi._public import public
from ortcffi.callbacks.from_c import called_from_c, report_exception
from ortcffi.memory.adaptors import Adaptor
from ortcffi.memory.handlers import handler_at

if TYPE_CHECKING:
    from ortcffi._ort import Cdata
    from ortcffi.memory.allocator import Allocator

__all__ = ["Logging"]


@public
class Logging(Adaptor):
    """Logs each allocation, refusal and free.

    Parameters
    ----------
    inner : Allocator
        Where the memory comes from.
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
