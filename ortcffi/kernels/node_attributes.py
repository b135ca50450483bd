# SPDX-License-Identifier: MIT
"""Attributes of the node that a kernel is made for, read from ``OrtKernelInfo``."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ortcffi._convert import decode
from ortcffi._native import ffi
from ortcffi.custom_ops.op_attr import OpAttr, OpAttrType
from ortcffi.errors import InvalidArgument, OrtError, checked
from ortcffi.memory.scratch import scratch_for
from ortcffi.values.lifecycle import blank
from ortcffi.values.value import Value

if TYPE_CHECKING:
    from ortcffi.kernels.operands import Attribute
    from ortcffi.table.api import Api

__all__ = ["read_attributes", "read_inferred_attributes"]


def read_attributes(api: "Api", info: Any, declared: "tuple[Attribute, ...]") -> dict[str, Any]:
    """The attributes of a node by name, with the defaults of those that it does not have."""
    return {each.name: _value_of(api, info, each) for each in declared}


def read_inferred_attributes(
    api: "Api", context: Any, declared: "tuple[Attribute, ...]"
) -> dict[str, Any]:
    """The same while shapes are inferred, where no attribute is a tensor."""
    found = {}
    for each in declared:
        out = ffi.new("const OrtOpAttr**")
        name = each.name.encode()
        get = checked.ShapeInferContext_GetAttribute
        if not _succeeds(get, api, context, name, out) or each.type is OpAttrType.TENSOR:
            found[each.name] = each.default
            continue
        attribute = OpAttr.from_handle(api, ffi.cast("OrtOpAttr*", out[0]), lender=context)
        if attribute.type != each.type:
            given = getattr(attribute.type, "name", attribute.type)
            told = f"attribute {each.name!r} must be of type {each.type.name}, not {given}"
            raise InvalidArgument(told, None)
        found[each.name] = attribute.value
    return found


def _value_of(api: "Api", info: Any, declared: "Attribute") -> Any:
    found = _READERS[declared.type](api, info, declared)
    if found is None or _is_empty(found):
        _refuse_other_type(api, info, declared, is_empty=found is not None)
    if found is None and declared.is_required:
        raise InvalidArgument(f"attribute {declared.name!r} is missing", None)
    return declared.default if found is None else found


def _is_empty(found: Any) -> bool:
    return isinstance(found, list) and not found


def _refuse_other_type(api: "Api", info: Any, declared: "Attribute", *, is_empty: bool) -> None:
    """Raise if the node has the attribute, which a getter of its declared type does not tell.

    A getter of arrays answers an empty one (`is_empty`) for an attribute of any other type.
    """
    told = f"attribute {declared.name!r} must be of type {declared.type.name}"
    is_there = False
    for kind, read in _READERS.items():
        if kind is declared.type or not api.supports(_SLOTS[kind]):
            continue
        found = read(api, info, declared)
        if found is not None and not _is_empty(found):
            raise InvalidArgument(f"{told}, not {kind.name}", None)
        is_there = is_there or found is not None
    if is_there and not is_empty:
        raise InvalidArgument(f"{told}, not an empty list or another type", None)


def _succeeds(get: Callable[..., Any], api: "Api", *arguments: Any) -> bool:
    """Whether a getter succeeds. A node has no such attribute: that is no failure."""
    try:
        get(api.pointer, *arguments)
    except OrtError:
        return False
    return True


def _number(slot: str, kind: str) -> Callable[..., Any]:
    def read(api: "Api", info: Any, declared: "Attribute") -> Any:
        out = ffi.new(f"{kind}*")
        get = getattr(checked, slot)
        return out[0] if _succeeds(get, api, info, declared.name.encode(), out) else None

    return read


def _array(slot: str, kind: str) -> Callable[..., Any]:
    """Arrays answer an attribute of another type with a size of 0."""

    def read(api: "Api", info: Any, declared: "Attribute") -> Any:
        api.require(slot)
        get, name, size = getattr(checked, slot), declared.name.encode(), ffi.new("size_t*")
        if not _succeeds(get, api, info, name, ffi.NULL, size):
            return None
        out = ffi.new(f"{kind}[]", size[0])
        if size[0]:
            get(api.pointer, info, name, out, size)
        return list(out)

    return read


def _string(api: "Api", info: Any, declared: "Attribute") -> str | None:
    get, name = checked.KernelInfoGetAttribute_string, declared.name.encode()
    size = ffi.new("size_t*")
    if not _succeeds(get, api, info, name, ffi.NULL, size):
        return None
    out = ffi.new("char[]", max(size[0], 1))
    get(api.pointer, info, name, out, size)
    text: bytes = ffi.unpack(out, max(size[0], 1) - 1)
    return text.decode(errors="replace")


def _strings(api: "Api", info: Any, declared: "Attribute") -> list[str] | None:
    slot = "KernelInfoGetAttributeArray_string"
    api.require(slot)
    allocator = scratch_for(api)
    texts, size = ffi.new("char***"), ffi.new("size_t*")
    get, name = checked.KernelInfoGetAttributeArray_string, declared.name.encode()
    if not _succeeds(get, api, info, name, allocator, texts, size):
        return None
    return [decode(texts[0][i]) for i in range(size[0])]


def _tensor(api: "Api", info: Any, declared: "Attribute") -> Any:
    api.require("KernelInfoGetAttribute_tensor")
    allocator = api.default_allocator
    value, out = blank(Value, api)
    get, name = checked.KernelInfoGetAttribute_tensor, declared.name.encode()
    if not _succeeds(get, api, info, name, allocator.handle, out):
        return None
    with value:
        return value.numpy(copy=True)


_SLOTS = {
    OpAttrType.INT: "KernelInfoGetAttribute_int64",
    OpAttrType.FLOAT: "KernelInfoGetAttribute_float",
    OpAttrType.STRING: "KernelInfoGetAttribute_string",
    OpAttrType.TENSOR: "KernelInfoGetAttribute_tensor",
    OpAttrType.INTS: "KernelInfoGetAttributeArray_int64",
    OpAttrType.FLOATS: "KernelInfoGetAttributeArray_float",
    OpAttrType.STRINGS: "KernelInfoGetAttributeArray_string",
}
_READERS: dict[OpAttrType, Callable[..., Any]] = {
    OpAttrType.INT: _number(_SLOTS[OpAttrType.INT], "int64_t"),
    OpAttrType.FLOAT: _number(_SLOTS[OpAttrType.FLOAT], "float"),
    OpAttrType.STRING: _string,
    OpAttrType.TENSOR: _tensor,
    OpAttrType.INTS: _array(_SLOTS[OpAttrType.INTS], "int64_t"),
    OpAttrType.FLOATS: _array(_SLOTS[OpAttrType.FLOATS], "float"),
    OpAttrType.STRINGS: _strings,
}
