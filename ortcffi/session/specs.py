# SPDX-License-Identifier: MIT
"""What a model wants and gives: the names and types of its inputs and outputs."""

from typing import TYPE_CHECKING, Any, NamedTuple

from ortcffi._convert import decode
from ortcffi._native import ffi, lib
from ortcffi._public import public
from ortcffi.errors import check, fail
from ortcffi.values.element_types import ElementType, ValueKind, dtype_of
from ortcffi.values.type_info import TypeInfo

if TYPE_CHECKING:
    import numpy as np

    from ortcffi.table.api import Api

__all__ = ["ValueSpec", "read_specs"]

Shape = tuple[int | str, ...]


@public
class ValueSpec(NamedTuple):
    """An input, an output or an overridable initializer of a model.

    Attributes
    ----------
    name : str
        Its name, by which runs are given it.
    type_info : TypeInfo
        Its type in full.
    kind : ValueKind
        What it is: a tensor, a sequence, a map, a sparse tensor or an optional of one of them.
    element_type : ElementType or None
        The type of a tensor's elements; None for other kinds.
    shape : tuple of int and str, or None
        The dimensions of a tensor: a number, the name of one that the model leaves open, or -1 for
        one without a name. None where the model does not say, and for other kinds.
    """

    name: str
    type_info: TypeInfo
    kind: ValueKind
    element_type: ElementType | None
    shape: Shape | None

    @property
    def dtype(self) -> "np.dtype[Any] | None":
        """The dtype of arrays for it, `object` for strings; None where it is no tensor."""
        return None if self.element_type is None else dtype_of(self.element_type)

    def describe(self) -> str:
        """What it is in a few words, such as ``float[batch, 4]``."""
        if self.element_type is None or self.kind not in (ValueKind.TENSOR, ValueKind.SPARSE):
            return str(self.type_info)
        kind = "sparse " if self.kind is ValueKind.SPARSE else ""
        return f"{kind}{described(self.element_type.name.lower(), self.shape)}"

    def __repr__(self) -> str:
        return f"<ValueSpec {self.name!r} {self.describe()}>"

    def facts(self, on_cpu: bool) -> tuple[str, int, int, tuple[int, ...] | None, bool]:
        """What the compiled table of a session needs."""
        shape = self.shape
        numbers = None if shape is None else tuple(-1 if isinstance(n, str) else n for n in shape)
        return (self.name, int(self.kind), int(self.element_type or 0), numbers, on_cpu)


def described(element: str, shape: "Shape | tuple[int, ...] | None") -> str:
    """An element type and a shape in a few words."""
    if shape is None:
        return f"{element} of any shape"
    return f"{element}[{', '.join('?' if n == -1 else str(n) for n in shape)}]"


class _Room:
    """Where functions write what they tell of one type after the other."""

    __slots__ = ("count", "element", "kind", "lengths", "names", "tensor")

    def __init__(self) -> None:
        self.kind, self.tensor = ffi.new("ONNXType*"), ffi.new("const OrtTensorTypeAndShapeInfo**")
        self.element, self.count = ffi.new("ONNXTensorElementDataType*"), ffi.new("size_t*")
        self.lengths, self.names = ffi.new("int64_t[8]"), ffi.new("const char*[8]")


def _tensor_spec(
    api: "Api", name: str, info: TypeInfo, handle: Any, room: _Room
) -> ValueSpec | None:
    """The same as `_spec` for a tensor of a few dimensions, without an object for each step."""
    table, tensor, count = api.pointer, room.tensor, room.count
    if not api.supports("TensorTypeAndShape_HasShape"):
        return None
    check(table, lib.GetOnnxTypeFromTypeInfo(table, handle, room.kind), "GetOnnxTypeFromTypeInfo")
    if room.kind[0] != ValueKind.TENSOR:
        return None
    check(table, lib.CastTypeInfoToTensorInfo(table, handle, tensor), "CastTypeInfoToTensorInfo")
    status = lib.GetTensorElementType(table, tensor[0], room.element)
    check(table, status, "GetTensorElementType")
    shape: Any = None
    if lib.TensorTypeAndShape_HasShape(table, tensor[0]):
        check(table, lib.GetDimensionsCount(table, tensor[0], count), "GetDimensionsCount")
        rank = count[0]
        if rank > len(room.lengths):
            return None
        check(table, lib.GetDimensions(table, tensor[0], room.lengths, rank), "GetDimensions")
        status = lib.GetSymbolicDimensions(table, tensor[0], room.names, rank)
        check(table, status, "GetSymbolicDimensions")
        pairs = [(room.lengths[i], room.names[i]) for i in range(rank)]
        shape = tuple(n if n >= 0 else decode(text) or -1 for n, text in pairs)
    return ValueSpec(name, info, ValueKind.TENSOR, ElementType(room.element[0]), shape)


def _spec(api: "Api", name: str, info: TypeInfo) -> ValueSpec:
    kind = ValueKind(info.kind)
    tensor = info.tensor_info
    if tensor is None:
        return ValueSpec(name, info, kind, None, None)
    found = tensor.shape
    shape = None if found is None else tuple(-1 if n is None else n for n in found)
    if shape == () and not api.supports("TensorTypeAndShape_HasShape"):
        shape = None  # such a table does not tell a scalar from a tensor of any shape
    return ValueSpec(name, info, kind, ElementType(tensor.element_type), shape)


def read_specs(api: "Api", session: Any, what: str) -> tuple[ValueSpec, ...]:
    """All of one kind, which is ``Input``, ``Output`` or ``OverridableInitializer``.

    Notes
    -----
    API functions: ``SessionGetInputCount``, ``SessionGetInputName``, ``SessionGetInputTypeInfo``
    and those of the other kinds.
    """
    count, text, info = ffi.new("size_t*"), ffi.new("char**"), ffi.new("OrtTypeInfo**")
    table, allocator = api.pointer, api.default_allocator.handle
    slot = f"SessionGet{what}"
    if status := getattr(lib, f"{slot}Count")(table, session, count):
        fail(table, status, f"{slot}Count")
    get_name, get_info = getattr(lib, f"{slot}Name"), getattr(lib, f"{slot}TypeInfo")
    specs = []
    room = _Room()
    for i in range(count[0]):
        if status := get_name(table, session, i, allocator, text):
            fail(table, status, f"{slot}Name")
        name = decode(text[0])
        if status := lib.AllocatorFree(table, allocator, text[0]):
            fail(table, status, "AllocatorFree")
        if status := get_info(table, session, i, info):
            fail(table, status, f"{slot}TypeInfo")
        owned = TypeInfo(api, info[0])
        spec = _tensor_spec(api, name, owned, info[0], room)
        specs.append(_spec(api, name, owned) if spec is None else spec)
    return tuple(specs)


def outputs_on_cpu(api: "Api", session: Any, count: int) -> list[bool]:
    """Whether the library makes each output in memory of the CPU; False where it cannot tell.

    Notes
    -----
    API function: ``SessionGetMemoryInfoForOutputs``, since version 23.
    """
    if not api.supports("SessionGetMemoryInfoForOutputs"):
        return [False] * count
    infos: Any = ffi.new("const OrtMemoryInfo*[]", count)
    device = ffi.new("OrtMemoryInfoDeviceType*")
    status = lib.SessionGetMemoryInfoForOutputs(api.pointer, session, infos, count)
    if status:  # not every session tells
        lib.ReleaseStatus(api.pointer, status)
        return [False] * count
    found = []
    for i in range(count):
        lib.MemoryInfoGetDeviceType(api.pointer, infos[i], device)
        found.append(device[0] == lib.OrtMemoryInfoDeviceType_CPU)
    return found
