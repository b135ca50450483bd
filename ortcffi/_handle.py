# SPDX-License-Identifier: MIT
"""What all objects share that stand for an object of the C API."""

from collections.abc import Callable
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from ortcffi._native import ffi, lib
from ortcffi._public import public
from ortcffi.errors import fail

if TYPE_CHECKING:
    from ortcffi.table.api import Api


@public
class Handle:
    """An object of the C API, owned or borrowed.

    An owned one is released by `close`, at the end of a ``with`` block, or at the latest when the
    Python object goes. A borrowed one belongs to another object, which it keeps alive.

    Attributes
    ----------
    api : Api
        The table that the object belongs to. No other table may be given it.
    """

    __slots__ = ("__weakref__", "_handle", "_lender", "_owned", "api")

    api: "Api"

    def __init__(
        self,
        api: "Api",
        handle: Any,
        *,
        release: Callable[[Any, Any], None] | None = None,
        lender: object = None,
    ) -> None:
        self.api = api
        self._lender = lender
        self._owned = release is not None
        # The destructor refers to the table, which stays; a reference to the Api would be a cycle.
        self._handle = ffi.gc(handle, partial(release, api.pointer)) if release else handle

    @property
    def handle(self) -> Any:
        """The cdata to pass to functions of ``lib``; `ValueError` after `close`."""
        if self._handle is None:
            raise ValueError(f"this {type(self).__name__} is closed")
        return self._handle

    def _call(self, slot: str, *arguments: Any) -> None:
        """Call a function of the table on this object."""
        handle = self.handle
        self.api.require(slot)
        if status := getattr(lib, slot)(self.api.pointer, handle, *arguments):
            fail(self.api.pointer, status, slot)

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""
        return self._handle is None

    def close(self) -> None:
        """Release what is owned, let go of what is borrowed. Any further use raises `ValueError`.

        Closing again does nothing.
        """
        # Not released here: another thread may be in a call with it, and then that call ends first.
        self._handle = self._lender = None

    def __enter__(self) -> Self:
        self.handle  # noqa: B018  # raises if closed
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()
