# SPDX-License-Identifier: MIT
"""Values: ``OrtValue``, and arrays that share its memory."""

from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import numpy as np

import ortcffi.api
from ortcffi._native import ffi, lib
from ortcffi.element_types import PACKED, ElementType, ValueKind, as_element, dtype_of
from ortcffi.errors import fail, out_of_memory
from ortcffi.memory_info import MemoryInfo
from ortcffi.value_arguments import dimensions, element_of_array, table, table_of, unfit

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

    from ortcffi._ort import Cdata, OrtValue
    from ortcffi.api import Api
    from ortcffi.memory import Allocator, Shape

__all__ = ["Value"]

if TYPE_CHECKING:
    from ortcffi._value_type import Maker, Tensor
else:
    Maker, Tensor = lib.ortcffi_value_types(vars(ortcffi.api))


def _address(pointer: Any) -> int:
    return int(ffi.cast("uintptr_t", pointer))


def maker_of(api: "Api") -> Maker:
    """What makes values of a table in C; it is kept by the table's object."""
    info = api.default_allocator.info  # lent, so there is none to release
    return Maker(_address(api.pointer), _address(info.handle), api.version, api, info)


class Value(Tensor):
    """An ``OrtValue``: a tensor, a sequence, a map, or a sparse tensor.

    It is released by `close`, at the end of a ``with`` block, or when the object goes. Arrays and
    buffers that it lent keep the memory: it goes with the last of them.

    Attributes
    ----------
    api : Api
        The table that the value belongs to. No other table may be given it.
    closed : bool
        Whether `close` was called. Any use but of this and `close` then raises `ValueError`.
    readonly : bool
        Whether the value borrows memory that must not be written to. Its arrays are read-only. The
        C API knows no such thing: a library could write to it.
    shape : tuple of int
        The dimensions of a tensor, dense or sparse. API function:
        ``GetTensorElementTypeAndShapeDataReference``; on tables before version 25
        ``GetTensorTypeAndShape``.
    """

    __slots__ = ("__weakref__",)

    # --- making -----------------------------------------------------------------------------------

    @classmethod
    def _from_numpy(
        cls, x: "NDArray[Any]", *, api: "Api | None" = None, copy: bool = False
    ) -> "Value":
        element = element_of_array(x)
        api = table(api)
        if copy:
            value = cls.empty(x.shape, element, api.default_allocator)
            value.numpy()[...] = x
            return value
        if reason := unfit(x, element):
            raise ValueError(f"{reason}: pass copy=True for a value with memory of its own")
        address = x.__array_interface__["data"][0]
        readonly = not x.flags.writeable
        return cls._borrow(api._maker, address, x.nbytes, x.shape, element, x, readonly)

    @classmethod
    def empty(
        cls,
        shape: "Shape",
        dtype: "DTypeLike | ElementType" = np.float32,
        allocator: "Allocator | None" = None,
        *,
        api: "Api | None" = None,
    ) -> "Value":
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
        OutOfMemory
            The allocator has no such block.
        NotImplemented
            The library has no tensors of such elements.

        Notes
        -----
        API function: ``CreateTensorAsOrtValue``.
        """
        element, lengths = as_element(dtype), dimensions(shape)
        if allocator is None:
            api = table(api)
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

    @classmethod
    def from_handle(
        cls, api: "Api", handle: "Cdata", lender: object = None, *, owned: bool | None = None
    ) -> "Value":
        """Wrap what a function gave.

        Parameters
        ----------
        api : Api
            The table that `handle` came from.
        handle : cdata of ``OrtValue *``
            The value.
        lender : object, optional
            What must live as long as the value.
        owned : bool, optional
            Whether the new object is to release it; by default if there is no `lender`.
        """
        owned = lender is None if owned is None else owned
        return cls._adopt(api._maker, _address(handle), lender, owned)

    # --- facts ------------------------------------------------------------------------------------

    @property
    def handle(self) -> "OrtValue":
        """The cdata to pass to functions of ``lib``, valid as long as this object is open.

        It is lent. What keeps it for longer must keep this object, too.
        """
        return ffi.cast("OrtValue*", self._address)

    @property
    def kind(self) -> ValueKind:
        """What it is. API function: ``GetValueType``."""
        return ValueKind(self._kind)

    @property
    def element_type(self) -> ElementType:
        """The type of a tensor's elements, by the API function that `shape` names."""
        return ElementType(self._element)

    @property
    def dtype(self) -> "np.dtype[Any]":
        """The dtype that `numpy` gives; `object` for strings."""
        return dtype_of(self._element)

    @property
    def nbytes(self) -> int:
        """Bytes of a tensor's elements. API function: ``GetTensorSizeInBytes``, since version 23.

        Raises
        ------
        InvalidArgument
            The value is no dense tensor, or one of strings.
        """
        self.api.require("GetTensorSizeInBytes")
        out, api = ffi.new("size_t*"), self.api.pointer
        if status := lib.GetTensorSizeInBytes(api, self.handle, out):
            fail(api, status, "GetTensorSizeInBytes")
        return out[0]  # type: ignore[no-any-return]

    @property
    def memory_info(self) -> MemoryInfo:
        """Where a tensor's memory is, lent by this value. API function: ``GetTensorMemoryInfo``."""
        self.api.require("GetTensorMemoryInfo")
        out, api = ffi.new("const OrtMemoryInfo**"), self.api.pointer
        if status := lib.GetTensorMemoryInfo(api, self.handle, out):
            fail(api, status, "GetTensorMemoryInfo")
        return MemoryInfo(self.api, out[0], lender=self)

    # --- out --------------------------------------------------------------------------------------

    def _numpy(self, copy: bool = False) -> "NDArray[Any]":
        if self._element in PACKED:
            raise ValueError("elements of this type are packed: pass copy=True to unpack them")
        view = self.numpy()
        return view.copy() if copy else view

    def to_python(self) -> Any:
        """The content as objects of Python's own: nested lists of a tensor's elements."""
        return self.numpy().tolist()

    def __array__(
        self, dtype: "DTypeLike | None" = None, copy: bool | None = None
    ) -> "NDArray[Any]":
        array = self.numpy()
        if dtype is not None and array.dtype != dtype:
            if copy is False:
                raise ValueError(f"a view of dtype {dtype} cannot be had of {array.dtype}")
            return array.astype(dtype)
        return array.copy() if copy else array

    _dtype_of = staticmethod(dtype_of)

    def __enter__(self) -> Self:
        self._address  # noqa: B018  # raises if closed
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        if self.closed:
            return "<Value closed>"
        facts = f"{self.element_type.name} {self.shape}"
        return f"<Value {self.kind.name.lower()} {facts}>"
