# SPDX-License-Identifier: MIT
"""`OrtValue` as programs see it."""

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from ortcffi.compat import _values
from ortcffi.compat._devices import OrtMemoryInfo
from ortcffi.compat._official_devices import OrtDevice
from ortcffi.compat._official_sparse import SparseTensor
from ortcffi.values.value import Value

if TYPE_CHECKING:
    from typing_extensions import CapsuleType

__all__ = ["OrtValue", "copy_tensors"]

Array = np.ndarray[Any, Any]


class OrtValue:
    """A value: a tensor, a sequence, a map, or a sparse tensor."""

    __slots__ = ("__dict__", "__weakref__", "_inner", "_value")

    _value: Value

    def __init__(
        self, ortvalue: _values.OrtValue, numpy_obj: Array | None = None, session: Any = None
    ) -> None:
        del numpy_obj, session  # the value itself keeps what it needs
        if not isinstance(ortvalue, _values.OrtValue):
            raise ValueError("ortvalue must be an OrtValue of the compiled module")
        self._inner: _values.OrtValue | None = ortvalue
        self._value = ortvalue._value

    @classmethod
    def _of(cls, value: Value) -> Self:
        made = cls.__new__(cls)
        made._inner, made._value = None, value
        return made

    @property
    def _ortvalue(self) -> _values.OrtValue:
        if self._inner is None:
            self._inner = _values.OrtValue._of(self._value)
        return self._inner

    def _get_c_value(self) -> _values.OrtValue:
        return self._ortvalue

    # --- making -----------------------------------------------------------------------------------

    @classmethod
    def ortvalue_from_numpy(
        cls, numpy_obj: Array, /, device_type: str = "cpu", device_id: int = 0, vendor_id: int = -1
    ) -> Self:
        """Make a tensor: over an array's memory, or a copy on a device."""
        device = OrtDevice.make(device_type, device_id, vendor_id)._get_c_device()
        return cls(_values.OrtValue.ortvalue_from_numpy(numpy_obj, device))

    @classmethod
    def ortvalue_from_numpy_with_onnx_type(cls, data: Array, /, onnx_element_type: int) -> Self:
        """Make a tensor over an array's memory, with elements of the same size."""
        return cls(_values.OrtValue.ortvalue_from_numpy_with_onnx_type(data, onnx_element_type))

    @classmethod
    def ortvalue_from_shape_and_type(  # noqa: PLR0913, PLR0917  # as many as officially
        cls,
        shape: Sequence[int],
        element_type: Any,
        device_type: str = "cpu",
        device_id: int = 0,
        vendor_id: int = -1,
        memory_info: OrtMemoryInfo | None = None,
    ) -> Self:
        """Make a tensor with arbitrary content."""
        make = _values.OrtValue
        if memory_info is not None:
            if device_type != "cpu" or device_id != 0 or vendor_id != -1:
                warnings.warn(
                    "device_type, device_id, and vendor_id are ignored when memory_info is "
                    "provided.",
                    stacklevel=2,
                )
            found = make.ortvalue_from_shape_and_type_for_memory_info(
                shape, element_type, memory_info
            )
            return cls(found)
        device = OrtDevice.make(device_type, device_id, vendor_id)._get_c_device()
        return cls(make.ortvalue_from_shape_and_type(shape, element_type, device))

    @classmethod
    def ort_value_from_sparse_tensor(cls, sparse_tensor: SparseTensor) -> Self:
        """Make a value of a sparse tensor."""
        return cls._of(sparse_tensor._tensor._value)

    @classmethod
    def from_dlpack(cls, data: Any, /) -> Self:
        """Make a tensor over the memory of an object with ``__dlpack__``, or of a capsule."""
        dtype = getattr(data, "dtype", None)
        told = getattr(dtype, "name", str(dtype))
        is_bool = told in ("bool", "bool_", "torch.bool")
        if isinstance(data, OrtValue):
            is_bool = data.data_type() == "tensor(bool)"
        return cls(_values.OrtValue.from_dlpack(data, is_bool))

    # --- reading ----------------------------------------------------------------------------------

    def as_sparse_tensor(self) -> SparseTensor:
        """Return it as a sparse tensor."""
        return SparseTensor(self._ortvalue.as_sparse_tensor())

    def data_ptr(self) -> int:
        """Return the address of the first element."""
        return self._ortvalue.data_ptr()

    def device_name(self) -> str:
        """Return the name of the device that has the memory, such as ``cpu``."""
        return self._ortvalue.device_name().lower()

    def shape(self) -> list[int]:
        """Return the dimensions."""
        return self._ortvalue.shape()

    def data_type(self) -> str:
        """Return the type, such as ``tensor(int64)``."""
        return self._ortvalue.data_type()

    def element_type(self) -> int:
        """Return ONNX's number for the type of the elements."""
        return self._ortvalue.element_type()

    def tensor_size_in_bytes(self) -> int:
        """Return the bytes of all elements."""
        return self._ortvalue.tensor_size_in_bytes()

    def has_value(self) -> bool:
        """Return whether it holds anything."""
        return self._ortvalue.has_value()

    def is_tensor(self) -> bool:
        """Return whether it is a dense tensor."""
        return self._ortvalue.is_tensor()

    def is_sparse_tensor(self) -> bool:
        """Return whether it is a sparse tensor."""
        return self._ortvalue.is_sparse_tensor()

    def is_tensor_sequence(self) -> bool:
        """Return whether it is a sequence of tensors."""
        return self._ortvalue.is_tensor_sequence()

    def numpy(self) -> Array:
        """Return an array over the memory; of strings, a copy."""
        return self._ortvalue.numpy()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        found = self.numpy()
        if copy is not None:
            return np.array(found, dtype=dtype, copy=copy)
        return found if dtype is None else np.asarray(found, dtype=dtype)

    def __dlpack__(self, *, stream: Any = None) -> "CapsuleType":
        return self._ortvalue.__dlpack__(stream=stream)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._ortvalue.__dlpack_device__()

    def update_inplace(self, data: Any) -> None:
        """Copy an array or another value into the memory."""
        if isinstance(data, OrtValue):
            self._ortvalue.update_inplace(data._ortvalue)
        elif isinstance(data, np.ndarray):
            self._ortvalue.update_inplace(data)
        else:
            raise TypeError("data must be a numpy.ndarray or an OrtValue.")


def copy_tensors(src: Sequence[OrtValue], dst: Sequence[OrtValue], stream: Any = None) -> None:
    """Copy tensors, also between devices."""
    sources, targets = ([value._get_c_value() for value in side] for side in (src, dst))
    _values.copy_tensors(sources, targets, stream)
