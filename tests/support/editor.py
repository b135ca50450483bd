# SPDX-License-Identifier: MIT
"""A graph as an ``OrtModel``, by the model editor's functions.

Some of them take over what they are given, and only if they succeed; others set the entries of an
array to NULL, one by one. So each object has an owner until C itself has taken it over, and what
is still owned at the end is released.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from ortcffi._handle import Array, out_of, owned_by, owner_of
from ortcffi._native import ffi, lib
from ortcffi._table import editor_of
from ortcffi.errors import check
from ortcffi.models.graph_parts import GraphNode
from ortcffi.values.element_types import ElementType, ValueKind
from ortcffi.values.lifecycle import require_kind
from ortcffi.values.type_info import TypeInfo
from ortcffi.values.value import Value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ortcffi.models.graph import Graph
    from ortcffi.models.graph_parts import GraphValue
    from ortcffi.table.api import Api

__all__ = ["Parts", "build_model"]

EXTERNAL = 128  # bytes: the library copies what is smaller


class Parts:
    """Calls the functions that make the parts of a model.

    Attributes
    ----------
    kept : list
        What has the memory of initializers. It must outlive the model and its sessions.
    """

    __slots__ = ("api", "editor", "kept")

    def __init__(self, api: "Api", slot: str) -> None:
        self.api = api
        self.kept: list[Value] = []
        self.editor = editor_of(api, slot)

    def call(self, slot: str, *arguments: Any, takes: Any = None) -> None:
        """Call a function of the model editor, which takes over the object of an owner."""
        check(self.api.pointer, getattr(lib, slot)(self.editor, *arguments), slot)
        if takes is not None:
            out_of(takes)[0] = ffi.NULL
            takes.close()

    def array(self, kind: str, count: int) -> Array:
        """Room for objects that functions of the library are about to make."""
        return Array(f"Ort{kind}*", self.api, getattr(lib, f"Release{kind}"), count)

    def make(self, kind: str, slot: str, *arguments: Any) -> Any:
        """Call a function of the model editor whose last argument is where the new object goes."""
        owner = owner_of(f"Ort{kind}*", self.api, getattr(lib, f"Release{kind}"), self.kept)
        self.call(slot, *arguments, out_of(owner))
        return owner


def build_model(parts: Parts, graph: "Graph", *, whole: bool = True) -> Any:
    """Make an ``OrtModel`` of a graph, which is a whole model or adds to one; return its owner.

    An output without a type gets one, for which the functions ask: see `Graph.is_typed`.
    """
    owner = parts.make("Graph", "CreateGraph")
    made = owned_by(owner)
    for slot, values in (("SetGraphInputs", graph.inputs), ("SetGraphOutputs", graph.outputs)):
        if values or whole:
            _set_values(parts, slot, made, values)
    for name, value in graph.initializers.items():
        _add_initializer(parts, made, name, value)
    for node in graph.nodes:
        _add_node(parts, made, node)
    names = [ffi.new("char[]", domain.encode()) for domain in graph.opsets]
    versions = ffi.new("int[]", list(graph.opsets.values()))
    model = parts.make("Model", "CreateModel", ffi.new("char*[]", names), versions, len(names))
    parts.call("AddGraphToModel", owned_by(model), made, takes=owner)
    return model


def _set_values(parts: Parts, slot: str, graph: Any, values: "Sequence[GraphValue]") -> None:
    infos = parts.array("ValueInfo", len(values))
    for i, value in enumerate(values):
        element = ElementType.FLOAT if value.element_type is None else value.element_type
        with TypeInfo.tensor(element, value.shape, parts.api) as info:
            parts.call("CreateValueInfo", value.name.encode(), info.handle, infos.items + i)
    parts.call(slot, graph, infos.items, len(values))


def _add_initializer(parts: Parts, graph: Any, name: str, value: Any) -> None:
    if not isinstance(value, Value) or value.api != parts.api:
        array = value.numpy() if isinstance(value, Value) else value
        value = Value.from_numpy(array, api=parts.api)
    require_kind(value, ValueKind.TENSOR, "memory of its own")
    if value.element_type != ElementType.STRING:
        value._hold()
        parts.kept.append(value)
        memory = value._data, value.nbytes, value.shape, value._element
        given = Value._borrow(parts.api._maker, *memory, None, False)
        arguments = graph, name.encode(), given.handle, value.nbytes >= EXTERNAL
        parts.call("AddInitializerToGraph", *arguments, takes=given)
    elif parts.api.is_core:
        copy = Value.from_strings(value.raw_strings(), value.shape, api=parts.api)
        parts.call("AddInitializerToGraph", graph, name.encode(), copy.handle, False, takes=copy)
    else:
        _add_strings(parts, graph, name, value)


def _add_strings(parts: Parts, graph: Any, name: str, value: Value) -> None:
    """Make a tensor of strings by nodes.

    Of an initializer with strings ONNX Runtime writes their addresses into the model, not the
    strings, and then refuses it.
    """

    def add(op: str, output: str, attributes: dict[str, Any], *inputs: str) -> None:
        _add_node(parts, graph, GraphNode(op, inputs, (output,), "", "", attributes))

    texts = [text.encode() for text in np.ravel(value.numpy())]
    if not value.shape:
        add("Constant", name, {"value_string": texts[0]})
    elif len(value.shape) == 1:
        add("Constant", name, {"value_strings": texts})
    else:
        add("Constant", f"{name}/flat", {"value_strings": texts})
        add("Constant", f"{name}/shape", {"value_ints": list(value.shape)})
        add("Reshape", name, {"allowzero": 1}, f"{name}/flat", f"{name}/shape")


def _add_node(parts: Parts, graph: Any, node: GraphNode) -> None:
    made = _node(parts, node)
    parts.call("AddNodeToGraph", graph, owned_by(made), takes=made)


def _node(parts: Parts, node: "GraphNode") -> Any:
    attributes = parts.array("OpAttr", len(node.attributes))
    for i, (name, value) in enumerate(node.attributes.items()):
        _make_attribute(parts, name, value, attributes.items + i)
    kept = [
        [ffi.new("char[]", each.encode()) for each in side] for side in (node.inputs, node.outputs)
    ]
    sides = [item for names in kept for item in (ffi.new("char*[]", names), len(names))]
    words = [text.encode() for text in (node.op_type, node.domain, node.name)]
    return parts.make("Node", "CreateNode", *words, *sides, attributes.items, len(node.attributes))


_ATTRIBUTES = {
    int: (lib.ORT_OP_ATTR_INT, lib.ORT_OP_ATTR_INTS, "int64_t[]"),
    float: (lib.ORT_OP_ATTR_FLOAT, lib.ORT_OP_ATTR_FLOATS, "float[]"),
}


def _make_attribute(parts: Parts, name: str, value: Any, out: Any) -> None:
    many = isinstance(value, list)
    given = value if many else [value]
    values = [each.encode() if isinstance(each, str) else each for each in given]
    kind = type(values[0]) if values else bytes if name == "value_strings" else int
    texts: list[Any] = []
    if kind is bytes:
        texts = [ffi.new("char[]", each) for each in values]
        data = ffi.new("char*[]", texts) if many else texts[0]
        number = lib.ORT_OP_ATTR_STRINGS if many else lib.ORT_OP_ATTR_STRING
        length = len(values) if many else len(values[0])
    else:
        one, several, cdecl = _ATTRIBUTES[kind]
        data, number, length = ffi.new(cdecl, values), several if many else one, len(values)
    api = parts.api.pointer
    check(api, lib.CreateOpAttr(api, name.encode(), data, length, number, out))
