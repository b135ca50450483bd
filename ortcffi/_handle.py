# SPDX-License-Identifier: MIT
"""What all objects share that stand for an object of the C API."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ortcffi._closing import Closing
from ortcffi._convert import pointer
from ortcffi._native import Owner, address_of, ffi
from ortcffi._public import public, refuse_pickle
from ortcffi._table import made_by
from ortcffi.errors import checked

if TYPE_CHECKING:
    from ortcffi.table.api import Api


def owner_of(  # noqa: PLR0913  # as many as an Owner has
    kind: str,
    api: "Api",
    release: Callable[[Any, Any], None],
    before: Callable[[], None] | None = None,
    after: Callable[[], None] | None = None,
    *,
    keeps: object = None,
    count: int = 1,
) -> Any:
    """Return the owner of an object that a function of C is about to make.

    Parameters
    ----------
    kind : str
        The type of the pointer, such as ``"OrtEnv*"``.
    api : Api
        The table that the object is to belong to.
    release : callable
        Called with the table's pointer and the object when the last reference to the owner goes. It
        must not refer to what refers to the owner. To be a function of ``lib``, which no interrupt
        can break off.
    before, after : callable, optional
        Called before and after that, again if a KeyboardInterrupt struck in them.
    keeps : object, optional
        What the object needs: it stays until the object is released.
    count : int, optional
        How many objects the function makes.
    """
    return Owner(kind, release, api.pointer, 0, before, after, keeps, count)


def out_of(owner: Any) -> Any:
    """Where the function of C is to write the object to; valid as long as the owner.

    For an owner of several it is an array of pointers.
    """
    return ffi.cast(f"{owner.type}*", owner.out)


def owned_by(owner: Any) -> Any:
    """A cdata of the owner's object, which keeps the owner alive."""
    return ffi.from_buffer(owner.type, owner)


@public
class Handle(Closing):
    """An object of the C API, owned or borrowed.

    An owned one is released by `close`, at the end of a ``with`` block, or at the latest when the
    Python object goes. A borrowed one belongs to another object, which it keeps alive.

    Where an interrupt must not lose an object that C has just made, C writes it to an `Owner`: make
    that with `owner_of`, pass `out_of` it to the function of C, and then pass it as `handle`.
    """

    __slots__ = ("__weakref__", "_api", "_handle", "_lender", "_lender_handle", "_owned")

    _api: "Api"
    _handle: Any
    _pointer: str = ""  # the type of the handle, in classes that are made from a handle of the user

    def __init__(
        self,
        api: "Api",
        handle: Any,
        *,
        release: Callable[[Any, Any], None] | None = None,
        lender: object = None,
    ) -> None:
        if self._pointer:
            api, handle = made_by(api), pointer("handle", handle, self._pointer)
        elif not isinstance(handle, (ffi.CData, Owner)):
            kind = type(handle).__name__
            raise TypeError(f"handle must be a pointer of ortcffi.ffi, not {kind}")
        self._api = api
        self._lender = lender
        # Closing the lender must not release what it lent.
        self._lender_handle = lender._handle if isinstance(lender, Handle) else None
        self._owned = release is not None or isinstance(handle, Owner)
        if isinstance(handle, Owner):
            handle = owned_by(handle)
        elif release is not None:
            # The owner refers to the table, which stays; a reference to the Api would be a cycle.
            address = address_of(handle)
            handle = owned_by(Owner(ffi.typeof(handle), release, api.pointer, address))
        elif lender is not None and handle:
            # Like an owner, the lender stays while another thread is in a call with the cdata.
            address = address_of(handle)
            keeps = (lender, self._lender_handle)
            handle = owned_by(Owner(ffi.typeof(handle), None, None, address, None, None, keeps))
        self._handle = handle

    @property
    def api(self) -> "Api":
        """The table that the object belongs to. No other table may be given it."""
        return self._api

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
        getattr(checked, slot)(self.api.pointer, handle, *arguments)

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""
        return self._handle is None

    def close(self) -> None:
        """Release what is owned, let go of what is borrowed. Any further use raises `ValueError`.

        Closing again does nothing.
        """
        # Not released here: another thread may be in a call with the cdata, which keeps the owner.
        self._handle = self._lender = self._lender_handle = None

    __reduce__ = refuse_pickle
