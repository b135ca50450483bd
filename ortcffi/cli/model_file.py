# SPDX-License-Identifier: MIT
"""What a model's file says that no session tells: its operator sets, nodes and parameters.

The file is read as Protocol Buffers are written: fields of a number, a type and a content. The
package onnx would read all weights for that.
"""

import mmap
import os
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

__all__ = ["FileFacts", "facts_of"]

_VARINT, _64_BITS, _BYTES, _32_BITS = 0, 1, 2, 5
_SIZES = {_64_BITS: 8, _32_BITS: 4}
_MOST_LEVELS = 64  # of graphs in attributes
# Numbers of fields, of the messages of ONNX.
_OPSETS, _GRAPH = 8, 7  # of a model
_NODES, _INITIALIZERS = 1, 5  # of a graph
_OP_TYPE, _ATTRIBUTES = 4, 5  # of a node
_SUBGRAPH, _SUBGRAPHS = 6, 11  # of an attribute

Field = tuple[int, int | tuple[int, int]]  # the number; an integer, or where the content is


class FileFacts(NamedTuple):
    """What the file of a model says.

    Attributes
    ----------
    file_size : int
        Its bytes, without those of weights in other files.
    opsets : dict of str to int
        The version of each operator set, by domain.
    nodes : int
        How many there are, in graphs of attributes too.
    operators : dict of str to int
        How many nodes have each operator, the most first.
    parameters : int
        The elements of all dense initializers.
    """

    file_size: int
    opsets: dict[str, int]
    nodes: int
    operators: dict[str, int]
    parameters: int


def facts_of(path: str) -> FileFacts | None:
    """Read the file of a model; None for one that is not of ONNX's own format."""
    size = os.path.getsize(path)
    if size == 0:
        return None
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        reader = _Reader(content)
        try:
            reader.read_model(size)
        except (IndexError, ValueError):
            return None
    operators = dict(reader.operators.most_common())
    return FileFacts(size, reader.opsets, sum(operators.values()), operators, reader.parameters)


class _Reader:
    def __init__(self, content: mmap.mmap) -> None:
        self.content = content
        self.opsets: dict[str, int] = {}
        self.operators: Counter[str] = Counter()
        self.parameters = 0

    def read_model(self, size: int) -> None:
        for number, found in self.fields(0, size):
            if number == _OPSETS and isinstance(found, tuple):
                opset = dict(self.fields(*found))
                domain = self.text(opset[1]) if 1 in opset else ""
                version = opset.get(2, 0)
                if isinstance(version, int):
                    self.opsets[domain or "ai.onnx"] = version
            elif number == _GRAPH and isinstance(found, tuple):
                self.read_graph(*found, levels=_MOST_LEVELS)

    def read_graph(self, start: int, end: int, levels: int) -> None:
        if levels == 0:
            raise ValueError("graphs are nested too deeply")
        for number, found in self.fields(start, end):
            if number == _NODES and isinstance(found, tuple):
                self.read_node(*found, levels=levels)
            elif number == _INITIALIZERS and isinstance(found, tuple):
                self.parameters += self.count(*found)

    def read_node(self, start: int, end: int, levels: int) -> None:
        operator = ""
        for number, found in self.fields(start, end):
            if number == _OP_TYPE:
                operator = self.text(found)
            elif number == _ATTRIBUTES and isinstance(found, tuple):
                for part, subgraph in self.fields(*found):
                    if part in (_SUBGRAPH, _SUBGRAPHS) and isinstance(subgraph, tuple):
                        self.read_graph(*subgraph, levels=levels - 1)
        self.operators[operator] += 1

    def count(self, start: int, end: int) -> int:
        """The elements of a tensor; its dimensions are one by one, or packed."""
        count = 1
        for number, found in self.fields(start, end):
            if number != 1:
                continue
            for length in (found,) if isinstance(found, int) else self.varints(*found):
                count *= length
                if count >= 1 << 63:
                    raise ValueError("a tensor has more elements than can be counted")
        return count

    def varints(self, at: int, end: int) -> Iterator[int]:
        while at < end:
            value, at = self.varint(at)
            yield value

    def text(self, found: int | tuple[int, int]) -> str:
        if isinstance(found, int):
            raise ValueError("a text is a number")
        return self.content[found[0] : found[1]].decode(errors="replace")

    def fields(self, start: int, end: int) -> Iterator[Field]:
        """The fields of a message between two places of the file."""
        at = start
        while at < end:
            key, at = self.varint(at)
            number, kind = key >> 3, key & 7
            if kind == _VARINT:
                value, at = self.varint(at)
                yield number, value
                continue
            size, at = self.varint(at) if kind == _BYTES else (_SIZES.get(kind, -1), at)
            if number == 0 or size < 0 or at + size > end:
                raise ValueError("this is no message")
            yield number, (at, at + size)
            at += size

    def varint(self, at: int) -> tuple[int, int]:
        """A number, and the place after it."""
        value = 0
        for shift in range(0, 70, 7):
            byte = self.content[at]
            at += 1
            value |= (byte & 127) << shift
            if byte < 128:
                return value, at
        raise ValueError("a number has too many bytes")
