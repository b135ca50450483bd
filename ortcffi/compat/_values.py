# SPDX-License-Identifier: MIT
"""Values: one class for ``onnxruntime.OrtValue`` and for that of its compiled module."""

import warnings
from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from ortcffi._native import ffi
from ortcffi.compat._arguments import instance, number
from ortcffi.compat._devices import OrtDevice, OrtMemoryInfo, device_of, is_cpu, memory_info_of
from ortcffi.compat._environment import api, env
from ortcffi.compat._errors import as_runtime_error, translated
from ortcffi.compat._tensors import borrowed, empty_on, tensor_at, tensor_over
from ortcffi.compat._types import OfValue, element_of, element_of_onnx, onnx_of
from ortcffi.errors import OrtError, OutOfMemory
from ortcffi.values.capsules import pointer_in
from ortcffi.values.element_types import ElementType, ValueKind
from ortcffi.values.lifecycle import has_value
from ortcffi.values.tensors import bytes_of
from ortcffi.values.value import Value

if TYPE_CHECKING:
    from typing_extensions import CapsuleType

    from ortcffi.compat._sparse import CSparseTensor, SparseTensor


Array = np.ndarray[Any, Any]
_STRING_BYTES = 32  # of a `std::string` of libstdc++, which is an element of a tensor


class _Capsule:
    """A capsule of DLPack with memory of the CPU, as an object that hands it out."""

    def __init__(self, capsule: object) -> None:
        self.__dlpack__ = lambda: capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)


def _has_bool(data: Any) -> bool:
    """Whether an object says that its elements are bool, which DLPack tells as bytes."""
    if isinstance(data, OrtValue):
        return data.data_type() == "tensor(bool)"
    dtype = getattr(data, "dtype", None)
    return getattr(dtype, "name", str(dtype)) in ("bool", "bool_", "torch.bool")


_NUMBERS_ONLY = "Creation of OrtValues is currently only supported from non-string numpy arrays"


class OrtValue(OfValue):
    """A value: a tensor, a sequence, a map, or a sparse tensor."""

    __slots__ = ()

    def __init__(
        self, ortvalue: "OrtValue", numpy_obj: Array | None = None, session: Any = None
    ) -> None:
        del numpy_obj, session  # the value itself keeps what it needs
        if not isinstance(ortvalue, OrtValue):
            raise ValueError("ortvalue must be an OrtValue")
        self._value = ortvalue._value

    def _get_c_value(self) -> "OrtValue":
        return self

    _ortvalue = property(_get_c_value)

    # --- making -----------------------------------------------------------------------------------

    @classmethod
    @translated
    def ortvalue_from_numpy(
        cls,
        numpy_obj: Array,
        /,
        device_type: str | OrtDevice = "cpu",
        device_id: int = 0,
        vendor_id: int = -1,
    ) -> Self:
        """Make a tensor: over an array's memory, or a copy on a device."""
        if device_type == "cpu" and type(numpy_obj) is np.ndarray:
            value = Value._plain(api()._maker, numpy_obj)
            if value is not None:
                return cls._of(value)
        device = device_of(device_type, device_id, vendor_id)
        if not isinstance(numpy_obj, np.ndarray) or numpy_obj.dtype.kind in "OUSTVM":
            raise RuntimeError(_NUMBERS_ONLY)
        source = cls._of(tensor_over(np.asarray(numpy_obj), api()))
        if is_cpu(device):
            return source
        shape, element = numpy_obj.shape, source._value.element_type
        target = cls._of(empty_on(memory_info_of(device), shape, element))
        copy_tensors([source], [target])
        return target

    @classmethod
    @translated
    def ortvalue_from_numpy_with_onnx_type(cls, data: Array, /, onnx_element_type: int) -> Self:
        element = element_of_onnx(number("onnx_element_type", onnx_element_type))
        return cls._of(borrowed(instance("array", data, np.ndarray), element))

    @classmethod
    def ortvalue_from_shape_and_type(  # noqa: PLR0913, PLR0917  # as many as officially
        cls,
        shape: Sequence[int],
        element_type: Any,
        device_type: str | OrtDevice = "cpu",
        device_id: int = 0,
        vendor_id: int = -1,
        memory_info: OrtMemoryInfo | None = None,
    ) -> Self:
        if memory_info is not None:
            if device_type != "cpu" or device_id != 0 or vendor_id != -1:
                warnings.warn(
                    "device_type, device_id, and vendor_id are ignored when memory_info is "
                    "provided.",
                    stacklevel=2,
                )
            return cls.ortvalue_from_shape_and_type_for_memory_info(
                shape, element_type, memory_info
            )
        device = device_of(device_type, device_id, vendor_id)
        element = element_of(element_type)
        if element is ElementType.STRING:
            raise RuntimeError(_NUMBERS_ONLY)
        try:
            if is_cpu(device):
                return cls._of(Value.empty(tuple(shape), element, api=api()))
            return cls._of(empty_on(memory_info_of(device), shape, element))
        except OutOfMemory as error:
            raise MemoryError(str(error)) from None
        except (OrtError, ValueError) as error:
            raise RuntimeError(str(error)) from None

    ortvalue_from_shape_and_onnx_type = ortvalue_from_shape_and_type

    @classmethod
    @translated
    def ortvalue_from_shape_and_type_for_memory_info(
        cls, shape: Sequence[int], element_type: Any, info: OrtMemoryInfo, /
    ) -> Self:
        return cls._of(empty_on(info._info, shape, element_of(element_type), str(info._info)))

    ortvalue_from_shape_and_onnx_type_for_memory_info = ortvalue_from_shape_and_type_for_memory_info

    @classmethod
    def ort_value_from_sparse_tensor(cls, sparse_tensor: "CSparseTensor") -> Self:
        return cls._of(sparse_tensor._value)

    @classmethod
    @translated
    def from_dlpack(cls, data: Any, is_bool_tensor: bool | None = None, /) -> Self:
        """Make a tensor over the memory of an object with ``__dlpack__``, or of a capsule.

        Bytes are bool if `is_bool_tensor`; by default, if the object says that it has bool.
        """
        source = data if hasattr(data, "__dlpack__") else _Capsule(data)
        try:
            value = Value.from_dlpack(source, api=api())
        except BufferError as error:
            if source is data:
                raise
            raise TypeError(f"from_dlpack expected a valid DLPack capsule: {error}") from None
        except (OrtError, ValueError) as error:
            raise RuntimeError(str(error)) from None
        if is_bool_tensor is None:
            is_bool_tensor = _has_bool(data)
        if is_bool_tensor and value.element_type is ElementType.UINT8:
            return cls._of(borrowed(value.numpy(), ElementType.BOOL))
        return cls._of(value)

    # --- reading ----------------------------------------------------------------------------------

    def as_sparse_tensor(self) -> "SparseTensor":
        if not self.is_sparse_tensor():
            raise RuntimeError("This OrtValue does not contain a sparse tensor")
        from ortcffi.compat._sparse import SparseTensor

        return SparseTensor._of(self._value)

    def data_ptr(self) -> int:
        return self._dense()._data

    def element_type(self) -> int:
        """Return ONNX's number for the type of the elements, those of the tensors of a sequence."""
        if self._value.kind is not ValueKind.SEQUENCE:
            return onnx_of(self._value.element_type)
        from ortcffi.values.type_info import contained_tensor

        tensor = contained_tensor(self._value.type_info)
        if tensor is None:
            raise RuntimeError("only tensors and sequences of tensors have elements of one type")
        return onnx_of(tensor.element_type)

    def has_value(self) -> bool:
        return has_value(self._value)

    def is_tensor(self) -> bool:
        return self._value.kind is ValueKind.TENSOR

    def is_sparse_tensor(self) -> bool:
        return self._value.kind is ValueKind.SPARSE

    def is_tensor_sequence(self) -> bool:
        return self.data_type().startswith("seq(tensor(")

    def _is_webgpu_buffer(self) -> bool:
        return False

    def shape(self) -> list[int]:
        return list((self._value if self.is_sparse_tensor() else self._dense()).shape)

    def tensor_size_in_bytes(self) -> int:
        """Return the bytes of all elements; of strings, the bytes of their C++ objects."""
        value = self._dense()
        if value.element_type is ElementType.STRING:
            return prod(value.shape) * _STRING_BYTES
        return value.nbytes

    def _dense(self) -> Value:
        if not self.is_tensor():
            raise RuntimeError("Only OrtValues that are Tensors are currently supported")
        return self._value

    def numpy(self) -> Array:
        """Return an array over the memory; of strings, a copy."""
        found = self._value._array()
        if found is not None:
            return found
        value = self._dense()
        element = value.element_type
        if element is ElementType.FLOAT8E4M3FN:  # the official package gives its bytes
            return value._view(value._data, value.shape, ElementType.UINT8, value.readonly)
        try:
            return value.numpy()  # of a dtype of ml_dtypes, for which the official package has none
        except (ImportError, TypeError):
            name = element.name.lower()
            raise RuntimeError(f"No corresponding Numpy type for Tensor Type. {name}") from None

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        found = self.numpy()
        if copy is not None:
            return np.array(found, dtype=dtype, copy=copy)
        return found if dtype is None else np.asarray(found, dtype=dtype)

    def to_dlpack(self) -> "CapsuleType":
        return self.__dlpack__()

    def __dlpack__(self, stream: object = None, **protocol: Any) -> "CapsuleType":
        del stream  # the memory of a CPU has none; officially any is taken
        value = self._dense()
        if value.element_type is ElementType.STRING:
            raise RuntimeError("Unsupported ORT data type for DLPack: string")
        return value.__dlpack__(**protocol)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._dense().__dlpack_device__()

    def update_inplace(self, data: Any) -> None:
        if isinstance(data, OrtValue):
            if {data.device_name(), self.device_name()} == {"cpu"}:
                _copy(data._dense(), self._dense())
            else:
                copy_tensors([data], [self])
            return
        if not isinstance(data, np.ndarray):
            raise TypeError("data must be a numpy.ndarray or an OrtValue.")
        target = self._dense()
        if data.dtype.kind in "OUSTVM" or target.element_type is ElementType.STRING:
            raise RuntimeError(
                "Inplace update of OrtValues is currently only supported from non-string numpy "
                "arrays"
            )
        if data.size != prod(target.shape):
            raise RuntimeError(
                "The input size of numpy arrays does not match the size of the OrtValue."
            )
        target.numpy()[...] = data.reshape(target.shape)


def _copy(source: Value, target: Value) -> None:
    if source.element_type is not target.element_type:
        raise RuntimeError("The source and destination OrtValues must have the same data type")
    if source.element_type is ElementType.STRING:
        raise RuntimeError("Inplace update of string tensors is not supported")
    if source.nbytes != target.nbytes:
        raise RuntimeError("The source and destination OrtValues must have the same size")
    bytes_of(target)[...] = bytes_of(source)


def is_dlpack_uint8_tensor(capsule: object, /) -> bool:
    """Return whether a capsule's elements are bytes; it stays as it is."""
    tensor = ffi.cast("ortcffi_dl_legacy*", pointer_in(capsule, b"dltensor")).tensor
    return (tensor.code, tensor.bits) == (1, 8)


@as_runtime_error
def copy_tensors(src: Sequence[OrtValue], dst: Sequence[OrtValue], stream: Any = None) -> None:
    handles = [[each._value.handle for each in side] for side in (src, dst)]
    count = len(handles[0])
    if count != len(handles[1]):
        raise RuntimeError("src and dst must be of the same length")
    source, target = (ffi.new("OrtValue*[]", side) for side in handles)
    queue = ffi.NULL if stream is None else stream._handle
    api()._call("CopyTensors", env().handle, source, target, queue, count)


class OrtValueVector(list[OrtValue]):
    """A list of values."""

    def push_back(self, value: Any, is_bool_tensor: bool = False) -> None:
        if not isinstance(value, OrtValue):
            value = OrtValue.from_dlpack(value, is_bool_tensor)
        self.append(value)

    def push_back_batch(  # as many as the official function
        self,
        tensors: Sequence[Any],
        addresses: Sequence[int],
        element_types: Sequence[Any],
        shapes: Sequence[Sequence[int]],
        devices: Sequence[OrtDevice],
        /,
    ) -> None:
        facts = (devices, element_types, shapes, addresses, tensors)
        if len({len(each) for each in facts}) > 1:
            raise RuntimeError("tensors, addresses, types, shapes and devices must be as many")
        self += [OrtValue._of(tensor_at(*each)) for each in zip(*facts, strict=True)]

    def reserve(self, _count: int, /) -> None:
        """Do nothing: lists grow by themselves."""

    def shrink_to_fit(self) -> None:
        """Do nothing: lists shrink by themselves."""
