# SPDX-License-Identifier: MIT
"""The types of a tensor's elements, and the dtypes of NumPy and ml_dtypes for them."""

from enum import IntEnum
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from ortcffi._native import lib
from ortcffi._public import public

# NumPy is imported by the functions that need it, so that programs that only read the types of ops
# start quickly.
if TYPE_CHECKING:
    import numpy as np


@public
class ElementType(IntEnum):
    """What the elements of a tensor are (``ONNXTensorElementDataType``)."""

    UNDEFINED = lib.ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED
    FLOAT = lib.ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT
    UINT8 = lib.ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8
    INT8 = lib.ONNX_TENSOR_ELEMENT_DATA_TYPE_INT8
    UINT16 = lib.ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT16
    INT16 = lib.ONNX_TENSOR_ELEMENT_DATA_TYPE_INT16
    INT32 = lib.ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32
    INT64 = lib.ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64
    STRING = lib.ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING
    BOOL = lib.ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL
    FLOAT16 = lib.ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16
    DOUBLE = lib.ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE
    UINT32 = lib.ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT32
    UINT64 = lib.ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT64
    COMPLEX64 = lib.ONNX_TENSOR_ELEMENT_DATA_TYPE_COMPLEX64
    COMPLEX128 = lib.ONNX_TENSOR_ELEMENT_DATA_TYPE_COMPLEX128
    BFLOAT16 = lib.ONNX_TENSOR_ELEMENT_DATA_TYPE_BFLOAT16
    FLOAT8E4M3FN = lib.ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E4M3FN
    FLOAT8E4M3FNUZ = lib.ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E4M3FNUZ
    FLOAT8E5M2 = lib.ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E5M2
    FLOAT8E5M2FNUZ = lib.ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E5M2FNUZ
    UINT4 = lib.ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT4
    INT4 = lib.ONNX_TENSOR_ELEMENT_DATA_TYPE_INT4
    FLOAT4E2M1 = lib.ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT4E2M1
    UINT2 = lib.ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT2
    INT2 = lib.ONNX_TENSOR_ELEMENT_DATA_TYPE_INT2
    FLOAT8E8M0 = lib.ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E8M0


@public
class ValueKind(IntEnum):
    """What a value is (``ONNXType``)."""

    UNKNOWN = lib.ONNX_TYPE_UNKNOWN
    TENSOR = lib.ONNX_TYPE_TENSOR
    SEQUENCE = lib.ONNX_TYPE_SEQUENCE
    MAP = lib.ONNX_TYPE_MAP
    OPAQUE = lib.ONNX_TYPE_OPAQUE
    SPARSE = lib.ONNX_TYPE_SPARSETENSOR
    OPTIONAL = lib.ONNX_TYPE_OPTIONAL


# The names of dtypes that are not those above in lower case.
_OTHER_NAMES = {
    ElementType.FLOAT: "float32",
    ElementType.DOUBLE: "float64",
    ElementType.STRING: "object",
    ElementType.FLOAT8E4M3FN: "float8_e4m3fn",
    ElementType.FLOAT8E4M3FNUZ: "float8_e4m3fnuz",
    ElementType.FLOAT8E5M2: "float8_e5m2",
    ElementType.FLOAT8E5M2FNUZ: "float8_e5m2fnuz",
    ElementType.FLOAT4E2M1: "float4_e2m1fn",
    ElementType.FLOAT8E8M0: "float8_e8m0fnu",
}
_NAMES: dict[ElementType, str] = {
    each: _OTHER_NAMES.get(each, each.name.lower()) for each in [*ElementType][1:]
}
# NumPy has the types before bfloat16, ml_dtypes that and the later ones.
_NUMPYS = {each: name for each, name in _NAMES.items() if each < ElementType.BFLOAT16}
_ML_DTYPES = {each: name for each, name in _NAMES.items() if each >= ElementType.BFLOAT16}

# Bits of the types that are packed, several to a byte.
PACKED = {
    ElementType.UINT4: 4,
    ElementType.INT4: 4,
    ElementType.FLOAT4E2M1: 4,
    ElementType.UINT2: 2,
    ElementType.INT2: 2,
}

_BY_NUMPYS_NAME = {name: element for element, name in _NUMPYS.items()}
_BY_ML_DTYPES_NAME = {name: element for element, name in _ML_DTYPES.items()}


@cache
def dtype_of(element: int) -> "np.dtype[Any]":
    """Return the dtype that arrays of an element type have."""
    import numpy as np

    if element in _NUMPYS:
        return np.dtype(_NUMPYS[ElementType(element)])
    if element not in _ML_DTYPES:
        raise TypeError(f"arrays have no elements of type {element}")
    kind = ElementType(element)
    name = _ML_DTYPES[kind]
    try:
        import ml_dtypes

        found: np.dtype[Any] = np.dtype(getattr(ml_dtypes, name))
    except (ImportError, AttributeError):
        raise ImportError(
            f"arrays of {kind.name} are of the type ml_dtypes.{name}: pip install -U ml_dtypes",
            name="ml_dtypes",
        ) from None
    return found


@cache
def bits_of(element: int) -> int:
    """Bits of an element that is not a string."""
    packed = PACKED.get(ElementType(element))
    if packed is not None:
        return packed
    name = _ML_DTYPES.get(ElementType(element))
    if name is None:
        import numpy as np

        return 8 * np.dtype(_NUMPYS[ElementType(element)]).itemsize
    return 16 if name == "bfloat16" else 8


@lru_cache(256)
def element_of(dtype: "np.dtype[Any]") -> ElementType:
    """Return the element type of a tensor that holds what arrays of this dtype hold."""
    if dtype.kind in "OUSTa" and dtype.type.__module__ != "ml_dtypes":
        return ElementType.STRING
    known = _BY_ML_DTYPES_NAME if dtype.type.__module__ == "ml_dtypes" else _BY_NUMPYS_NAME
    element = known.get(dtype.name)
    if element is None:
        hint = "; numpy.int64 has the same bytes, see ndarray.view" if dtype.kind in "mM" else ""
        raise TypeError(f"tensors have no elements of dtype {dtype}{hint}")
    return element


def as_element(dtype: Any, argument: str = "dtype") -> ElementType:
    """Return the element type for an argument: a member of the enum, or anything like a dtype."""
    if isinstance(dtype, ElementType):
        return dtype
    if isinstance(dtype, str) and dtype in _BY_ML_DTYPES_NAME:
        return _BY_ML_DTYPES_NAME[dtype]  # also without ml_dtypes
    import numpy as np

    try:
        return element_of(np.dtype(dtype))
    except (TypeError, ValueError) as error:
        raise TypeError(f"{argument}: {error}") from None
