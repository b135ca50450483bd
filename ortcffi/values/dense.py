# SPDX-License-Identifier: MIT
"""Dense tensors: made of arrays, and as arrays."""

from collections.abc import Iterable
from math import prod
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from ortcffi._native import ffi, lib
from ortcffi._table import table_for
from ortcffi.errors import InvalidArgument, fail, out_of_memory
from ortcffi.values.base import Base
from ortcffi.values.checks import dimensions, element_of_array, table_of, unfit
from ortcffi.values.element_types import (
    PACKED,
    ElementType,
    ValueKind,
    as_element,
    bits_of,
    dtype_of,
)
from ortcffi.values.packed import pack, unpack

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import DTypeLike, NDArray

    from ortcffi.memory.allocator import Allocator, Shape
    from ortcffi.table.api import Api


class Dense(Base):
    """Dense tensors of numbers and of strings."""

    __slots__ = ()

    @classmethod
    def _from_numpy(
        cls, x: "NDArray[Any]", *, api: "Api | None" = None, copy: bool = False
    ) -> Self:
        element = element_of_array(x)
        memory = np.asarray(x)  # a subclass may tell of memory that it has not
        api = table_for(api)
        if copy or element is ElementType.STRING:
            return cls._copy_of(memory, element, api)
        if reason := unfit(memory, element):
            raise ValueError(f"{reason}: pass copy=True for a value with memory of its own")
        address = memory.__array_interface__["data"][0]
        readonly = not memory.flags.writeable
        return cls._borrow(api._maker, address, memory.nbytes, memory.shape, element, x, readonly)

    @classmethod
    def _copy_of(cls, x: "NDArray[Any]", element: ElementType, api: "Api", name: str = "x") -> Self:
        value = cls.empty(x.shape, element, api=api)
        if element is ElementType.STRING:
            try:
                value.set_strings(x.ravel().tolist())
            except (TypeError, ValueError) as error:
                raise type(error)(f"{name}: {error}") from None
        elif element in PACKED:
            value._bytes()[...] = pack(x, PACKED[element])
        else:
            value.numpy()[...] = x
        return value

    @classmethod
    def empty(
        cls,
        shape: "Shape",
        dtype: "DTypeLike | ElementType" = np.float32,
        allocator: "Allocator | None" = None,
        *,
        api: "Api | None" = None,
    ) -> Self:
        """Make a tensor with arbitrary content; strings are empty.

        Parameters
        ----------
        shape : int or sequence of int
            The dimensions, each 0 or more.
        dtype : dtype-like or ElementType, optional
            The type of the elements. For strings ``str``.
        allocator : Allocator, optional
            Whose memory it gets, by default that of the table's default allocator. It is kept as
            long as the memory.
        api : Api, optional
            The table that makes it; by default the one that understands the allocator's
            `~Allocator.info`, or else that of `default_api`.

        Raises
        ------
        TypeError
            `shape` has something that is not an int, or tensors have no such elements.
        ValueError
            A dimension is negative, or `allocator` has an info of another table.
        InvalidArgument
            There are more bytes than can be counted.
        OutOfMemory
            The allocator has no such block.
        NotImplemented
            The library has no tensors of such elements.

        Notes
        -----
        API function: ``CreateTensorAsOrtValue``.
        """
        element, lengths = as_element(dtype), dimensions(shape)
        _bound(element, lengths)
        if allocator is None:
            api = table_for(api)
            allocator = api.default_allocator
        else:
            api = table_of(allocator, api)
        out = ffi.new("OrtValue**")
        lengths_in_c, rank = ffi.new("int64_t[]", lengths), len(lengths)
        if status := lib.CreateTensorAsOrtValue(
            api.pointer, allocator.handle, lengths_in_c, rank, element, out
        ):
            fail(api.pointer, status, "CreateTensorAsOrtValue")
        value = cls.from_handle(api, out[0], lender=(allocator, allocator.handle), owned=True)
        # ONNX Runtime makes a tensor at NULL where an allocator has no block.
        data = ffi.new("void**")
        if status := lib.GetTensorMutableData(api.pointer, out[0], data):
            fail(api.pointer, status, "GetTensorMutableData")
        if not data[0] and 0 not in lengths:
            raise out_of_memory("the allocator has no such block", "CreateTensorAsOrtValue")
        return value

    # --- as arrays --------------------------------------------------------------------------------

    def _numpy(self, copy: bool = False) -> "NDArray[Any]":
        if self._kind != ValueKind.TENSOR:
            raise TypeError(f"a {self.kind.name.lower()} is no array: use to_python()")
        element = self._element
        if element == ElementType.STRING:
            array = np.empty(self.shape, object)
            array.reshape(-1)[:] = self.strings()
            return array
        if element in PACKED:
            if not copy:
                raise ValueError("elements of this type are packed: pass copy=True to unpack them")
            flat = unpack(self._bytes(), PACKED[ElementType(element)], self._count)
            return flat.view(dtype_of(element)).reshape(self.shape)
        view = self.numpy()
        return view.copy() if copy else view

    @property
    def _count(self) -> int:
        count = 1
        for length in self.shape:
            count *= length
        return count

    def _bytes(self) -> "NDArray[np.uint8]":
        """The memory, whatever the elements are."""
        return self._view(self._data, (self.nbytes,), ElementType.UINT8, self.readonly)

    def _list(self) -> Any:
        """Nested lists of Python's own objects; one object if there are no dimensions."""
        if self._element == ElementType.STRING and len(self.shape) == 1:
            return self.strings()
        array = self.numpy(copy=self._element in PACKED)
        if array.dtype.type.__module__ == "ml_dtypes":
            array = array.astype(np.int8 if "int" in array.dtype.name else np.float32)
        return array.tolist()

    # --- strings ----------------------------------------------------------------------------------

    @classmethod
    def from_strings(
        cls,
        strings: "Sequence[str | bytes]",
        shape: "Shape | None" = None,
        *,
        api: "Api | None" = None,
    ) -> Self:
        """Make a tensor of strings.

        Parameters
        ----------
        strings : sequence of str or bytes
            The elements, in the order of the memory. A str becomes UTF-8; bytes stay as they are.
        shape : int or sequence of int, optional
            The dimensions, by default one.
        api : Api, optional
            The table that makes it, by default the one of `default_api`.

        Raises
        ------
        TypeError
            An element is neither str nor bytes.
        ValueError
            A str has a lone surrogate, or there are too few or too many strings.

        Notes
        -----
        API functions: ``CreateTensorAsOrtValue`` and ``FillStringTensor``; for a string with a null
        character also ``GetResizedStringTensorElementBuffer``, since version 15.
        """
        given = _listed(strings)
        value = cls.empty(len(given) if shape is None else shape, ElementType.STRING, api=api)
        value.set_strings(given)
        return value

    def set_strings(self, strings: "Sequence[str | bytes]") -> None:
        """Set all elements of a tensor of strings, as `from_strings` does."""
        given = _listed(strings)
        if len(given) != self._count:
            told = f"strings must be {self._count} for this tensor, not {len(given)}"
            raise InvalidArgument(told, "FillStringTensor")
        self._fill_strings(given)

    def strings(self) -> list[str]:
        """Elements of a tensor of strings, in the order of the memory.

        What is not UTF-8 becomes replacement characters; `raw_strings` has it as it is.

        Notes
        -----
        API functions: ``GetStringTensorDataLength``, ``GetStringTensorContent``.
        """
        return self._read_strings(False)

    def raw_strings(self) -> list[bytes]:
        """Elements of a tensor of strings as bytes, whatever they are."""
        return self._read_strings(True)


def _listed(strings: Any) -> list[Any]:
    if isinstance(strings, (str, bytes)) or not isinstance(strings, Iterable):
        raise TypeError(f"strings must be a sequence of them, not {type(strings).__name__}")
    return strings if type(strings) is list else list(strings)


def _bound(element: ElementType, lengths: tuple[int, ...]) -> None:
    """Refuse what ONNX Runtime ends the process for, where it has no environment."""
    if element is ElementType.UNDEFINED:
        return
    bits = 256 if element is ElementType.STRING else bits_of(element)
    if prod(lengths) * bits >= 1 << 66:
        told = f"shape {lengths} of {element.name} has more bytes than can be counted"
        raise InvalidArgument(told, "CreateTensorAsOrtValue")
