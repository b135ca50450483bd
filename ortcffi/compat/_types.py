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


def type_of(value: "Value") -> str:
    """Return the type of a value, such as ``tensor(float)``."""
    if value.kind is ValueKind.TENSOR:
        return f"tensor({element_name(value.element_type)})"
    if value.kind is ValueKind.SPARSE:  # of which ONNX Runtime makes no type info
        return f"sparse_tensor({element_name(value.element_type)})"
    return type_name(value.type_info)


def onnx_element_of(value: "Value") -> int:
    """ONNX's number for the type of the elements, those of the tensors of a sequence."""
    if value.kind is not ValueKind.SEQUENCE:
        return onnx_of(value.element_type)
    from ortcffi.values.type_info import contained_tensor

    tensor = contained_tensor(value.type_info)
    if tensor is None:
        raise RuntimeError("only tensors and sequences of tensors have elements of one type")
    return onnx_of(tensor.element_type)


def device_name_of(value: "Value") -> str:
    """Return the name of the device that has a value's memory."""
    if value.kind is ValueKind.SPARSE:  # the C API makes them in memory of the CPU only
        return "Cpu"
    if value.kind is not ValueKind.TENSOR:
        raise RuntimeError("Only OrtValues that are Tensors/SparseTensors are currently supported")
    return value.memory_info.name


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
        return type_of(self._value)

    def device_name(self) -> str:
        """Return the name of the device that has the memory, such as ``cpu``."""
        return device_name_of(self._value).lower()
