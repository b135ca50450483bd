# SPDX-License-Identifier: MIT
"""Nodes and values of the graph of a model: ``OrtNode``, ``OrtValueInfo``."""

from typing import TYPE_CHECKING, Any

from ortcffi._convert import decode
from ortcffi._native import address_of, compiled, ffi, lib
from ortcffi._public import public, refuse_pickle, shortened
from ortcffi.custom_ops.op_attr import OpAttrType
from ortcffi.errors import Fail, InvalidGraph, NotFound
from ortcffi.errors import NotImplemented as NotAvailable
from ortcffi.models.view import listed
from ortcffi.values.element_types import PACKED, ElementType, ValueKind
from ortcffi.values.type_info import TypeInfo
from ortcffi.values.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from ortcffi.models._compiled import NodePart, ValuePart
    from ortcffi.models.model_graph import ModelGraph
    from ortcffi.values.tensor_type_info import Dimension
else:
    ValuePart, NodePart = compiled.ValuePart, compiled.NodePart

__all__ = ["ModelNode", "ModelValue", "array_of"]

public(ValuePart)
public(NodePart)


def array_of(graph: "ModelGraph", value: Value) -> "NDArray[Any] | Value":
    """What users see of a tensor of a graph: an array, or the Value if no array can have it."""
    if value.kind != ValueKind.TENSOR:
        return value
    try:
        array = value.numpy(copy=graph._is_temporary or value.element_type in PACKED)
    except ValueError:  # NumPy has no array of the shape
        return value
    array.flags.writeable = False  # of copies too: changes of them would be lost
    return array


@public
class ModelValue(ValuePart):
    """A value of a graph: an input, an initializer, or what a node makes.

    Two are equal if they are the same value of the same graph.

    Attributes
    ----------
    name : str
        The name.
    graph : ModelGraph
        The graph that it is part of.
    """

    __slots__ = ()

    @property
    def type(self) -> TypeInfo | None:
        """The type; None where the model does not say it, or says one that the API does not have.

        Notes
        -----
        API function: ``GetValueInfoTypeInfo``.
        """
        info = self._borrowed_type()
        return info._copy() if info is not None and self.graph._is_temporary else info

    def _borrowed_type(self) -> TypeInfo | None:
        out, graph = ffi.new("const OrtTypeInfo**"), self.graph
        try:
            graph._ask("GetValueInfoTypeInfo", self._pointer, out)
        except (Fail, InvalidGraph, NotAvailable):
            return None
        return TypeInfo(graph.api, out[0], graph) if out[0] else None

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

        Notes
        -----
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

        Notes
        -----
        API function: ``ValueInfo_GetValueConsumers``.
        """
        graph, count = self.graph, ffi.new("size_t*")
        graph._ask("ValueInfo_GetValueNumConsumers", self._pointer, count)
        nodes = ffi.new("const OrtNode*[]", count[0] + 1)
        indices = ffi.new("int64_t[]", count[0] + 1)
        graph._ask("ValueInfo_GetValueConsumers", self._pointer, nodes, indices, count[0])
        unique = {address_of(nodes[i]): nodes[i] for i in range(count[0])}
        return tuple(map(graph._node_at, unique.values()))

    @property
    def initializer(self) -> "NDArray[Any] | Value | None":
        """The constant that it is, or the default of an input; None for other values.

        A dense tensor is an array over the memory of the model, which cannot be written to; one of
        elements with less than 8 bits is unpacked, as a copy. A sparse one is a `Value`, as is one
        of more dimensions or larger lengths than NumPy takes.

        Raises
        ------
        ImportError
            The array needs the package ml_dtypes, as those of bfloat16 do.
        Fail
            The weights are in a file that is not there, or too small.

        Notes
        -----
        API function: ``ValueInfo_GetInitializerValue``.
        """
        value = self._tensor_value()
        return None if value is None else array_of(self.graph, value)

    def _tensor_value(self) -> Value | None:
        out, graph = ffi.new("const OrtValue**"), self.graph
        graph._ask("ValueInfo_GetInitializerValue", self._pointer, out)
        if not out[0]:
            return None
        handle = ffi.cast("OrtValue*", out[0])
        return Value.from_handle(graph.api, handle, graph, readonly=True)

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

        Notes
        -----
        API functions: ``ValueInfo_IsConstantInitializer``, ``ValueInfo_IsOptionalGraphInput``.
        """
        return self._is("ConstantInitializer") or self._is("OptionalGraphInput")

    @property
    def is_outer(self) -> bool:
        """Whether a graph around this one has it. API function: ``ValueInfo_IsFromOuterScope``."""
        return self._is("FromOuterScope")

    def _is(self, kind: str) -> bool:
        out = ffi.new("bool*")
        self.graph._ask(f"ValueInfo_Is{kind}", self._pointer, out)
        return bool(out[0])

    @property
    def _pointer(self) -> Any:
        return ffi.cast("const OrtValueInfo*", self._address)

    @property
    def _tensor(self) -> Any:
        info = self._borrowed_type()
        return None if info is None else info.tensor_info

    __reduce__ = refuse_pickle

    def __repr__(self) -> str:
        if self.graph.closed:
            return "<ModelValue of a closed graph>"
        kind = self.type
        known = "unknown" if kind is None else shortened(str(kind), 120)
        return f"<ModelValue {shortened(self.name)}: {known}>"


@public
class ModelNode(NodePart):
    """A node of a graph: one call of an operator.

    Two are equal if they are the same node of the same graph.

    Attributes
    ----------
    op_type : str
        The operator.
    inputs, outputs : tuple of str
        The names of what it reads and makes; "" for what is left out. ``node.graph[name]`` is the
        value.
    domain : str
        The operator's domain; "" is that of ONNX.
    name : str
        The name of the node, which may be "".
    graph : ModelGraph
        The graph that it is part of.
    """

    __slots__ = ()

    @property
    def attributes(self) -> dict[str, Any]:
        """The attributes by name.

        Each is an int, a float, a str (bytes where it is not UTF-8), a list of one of them, an
        array that cannot be written to, or a `ModelGraph`. None stands for one that the C API does
        not show: a list of tensors or of graphs, a sparse tensor, a type, and in a function the
        reference to one of its own attributes.

        Notes
        -----
        API functions: ``Node_GetAttributes``, ``OpAttr_GetType``, ``OpAttr_GetName``,
        ``ReadOpAttr``, ``OpAttr_GetTensorAttributeAsOrtValue``, ``Node_GetSubgraphs``.
        """
        graph, subgraphs = self.graph, None
        attributes: dict[str, Any] = compiled.read_attributes(self)
        for name, value in attributes.items():
            if type(value) is not tuple:
                continue
            kind, address = value
            if kind == OpAttrType.GRAPH:
                subgraphs = self.subgraphs if subgraphs is None else subgraphs
                attributes[name] = subgraphs.get(name)
            else:
                attributes[name] = _tensor_of(graph, ffi.cast("const OrtOpAttr*", address))
        return attributes

    @property
    def subgraphs(self) -> "dict[str, ModelGraph]":
        """The attributes that are graphs. API function: ``Node_GetSubgraphs``."""
        graph, count = self.graph, ffi.new("size_t*")
        graph._ask("Node_GetNumSubgraphs", self._pointer, count)
        if not count[0]:
            return {}
        found = ffi.new("const OrtGraph*[]", count[0])
        names = ffi.new("const char*[]", count[0])
        graph._ask("Node_GetSubgraphs", self._pointer, found, count[0], names)
        return {decode(names[i]): graph._graph_at(found[i]) for i in range(count[0])}

    @property
    def consumers(self) -> "tuple[ModelNode, ...]":
        """The nodes that read what it makes, each once."""
        made = compiled.list_parts(self, lib.ORTCFFI_NODE_OUTPUTS, ModelValue)
        return _unique(node for value in made if value for node in value.consumers)

    @property
    def producers(self) -> "tuple[ModelNode, ...]":
        """The nodes that make what it reads, each once; also what its subgraphs read.

        Notes
        -----
        API functions: ``Node_GetInputs``, ``Node_GetImplicitInputs``.
        """
        lists = (lib.ORTCFFI_NODE_INPUTS, lib.ORTCFFI_NODE_IMPLICIT_INPUTS)
        read = (each for which in lists for each in compiled.list_parts(self, which, ModelValue))
        return _unique(node for value in read if value and (node := value.producer))

    @property
    def implicit_inputs(self) -> tuple[str, ...]:
        """The names of what only its subgraphs read. API function: ``Node_GetImplicitInputs``."""
        read = compiled.list_parts(self, lib.ORTCFFI_NODE_IMPLICIT_INPUTS, ModelValue)
        return tuple(value.name for value in read)

    @property
    def since_version(self) -> int | None:
        """The version of its operator set in which the operator got the form that it has here.

        None where that is not known: for custom ops and functions of the model.

        Notes
        -----
        API function: ``Node_GetSinceVersion``.
        """
        out = ffi.new("int*")
        self.graph._ask("Node_GetSinceVersion", self._pointer, out)
        return int(out[0]) if out[0] > 0 else None

    @property
    def ep_name(self) -> str:
        """The execution provider that it is assigned to; "" where it is to none.

        Notes
        -----
        API function: ``Node_GetEpName``.
        """
        graph, out = self.graph, ffi.new("const char**")
        kept = graph.handle  # until the text is decoded
        graph._ask("Node_GetEpName", self._pointer, out)
        name = decode(out[0]) if out[0] else ""
        del kept
        return name

    @property
    def _pointer(self) -> Any:
        return ffi.cast("const OrtNode*", self._address)

    __reduce__ = refuse_pickle

    def __repr__(self) -> str:
        if self.graph.closed:
            return "<ModelNode of a closed graph>"
        name = f" {shortened(self.name, 40)!r}" if self.name else ""
        operator = shortened(f"{self.domain}.{self.op_type}" if self.domain else self.op_type)
        return f"<ModelNode {operator}{name}: {listed(self.inputs)} -> {listed(self.outputs)}>"


def _unique(nodes: "Iterable[ModelNode]") -> "tuple[ModelNode, ...]":
    return tuple(dict.fromkeys(nodes))


def _tensor_of(graph: "ModelGraph", attribute: Any) -> "NDArray[Any] | Value":
    from ortcffi.values.lifecycle import blank

    value, out = blank(Value, graph.api, graph, readonly=True)
    graph._ask("OpAttr_GetTensorAttributeAsOrtValue", attribute, out)
    return array_of(graph, value)
