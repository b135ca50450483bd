# SPDX-License-Identifier: MIT
"""What a model consists of, counted."""

import os
from collections import Counter
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

from ortcffi.models.message import (
    domain_of,
    element_of_file,
    graphs_in,
    message_of_model,
    shown,
    tensors_of,
)
from ortcffi.values.element_types import ElementType, bits_of

if TYPE_CHECKING:
    from ortcffi.models.model import Model

_IN_MEMORY = "*"  # the location of weights in memory


class Contents(NamedTuple):
    """What a model consists of, its subgraphs and functions included.

    Attributes
    ----------
    nodes : int
        How many there are.
    operators : dict of str to int
        How many nodes have each operator, the most first; with its domain, if that is not ONNX's.
    parameters : int
        The elements of all dense initializers, and of the tensors of nodes Constant.
    parameter_bytes : int
        What they take in memory, without strings.
    external_files : dict of str to int
        The files with weights, by the name that the model has for them, and the bytes that it needs
        of each.
    missing_files : list of str
        Those that are not there, or too small.
    untyped : int
        The values that nodes make, of the graph itself, of which the model does not say the type.
    """

    nodes: int
    operators: dict[str, int]
    parameters: int
    parameter_bytes: int
    external_files: dict[str, int]
    missing_files: list[str]
    untyped: int


def contents_of(model: "Model") -> Contents:
    """Count what a model consists of, without a look at its weights."""
    bodies = _bodies(model)
    graphs = [each for body in bodies for each in graphs_in(body)]
    nodes = [node for graph in graphs for node in graph.node]
    operators = Counter(operator_name(node.domain, node.op_type) for node in nodes)
    parameters = [each for graph in graphs for each in getattr(graph, "initializer", ())]
    constants = (each for node in nodes if node.op_type == "Constant" for each in node.attribute)
    parameters += (each for one in constants for each in (one.t, *one.tensors) if each is not None)
    files, cut = _files_of(bodies)
    return Contents(
        len(nodes),
        dict(operators.most_common()),
        sum(map(_count, parameters)),
        sum(map(_bytes, parameters)),
        files,
        [name for name, size in files.items() if name in cut or not _has(model.path, name, size)],
        model._untyped(),
    )


def external_files_of(model: "Model") -> dict[str, int]:
    """Return the files of `Contents`; the graph may be invalid."""
    return _files_of(_bodies(model))[0]


def _bodies(model: "Model") -> list[Any]:
    """Return the messages of the graph and the functions of a model."""
    message = message_of_model(model)[0]
    return [*filter(None, [message.graph]), *message.functions]


def operator_name(domain: str, operator: str) -> str:
    """Return the name of an operator, with its domain if that is not ONNX's."""
    return f"{domain}.{operator}" if domain_of(domain) else operator


def _has(model: str | None, name: str, size: int) -> bool:
    """Whether a file below the folder of a model, or of the file that its path leads to, is whole.

    Files elsewhere are not looked at: no library reads them.
    """
    if model is None:
        return False
    try:
        file = os.path.realpath(os.path.join(os.path.dirname(model), name))
        folders = {
            os.path.realpath(os.path.dirname(each)) for each in (model, os.path.realpath(model))
        }
        is_below = any(os.path.commonpath([file, folder]) == folder for folder in folders)
        return is_below and not os.path.isabs(name) and os.path.getsize(file) >= size
    except (OSError, ValueError):
        return False


def _bits(number: int) -> int:
    """Bits of an element, by the number in a file; 0 for strings, and for what is no type."""
    element = element_of_file(number)
    if element == ElementType.STRING or element not in set(ElementType) - {ElementType.UNDEFINED}:
        return 0
    return bits_of(element)


def _count(tensor: Any) -> int:
    """How many elements there are."""
    return prod(max(length, 0) for length in tensor.dims)


def _bytes(tensor: Any) -> int:
    """Return what the elements take in memory; 0 for strings."""
    return (_count(tensor) * _bits(tensor.data_type) + 7) // 8


def _files_of(bodies: list[Any]) -> tuple[dict[str, int], set[str]]:
    """Return how far tensors reach into files, and the files that one says are too short."""
    files: dict[str, int] = {}
    cut: set[str] = set()
    for tensor in (each for body in bodies for each in tensors_of(body)):
        if tensor.data_location != 1:
            continue
        entries = {each.key: each.value for each in tensor.external_data}
        name = shown(entries.get("location", ""))
        if name == _IN_MEMORY:
            continue
        offset, length = (entries.get(key, "") for key in ("offset", "length"))
        needed, said = _bytes(tensor), _number(length)
        end = (_number(offset) or 0) + (needed if said is None else said)
        if said not in (None, needed):
            cut.add(name)
        files[name] = max(files.get(name, 0), end)
    return files, cut


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 20 else None
