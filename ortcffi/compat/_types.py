# SPDX-License-Identifier: MIT
"""Types of values, in the official package's words."""

from typing import TYPE_CHECKING, Any, Self

from ortcffi.values.element_types import ElementType, ValueKind, as_element

if TYPE_CHECKING:
    from ortcffi.values.type_info import TypeInfo
    from ortcffi.values.value import Value


# The numbers that ONNX and the C API do not share.
_ONNX = {24: ElementType.FLOAT8E8M0, 25: ElementType.UINT2, 26: ElementType.INT2}
_TO_ONNX = {int(element): number for number, element in _ONNX.items()}


def element_name(element: int) -> str:
    """Return the name of an element type, such as ``float``."""
    return ElementType(element).name.lower()


def element_of_onnx(number: int) -> ElementType:
    """Return the element type that ONNX has a number for."""
    try:
        return _ONNX.get(number) or ElementType(number)
    except ValueError:
        raise RuntimeError(f"{number} is no type of ONNX") from None


def onnx_of(element: int) -> int:
    """ONNX's number for an element type."""
    return _TO_ONNX.get(int(element), int(element))


def element_of(given: Any) -> ElementType:
    """Return an element type of ONNX's number or a type of NumPy's, as officially."""
    if isinstance(given, int):
        return element_of_onnx(given)
    try:
        return as_element(given)
    except TypeError as error:
        raise RuntimeError(str(error)) from None


def type_name(info: "TypeInfo | None") -> str:
    """Return a type such as ``tensor(float)`` or ``seq(map(int64,tensor(float)))``."""
    if info is None:
        return ""
    tensor, contained = info.tensor_info, info.contained
    if info.kind == ValueKind.OPTIONAL:
        return f"optional({type_name(contained)})"
    if info.kind == ValueKind.SEQUENCE:
        return f"seq({type_name(contained)})"
    if info.kind == ValueKind.MAP and info.key_type is not None:
        return f"map({element_name(info.key_type)},{type_name(contained)})"
    if tensor is not None:
        prefix = "sparse_tensor" if info.kind == ValueKind.SPARSE else "tensor"
        return f"{prefix}({element_name(tensor.element_type)})"
    return ""


class OfValue:
    """An object that stands for one of ortcffi's values."""

    __slots__ = ("__dict__", "__weakref__", "_value")

    _value: "Value"

    @classmethod
    def _of(cls, value: "Value") -> Self:
        made = cls.__new__(cls)
        made._value = value
        return made

    def data_type(self) -> str:
        """Return the type, such as ``tensor(float)``."""
        kinds = {ValueKind.TENSOR: "tensor", ValueKind.SPARSE: "sparse_tensor"}
        kind = kinds.get(self._value.kind)  # of sparse ones ONNX Runtime makes no type info
        if kind is None:
            return type_name(self._value.type_info)
        return f"{kind}({element_name(self._value.element_type)})"

    def device_name(self) -> str:
        """Return the name of the device that has the memory, such as ``cpu``."""
        if self._value.kind is ValueKind.SPARSE:  # which the C API makes for the CPU only
            return "cpu"
        if self._value.kind is not ValueKind.TENSOR:
            text = "Only OrtValues that are Tensors/SparseTensors are currently supported"
            raise RuntimeError(text)
        return self._value.memory_info.name.lower()
