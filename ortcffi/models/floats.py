# SPDX-License-Identifier: MIT
"""Graphs whose values of float32 become another type."""

from typing import TYPE_CHECKING, Any

import numpy as np

from ortcffi.models.by_onnx import infer_shapes, inline, schema_of
from ortcffi.models.graph_edits import constants_to_initializers
from ortcffi.models.graph_names import free_name, made_names, rename_in
from ortcffi.models.graph_parts import GraphNode
from ortcffi.models.message import domain_of, element_in_file, graphs_in, subgraphs_of
from ortcffi.models.stored import array_of_tensor, tensor_of
from ortcffi.values.element_types import ElementType, as_element, dtype_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ortcffi.models.graph import Graph

_FLOAT = int(ElementType.FLOAT)
_NAMES = {
    ElementType.FLOAT16: "tensor(float16)",
    ElementType.BFLOAT16: "tensor(bfloat16)",
    ElementType.DOUBLE: "tensor(double)",
}


def convert_floats(graph: "Graph", element_type: Any = "f2", *, keep_ports: bool = False) -> None:
    """Convert all values of float32 to another type: float16 or bfloat16, or float64.

    Types of inner values come from the package onnx. Where an operator cannot take the type, nodes
    Cast are put before and behind it.

    Parameters
    ----------
    element_type : ElementType or dtype-like, optional
        The type, such as ``ElementType.BFLOAT16``.
    keep_ports : bool, optional
        Whether inputs and outputs stay as they are, with nodes Cast behind and before them.

    Raises
    ------
    ModuleNotFoundError
        The package onnx is not installed.
    """
    element = as_element(element_type, "element_type")
    if element not in _NAMES:
        raise ValueError(f"element_type must be float16, bfloat16 or float64, not {element.name}")
    work = graph.copy()
    constants_to_initializers(work)
    inline(work)
    infer_shapes(work)
    _Conversion(work, element).run()
    if keep_ports:
        _keep_ports(work, element_in_file(element))
    graph._home, graph._message, graph._made = work._home, work._message, None


class _Conversion:
    """One conversion of a whole model."""

    def __init__(self, graph: "Graph", element: ElementType) -> None:
        self._graph, self._number = graph, element_in_file(element)
        self._dtype, self._name = dtype_of(element), _NAMES[element]
        self._opsets = dict(graph.opsets)

    def run(self) -> None:
        """Convert the graph and its subgraphs."""
        message = self._graph._message
        self._taken = set().union(*map(made_names, graphs_in(message)))
        self._convert(message, set())

    def _convert(self, graph: Any, outer: set[str]) -> None:
        """Convert a graph, in which some values of the graphs around it are floats."""
        infos = [*graph.input, *graph.output, *graph.value_info]
        floats = outer - made_names(graph)  # branches may have values of one name and two types
        floats.update(each.name for each in infos if _is_float(each.type))
        floats.update(e.name for e in graph.initializer if e.data_type == _FLOAT)
        for node in graph.node:
            for inner in subgraphs_of(node):
                self._convert(inner, floats)
        graph.node = [each for node in graph.node for each in self._nodes(node, floats)]
        for info in infos:
            self._type(info.type)
        graph.initializer = [self._tensor(each) for each in graph.initializer]

    def _type(self, kind: Any) -> None:
        while kind is not None:
            tensor = kind.tensor_type or kind.sparse_tensor_type
            if tensor is not None and tensor.elem_type == _FLOAT:
                tensor.elem_type = self._number
            holder = kind.sequence_type or kind.optional_type
            kind = None if holder is None else holder.elem_type

    def _tensor(self, tensor: Any) -> Any:
        if tensor.data_type != _FLOAT:
            return tensor
        array = array_of_tensor(tensor, self._graph._home)
        with np.errstate(over="ignore"):
            made = array.astype(self._dtype)
        too_large = np.isinf(made) & np.isfinite(array)
        if too_large.any():  # the largest number is nearer than infinity
            made[too_large] = np.copysign(_largest(self._dtype), array[too_large])
        return tensor_of(tensor.name, made)

    def _nodes(self, node: Any, floats: set[str]) -> "Iterator[Any]":
        """Yield a node, and the nodes Cast that it needs before and behind it."""
        schema = schema_of((domain_of(node.domain), node.op_type), self._opsets)
        self._attributes(node, schema, floats)
        behind, before = [], {}
        reader = node.output[0] if node.output else node.op_type
        for i, name in enumerate(node.input):
            if name in floats and not self._takes(schema, "inputs", i):
                if name not in before:
                    before[name] = self._new_name(f"{name}/{reader}/float")
                    yield _cast(name, before[name], _FLOAT)
                node.input[i] = before[name]
        for i, name in enumerate(node.output):
            if name in floats and not self._takes(schema, "outputs", i):
                node.output[i] = self._new_name(f"{name}/float")
                behind.append(_cast(node.output[i], name, self._number))
        yield node
        yield from behind

    def _new_name(self, name: str) -> str:
        name = free_name(name, self._taken)
        self._taken.add(name)
        return name

    def _takes(self, schema: Any, side: str, place: int) -> bool:
        formal = () if schema is None else getattr(schema, side)
        return bool(formal) and self._name in formal[min(place, len(formal) - 1)].types

    def _attributes(self, node: Any, schema: Any, floats: set[str]) -> None:
        """Change the attributes that say which type a node makes."""
        if schema is None or not any(name in floats for name in node.output):
            return
        found = {each.name: each for each in node.attribute}
        for name in ("to", "dtype", "output_dtype"):
            known = schema.attributes.get(name)
            given = found[name].i if name in found else known and known.default_value.i
            if known is not None and given == _FLOAT and self._takes(schema, "outputs", 0):
                GraphNode._of(None, node).attributes[name] = self._number
        if node.op_type == "ConstantOfShape":
            attributes = GraphNode._of(None, node).attributes
            value = attributes.get("value", np.zeros(1, np.float32))
            attributes["value"] = np.asarray(value, self._dtype)


def _is_float(kind: Any) -> bool:
    tensor = None if kind is None else kind.tensor_type or kind.sparse_tensor_type
    return tensor is not None and tensor.elem_type == _FLOAT


def _largest(dtype: Any) -> float:
    if dtype.type.__module__ == "ml_dtypes":
        from ml_dtypes import finfo

        return float(finfo(dtype).max)  # type: ignore[no-untyped-call]
    return float(np.finfo(dtype).max)


def _cast(source: str, made: str, number: int) -> Any:
    return GraphNode("Cast", [source], [made], attributes={"to": number})._message


def _keep_ports(graph: "Graph", number: int) -> None:
    """Give inputs and outputs the type float32 again, by nodes Cast."""
    message = graph._message
    before: list[Any] = []
    behind: list[Any] = []
    constants = {each.name for each in message.initializer}
    inputs = {e.name: e for e in message.input if e.name not in constants}
    outputs = {each.name: each for each in message.output}
    for ports, casts, is_input in ((inputs, before, True), (outputs, behind, False)):
        for name, info in ports.items():
            kind = info.type and info.type.tensor_type
            if kind is None or kind.elem_type != number or (not is_input and name in inputs):
                info.name = name
                continue
            inner = free_name(f"{name}/cast", made_names(message))
            rename_in(message, {name: inner}, {})
            info.name, kind.elem_type = name, _FLOAT
            casts.append(_cast(name, inner, number) if is_input else _cast(inner, name, _FLOAT))
            if is_input and name in outputs:
                outputs[name].name, outputs[name].type = name, info.type.copy()
    message.node = [*before, *message.node, *behind]
