# SPDX-License-Identifier: MIT
"""A graph in any library's memory, taken over into a `Graph`."""

from typing import TYPE_CHECKING, Any

from ortcffi._native import ffi
from ortcffi._public import quoted
from ortcffi.custom_ops.op_attr import OpAttr, OpAttrType
from ortcffi.errors import NotImplemented as NotAvailable
from ortcffi.models.graph_parts import GraphNode, dimensions_of
from ortcffi.models.message import Message, element_in_file, make
from ortcffi.models.model_graph import ModelGraph
from ortcffi.models.stored import tensor_of
from ortcffi.values.element_types import ValueKind
from ortcffi.values.value import Value

if TYPE_CHECKING:
    from ortcffi.models.graph import Graph
    from ortcffi.models.parts import ModelNode, ModelValue
    from ortcffi.values.type_info import TypeInfo


def take_over(graph: "Graph", shown: ModelGraph) -> None:
    """Fill a new graph with what a library shows."""
    known = shown.opsets
    for domain in sorted(_domains(shown) | {""}):
        graph.opsets[domain] = known.get(domain, 1)
    graph._home.message.ir_version = shown.ir_version
    _fill(graph._message, shown)


def add_alone(graph: "Graph", node: "ModelNode") -> None:
    """Add a node to a new graph, with inputs of the types that they have in the node's graph."""
    shown = node.graph
    graph._home.message.ir_version = shown.ir_version
    graph._message.node.append(_node(node))
    values = shown.values
    for name in dict.fromkeys((*node.inputs, *node.implicit_inputs)):
        if name in values:
            graph._message.input.append(_value(values[name]))
    for name in filter(None, node.outputs):
        graph.output(name)


def _domains(graph: ModelGraph) -> set[str]:
    found = {node.domain for node in graph.nodes}
    return found.union(*(_domains(g) for node in graph.nodes for g in node.subgraphs.values()))


def _fill(message: Any, graph: ModelGraph) -> Any:
    message.name = graph.name or "graph"
    message.node = [_node(node) for node in graph.nodes]
    for name, array in graph.initializers.items():
        what = f"the initializer {quoted(name)}"
        message.initializer.append(tensor_of(name, _copied(what, array), what))
    message.input = [_value(each) for each in graph.inputs]
    message.output = [_value(each) for each in graph.outputs]
    listed = {each.name for each in (*message.input, *message.output, *message.initializer)}
    for name, value in graph.values.items():
        if name not in listed and value.type is not None:
            message.value_info.append(_value(value))
    return message


def _copied(what: str, array: Any) -> Value:
    """Return a tensor that outlives the graph, with its elements packed as in memory."""
    if isinstance(array, Value):
        raise NotAvailable(f"{what} is a sparse tensor", "Graph_GetInitializers")
    return Value.from_numpy(array, copy=True)


def _node(node: "ModelNode") -> Any:
    made = GraphNode(node.op_type, node.inputs, node.outputs, node.domain, node.name)
    for name, value in node.attributes.items():
        made.attributes[name] = _shown_attribute(node, name, value)
    return made._message


def _shown_attribute(node: "ModelNode", name: str, value: Any) -> Any:
    if isinstance(value, ModelGraph):
        return _fill(Message("GraphProto"), value)
    if value is None:
        held = _type_of_optional(node)
        if held is None:
            text = f"the attribute {quoted(name)} has a type that the C API does not show"
            raise NotAvailable(text, "OpAttr_GetType")
        return _type(held)
    if isinstance(value, list) and not value:
        return _Empty(_type_of_list(node, name))
    is_tensor = not isinstance(value, (int, float, str, bytes, list))
    return _copied(f"the attribute {quoted(name)}", value) if is_tensor else value


class _Empty(list[Any]):
    """An empty list, which says of what."""

    def __init__(self, kind: str) -> None:
        super().__init__()
        self.kind = kind


def _type_of_list(node: "ModelNode", name: str) -> str:
    graph, out = node.graph, ffi.new("const OrtOpAttr**")
    graph._ask("Node_GetAttributeByName", node._pointer, name.encode(), out)
    return OpAttrType(OpAttr.from_handle(graph.api, out[0], graph).type).name


def _type_of_optional(node: "ModelNode") -> "TypeInfo | None":
    """Get what the output of a node Optional may hold, as its attribute says that the API hides."""
    output = node.graph.values.get(node.outputs[0]) if node.outputs else None
    info = None if output is None or node.op_type != "Optional" else output.type
    return None if info is None or info.kind != ValueKind.OPTIONAL else info.contained


def _value(value: "ModelValue") -> Any:
    info = value.type
    kind = None if info is None else _type(info)
    return make("ValueInfoProto", name=value.name, type=kind)


def _type(info: "TypeInfo") -> Any:
    kind, contained, tensor = info.kind, info.contained, info.tensor_info
    if tensor is not None and kind in (ValueKind.TENSOR, ValueKind.SPARSE):
        field = "tensor_type" if kind == ValueKind.TENSOR else "sparse_tensor_type"
        number, shape = element_in_file(tensor.element_type), dimensions_of(tensor.shape)
        return make("TypeProto", **{field: make("TypeProto.Tensor", elem_type=number, shape=shape)})
    inner = Message("TypeProto") if contained is None else _type(contained)
    if kind == ValueKind.MAP:
        held = make("TypeProto.Map", key_type=int(info.key_type or 0), value_type=inner)
        return make("TypeProto", map_type=held)
    field = "sequence_type" if kind == ValueKind.SEQUENCE else "optional_type"
    # An optional has the same fields as a sequence.
    return make("TypeProto", **{field: make("TypeProto.Sequence", elem_type=inner)})
