# SPDX-License-Identifier: MIT
"""Values as the official package's compiled module has them."""

import ctypes
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ortcffi._native import ffi
from ortcffi.compat._arguments import instance, number
from ortcffi.compat._devices import OrtDevice, OrtMemoryInfo, is_cpu, memory_info_of
from ortcffi.compat._environment import api, env
from ortcffi.compat._errors import translated
from ortcffi.compat._sparse import SparseTensor
from ortcffi.compat._tensors import borrowed, empty_on, tensor_at, tensor_over
from ortcffi.compat._types import (
    device_name_of,
    element_of,
    element_of_onnx,
    numpy_has,
    onnx_element_of,
    type_of,
)
from ortcffi.errors import OrtError, checked
from ortcffi.values.element_types import ElementType, ValueKind
from ortcffi.values.value import Value

if TYPE_CHECKING:
    from typing_extensions import CapsuleType

__all__ = ["OrtValue", "copy_tensors", "is_dlpack_uint8_tensor"]


class _Capsule:
    """A capsule of DLPack with memory of the CPU, as an object that hands it out."""

    def __init__(self, capsule: object) -> None:
        self._capsule = capsule

    def __dlpack__(self) -> object:
        return self._capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)


_NUMBERS_ONLY = "Creation of OrtValues is currently only supported from non-string numpy arrays"


class OrtValue:
    """A value: a tensor, a sequence, a map, or a sparse tensor."""

    __slots__ = ("__weakref__", "_value")

    _value: Value

    @classmethod
    def _of(cls, value: Value) -> "OrtValue":
        made = cls.__new__(cls)
        made._value = value
        return made

    # --- making -----------------------------------------------------------------------------------

    @staticmethod
    @translated
    def ortvalue_from_numpy(array: Any, device: OrtDevice, /) -> "OrtValue":
        """Make a tensor: over an array's memory, or a copy on a device."""
        if not isinstance(array, np.ndarray) or array.dtype.kind in "OUSTVM":
            raise RuntimeError(_NUMBERS_ONLY)
        source = OrtValue._of(tensor_over(np.asarray(array), api()))
        if is_cpu(device):
            return source
        shape, element = array.shape, source._value.element_type
        target = OrtValue._of(empty_on(memory_info_of(device), shape, element))
        copy_tensors([source], [target], None)
        return target

    @staticmethod
    @translated
    def ortvalue_from_numpy_with_onnx_type(array: Any, onnx_type: int, /) -> "OrtValue":
        """Make a tensor over an array's memory, with elements of the same size."""
        element = element_of_onnx(number("onnx_element_type", onnx_type))
        return OrtValue._of(borrowed(instance("array", array, np.ndarray), element))

    @staticmethod
    def ortvalue_from_shape_and_type(
        shape: Sequence[int], element_type: Any, device: OrtDevice, /
    ) -> "OrtValue":
        """Make a tensor with arbitrary content."""
        element = element_of(element_type)
        if element is ElementType.STRING:
            raise RuntimeError(_NUMBERS_ONLY)
        try:
            if is_cpu(device):
                return OrtValue._of(Value.empty(tuple(shape), element, api=api()))
            return OrtValue._of(empty_on(memory_info_of(device), shape, element))
        except (OrtError, ValueError) as error:
            raise RuntimeError(str(error)) from None

    ortvalue_from_shape_and_onnx_type = ortvalue_from_shape_and_type

    @staticmethod
    @translated
    def ortvalue_from_shape_and_type_for_memory_info(
        shape: Sequence[int], element_type: Any, info: OrtMemoryInfo, /
    ) -> "OrtValue":
        """Make a tensor with arbitrary content in memory that is described."""
        return OrtValue._of(empty_on(info._info, shape, element_of(element_type)))

    ortvalue_from_shape_and_onnx_type_for_memory_info = ortvalue_from_shape_and_type_for_memory_info

    @staticmethod
    def _at(
        address: int, element_type: Any, shape: Any, device: OrtDevice, keeps: Any
    ) -> "OrtValue":
        return OrtValue._of(tensor_at(device, element_type, shape, address, keeps))

    @staticmethod
    def ort_value_from_sparse_tensor(tensor: Any, /) -> "OrtValue":
        """Make a value of a sparse tensor."""
        return OrtValue._of(tensor._value)

    @staticmethod
    @translated
    def from_dlpack(data: Any, is_bool_tensor: bool = False) -> "OrtValue":
        """Make a tensor over memory that DLPack describes."""
        source = data if hasattr(data, "__dlpack__") else _Capsule(data)
        try:
            value = Value.from_dlpack(source, api=api())
        except BufferError as error:
            raise TypeError(f"from_dlpack expected a valid DLPack capsule: {error}") from None
        except ValueError as error:
            raise RuntimeError(str(error)) from None
        if is_bool_tensor and value.element_type is ElementType.UINT8:
            return OrtValue._of(borrowed(value.numpy(), ElementType.BOOL))
        return OrtValue._of(value)

    # --- reading ----------------------------------------------------------------------------------

    def as_sparse_tensor(self) -> Any:
        """Return it as a sparse tensor."""
        if not self.is_sparse_tensor():
            raise RuntimeError("This OrtValue does not contain a sparse tensor")
        return SparseTensor._of(self._value)

    def data_ptr(self) -> int:
        """Return the address of the first element."""
        return self._dense()._data

    def data_type(self) -> str:
        """Return the type, such as ``tensor(float)``."""
        return type_of(self._value)

    def device_name(self) -> str:
        """Return the name of the device that has the memory."""
        return device_name_of(self._value)

    def element_type(self) -> int:
        """Return ONNX's number for the type of the elements, those of the tensors of a sequence."""
        return onnx_element_of(self._value)

    def has_value(self) -> bool:
        """Return whether it holds anything."""
        out, table = ffi.new("int*"), api()
        checked.HasValue(table.pointer, self._value.handle, out)
        return bool(out[0])

    def is_tensor(self) -> bool:
        """Return whether it is a dense tensor."""
        return self._value.kind is ValueKind.TENSOR

    def is_sparse_tensor(self) -> bool:
        """Return whether it is a sparse tensor."""
        return self._value.kind is ValueKind.SPARSE

    def is_tensor_sequence(self) -> bool:
        """Return whether it is a sequence of tensors."""
        return self.data_type().startswith("seq(tensor(")

    def _is_webgpu_buffer(self) -> bool:
        return False

    def shape(self) -> list[int]:
        """Return the dimensions."""
        if self._value.kind not in (ValueKind.TENSOR, ValueKind.SPARSE):
            raise RuntimeError("Only OrtValues that are Tensors are currently supported")
        return list(self._value.shape)

    def tensor_size_in_bytes(self) -> int:
        """Return the bytes of all elements."""
        return self._dense().nbytes

    def _dense(self) -> Value:
        if self._value.kind is not ValueKind.TENSOR:
            raise RuntimeError("Only OrtValues that are Tensors are currently supported")
        return self._value

    def numpy(self) -> np.ndarray[Any, Any]:
        """Return an array over the memory; of strings, a copy."""
        value = self._dense()
        element = value.element_type
        if element is ElementType.FLOAT8E4M3FN:  # the official package gives its bytes
            return value._view(value._data, value.shape, ElementType.UINT8, value.readonly)
        if not numpy_has(element):
            raise RuntimeError(
                f"No corresponding Numpy type for Tensor Type. {element.name.lower()}"
            )
        return value.numpy()

    def to_dlpack(self) -> "CapsuleType":
        """Return a capsule of DLPack with the memory."""
        return self._value.__dlpack__()

    def __dlpack__(self, stream: object = None) -> "CapsuleType":
        return self._value.__dlpack__(stream=stream)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._value.__dlpack_device__()

    def update_inplace(self, data: Any, /) -> None:
        """Copy an array or another value into the memory."""
        if isinstance(data, OrtValue):
            if {data.device_name(), self.device_name()} == {"Cpu"}:
                self.update_inplace(data.numpy())
            else:
                copy_tensors([data], [self], None)
            return
        target = self._dense()
        if data.dtype.kind in "OUSTVM" or target.element_type is ElementType.STRING:
            raise RuntimeError(
                "Inplace update of OrtValues is currently only supported from non-string numpy "
                "arrays"
            )
        if data.size != np.prod(target.shape, dtype=np.int64):
            raise RuntimeError(
                "The input size of numpy arrays does not match the size of the OrtValue."
            )
        target.numpy()[...] = data.reshape(target.shape)


class _DLTensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device", ctypes.c_int32 * 2),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
    )


def is_dlpack_uint8_tensor(capsule: object, /) -> bool:
    """Return whether a capsule's elements are bytes; it stays as it is."""
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    tensor = _DLTensor.from_address(get(capsule, b"dltensor"))
    return (tensor.code, tensor.bits) == (1, 8)


def copy_tensors(sources: Sequence[OrtValue], targets: Sequence[OrtValue], stream: Any, /) -> None:
    """Copy tensors, also between devices."""
    kept = [[each._value.handle for each in side] for side in (sources, targets)]
    count = len(kept[0])
    if count != len(kept[1]):
        raise RuntimeError("sources and targets must be of the same length")
    source, target = (ffi.new("OrtValue*[]", handles) for handles in kept)
    queue = ffi.NULL if stream is None else stream._handle
    table = api()
    table.require("CopyTensors")
    try:
        checked.CopyTensors(table.pointer, env().handle, source, target, queue, count)
    except OrtError as error:
        raise RuntimeError(error.message) from error.__cause__
