# SPDX-License-Identifier: MIT
"""A graph as an ``OrtModel``, by the model editor's functions.

Some of them take over what they are given, and only if they succeed; others set the entries of an
array to NULL, one by one. So everything that is made here is listed in `Parts` until a function has
taken it over, and what is still listed at the end is released.
"""

from collections import Counter
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, Self, runtime_checkable

import numpy as np

from ortcffi._native import ffi, lib
from ortcffi.errors import NotImplemented, fail
from ortcffi.graph.nodes import GraphNode
from ortcffi.values.element_types import ElementType
from ortcffi.values.type_info import TypeInfo
from ortcffi.values.value import Value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ortcffi.graph.nodes import GraphValue
    from ortcffi.table.api import Api

__all__ = ["Buildable", "Parts", "build_model", "editor_of", "live"]

EXTERNAL = 128  # bytes: the library copies what is smaller

# Objects that were made here and neither released nor taken over, by kind.
live: Counter[str] = Counter()


def editor_of(api: "Api", slot: str) -> Any:
    """The model editor's table of a library."""
    api.require("GetModelEditorApi")
    editor = lib.GetModelEditorApi(api.pointer)
    if not editor:
        raise NotImplemented("the library has no model editor", slot)
    return editor


class Parts:
    """Objects of a library that nothing has taken over yet; released at the end."""

    __slots__ = ("_handles", "api", "editor")

    def __init__(self, api: "Api", slot: str) -> None:
        self.api = api
        self.editor = editor_of(api, slot)
        self._handles: dict[int, tuple[str, Any]] = {}

    def call(self, slot: str, *arguments: Any) -> None:
        """Call a function of the model editor."""
        if status := getattr(lib, slot)(self.editor, *arguments):
            fail(self.api.pointer, status, slot)

    def make(self, kind: str, slot: str, *arguments: Any) -> Any:
        """Call a function of the model editor whose last argument is where the new object goes."""
        out = ffi.new(f"Ort{kind}**")
        self.call(slot, *arguments, out)
        self.add(kind, out[0])
        return out[0]

    def add(self, kind: str, handle: Any) -> None:
        """List an object that is to be released."""
        self._handles[int(ffi.cast("uintptr_t", handle))] = (kind, handle)
        live[kind] += 1

    def taken(self, handle: Any) -> None:
        """An object has been taken over."""
        kind, _ = self._handles.pop(int(ffi.cast("uintptr_t", handle)))
        live[kind] -= 1

    def hand_over(self, handles: list[Any], array: Any) -> None:
        """Those of an array have been taken over whose entries the library has set to NULL."""
        for i, handle in enumerate(handles):
            if not array[i]:
                self.taken(handle)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        while self._handles:
            _, (name, handle) = self._handles.popitem()  # the last one first
            getattr(lib, f"Release{name}")(self.api.pointer, handle)
            live[name] -= 1


@runtime_checkable
class Buildable(Protocol):
    """What `build_model` reads of a `Graph`."""

    @property
    def inputs(self) -> "list[GraphValue]":
        """Inputs in their order."""

    @property
    def outputs(self) -> "list[GraphValue]":
        """Outputs in their order."""

    @property
    def initializers(self) -> "Mapping[str, Any]":
        """Constants by name."""

    @property
    def nodes(self) -> "list[GraphNode]":
        """Nodes in the order in which they run."""

    @property
    def opsets(self) -> "Mapping[str, int]":
        """Versions of the operator sets by domain."""

    def check(self) -> None:
        """Raise an error for a graph that is incomplete."""


def build_model(parts: Parts, graph: Buildable, *, whole: bool = True) -> Any:
    """Make an ``OrtModel`` of a graph, which is a whole model or adds to one.

    It belongs to `parts`.
    """
    if whole:
        graph.check()
    made = parts.make("Graph", "CreateGraph")
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
    parts.call("AddGraphToModel", model, made)
    parts.taken(made)
    return model


def _set_values(parts: Parts, slot: str, graph: Any, values: "list[GraphValue]") -> None:
    handles = []
    for value in values:
        with TypeInfo.tensor(value.element_type, value.shape, parts.api) as info:
            name = value.name.encode()
            handles.append(parts.make("ValueInfo", "CreateValueInfo", name, info.handle))
    array = ffi.new("OrtValueInfo*[]", handles)
    try:
        parts.call(slot, graph, array, len(handles))
    finally:
        parts.hand_over(handles, array)


def _add_initializer(parts: Parts, graph: Any, name: str, value: Any) -> None:
    if not isinstance(value, Value) or value.api != parts.api:
        array = value.numpy() if isinstance(value, Value) else value
        value = Value.from_numpy(array, api=parts.api)
    if value.element_type == ElementType.STRING:
        _add_strings(parts, graph, name, value)
        return
    handle = value.give_away()
    parts.add("Value", handle)
    shared = value.nbytes >= EXTERNAL
    parts.call("AddInitializerToGraph", graph, name.encode(), handle, shared)
    parts.taken(handle)


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
    handle = _node(parts, node)
    parts.call("AddNodeToGraph", graph, handle)
    parts.taken(handle)


def _node(parts: Parts, node: "GraphNode") -> Any:
    attributes = [_attribute(parts, name, value) for name, value in node.attributes.items()]
    array = ffi.new("OrtOpAttr*[]", attributes)
    kept = [
        [ffi.new("char[]", each.encode()) for each in side] for side in (node.inputs, node.outputs)
    ]
    sides = [item for names in kept for item in (ffi.new("char*[]", names), len(names))]
    words = [text.encode() for text in (node.op_type, node.domain, node.name)]
    try:
        return parts.make("Node", "CreateNode", *words, *sides, array, len(attributes))
    finally:
        parts.hand_over(attributes, array)


_ATTRIBUTES = {
    int: (lib.ORT_OP_ATTR_INT, lib.ORT_OP_ATTR_INTS, "int64_t[]"),
    float: (lib.ORT_OP_ATTR_FLOAT, lib.ORT_OP_ATTR_FLOATS, "float[]"),
}


def _attribute(parts: Parts, name: str, value: Any) -> Any:
    many = isinstance(value, list)
    values = value if many else [value]
    kind = type(values[0]) if values else bytes if name == "value_strings" else int
    texts: list[Any] = []
    if kind is bytes:
        texts = [ffi.new("char[]", each) for each in values]
        data = ffi.new("char*[]", texts) if many else texts[0]
        number = lib.ORT_OP_ATTR_STRINGS if many else lib.ORT_OP_ATTR_STRING
        length = len(values) if many else len(value)
    else:
        one, several, cdecl = _ATTRIBUTES[kind]
        data, number, length = ffi.new(cdecl, values), several if many else one, len(values)
    out, api = ffi.new("OrtOpAttr**"), parts.api.pointer
    if status := lib.CreateOpAttr(api, name.encode(), data, length, number, out):
        fail(api, status, "CreateOpAttr")
    parts.add("OpAttr", out[0])
    return out[0]
