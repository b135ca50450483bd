# SPDX-License-Identifier: MIT
"""What objects of a library tell of themselves, as a text of one line."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from ortcffi._native import ffi, lib
from ortcffi.conformance.calls import Failed, buffer, text_of
from ortcffi.values.element_types import bits_of

_CTYPES = {1: "float", 7: "int64_t", 11: "double"}  # others are told as bytes
_STRING = lib.ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING
_NAMES = {
    number: name.removeprefix("ONNX_TENSOR_ELEMENT_DATA_TYPE_").lower()
    for number, name in ffi.typeof("ONNXTensorElementDataType").elements.items()
}
Slots = Mapping[str, Any]


class Tensor(NamedTuple):
    """A dense tensor: its element type, its shape, and its bytes."""

    kind: int
    dims: list[int]
    data: Any


def dims_of(slots: Slots, info: Any) -> list[int]:
    """Return the dimensions of type and shape."""
    rank = slots["GetDimensionsCount"](info)
    dims = buffer(f"int64_t[{rank or 1}]")
    slots["GetDimensions"](info, dims, rank)
    return list(dims)[:rank]


def value_of(slots: Slots, value: Any) -> Tensor:
    """Read a dense tensor."""
    info = slots["GetTensorTypeAndShape"](value)
    kind, dims = slots["GetTensorElementType"](info), dims_of(slots, info)
    count = slots["GetTensorShapeElementCount"](info)
    if kind == _STRING:
        return Tensor(kind, dims, [_element(slots, value, index) for index in range(count)])
    data = slots["GetTensorMutableData"](value)
    return Tensor(kind, dims, ffi.buffer(ffi.cast("char*", data), (count * bits_of(kind) + 7) // 8))


def _element(slots: Slots, value: Any, index: int) -> str:
    length = slots["GetStringTensorElementLength"](value, index)
    text = buffer(f"char[{length + 1}]")
    slots["GetStringTensorElement"](value, length, index, text)
    return bytes(ffi.buffer(text)[:length]).decode(errors="backslashreplace")


def shape_of(slots: Slots, info: Any) -> str:
    """Return element type and dimensions."""
    kind = slots["GetTensorElementType"](info)
    return f"{_NAMES.get(kind, kind)}{{{','.join(map(str, dims_of(slots, info)))}}}"


def _value(slots: Slots, value: Any) -> str:
    kind = slots["GetValueType"](value)
    if kind == lib.ONNX_TYPE_TENSOR:
        tensor = value_of(slots, value)
        data = tensor.data
        if (ctype := _CTYPES.get(tensor.kind)) and len(data):
            count = len(data) // ffi.sizeof(ctype)
            data = ffi.unpack(ffi.cast(f"{ctype}*", ffi.from_buffer(data)), count)
        texts = [f"{each:g}" if isinstance(each, float) else str(each) for each in data[:]]
        dims = ",".join(map(str, tensor.dims))
        return f"{_NAMES[tensor.kind]}{{{dims}}} {','.join(texts)}".rstrip()
    if kind == lib.ONNX_TYPE_SPARSETENSOR:
        return _sparse(slots, value)
    count = slots["GetValueCount"](value)
    allocator = slots["GetAllocatorWithDefaultOptions"]()
    items = [told(slots, slots["GetValue"](value, i, allocator)) for i in range(count)]
    name = {lib.ONNX_TYPE_SEQUENCE: "sequence", lib.ONNX_TYPE_MAP: "map"}.get(kind, f"kind {kind}")
    return f"{name}({'; '.join(items)})"


def _sparse(slots: Slots, value: Any) -> str:
    form = slots["GetSparseTensorFormat"](value)
    if form == lib.ORT_SPARSE_UNDEFINED:
        return f"sparse {shape_of(slots, slots['GetTensorTypeAndShape'](value))} not filled"
    values = slots["GetSparseTensorValuesTypeAndShape"](value)
    parts = [f"sparse format {form}", shape_of(slots, values)]
    kind = slots["GetTensorElementType"](values)
    count = slots["GetTensorShapeElementCount"](values)
    if kind == lib.ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT and count:
        data = ffi.cast("float*", slots["GetSparseTensorValues"](value))
        parts.append(",".join(f"{each:g}" for each in ffi.unpack(data, count)))
    if kind == _STRING:
        parts.append(_sparse_strings(slots, value, count))
    for number in {1: (0,), 2: (1, 2), 4: (3,)}[form]:
        info = slots["GetSparseTensorIndicesTypeShape"](value, number)
        count, data = slots["GetSparseTensorIndices"](value, number)
        ctype = "int32_t" if number == lib.ORT_SPARSE_BLOCK_SPARSE_INDICES else "int64_t"
        found = (
            ffi.unpack(ffi.cast(f"{ctype}*", data), count)
            if count and data
            else ["NULL"] * bool(count)
        )
        parts.append(f"{shape_of(slots, info)} {','.join(map(str, found))}".rstrip())
    return "; ".join(parts)


def _sparse_strings(slots: Slots, value: Any, count: int) -> str:
    length = slots["GetStringTensorDataLength"](value)
    text, offsets = buffer(f"char[{length + 1}]"), buffer(f"size_t[{count + 1}]")
    slots["GetStringTensorContent"](value, text, length, offsets, count)
    ends = [*list(offsets)[1:count], length]
    raw = ffi.buffer(text)[:length]
    return ",".join(bytes(raw[offsets[i] : ends[i]]).decode() for i in range(count))


def type_of(slots: Slots, info: Any) -> str:
    """Return what a type consists of."""
    kind = slots["GetOnnxTypeFromTypeInfo"](info)
    if kind == lib.ONNX_TYPE_SEQUENCE:
        inner = slots["GetSequenceElementType"](slots["CastTypeInfoToSequenceTypeInfo"](info))
        return f"sequence({type_of(slots, inner)})"
    if kind == lib.ONNX_TYPE_MAP:
        found = slots["CastTypeInfoToMapTypeInfo"](info)
        key = _NAMES[slots["GetMapKeyType"](found)]
        return f"map({key}: {type_of(slots, slots['GetMapValueType'](found))})"
    if kind == lib.ONNX_TYPE_OPTIONAL:
        inner = slots["CastTypeInfoToOptionalTypeInfo"](info)
        return f"optional({type_of(slots, slots['GetOptionalContainedTypeInfo'](inner))})"
    shape = shape_of(slots, slots["CastTypeInfoToTensorInfo"](info))
    return shape if kind == lib.ONNX_TYPE_TENSOR else f"kind {kind} {shape}"


def _memory(slots: Slots, info: Any) -> str:
    parts = [slots["MemoryInfoGetName"](info), slots["MemoryInfoGetId"](info)]
    parts += [slots["MemoryInfoGetType"](info), slots["MemoryInfoGetMemType"](info)]
    return " ".join(map(str, parts))


def pairs_of(slots: Slots, pairs: Any) -> str:
    """Return pairs of keys and values."""
    keys, values, count = slots["GetKeyValuePairs"](pairs)
    found = [f"{text_of(keys[i])}={text_of(values[i])}" for i in range(count)]
    return f"{{{','.join(found)}}}"


def _status(slots: Slots, status: Any) -> str:
    code = slots["GetErrorCode"](status)
    name = ffi.typeof("OrtErrorCode").elements.get(code, f"code {code}").removeprefix("ORT_")
    return f'{name}: "{slots["GetErrorMessage"](status)}"'


_OBJECTS = {
    "struct OrtValue *": _value,
    "struct OrtTypeInfo *": type_of,
    "struct OrtTensorTypeAndShapeInfo *": shape_of,
    "struct OrtMemoryInfo *": _memory,
    "struct OrtKeyValuePairs *": pairs_of,
    "struct OrtStatus *": _status,
}


def told(slots: Slots, answer: Any) -> str:  # noqa: PLR0911  # a kind of answer each
    """Return an answer as a text of one line."""
    if isinstance(answer, Failed):
        return answer.code + (f"; out={answer.written}" if answer.written else "")
    if isinstance(answer, tuple):
        return "; ".join(told(slots, each) for each in answer)
    if answer is None:
        return "NULL"
    if not isinstance(answer, ffi.CData):
        return str(answer)
    kind = ffi.typeof(answer)
    if kind.kind == "array":
        return ",".join(_item(each) for each in answer)
    if answer == ffi.NULL:
        return "NULL"
    if known := _OBJECTS.get(kind.cname):
        return known(slots, answer)
    return "non-NULL"


def _item(item: Any) -> str:
    if isinstance(item, bytes):
        return item.decode(errors="backslashreplace")
    if isinstance(item, ffi.CData) and ffi.typeof(item).cname == "char *":
        return text_of(item) or "NULL"
    return str(item)
