# SPDX-License-Identifier: MIT
"""Attributes of the node that a kernel is made for, read from ``OrtKernelInfo``."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ortcffi._convert import decode
from ortcffi._native import ffi, lib
from ortcffi.custom_ops.op_attr import OpAttr, OpAttrType
from ortcffi.errors import InvalidArgument, OrtError, check
from ortcffi.memory.blocks import scratch_for
from ortcffi.values.lifecycle import blank
from ortcffi.values.value import Value

if TYPE_CHECKING:
    from ortcffi.kernels.operands import Attribute
    from ortcffi.table.api import Api


def read_attributes(api: "Api", info: Any, declared: "tuple[Attribute, ...]") -> dict[str, Any]:
    """Return the attributes of a node by name, with the defaults of those that it does not have."""
    return {each.name: _value_of(api, info, each) for each in declared}


def read_inferred_attributes(
    api: "Api", context: Any, declared: "tuple[Attribute, ...]"
) -> dict[str, Any]:
    """Do the same while shapes are inferred, where no attribute is a tensor."""
    found = {}
    for each in declared:
        out = ffi.new("const OrtOpAttr**")
        name = each.name.encode()
        get = lib.ShapeInferContext_GetAttribute
        if not _succeeds(get, api, context, name, out) or each.type is OpAttrType.TENSOR:
            found[each.name] = each.default
            continue
        attribute = OpAttr.from_handle(api, ffi.cast("OrtOpAttr*", out[0]), parent=context)
        if attribute.type != each.type:
            given = getattr(attribute.type, "name", attribute.type)
            message = f"attribute {each.name!r} must be of type {each.type.name}, not {given}"
            raise InvalidArgument(message, None)
        found[each.name] = attribute.value
    return found


def _value_of(api: "Api", info: Any, declared: "Attribute") -> Any:
    found = _read(api, info, declared, declared.type)
    if found is None or _is_empty(found):
        _refuse_other_type(api, info, declared, is_empty=found is not None)
    if found is None and declared.is_required:
        raise InvalidArgument(f"attribute {declared.name!r} is missing", None)
    return declared.default if found is None else found


def _is_empty(found: Any) -> bool:
    return isinstance(found, list) and not found


def _refuse_other_type(api: "Api", info: Any, declared: "Attribute", *, is_empty: bool) -> None:
    """Raise if the node has the attribute with another type, for which the getter only fails.

    A getter of arrays answers an empty one (`is_empty`) for an attribute of any other type.
    """
    message = f"attribute {declared.name!r} must be of type {declared.type.name}"
    is_there = False
    for kind, (slot, _) in _READERS.items():
        if kind is declared.type or not api.supports(slot):
            continue
        found = _read(api, info, declared, kind)
        if found is not None and not _is_empty(found):
            raise InvalidArgument(f"{message}, not {kind.name}", None)
        is_there = is_there or found is not None
    if is_there and not is_empty:
        raise InvalidArgument(f"{message}, not an empty list or another type", None)


def _read(api: "Api", info: Any, declared: "Attribute", kind: OpAttrType) -> Any:
    """Return an attribute as one of a type; None where the getter of that type fails."""
    slot, read = _READERS[kind]
    api.require(slot)
    return read(getattr(lib, slot), api, info, declared.name.encode())


def _succeeds(get: Callable[..., Any], api: "Api", *arguments: Any) -> bool:
    """Whether a getter succeeds. A node has no such attribute: that is no failure."""
    try:
        check(api.pointer, get(api.pointer, *arguments))
    except OrtError:
        return False
    return True


# Readers are given the getter, the table, what the getter reads from, and the name.


def _number(kind: str) -> Callable[..., Any]:
    def read(get: Callable[..., Any], api: "Api", info: Any, name: bytes) -> Any:
        out = ffi.new(f"{kind}*")
        return out[0] if _succeeds(get, api, info, name, out) else None

    return read


def _array(kind: str) -> Callable[..., Any]:
    """Arrays answer an attribute of another type with a size of 0."""

    def read(get: Callable[..., Any], api: "Api", info: Any, name: bytes) -> list[Any] | None:
        size = ffi.new("size_t*")
        if not _succeeds(get, api, info, name, ffi.NULL, size):
            return None
        out = ffi.new(f"{kind}[]", size[0])
        if size[0]:
            get(api.pointer, info, name, out, size)
        return list(out)

    return read


def _string(get: Callable[..., Any], api: "Api", info: Any, name: bytes) -> str | None:
    characters = _array("char")(get, api, info, name)
    return None if characters is None else b"".join(characters[:-1]).decode(errors="replace")


def _strings(get: Callable[..., Any], api: "Api", info: Any, name: bytes) -> list[str] | None:
    allocator = scratch_for(api)
    texts, size = ffi.new("char***"), ffi.new("size_t*")
    if not _succeeds(get, api, info, name, allocator, texts, size):
        return None
    return [decode(texts[0][i]) for i in range(size[0])]


def _tensor(get: Callable[..., Any], api: "Api", info: Any, name: bytes) -> Any:
    value, out = blank(Value, api)
    if not _succeeds(get, api, info, name, api.default_allocator.handle, out):
        return None
    with value:
        return value.numpy(copy=True)


_READERS: dict[OpAttrType, tuple[str, Callable[..., Any]]] = {
    OpAttrType.INT: ("KernelInfoGetAttribute_int64", _number("int64_t")),
    OpAttrType.FLOAT: ("KernelInfoGetAttribute_float", _number("float")),
    OpAttrType.STRING: ("KernelInfoGetAttribute_string", _string),
    OpAttrType.TENSOR: ("KernelInfoGetAttribute_tensor", _tensor),
    OpAttrType.INTS: ("KernelInfoGetAttributeArray_int64", _array("int64_t")),
    OpAttrType.FLOATS: ("KernelInfoGetAttributeArray_float", _array("float")),
    OpAttrType.STRINGS: ("KernelInfoGetAttributeArray_string", _strings),
}
