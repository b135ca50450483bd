# SPDX-License-Identifier: MIT
"""Make, wrap, borrow, describe and give away an ``OrtValue`` of any kind, on the types in C."""

from typing import TYPE_CHECKING, TypeVar

import ortcffi._table
from ortcffi._convert import pointer
from ortcffi._handle import out_of
from ortcffi._native import address_of, compiled, ffi
from ortcffi._public import public
from ortcffi._table import Table, made_by
from ortcffi.memory.info import MemoryInfo
from ortcffi.values.element_types import ElementType, ValueKind

if TYPE_CHECKING:
    from ortcffi._ort import Cdata, OrtValue, Out
    from ortcffi.table.api import Api

Maker = compiled.Maker
Tensor = compiled.Tensor
V = TypeVar("V", bound=Tensor)

compiled.begin_values(vars(ortcffi._table), ffi.typeof("OrtValue*"))
public(Tensor)


def _maker_of(api: "Api") -> Maker:
    """Return the `Maker` of a table, which the table's object keeps."""
    allocator = api.default_allocator
    info = allocator.info  # belongs to the library: nothing to release
    pointers = address_of(api.pointer), address_of(info.handle), address_of(allocator.handle)
    return Maker(*pointers, api.version, api, allocator)


class _FoundOnce:
    """Like `functools.cached_property`, without a lock that a thread could hold during a fork."""

    def __get__(self, api: "Api | None", kind: "type[Api]") -> "Maker | _FoundOnce":
        if api is None:  # of the class, for inspect
            return self
        found: Maker = vars(api).setdefault("_maker", _maker_of(api))
        return found


Table._maker = _FoundOnce()  # type: ignore[method-assign, assignment]


def from_handle(  # noqa: PLR0913  # as many as there are facts
    cls: type[V],
    api: "Api",
    handle: "Cdata",
    parent: object = None,
    *,
    owned: bool | None = None,
    readonly: bool = False,
) -> V:
    """Wrap an ``OrtValue`` that a function returned.

    Parameters
    ----------
    api : Api
        The table that `handle` came from.
    handle : cdata of ``OrtValue *``
        The value.
    parent : object, optional
        An object to keep alive as long as the value.
    owned : bool, optional
        Whether the new object releases it; by default if there is no `parent`.
    readonly : bool, optional
        Whether its memory must not be written to.
    """
    owned = parent is None if owned is None else owned
    address = address_of(pointer("handle", handle, "OrtValue*"))
    return cls._adopt(made_by(api)._maker, address, parent, owned, readonly)


def blank(
    cls: type[V], api: "Api", parent: object = None, *, readonly: bool = False
) -> "tuple[V, Out[OrtValue]]":
    """Return a value without an ``OrtValue``, and where a function of C is to write it.

    The value owns what C writes, so that an interrupt does not lose it.
    """
    value = cls._adopt(api._maker, 0, parent, True, readonly)
    return value, out_of(value)


def memory_info(value: Tensor) -> MemoryInfo:
    """Do the work of `Value.memory_info`."""
    require_content(value)
    value._hold()
    out = ffi.new("const OrtMemoryInfo**")
    value.api._call("GetTensorMemoryInfo", value.handle, out)
    return MemoryInfo(value.api, out[0], parent=value)


def require_content(value: Tensor) -> None:
    """Raise `TypeError` for an optional that holds nothing, on which ONNX Runtime crashes."""
    if value._kind == ValueKind.OPTIONAL:
        raise TypeError(f"{value!r} holds nothing")


def require_kind(value: Tensor, kind: ValueKind, what: str) -> None:
    """Raise `TypeError` unless the value is of that kind."""
    if value._kind != kind:
        own = ValueKind(value._kind).name.lower()
        raise TypeError(f"a {own} has no {what}, a {kind.name.lower()} has")


def description(value: "Tensor") -> str:
    """Get the repr of a value: its kind, element type and shape, or how many values it contains."""
    if value.closed:
        return "<Value closed>"
    kind = ValueKind(value._kind)
    facts = ""
    if kind in (ValueKind.TENSOR, ValueKind.SPARSE):
        facts = f" {ElementType(value._element).name} {value.shape}"
    elif kind in (ValueKind.SEQUENCE, ValueKind.MAP):
        facts = f" of {len(value)}"  # type: ignore[arg-type]
    return f"<Value {kind.name.lower()}{facts}>"


def has_value(value: Tensor) -> bool:
    """Whether a value holds anything. API function: ``HasValue``."""
    out = ffi.new("int*")
    value.api._call("HasValue", value.handle, out)
    return bool(out[0])
