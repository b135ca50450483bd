# SPDX-License-Identifier: MIT
"""What a model consists of, counted."""

import os
from collections import Counter
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

from ortcffi.models.message import (
    domain_of,
    element_of_file,
    message_of_model,
    shown,
    subgraphs_of,
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
    counter = _count_all(model)
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


def external_files_of(model: "Model") -> dict[str, int]:
    """Return the files of `Contents`; the graph may be invalid."""
    return dict(_count_all(model).files)


def _count_all(model: "Model") -> "_Counter":
    counter, message = _Counter(), message_of_model(model)[0]
    if message.graph is not None:
        counter.graph(message.graph)
    for function in message.functions:
        for node in function.node:
            counter.node(node)
    return counter


def operator_name(domain: str, operator: str) -> str:
    """Return the name of an operator, with its domain if that is not ONNX's."""
    return f"{domain}.{operator}" if domain_of(domain) else operator


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


class _Counter:
    def __init__(self) -> None:
        self.operators: Counter[str] = Counter()
        self.files: Counter[str] = Counter()
        self.cut: set[str] = set()  # files of which a tensor says that it has too few bytes
        self.parameters = self.bytes = 0

    def graph(self, graph: Any) -> None:
        for tensor in graph.initializer:
            self.parameter(tensor)
        for sparse in graph.sparse_initializer:
            self.sparse(sparse)
        for node in graph.node:
            self.node(node)

    def node(self, node: Any) -> None:
        self.operators[operator_name(node.domain, node.op_type)] += 1
        for attribute in node.attribute:
            for tensor in (*([attribute.t] if attribute.t is not None else ()), *attribute.tensors):
                if node.op_type == "Constant":
                    self.parameter(tensor)
                else:
                    self.external(tensor)
            for sparse in (attribute.sparse_tensor, *attribute.sparse_tensors):
                self.sparse(sparse)
        for subgraph in subgraphs_of(node):
            self.graph(subgraph)

    def parameter(self, tensor: Any) -> None:
        self.parameters += _count(tensor)
        self.bytes += _bytes(tensor)
        self.external(tensor)

    def sparse(self, sparse: Any) -> None:
        for tensor in () if sparse is None else (sparse.values, sparse.indices):
            if tensor is not None:
                self.external(tensor)

    def external(self, tensor: Any) -> None:
        """Note how far a tensor reaches into another file."""
        if tensor.data_location != 1:
            return
        entries = {each.key: each.value for each in tensor.external_data}
        name = shown(entries.get("location", ""))
        if name == _IN_MEMORY:
            return
        offset, length = (entries.get(key, "") for key in ("offset", "length"))
        needed, said = _bytes(tensor), _number(length)
        end = (_number(offset) or 0) + (needed if said is None else said)
        if said not in (None, needed):
            self.cut.add(name)
        self.files[name] = max(self.files[name], end)


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 20 else None
