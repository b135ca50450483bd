# SPDX-License-Identifier: MIT
"""Nodes and values of the graph of a model: ``OrtNode``, ``OrtValueInfo``."""

from typing import TYPE_CHECKING, Any, Self, TypeVar

from ortcffi._convert import decode
from ortcffi._native import address_of, ffi, lib
from ortcffi._public import public, refuse_pickle, shortened
from ortcffi.custom_ops.op_attr import OpAttrType, read_value
from ortcffi.errors import Fail, InvalidArgument, InvalidGraph, NotFound, check
from ortcffi.errors import NotImplemented as NotAvailable
from ortcffi.models.view import described_node
from ortcffi.values.element_types import PACKED, ElementType, ValueKind
from ortcffi.values.type_info import TypeInfo
from ortcffi.values.value import Value

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ortcffi.models.model_graph import ModelGraph
    from ortcffi.values.tensor_type_info import Dimension

P = TypeVar("P", bound="Part")


@public
class Part:
    """What a graph gives, and keeps; equal to another that is the same object of the library."""

    __slots__ = ("_address", "_graph")

    _address: int
    _graph: "ModelGraph"
    _kind: str  # C's type

    def __init__(self, *_given: object, **_named: object) -> None:
        raise TypeError(f"a {type(self).__name__} belongs to a graph, which gives it")

    @classmethod
    def _at(
        cls, table: Any, _handle: Any, graph: "ModelGraph", pointer: Any, room: Any = None
    ) -> Self | None:
        """Get the part at a pointer, during a use of the graph; `room` is a `_Room` for several."""
        if not pointer:
            return None
        part = cls.__new__(cls)
        part._address, part._graph = address_of(pointer), graph
        part._read(table, pointer, room or _Room())
        return part

    def _read(self, table: Any, pointer: Any, room: "_Room") -> None:
        raise NotImplementedError

    @property
    def graph(self) -> "ModelGraph":
        """The graph that it is part of."""
        return self._graph

    @property
    def _pointer(self) -> Any:
        return ffi.cast(self._kind, self._address)

    def _get(self, slot: str, kind: str) -> Any:
        """Return what a function of the table answers for the part, by a pointer of a kind."""
        out = ffi.new(kind)
        self._graph._ask(slot, self._pointer, out)
        return out[0]

    def __eq__(self, other: object) -> bool:
        return self._address == other._address if isinstance(other, Part) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._address)

    __reduce__ = refuse_pickle


class _Room:
    """What C writes the texts of a node to."""

    __slots__ = ("counts", "size", "texts")

    def __init__(self, size: int = 32) -> None:
        self.size, self.texts = size, ffi.new("const char*[]", size)
        self.counts = ffi.new("size_t[2]")


def part_at(graph: "ModelGraph", pointer: Any, kind: type[P]) -> Any:
    """Return the part of a graph at a pointer."""
    return graph._read_handle(kind._at, graph.api.pointer, graph, pointer)


def list_parts(graph: "ModelGraph", slot: str, kind: type[P], of: Any = None) -> tuple[Any, ...]:
    """Return the parts in a list of the graph or a node; None for an operand that is left out."""

    def listed(table: Any, handle: Any) -> tuple[Any, ...]:
        found, room = _pointers(table, slot, handle if of is None else of), _Room()
        return tuple([kind._at(table, handle, graph, each, room) for each in found])

    parts: tuple[Any, ...] = graph._read_handle(listed, graph.api.pointer)
    return parts


def index_values(graph: "ModelGraph") -> dict[str, int]:
    """Return the address of each value of a graph by name."""

    def indexed(table: Any, handle: Any) -> dict[str, int]:
        lists = [("Graph_GetInputs", handle), ("Graph_GetInitializers", handle)]
        nodes = _pointers(table, "Graph_GetNodes", handle)
        lists += (("Node_GetOutputs", node) for node in nodes)
        found: dict[str, int] = {}
        for pointer in (each for slot, of in lists for each in _pointers(table, slot, of) if each):
            found.setdefault(_text(table, "GetValueInfoName", pointer), address_of(pointer))
        return found

    index: dict[str, int] = graph._read_handle(indexed, graph.api.pointer)
    return index


_LISTS = {"Graph_GetNodes": "const OrtNode*[]", "Node_GetAttributes": "const OrtOpAttr*[]"}


def _pointers(table: Any, slot: str, of: Any) -> Any:
    """Return the list that a slot gives of a graph or a node."""
    count = ffi.new("size_t*")
    check(table, getattr(lib, slot.replace("Get", "GetNum"))(table, of, count))
    found: Any = ffi.new(_LISTS.get(slot, "const OrtValueInfo*[]"), count[0])
    if count[0]:
        check(table, getattr(lib, slot)(table, of, found, count[0]))
    return found


def _text(table: Any, slot: str, of: Any) -> str:
    out = ffi.new("const char**")
    check(table, getattr(lib, slot)(table, of, out))
    return decode(out[0])


def array_of(graph: "ModelGraph", value: Value) -> "NDArray[Any] | Value":
    """Get what users see of a tensor of a graph: an array, or the Value if no array can have it."""
    if value.kind != ValueKind.TENSOR:
        return value
    try:
        array = value.numpy(copy=graph._is_temporary or value.element_type in PACKED)
    except ValueError:  # NumPy has no array of the shape
        return value
    array.flags.writeable = False  # of copies too: changes of them would be lost
    return array


@public
class ModelValue(Part):
    """A value of a graph: an input, an initializer, or what a node makes.

    Two are equal if they are the same value of the same graph.

    Attributes
    ----------
    graph : ModelGraph
        The graph that it is part of.
    """

    __slots__ = ("_name",)
    _kind = "const OrtValueInfo*"

    def _read(self, table: Any, pointer: Any, _room: _Room) -> None:
        self._name = _text(table, "GetValueInfoName", pointer)

    @property
    def name(self) -> str:
        """The name. API function: ``GetValueInfoName``."""
        return self._name

    @property
    def type(self) -> TypeInfo | None:
        """The type; None where the model does not say it, or says one that the API does not have.

        API function: ``GetValueInfoTypeInfo``.
        """
        info = self._borrowed_type()
        return info._copy() if info is not None and self.graph._is_temporary else info

    def _borrowed_type(self) -> TypeInfo | None:
        graph = self.graph
        try:
            found = self._get("GetValueInfoTypeInfo", "const OrtTypeInfo**")
        except (Fail, InvalidGraph, NotAvailable):
            return None
        return TypeInfo(graph.api, found, graph) if found else None

    @property
    def element_type(self) -> ElementType | int | None:
        """The type of a tensor's elements; None for other values, and where it is not known."""
        info = self._tensor
        return None if info is None else info.element_type

    @property
    def shape(self) -> "tuple[Dimension, ...] | None":
        """A tensor's dimensions, each a length, a name or None; None where they are not known."""
        info = self._tensor
        return None if info is None else info.shape

    @property
    def producer(self) -> "ModelNode | None":
        """The node that makes it; None for inputs and initializers.

        API function: ``ValueInfo_GetValueProducer``.
        """
        out, index = ffi.new("const OrtNode**"), ffi.new("size_t*")
        try:
            self.graph._ask("ValueInfo_GetValueProducer", self._pointer, out, index)
        except NotFound:
            return None
        return self.graph._node_at(out[0]) if out[0] else None

    @property
    def consumers(self) -> "tuple[ModelNode, ...]":
        """The nodes that read it, each once; also those whose subgraphs read it.

        API function: ``ValueInfo_GetValueConsumers``.
        """
        graph, count = self.graph, self._get("ValueInfo_GetValueNumConsumers", "size_t*")
        nodes, indices = ffi.new("const OrtNode*[]", count + 1), ffi.new("int64_t[]", count + 1)
        graph._ask("ValueInfo_GetValueConsumers", self._pointer, nodes, indices, count)
        unique = {address_of(nodes[i]): nodes[i] for i in range(count)}
        return tuple(map(graph._node_at, unique.values()))

    @property
    def initializer(self) -> "NDArray[Any] | Value | None":
        """The constant that it is, or the default of an input; None for other values.

        A dense tensor is an array over the memory of the model, which cannot be written to; one of
        elements with less than 8 bits is unpacked, as a copy. A sparse one is a `Value`, as is one
        of more dimensions or larger lengths than NumPy takes.

        API function: ``ValueInfo_GetInitializerValue``.

        Raises
        ------
        ImportError
            The array needs the package ml_dtypes, as those of bfloat16 do.
        Fail
            The weights are in a file that is not there, or too small.
        """
        value = self._tensor_value()
        return None if value is None else array_of(self.graph, value)

    def _tensor_value(self) -> Value | None:
        found, graph = self._get("ValueInfo_GetInitializerValue", "const OrtValue**"), self.graph
        if not found:
            return None
        return Value.from_handle(graph.api, ffi.cast("OrtValue*", found), graph, readonly=True)

    @property
    def is_input(self) -> bool:
        """Whether it is an input of the graph, with a default or without."""
        return self._is("RequiredGraphInput") or self._is("OptionalGraphInput")

    @property
    def is_output(self) -> bool:
        """Whether it is an output of the graph. API function: ``ValueInfo_IsGraphOutput``."""
        return self._is("GraphOutput")

    @property
    def is_initializer(self) -> bool:
        """Whether it has an `initializer`, which a run may replace if it is an input as well.

        API functions: ``ValueInfo_IsConstantInitializer``, ``ValueInfo_IsOptionalGraphInput``.
        """
        return self._is("ConstantInitializer") or self._is("OptionalGraphInput")

    @property
    def is_outer(self) -> bool:
        """Whether a graph around this one has it. API function: ``ValueInfo_IsFromOuterScope``."""
        return self._is("FromOuterScope")

    def _is(self, kind: str) -> bool:
        return bool(self._get(f"ValueInfo_Is{kind}", "bool*"))

    @property
    def _tensor(self) -> Any:
        info = self._borrowed_type()
        return None if info is None else info.tensor_info

    def __repr__(self) -> str:
        if self.graph.closed:
            return "<ModelValue of a closed graph>"
        kind = self.type
        known = "unknown" if kind is None else shortened(str(kind), 120)
        return f"<ModelValue {shortened(self.name)}: {known}>"


def _text_of_node(slot: str, doc: str) -> Any:
    """Return a property that is the text which a function answers for a node."""

    def read(node: "ModelNode") -> Any:
        graph, at = node.graph, node._pointer
        return graph._read_handle(lambda table, _: _text(table, slot, at), graph.api.pointer)

    return property(read, None, None, f"{doc} API function: ``{slot}``.")


@public
class ModelNode(Part):
    """A node of a graph: one call of an operator.

    Two are equal if they are the same node of the same graph.

    Attributes
    ----------
    graph : ModelGraph
        The graph that it is part of.
    """

    __slots__ = ("_inputs", "_op_type", "_outputs")
    _kind = "const OrtNode*"

    def _read(self, table: Any, pointer: Any, room: _Room) -> None:
        texts, counts, size = room.texts, room.counts, room.size
        check(table, lib.ortcffi_node_texts(table, pointer, texts, size, counts))
        outputs = 1 + counts[0]
        end = outputs + counts[1]
        if end > size:
            self._read(table, pointer, _Room(end))
            return
        found = [decode(each) for each in texts[0:end]]
        self._op_type = found[0]
        self._inputs, self._outputs = tuple(found[1:outputs]), tuple(found[outputs:])

    @property
    def op_type(self) -> str:
        """The operator. API function: ``Node_GetOperatorType``."""
        return self._op_type

    domain: str = _text_of_node("Node_GetDomain", 'The operator\'s domain; "" is that of ONNX.')
    name: str = _text_of_node("Node_GetName", 'The name, which may be "".')
    ep_name: str = _text_of_node(
        "Node_GetEpName", 'The execution provider that it is assigned to; "" where it is to none.'
    )

    @property
    def inputs(self) -> tuple[str, ...]:
        """The names of what it reads; "" for what is left out. ``node.graph[name]`` is the value.

        API function: ``Node_GetInputs``.
        """
        return self._inputs

    @property
    def outputs(self) -> tuple[str, ...]:
        """The names of what it makes; "" for what is left out.

        API function: ``Node_GetOutputs``.
        """
        return self._outputs

    @property
    def attributes(self) -> dict[str, Any]:
        """The attributes by name.

        Each is an int, a float, a str (bytes where it is not UTF-8), a list of one of them, an
        array that cannot be written to, or a `ModelGraph`. None stands for one that the C API does
        not show: a list of tensors or of graphs, a sparse tensor, a type, and in a function the
        reference to one of its own attributes.

        API functions: ``Node_GetAttributes``, ``OpAttr_GetType``, ``OpAttr_GetName``,
        ``ReadOpAttr``, ``OpAttr_GetTensorAttributeAsOrtValue``, ``Node_GetSubgraphs``.
        """
        graph, subgraphs = self.graph, None
        attributes: dict[str, Any]
        attributes = graph._read_handle(_attributes_of, graph.api.pointer, self._pointer)
        for name, value in attributes.items():
            if type(value) is not tuple:
                continue
            kind, attribute = value
            if kind == OpAttrType.GRAPH:
                subgraphs = self.subgraphs if subgraphs is None else subgraphs
                attributes[name] = subgraphs.get(name)
            else:
                attributes[name] = _tensor_of(graph, attribute)
        return attributes

    @property
    def subgraphs(self) -> "dict[str, ModelGraph]":
        """The attributes that are graphs. API function: ``Node_GetSubgraphs``."""
        graph, count = self.graph, self._get("Node_GetNumSubgraphs", "size_t*")
        if not count:
            return {}
        found, names = ffi.new("const OrtGraph*[]", count), ffi.new("const char*[]", count)
        graph._ask("Node_GetSubgraphs", self._pointer, found, count, names)
        return {decode(names[i]): graph._graph_at(found[i]) for i in range(count)}

    @property
    def implicit_inputs(self) -> tuple[str, ...]:
        """The names of what only its subgraphs read. API function: ``Node_GetImplicitInputs``."""
        read = list_parts(self.graph, "Node_GetImplicitInputs", ModelValue, self._pointer)
        return tuple(value.name for value in read)

    @property
    def since_version(self) -> int | None:
        """The version of its operator set in which the operator got the form that it has here.

        None where that is not known: for custom ops and functions of the model.

        API function: ``Node_GetSinceVersion``.
        """
        version = int(self._get("Node_GetSinceVersion", "int*"))
        return version if version > 0 else None

    def __repr__(self) -> str:
        if self.graph.closed:
            return "<ModelNode of a closed graph>"
        return f"<ModelNode {described_node(self)}>"


def _tensor_of(graph: "ModelGraph", attribute: Any) -> "NDArray[Any] | Value":
    from ortcffi.values.lifecycle import blank

    value, out = blank(Value, graph.api, graph, readonly=True)
    graph._ask("OpAttr_GetTensorAttributeAsOrtValue", attribute, out)
    return array_of(graph, value)


def _attributes_of(table: Any, _handle: Any, node: Any) -> dict[str, Any]:
    """Get the attributes of a node by name: of a tensor or a graph a tuple of the type and it."""
    found = _pointers(table, "Node_GetAttributes", node)
    return {_text(table, "OpAttr_GetName", each): _attribute(table, each) for each in found}


def _attribute(table: Any, attribute: Any) -> Any:
    out, size, data = ffi.new("OrtOpAttrType*"), ffi.new("size_t*"), ffi.new("char[]", _FEW)
    try:
        check(table, lib.OpAttr_GetType(table, attribute, out))
    except InvalidArgument:
        return None
    kind = out[0]
    if kind in (OpAttrType.TENSOR, OpAttrType.GRAPH):
        return kind, attribute
    if kind == OpAttrType.UNDEFINED or kind > OpAttrType.TENSOR:
        return None
    status = lib.ReadOpAttr(table, attribute, kind, data, _FEW, size)
    if status and size[0] > _FEW:  # the size is written in any case
        lib.ReleaseStatus(table, status)
        data = ffi.new("char[]", size[0])
        status = lib.ReadOpAttr(table, attribute, kind, data, size[0], size)
    check(table, status)
    return read_value(kind, data, size[0], _text_or_bytes)


_FEW = 256  # bytes of a value that are read at once


def _text_or_bytes(content: bytes) -> str | bytes:
    try:
        return content.decode()
    except UnicodeDecodeError:
        return content
