# SPDX-License-Identifier: MIT
"""A graph in any library's memory as the bytes of a model of its own."""

import struct
from typing import TYPE_CHECKING, Any

import numpy as np

from ortcffi._native import ffi, lib
from ortcffi._public import quoted
from ortcffi._table import core_api
from ortcffi.custom_ops.op_attr import OpAttr, OpAttrType
from ortcffi.errors import NotImplemented as NotAvailable
from ortcffi.models.view import GraphView
from ortcffi.models.wire import FIXED32, Message, packed_varints
from ortcffi.values.element_types import ElementType, ValueKind
from ortcffi.values.tensors import bytes_of
from ortcffi.values.value import Value

if TYPE_CHECKING:
    from ortcffi.models.model_graph import ModelGraph
    from ortcffi.models.parts import ModelNode, ModelValue
    from ortcffi.values.type_info import TypeInfo

__all__ = ["bytes_of_graph", "bytes_of_node"]


def bytes_of_graph(graph: "ModelGraph") -> bytes:
    """A model of a graph and its weights."""
    model = Message().add(lib.MODEL_IR_VERSION, graph.ir_version)
    known = graph.opsets
    for domain in sorted(_domains(graph) | {""}):
        model.add(lib.MODEL_OPSET, _opset(domain, known.get(domain, 1)))
    return bytes(model.add(lib.MODEL_GRAPH, _graph(graph)))


def bytes_of_node(node: "ModelNode") -> bytes:
    """A model of one node alone, whose inputs have the types that they have in its graph."""
    graph = Message().add(lib.GRAPH_NODE, _node(node)).add(lib.GRAPH_NAME, "node")
    values = node.graph.values
    for name in dict.fromkeys((*node.inputs, *node.implicit_inputs)):
        if name in values:
            graph.add(lib.GRAPH_INPUT, _value(values[name]))
    for name in filter(None, node.outputs):
        graph.add(lib.GRAPH_OUTPUT, Message().add(lib.VALUE_NAME, name))
    model = Message().add(lib.MODEL_IR_VERSION, node.graph.ir_version)
    for domain, version in node.graph.opsets.items():
        model.add(lib.MODEL_OPSET, _opset(domain, version))
    return bytes(model.add(lib.MODEL_GRAPH, graph))


def _opset(domain: str, version: int) -> Message:
    return Message().add(lib.OPSET_DOMAIN, domain).add(lib.OPSET_VERSION, version)


def _domains(graph: "ModelGraph") -> set[str]:
    found = {node.domain for node in graph.nodes}
    return found.union(*(_domains(g) for node in graph.nodes for g in node.subgraphs.values()))


def _graph(graph: "ModelGraph") -> Message:
    message = Message().add(lib.GRAPH_NAME, graph.name or "graph")
    for node in graph.nodes:
        message.add(lib.GRAPH_NODE, _node(node))
    for name, array in graph.initializers.items():
        message.add(lib.GRAPH_INITIALIZER, _tensor(f"the initializer {quoted(name)}", array, name))
    sides = ((lib.GRAPH_INPUT, graph.inputs), (lib.GRAPH_OUTPUT, graph.outputs))
    listed = {value.name for _, values in sides for value in values} | graph.initializers.keys()
    for number, values in sides:
        for value in values:
            message.add(number, _value(value))
    for name, value in graph.values.items():
        if name not in listed and value.type is not None:
            message.add(lib.GRAPH_VALUE, _value(value))
    return message


def _node(node: "ModelNode") -> Message:
    message = Message()
    for number, names in ((lib.NODE_INPUT, node.inputs), (lib.NODE_OUTPUT, node.outputs)):
        for name in names:
            message.add(number, name)
    message.add(lib.NODE_NAME, node.name).add(lib.NODE_OPERATOR, node.op_type)
    message.add(lib.NODE_DOMAIN, node.domain)
    for name, value in node.attributes.items():
        kind = _kind_of(node, name, value)
        held = _type_of_optional(node) if kind == OpAttrType.UNDEFINED else None
        attribute = _attribute(name, kind, value) if held is None else _type_attribute(name, held)
        message.add(lib.NODE_ATTRIBUTE, attribute)
    return message


def _type_of_optional(node: "ModelNode") -> "TypeInfo | None":
    """What the output of a node Optional may hold, as its attribute says that the API hides."""
    output = node.graph.values.get(node.outputs[0]) if node.outputs else None
    info = None if output is None or node.op_type != "Optional" else output.type
    return None if info is None or info.kind != ValueKind.OPTIONAL else info.contained


def _type_attribute(name: str, info: "TypeInfo") -> Message:
    message = Message().add(lib.ATTRIBUTE_NAME, name)
    message.add(lib.ATTRIBUTE_TYPE_PROTO, _type(info))
    return message.add(lib.ATTRIBUTE_TYPE, lib.ATTRIBUTE_IS_TYPE_PROTO)


def _text(value: Any) -> bytes:
    return value.encode() if isinstance(value, str) else bytes(value)


_KINDS: dict[Any, Any] = {int: OpAttrType.INT, float: OpAttrType.FLOAT}
_KINDS |= dict.fromkeys((str, bytes), OpAttrType.STRING)
_LISTS = {
    OpAttrType.INT: OpAttrType.INTS,
    OpAttrType.FLOAT: OpAttrType.FLOATS,
    OpAttrType.STRING: OpAttrType.STRINGS,
}


def _kind_of(node: "ModelNode", name: str, value: Any) -> Any:
    if isinstance(value, (np.ndarray, Value)):
        return OpAttrType.TENSOR
    if isinstance(value, GraphView):
        return OpAttrType.GRAPH
    if not isinstance(value, list):
        return _KINDS.get(type(value), OpAttrType.UNDEFINED)
    if value:
        return _LISTS[_KINDS[type(value[0])]]
    graph, out = node.graph, ffi.new("const OrtOpAttr**")
    graph._ask("Node_GetAttributeByName", node._pointer, name.encode(), out)
    return OpAttr.from_handle(graph.api, out[0], graph).type


def _attribute(name: str, kind: int, value: Any) -> Message:
    message = Message().add(lib.ATTRIBUTE_NAME, name)
    match kind:
        case OpAttrType.INT:
            number = lib.ATTRIBUTE_IS_INT
            message.add(lib.ATTRIBUTE_INT, value)
        case OpAttrType.FLOAT:
            number = lib.ATTRIBUTE_IS_FLOAT
            message.fields.append((lib.ATTRIBUTE_FLOAT, FIXED32, struct.pack("<f", value)))
        case OpAttrType.STRING:
            number = lib.ATTRIBUTE_IS_STRING
            message.add(lib.ATTRIBUTE_STRING, _text(value))
        case OpAttrType.INTS:
            number = lib.ATTRIBUTE_IS_INTS
            message.add(lib.ATTRIBUTE_INTS, packed_varints(value))
        case OpAttrType.FLOATS:
            number = lib.ATTRIBUTE_IS_FLOATS
            message.add(lib.ATTRIBUTE_FLOATS, struct.pack(f"<{len(value)}f", *value))
        case OpAttrType.STRINGS:
            number = lib.ATTRIBUTE_IS_STRINGS
            for each in value:
                message.add(lib.ATTRIBUTE_STRINGS, _text(each))
        case OpAttrType.TENSOR:
            number = lib.ATTRIBUTE_IS_TENSOR
            message.add(lib.ATTRIBUTE_TENSOR, _tensor(f"the attribute {quoted(name)}", value))
        case OpAttrType.GRAPH:
            number = lib.ATTRIBUTE_IS_GRAPH
            message.add(lib.ATTRIBUTE_GRAPH, _graph(value))
        case _:
            text = f"the attribute {quoted(name)} has a type that the C API does not show"
            raise NotAvailable(text, "OpAttr_GetType")
    return message.add(lib.ATTRIBUTE_TYPE, number)


def _tensor(what: str, array: Any, name: str = "") -> Message:
    if isinstance(array, Value):
        raise NotAvailable(f"{what} is a sparse tensor", "Graph_GetInitializers")
    message = Message()
    if array.shape:
        message.add(lib.TENSOR_DIMENSIONS, packed_varints(array.shape))
    if array.dtype == object:
        message.add(lib.TENSOR_ELEMENT, int(ElementType.STRING))
        for text in array.reshape(-1).tolist():
            message.add(lib.TENSOR_STRINGS, _text(text))
    else:
        with Value.from_numpy(np.ascontiguousarray(array), api=core_api()) as value:
            message.add(lib.TENSOR_ELEMENT, int(value.element_type))
            message.add(lib.TENSOR_RAW, bytes_of(value).tobytes())
    return message.add(lib.TENSOR_NAME, name)


def _value(value: "ModelValue") -> Message:
    message, info = Message().add(lib.VALUE_NAME, value.name), value.type
    return message if info is None else message.add(lib.VALUE_TYPE, _type(info))


def _type(info: "TypeInfo") -> Message:
    kind, contained, key = info.kind, info.contained, info.key_type
    if kind in (ValueKind.TENSOR, ValueKind.SPARSE):
        number = lib.TYPE_TENSOR if kind == ValueKind.TENSOR else lib.TYPE_SPARSE_TENSOR
        return Message().add(number, _tensor_type(info.tensor_info))
    inner = Message() if contained is None else _type(contained)
    if kind == ValueKind.MAP:
        pair = Message().add(lib.MAP_TYPE_KEY, int(key or 0)).add(lib.MAP_TYPE_VALUE, inner)
        return Message().add(lib.TYPE_MAP, pair)
    number = lib.TYPE_SEQUENCE if kind == ValueKind.SEQUENCE else lib.TYPE_OPTIONAL
    return Message().add(number, Message().add(lib.ELEMENT_TYPE, inner))


def _tensor_type(info: Any) -> Message:
    message = Message().add(lib.TENSOR_TYPE_ELEMENT, int(info.element_type))
    if info.shape is None:
        return message
    shape = Message()
    for each in info.shape:
        dimension = Message()
        if isinstance(each, int):
            dimension.add(lib.DIMENSION_VALUE, each)
        elif each:
            dimension.add(lib.DIMENSION_NAME, each)
        shape.add(lib.SHAPE_DIMENSION, dimension)
    return message.add(lib.TENSOR_TYPE_SHAPE, shape)
