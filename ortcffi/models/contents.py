# SPDX-License-Identifier: MIT
"""What a model consists of, counted."""

import os
from collections import Counter
from math import prod
from typing import TYPE_CHECKING, NamedTuple

from ortcffi._native import lib
from ortcffi.models.editing import graph_of, subgraphs_of
from ortcffi.models.wire import Message
from ortcffi.values.element_types import ElementType, bits_of

if TYPE_CHECKING:
    from ortcffi.models.model import Model

__all__ = ["Contents", "contents_of", "operator_name"]

_IN_MEMORY = b"*"  # the location of weights that are in the file itself, in a skeleton


class Contents(NamedTuple):
    """What a model consists of, its subgraphs and functions included.

    Attributes
    ----------
    nodes : int
        How many there are.
    operators : dict of str to int
        How many nodes have each operator, the most first; with its domain, if that is not ONNX's.
    parameters : int
        The elements of all dense initializers.
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
    counter, skeleton = _Counter(), model._skeleton()
    counter.graph(graph_of(skeleton))
    for function in skeleton.messages(lib.MODEL_FUNCTION):
        for node in function.messages(lib.FUNCTION_NODE):
            counter.node(node)
    operators = dict(counter.operators.most_common())
    return Contents(
        sum(operators.values()),
        operators,
        counter.parameters,
        counter.bytes,
        dict(counter.files),
        _missing(model.path, counter),
        model._untyped(),
    )


def operator_name(domain: str, operator: str) -> str:
    """The name of an operator, with its domain if that is not ONNX's."""
    return operator if domain in ("", "ai.onnx") else f"{domain}.{operator}"


def _missing(path: str | None, counter: "_Counter") -> list[str]:
    return [
        name
        for name, size in counter.files.items()
        if name in counter.cut or path is None or not _has_bytes(path, name, size)
    ]


def _has_bytes(model: str, name: str, size: int) -> bool:
    """Whether a file below the folder of a model, or of the file that its path leads to, is whole.

    Files elsewhere are not looked at: no library reads them.
    """
    try:
        file = os.path.realpath(os.path.join(os.path.dirname(model), name))
        folders = {
            os.path.realpath(os.path.dirname(each)) for each in (model, os.path.realpath(model))
        }
        is_below = any(os.path.commonpath([file, folder]) == folder for folder in folders)
        return is_below and not os.path.isabs(name) and os.path.getsize(file) >= size
    except (OSError, ValueError):
        return False


# The types that have other numbers in files than in the C API.
_ELEMENTS = {24: ElementType.FLOAT8E8M0, 25: ElementType.UINT2, 26: ElementType.INT2}


def _bits(number: int) -> int:
    """Bits of an element, by the number in a file; 0 for strings, and for what is no type."""
    element = _ELEMENTS.get(number, number)
    if element == ElementType.STRING or element not in set(ElementType) - {ElementType.UNDEFINED}:
        return 0
    return bits_of(element)


def _count(tensor: Message) -> int:
    """How many elements there are."""
    return prod(max(length, 0) for length in tensor.numbers(lib.TENSOR_DIMENSIONS))


def _bytes(tensor: Message) -> int:
    """What the elements take in memory; 0 for strings."""
    return (_count(tensor) * _bits(int(tensor.get(lib.TENSOR_ELEMENT, 0))) + 7) // 8


class _Counter:
    def __init__(self) -> None:
        self.operators: Counter[str] = Counter()
        self.files: Counter[str] = Counter()
        self.cut: set[str] = set()  # files of which a tensor says that it has too few bytes
        self.parameters = self.bytes = 0

    def graph(self, graph: Message) -> None:
        for tensor in graph.messages(lib.GRAPH_INITIALIZER):
            self.initializer(tensor)
        for node in graph.messages(lib.GRAPH_NODE):
            self.node(node)

    def node(self, node: Message) -> None:
        domain, operator = node.text(lib.NODE_DOMAIN), node.text(lib.NODE_OPERATOR)
        self.operators[operator_name(domain, operator)] += 1
        for attribute in node.messages(lib.NODE_ATTRIBUTE):
            for number in (lib.ATTRIBUTE_TENSOR, lib.ATTRIBUTE_TENSORS):
                for tensor in attribute.messages(number):
                    self.external(tensor)
        for subgraph in subgraphs_of(node):
            self.graph(subgraph)

    def initializer(self, tensor: Message) -> None:
        self.parameters += _count(tensor)
        self.bytes += _bytes(tensor)
        self.external(tensor)

    def external(self, tensor: Message) -> None:
        """Note how far a tensor reaches into another file."""
        if tensor.get(lib.TENSOR_LOCATION, 0) != 1:
            return
        entries = {
            each.get(lib.ENTRY_KEY): each.get(lib.ENTRY_VALUE)
            for each in tensor.messages(lib.TENSOR_EXTERNAL)
        }
        location = entries.get(b"location", b"")
        if location == _IN_MEMORY:
            return
        offset, length = (entries.get(key, b"") for key in (b"offset", b"length"))
        end = int(offset) if offset.isdigit() else 0
        name, needed = location.decode(errors="replace"), _bytes(tensor)
        end += int(length) if length.isdigit() else needed
        if length.isdigit() and int(length) != needed:
            self.cut.add(name)
        self.files[name] = max(self.files[name], end)
