# SPDX-License-Identifier: MIT
"""Sequences and maps. What is got from them is a copy."""

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from ortcffi._convert import INT32, integer
from ortcffi._native import ffi, lib
from ortcffi._table import table_for
from ortcffi.errors import fail
from ortcffi.values.checks import element_of_array, unfit
from ortcffi.values.dlpack import Exchange
from ortcffi.values.element_types import ElementType, ValueKind, as_element, dtype_of

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from ortcffi.table.api import Api


class Containers(Exchange):
    """Sequences and maps."""

    __slots__ = ()

    @classmethod
    def sequence(cls, values: Iterable[Any], *, api: "Api | None" = None) -> Self:
        """Make a sequence of tensors, or of maps.

        Parameters
        ----------
        values : iterable of Value, ndarray or mapping
            At least one; all of one kind, and of one type of elements. The core copies them; ONNX
            Runtime has the sequence share the memory of tensors, which the sequence then keeps.
            A mapping becomes a map of ``float32``, since sequences have no other maps.
        api : Api, optional
            The table that makes it; by default that of the first `Value`, or else the one of
            `default_api`.

        Raises
        ------
        TypeError
            Something is no value, and cannot be made one.
        ValueError
            A value belongs to another table.
        Fail
            There are none, or they are not all of one type.

        Notes
        -----
        API function: ``CreateValue``.
        """
        if not isinstance(values, Iterable):
            raise TypeError(f"values must be an iterable, not {type(values).__name__}")
        given = list(values)
        found = _table_of_all(given, api)
        made = [cls._made_of(f"values[{i}]", x, found) for i, x in enumerate(given)]
        return cls._of(made, ValueKind.SEQUENCE, found)

    @classmethod
    def map(
        cls,
        mapping: Mapping[Any, Any],
        dtype: "DTypeLike | None" = None,
        *,
        api: "Api | None" = None,
    ) -> Self:
        """Make a map.

        Parameters
        ----------
        mapping : mapping
            Keys are int or str.
        dtype : dtype-like, optional
            What values become: ``float32``, ``float64``, ``int64`` or ``str``; by default the last
            two where all are int or str, and ``float64`` for other numbers.
        api : Api, optional
            The table that makes it, by default the one of `default_api`.

        Raises
        ------
        TypeError
            Keys are neither int nor str, or values neither numbers nor str; or values are of
            another kind than `dtype`.
        ValueError
            A number is too large for its type.
        Fail
            The library has no maps of such types.

        Notes
        -----
        API function: ``CreateValue``.
        """
        if not isinstance(mapping, Mapping):
            raise TypeError(f"mapping must be a mapping, not {type(mapping).__name__}")
        keys = _array("keys", list(mapping), None)
        if keys.dtype == np.float64 and len(mapping):
            raise TypeError("keys must be all int or all str")
        return cls.map_of(keys, _array("values", list(mapping.values()), dtype), api=api)

    @classmethod
    def map_of(cls, keys: Any, values: Any, *, api: "Api | None" = None) -> Self:
        """Make a map of two tensors.

        Parameters
        ----------
        keys, values : Value or ndarray
            Of one dimension and equal length. The library sorts the keys; of equal ones the first
            counts. Both are copied.
        api : Api, optional
            As for `sequence`.

        Notes
        -----
        API function: ``CreateValue``.
        """
        found = _table_of_all([keys, values], api)
        made = [cls._made_of("keys", keys, found), cls._made_of("values", values, found)]
        return cls._of(made, ValueKind.MAP, found)

    @classmethod
    def _made_of(cls, name: str, x: Any, api: "Api") -> "Containers":
        if isinstance(x, Containers):
            if x.api != api:
                raise ValueError(f"{name} belongs to {x.api}, not to {api}")
            return x
        if isinstance(x, Mapping):
            return cls.map(x, np.float32, api=api)
        if not isinstance(x, np.ndarray):
            raise TypeError(f"{name} must be a Value or an ndarray, not {type(x).__name__}")
        element = element_of_array(x, name)
        if element is ElementType.STRING or unfit(x, element):
            return cls._copy_of(np.asarray(x), element, api, name)
        return cls._from_numpy(x, api=api)

    @classmethod
    def _of(cls, values: "list[Containers]", kind: ValueKind, api: "Api") -> Self:
        handles, out = ffi.new("OrtValue*[]", [x.handle for x in values]), ffi.new("OrtValue**")
        if status := lib.CreateValue(api.pointer, handles, len(values), kind, out):
            fail(api.pointer, status, "CreateValue")
        for x in values:
            x._lend()  # so that to close one does not take its memory from the new value
        return cls.from_handle(api, out[0], lender=values, owned=True)

    # --- what is in them --------------------------------------------------------------------------

    def _item(self, place: int) -> Self:
        api, out = self.api, ffi.new("OrtValue**")
        allocator = api.default_allocator.handle
        if status := lib.GetValue(api.pointer, self.handle, place, allocator, out):
            fail(api.pointer, status, "GetValue")
        return type(self).from_handle(api, out[0])

    def keys(self) -> Self:
        """The keys of a map as a tensor of its own, sorted. API function: ``GetValue``."""
        self._require(ValueKind.MAP, "keys()")
        return self._item(0)

    def values(self) -> Self:
        """The values of a map as a tensor of its own, in the order of `keys`."""
        self._require(ValueKind.MAP, "values()")
        return self._item(1)

    def _require(self, kind: ValueKind, what: str) -> None:
        if self._kind != kind:
            raise TypeError(f"a {self.kind.name.lower()} has no {what}, a {kind.name.lower()} has")

    def __len__(self) -> int:
        if self._kind == ValueKind.MAP:
            return self._item(0).shape[0]
        self._require(ValueKind.SEQUENCE, "len()")
        api, out = self.api.pointer, ffi.new("size_t*")
        if status := lib.GetValueCount(api, self.handle, out):
            fail(api, status, "GetValueCount")
        return int(out[0])

    def __getitem__(self, key: Any) -> Any:
        if self._kind == ValueKind.MAP:
            return dict(self._pairs())[key]
        self._require(ValueKind.SEQUENCE, "items: index numpy()")
        count, place = len(self), integer("index", key, INT32)
        if not -count <= place < count:
            raise IndexError(f"index {place} is out of range for a sequence of {count}")
        return self._item(place % count)

    def __iter__(self) -> Iterator[Any]:
        if self._kind == ValueKind.MAP:
            return iter([key for key, _ in self._pairs()])
        self._require(ValueKind.SEQUENCE, "items: iterate over numpy()")
        return (self._item(place) for place in range(len(self)))

    def __contains__(self, key: object) -> bool:
        self._require(ValueKind.MAP, "keys")
        return key in dict(self._pairs())

    def __bool__(self) -> bool:
        return True  # not a matter of length: tensors have none

    def _pairs(self) -> list[tuple[Any, Any]]:
        return list(zip(self._item(0)._list(), self._item(1)._list(), strict=True))


def _table_of_all(values: list[Any], api: "Api | None") -> "Api":
    own = next((x.api for x in values if isinstance(x, Containers)), None)
    return table_for(api if api is not None else own)


def _array(name: str, content: list[Any], dtype: "DTypeLike | None") -> "np.ndarray[Any, Any]":
    """Numbers or strings as an array with a type that maps have."""
    element = None if dtype is None else as_element(dtype)
    if all(isinstance(x, str) for x in content) and content:
        if element not in (None, ElementType.STRING):
            raise TypeError(f"{name} are str, and no numbers of dtype {dtype_of(element)}")
        return np.array(content, dtype=object)
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
