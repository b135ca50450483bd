# SPDX-License-Identifier: MIT
"""Dimensions of the values of a `Graph`: free ones, and that of the batch."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ortcffi._convert import optional_mapping
from ortcffi._public import quoted
from ortcffi.models.by_onnx import infer_shapes
from ortcffi.models.graph_names import free_name, initializer_names, input_names
from ortcffi.models.graph_parts import set_dimension, tensor_type_of
from ortcffi.models.message import Message, domain_of, graphs_in
from ortcffi.models.stored import array_of_tensor, constant_tensor

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ortcffi.models.graph import Graph
    from ortcffi.options.kinds import FreeDimension
    from ortcffi.values.tensor_type_info import Dimension

_BATCH = 999_983  # a prime, so that it is found again: onnx forgets names of dimensions


def _tensor_types(graph: Any) -> Iterator[Any]:
    """Yield the types with a shape of all values."""
    for each in graphs_in(graph):
        for info in (*each.input, *each.output, *each.value_info):
            tensor = tensor_type_of(info)
            if tensor is not None and tensor.shape is not None:
                yield tensor


def set_dimensions(
    self: "Graph", lengths: "Mapping[str, Dimension] | None" = None, **named: "Dimension"
) -> None:
    """Set all free dimensions of a name to a length or another name, in subgraphs too.

    Parameters
    ----------
    lengths : mapping of str to int or str, optional
        Lengths or new names, by the names of dimensions.
    **named : int or str
        More of them, as in ``graph.set_dimensions(batch=8)``.

    Raises
    ------
    LookupError
        No value has a dimension of that name.
    """
    given = {**optional_mapping("lengths", lengths), **named}
    for name, length in given.items():
        set_dimension(Message("TensorShapeProto.Dimension"), f"lengths[{quoted(name)}]", length)
    dimensions = [each for tensor in _tensor_types(self._message) for each in tensor.shape.dim]
    found = {each.dim_param for each in dimensions if not each.has("dim_value")}
    for name in given:
        if not name or name not in found:
            raise LookupError(f"lengths: no value has a dimension {quoted(name)}")
    for each in dimensions:
        if each.dim_param in given and not each.has("dim_value"):
            set_dimension(each, "lengths", given[each.dim_param])


def set_batch(self: "Graph", size: "Dimension") -> None:
    """Set the first dimension of inputs and outputs, wherever it is free.

    Where that of the first input has a length, those of the same length are set, too; others, such
    as the layers of a state, stay. A named one is set wherever its name is. If a length is
    replaced, the types of inner values are removed, which `infer_shapes` makes anew, and nodes
    Reshape whose constant shape begins with that length keep the first dimension of what they read,
    where the package onnx, if it is installed, finds that it is the batch.

    Parameters
    ----------
    size : int or str
        A length, or the name of a free dimension.
    """
    set_dimension(Message("TensorShapeProto.Dimension"), "size", size)
    firsts = _first_dimensions(self._message)
    lengths = {each.dim_value for each in firsts[:1] if each.has("dim_value")}
    firsts = [each for each in firsts if not each.has("dim_value") or each.dim_value in lengths]
    names = {each.dim_param for each in firsts if not each.has("dim_value")} - {""}
    if lengths - {size}:
        _free_reshapes(self, *lengths)
        for graph in graphs_in(self._message):
            graph.value_info = []
    if names:
        set_dimensions(self, dict.fromkeys(names, size))
    for each in firsts:
        set_dimension(each, "size", size)


def _first_dimensions(graph: Any) -> list[Any]:
    """Those of the inputs, without constants, and of the outputs."""
    constants = set(initializer_names(graph))
    inputs = [each for each in graph.input if each.name not in constants]
    types = map(tensor_type_of, (*inputs, *graph.output))
    return [each.shape.dim[0] for each in types if each and each.shape and each.shape.dim]


def _free_reshapes(graph: "Graph", length: int) -> None:
    """Have nodes Reshape to a constant number of batches keep the number that there is.

    A 0 in a shape is the length that the input has: as long as the batch is the old one, all of
    them compute what they did. A node is found once the types behind those before it are known.
    """
    found = _fixed_reshapes(graph, length)
    while found:
        typed = graph.copy()
        for each in _first_dimensions(typed._message):
            if each.has("dim_value") and each.dim_value == length:
                set_dimension(each, "size", _BATCH)
        for each in graphs_in(typed._message):
            each.value_info = []
        for each in typed._message.output:
            each.type = None
        try:
            infer_shapes(typed)
        except (ModuleNotFoundError, ValueError):
            return
        values, left = typed.values, {}
        for place, shape in found.items():
            node = graph.nodes[place]
            value = values.get(node.inputs[0])
            if value is not None and value.shape and value.shape[0] == _BATCH:
                name = free_name(f"{node.outputs[0]}/shape", graph)
                node.inputs[1] = graph.initializer(name, np.array(shape, np.int64))
            else:
                left[place] = shape
        found = left if len(left) < len(found) else {}


def _fixed_reshapes(graph: "Graph", length: int) -> dict[int, list[int]]:
    """Nodes Reshape whose constant shape begins with a length: a shape with 0, by their places."""
    message, found = graph._message, {}
    tensors = {each.name: each for each in message.initializer}
    for node in message.node:
        if node.op_type == "Constant" and (tensor := constant_tensor(node)) is not None:
            tensors[node.output[0]] = tensor
    for name in input_names(message):
        tensors.pop(name, None)
    for i, node in enumerate(graph.nodes):
        is_reshape = node.op_type == "Reshape" and not domain_of(node.domain)
        tensor = tensors.get(node.inputs[1]) if is_reshape and len(node.inputs) > 1 else None
        if tensor is not None and not node.attributes.get("allowzero"):
            shape = np.ravel(array_of_tensor(tensor, graph._home)).tolist()
            if shape[:1] == [length]:
                found[i] = [0, *shape[1:]]
    return found


def fix_dimensions(graph: "Graph", fixed: "Iterable[FreeDimension]") -> None:
    """Give free dimensions the lengths that options fix; the first of each name counts."""
    lengths: dict[tuple[str, bool], int] = {}
    for each in fixed:
        if each.value >= 0 and each.name:
            lengths.setdefault((each.name, each.is_denotation), each.value)
    for tensor in _tensor_types(graph._message):
        for dimension in tensor.shape.dim:
            of_denotation = lengths.get((dimension.denotation, True))
            length = lengths.get((dimension.dim_param, False), of_denotation)
            if length is not None and not dimension.has("dim_value"):
                set_dimension(dimension, "lengths", length)
