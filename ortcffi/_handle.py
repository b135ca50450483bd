# SPDX-License-Identifier: MIT
"""The bases of classes whose objects own or borrow an object of the C API.

The compiled type that `Handle` is built on answers all questions of the object's life: who keeps
it, when it is released, what other threads and a fork may do with it. Its rules stand in
``boundary/handle/handle.h``.
"""

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any, Self

from ortcffi._convert import decode, pointer
from ortcffi._native import Owner, address_of, compiled, ffi, lib
from ortcffi._public import public, refuse_pickle
from ortcffi._table import host_function, made_by
from ortcffi.errors import check

if TYPE_CHECKING:
    from ortcffi.table.api import Api

public(Owner)

# A function of `lib` that releases an object, which is called by its address.
Release = Callable[..., None]


@cache
def _facts(kind: str, release: Any) -> tuple[Any, int]:
    """CFFI's type of the pointer, and the address of the function that releases an object."""
    if isinstance(release, str):
        release = host_function(release)
    if isinstance(release, ffi.CData):
        return ffi.typeof(kind), address_of(release)
    function = lib.ortcffi_releasing(release.__name__.encode())
    if not function:
        raise LookupError(f"{release.__name__} is in no list of functions that release objects")
    return ffi.typeof(kind), address_of(function)


@cache
def _out_type(kind: Any) -> Any:
    return ffi.typeof(f"{kind.cname}*")


def owner_of(kind: str, api: Any, release: Release, *parents: object) -> Any:
    """Return the owner of an object that a function of C is about to make.

    The owner exists before the object does, so that no interrupt in between can lose the object.
    `kind` is the type of the pointer, such as ``"OrtEnv*"``. `release` gets the table, `api` or the
    pointer of one, and the object. The parents outlive it.
    """
    owner = Owner()
    table = 0 if api is None else address_of(getattr(api, "pointer", api))
    compiled.make_handle(owner, None, table, *_facts(kind, release), parents, 0)
    return owner


def out_of(owner: Any) -> Any:
    """Where the function of C is to write the object to; valid as long as the owner."""
    return compiled.handle_out(owner, _out_type(owner._handle_type))


def owned_by(owner: Any) -> Any:
    """Return a cdata of the owner's object, which keeps the owner alive."""
    owner._open_handle()
    return owner.handle


class Array:
    """Several objects of one type, which functions of C make, take over or release one by one.

    The arguments are those of `owner_of`. What is left at the end is released; an entry that C sets
    to NULL is not.
    """

    __slots__ = ("_owner", "items")

    items: Any

    def __init__(self, kind: str, api: "Api", release: Release, count: int) -> None:
        self._owner = owner_of("ortcffi_list*", api, lib.ortcffi_release_list)
        function = ffi.cast("ortcffi_release*", _facts(kind, release)[1])
        if not lib.ortcffi_new_list(function, count, out_of(self._owner)):
            raise MemoryError(f"there is no memory for {count} objects")
        self.items = ffi.cast(f"{kind}*", lib.ortcffi_list_items(owned_by(self._owner)))

    def move(self, out: Any, place: int) -> None:
        """Write the pointer at a place to `out`, whose owner has the object from then on."""
        lib.ortcffi_list_move(self._owner.handle, place, ffi.cast("void**", out))


@public
class Closing:
    """Closes the object at the end of a ``with`` block. A closed one cannot be entered."""

    __slots__ = ()

    def __init_subclass__(cls, **options: Any) -> None:
        """Keep the finalizer of a compiled type where a subclass has a ``__del__`` of its own.

        By it a session is released before the collector clears what the library borrows for it.
        """
        super().__init_subclass__(**options)
        own: Any = vars(cls).get("__del__")
        finalize: Any = getattr(super(cls, cls), "__del__", None)
        if own is not None and finalize is not None:

            def finalize_both(self: Any) -> None:
                try:
                    own(self)
                finally:
                    finalize(self)

            cls.__del__ = finalize_both  # type: ignore[attr-defined]

    def __enter__(self) -> Self:
        if getattr(self, "closed", False):
            raise ValueError(f"this {type(self).__name__} is closed")
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        """Release what the object owns."""
        raise NotImplementedError


@public
class Handle(Owner, Closing):
    """An object of the C API, owned or borrowed.

    An owned one is released by `close`, at the end of a ``with`` block, or at the latest when the
    Python object goes. A borrowed one belongs to another object, which it keeps alive.

    Functions of C write a new object into the handle itself, so that no interrupt loses it: see
    `_create`.
    """

    __slots__ = ()

    if TYPE_CHECKING:
        api: "Api"
    _pointer: str  # C's type of the handle
    # What releases an object that is owned: a function, or the name of a type in ortcore.h.
    _release: Release | str | None = None

    def __init__(self, api: "Api", handle: Any, parent: object = None) -> None:
        is_owned = parent is None and type(handle) is not Owner
        self._wrap(api, handle, self._release if is_owned else None, parent)

    def _wrap(self, api: "Api", handle: Any, release: Release | str | None, parent: object) -> None:
        """Take what a function of C gave."""
        api, handle = made_by(api), pointer("handle", handle, self._pointer)
        function = 0 if release is None else _facts("void*", release)[1]
        parents = parent if isinstance(parent, tuple) else (parent,)
        if release is None:  # a cdata may own, or keep, what it points to
            parents = *parents, handle
        table, address = address_of(api.pointer), address_of(handle)
        compiled.make_handle(self, api, table, ffi.typeof(handle), function, parents, address)

    def _begin_handle(
        self, api: "Api", *parents: object, table: Any = None, release: Release | None = None
    ) -> Any:
        """Begin to own what a function of C is about to make; return where it is to write it.

        The parents outlive it. `release` takes the place of the class's, and `table` is what it
        gets where that is not the table of `api`. When the object is written, call `_open_handle`.
        """
        address = address_of(api.pointer if table is None else table)
        facts = _facts(self._pointer, release or self._release)
        compiled.make_handle(self, api, address, *facts, parents, 0)
        return out_of(self)

    @classmethod
    def _blank(cls, api: "Api", *parents: object, table: Any = None) -> tuple[Self, Any]:
        """Return a new object, for which `_begin_handle` was called, and what that returned."""
        made = cls.__new__(cls)
        return made, made._begin_handle(api, *parents, table=table)

    def _create(
        self, api: "Api", slot: str, *arguments: Any, parents: tuple[object, ...] = ()
    ) -> Self:
        """Have a function of the table make the object."""
        api.require(slot)
        out = self._begin_handle(api, *parents)
        check(api.pointer, getattr(lib, slot)(api.pointer, *arguments, out))
        self._open_handle()
        return self

    def _call(self, slot: str, *arguments: Any) -> None:
        """Call a function of the table on this object."""
        self.api.require(slot)
        table = self.api.pointer
        check(table, self._read_handle(getattr(lib, slot), table, *arguments))

    def _get(self, slot: str, kind: str) -> Any:
        """Return what a function of the table answers for this object, by a pointer of a kind."""
        out = ffi.new(kind)
        self._call(slot, out)
        return out[0]

    def _text(self, slot: str) -> str:
        """Return the text that a function of the table answers for this object."""
        _held = self.handle  # until the text is decoded
        return decode(self._get(slot, "const char**"))

    def _change(self, slot: str, *arguments: Any) -> None:
        """Do the same for a function that changes the object, while no other call is under way."""
        self.api.require(slot)
        table = self.api.pointer
        check(table, self._write_handle(getattr(lib, slot), table, *arguments))

    __reduce__ = refuse_pickle


@public
class FromHandle(Handle):
    """An object that functions of the C API also give, so that users can wrap it."""

    __slots__ = ()

    @classmethod
    def from_handle(cls, api: "Api", handle: Any, parent: object = None) -> Self:
        """Wrap what a function of the API gave.

        Parameters
        ----------
        api : Api
            The table that `handle` came from.
        handle : cdata
            The pointer. Owned by the new object unless there is a parent.
        parent : object, optional
            The owner of `handle`, which is kept alive. Its pairs and types cannot be changed.
        """
        made = cls.__new__(cls)
        Handle.__init__(made, api, handle, parent)
        return made
