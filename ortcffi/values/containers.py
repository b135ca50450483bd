# SPDX-License-Identifier: MIT
"""Sequences and maps. Reading a member returns a copy."""

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ortcffi._convert import INT32, integer, of_type
from ortcffi._native import ffi, lib
from ortcffi._table import table_for
from ortcffi.errors import check
from ortcffi.values.checks import array_of, element_of_array, unfit
from ortcffi.values.element_types import ElementType, ValueKind, as_element, dtype_of
from ortcffi.values.lifecycle import Tensor, V, blank, require_content, require_kind
from ortcffi.values.tensors import copy_of, from_numpy

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from ortcffi.table.api import Api


def sequence(cls: type[V], values: Iterable[Any], *, api: "Api | None" = None) -> V:
    """Make a sequence of tensors, or of maps.

    API function: ``CreateValue``.

    Parameters
    ----------
    values : iterable of Value, ndarray or mapping
        At least one; all of one kind, and of one type of elements. The core copies them; in ONNX
        Runtime the sequence shares the memory of tensors, and keeps them.
        A mapping becomes a map of ``float32``, since sequences have no other maps.
    api : Api, optional
        The table that makes it; by default that of the first `Value`, or else the one of
        `default_api`.

    Raises
    ------
    Fail
        There are none, or they are not all of one type.
    """
    given = list(of_type("values", values, Iterable, "an iterable"))
    found = _table_of_all(given, api)
    made = [_as_value(cls, f"values[{i}]", x, found) for i, x in enumerate(given)]
    return _contain(cls, made, ValueKind.SEQUENCE, found)


def sequence_items(subject: str, x: Any, element: int | None) -> list[Any]:
    """Return what a sequence of a model's is to be made of: values, arrays and mappings.

    Inputs of sessions and results of providers in Python follow these rules.
    """
    refused = (str, bytes, Mapping, np.ndarray)
    if isinstance(x, refused) or not isinstance(x, Iterable):
        raise TypeError(f"{subject} must be a list of arrays or mappings, not {type(x).__name__}")
    items = list(x)
    if not items and element is None:
        raise ValueError(f"{subject} is empty, and only sequences of tensors can be")
    for place, each in enumerate(items):
        if not isinstance(each, (Tensor, Mapping, np.ndarray)):
            dtype = None if element is None else dtype_of(element)
            try:
                items[place] = array_of(each, dtype)
            except (TypeError, ValueError) as error:
                kind = TypeError if isinstance(error, TypeError) else ValueError
                text = f"{subject}: item {place} cannot be made an array: {error}"
                raise kind(text) from None
    return items


def map(
    cls: type[V],
    mapping: Mapping[Any, Any],
    dtype: "DTypeLike | None" = None,
    *,
    api: "Api | None" = None,
) -> V:
    """Make a map.

    API function: ``CreateValue``.

    Parameters
    ----------
    mapping : mapping
        Keys are int or str.
    dtype : dtype-like, optional
        The type of the values: ``float32``, ``float64``, ``int64`` or ``str``; by default
        ``int64`` or ``str`` where all are int or str, and ``float64`` for other numbers. Arrays
        without dimensions count as what they hold.

    Raises
    ------
    TypeError
        Keys are neither int nor str, or values neither numbers nor str; or values are of another
        kind than `dtype`.
    Fail
        The library has no maps of such types.
    """
    of_type("mapping", mapping, Mapping, "a mapping")
    pairs = list(mapping.items())  # once: a mapping may answer differently the second time
    keys = _array("keys", [key for key, _ in pairs], None)
    if keys.dtype == np.float64 and pairs:
        raise TypeError("keys must be all int or all str")
    return map_of(cls, keys, _array("values", [value for _, value in pairs], dtype), api=api)


def map_of(cls: type[V], keys: Any, values: Any, *, api: "Api | None" = None) -> V:
    """Make a map of two tensors.

    API function: ``CreateValue``.

    Parameters
    ----------
    keys, values : Value or ndarray
        Of one dimension and equal length. The library sorts the keys; of equal ones the first
        counts. Both are copied.
    """
    found = _table_of_all([keys, values], api)
    made = [_as_value(cls, "keys", keys, found), _as_value(cls, "values", values, found)]
    return _contain(cls, made, ValueKind.MAP, found)


def _as_value(cls: type[V], name: str, x: Any, api: "Api") -> Tensor:
    if isinstance(x, Tensor):
        if x.api != api:
            raise ValueError(f"{name} belongs to {x.api}, not to {api}")
        return x
    if isinstance(x, Mapping):
        return map(cls, x, np.float32, api=api)
    if not isinstance(x, np.ndarray):
        raise TypeError(f"{name} must be a Value or an ndarray, not {type(x).__name__}")
    element = element_of_array(x, name)
    if element is ElementType.STRING or unfit(x, element):
        return copy_of(cls, np.asarray(x), element, api, name)
    return from_numpy(cls, x, api=api)


def _contain(cls: type[V], values: list[Tensor], kind: ValueKind, api: "Api") -> V:
    kept = [x.handle for x in values]
    for x in values:
        require_content(x)
        x._hold()  # the new value may share their memory, so close() must not release it
    made, out = blank(cls, api, parent=tuple(values))  # which the collector cannot empty first
    handles = ffi.new("OrtValue*[]", kept)
    check(api.pointer, lib.CreateValue(api.pointer, handles, len(values), kind, out))
    return made


# --- reading --------------------------------------------------------------------------------------


def member(value: V, place: int) -> V:
    """Return a member, which ``GetValue`` copies."""
    api, allocator = value.api, value.api.default_allocator.handle
    made, out = blank(type(value), api)
    check(api.pointer, lib.GetValue(api.pointer, value.handle, place, allocator, out))
    return made


def keys(value: V) -> V:
    """Return the keys of a map as a tensor of its own, sorted. API function: ``GetValue``."""
    require_kind(value, ValueKind.MAP, "keys()")
    return member(value, 0)


def values(value: V) -> V:
    """Return the values of a map as a tensor of its own, in the order of `keys`."""
    require_kind(value, ValueKind.MAP, "values()")
    return member(value, 1)


def length(value: "Tensor") -> int:
    """How many values a sequence contains, or pairs a map."""
    if value._kind == ValueKind.MAP:
        return member(value, 0).shape[0]
    require_kind(value, ValueKind.SEQUENCE, "len()")
    api, out = value.api.pointer, ffi.new("size_t*")
    check(api, lib.GetValueCount(api, value.handle, out))
    return int(out[0])


def item(value: "Tensor", key: Any) -> Any:
    """Return a value of a sequence by its index, or of a map by its key."""
    if value._kind == ValueKind.MAP:
        return value._contents(None)[key]
    require_kind(value, ValueKind.SEQUENCE, "items: index numpy()")
    count, place = length(value), integer("index", key, INT32)
    if not -count <= place < count:
        raise IndexError(f"index {place} is out of range for a sequence of {count}")
    return member(value, place % count)


def iterate(value: "Tensor") -> Iterator[Any]:
    """Return the values of a sequence, or the keys of a map."""
    if value._kind == ValueKind.MAP:
        return iter(list(value._contents(None)))
    require_kind(value, ValueKind.SEQUENCE, "items: iterate over numpy()")
    return (member(value, place) for place in range(length(value)))


def contains(value: "Tensor", key: object) -> bool:
    """Whether a map has a key."""
    require_kind(value, ValueKind.MAP, "keys")
    return key in value._contents(None)


def _table_of_all(values: list[Any], api: "Api | None") -> "Api":
    own = next((x.api for x in values if isinstance(x, Tensor)), None)
    return table_for(api if api is not None else own)


def _array(name: str, content: list[Any], dtype: "DTypeLike | None") -> "np.ndarray[Any, Any]":
    """Numbers or strings as an array of a type that maps can have."""
    element = None if dtype is None else as_element(dtype)
    if all(isinstance(x, str) for x in content) and content:
        if element not in (None, ElementType.STRING):
            raise TypeError(f"{name} are str, and no numbers of dtype {dtype_of(element)}")
        return np.array(content, dtype=object)
    content = [x[()] if isinstance(x, np.ndarray) and x.ndim == 0 else x for x in content]
    for x in content:
        if not isinstance(x, (int, float, np.integer, np.floating)):
            raise TypeError(f"{name} must be all numbers or all str, but one is {x!r}")
    if element is ElementType.STRING:
        return np.array(content, str)
    if element is None:
        integral = all(isinstance(x, (int, np.integer)) for x in content)
        element = ElementType.INT64 if integral else ElementType.DOUBLE
    kind = dtype_of(element)
    if kind.kind in "iu":
        limits = (int(np.iinfo(kind).min), int(np.iinfo(kind).max))
        content = [integer(f"one of {name}", x, limits) for x in content]
    try:
        with np.errstate(over="raise"):
            return np.array(content, kind)
    except (OverflowError, FloatingPointError):
        raise ValueError(f"one of {name} is too large for {kind}") from None
