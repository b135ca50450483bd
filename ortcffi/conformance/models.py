# SPDX-License-Identifier: MIT
"""The models of rows, as bytes."""

import struct
from typing import Any

from ortcffi.models.message import Message

_FREE, _TWO = ("length",), (2,)  # shapes


def _floats(*numbers: float) -> Any:
    from numpy import array, float32  # not at the top: it takes as long as all else of `conform`

    return array(numbers, float32)


def _names(texts: str) -> list[str]:
    """Return names that are parted by blanks; "-" is none."""
    return ["" if each == "-" else each for each in texts.split()]


def _graph(  # noqa: PLR0913, PLR0917  # as many as it has parts
    name: str, opsets: dict[str, int], nodes: Any, inputs: Any, outputs: Any, weights: Any
) -> Any:
    """Build a graph: a node has an operator, names of inputs and outputs, attributes, its name.

    Weights may be defaults of inputs.
    """
    from ortcffi.models.graph import Graph  # which imports NumPy

    graph, domain, apart = Graph(opsets), next(iter(opsets), ""), Graph({})
    graph.name, graph._home.message.ir_version = name, 8

    def add(op: str, given: str, made: str, attributes: Any = None, name: str = "") -> None:
        about = {"attributes": attributes, "domain": domain, "name": name or made}
        graph.node(op, _names(given), _names(made), **about)

    for port, shape, kind in inputs:
        graph.input(port, kind, shape)
    for each in nodes:
        add(*each)
    for port, shape, kind in outputs:
        graph.output(port, kind, shape)
    for weight, array in weights.items():
        apart.initializer(weight, array)
    graph._message.initializer = apart._message.initializer
    return graph


def metadata(*pairs: tuple[str, str | None], ir_version: int | None = 8) -> bytes:
    """Return a model of nothing but entries of metadata."""
    model = Message("ModelProto")
    model.ir_version = ir_version
    for key, value in pairs:
        entry = Message("StringStringEntryProto")
        entry.key, entry.value = key, value
        model.metadata_props.append(entry)
    return bytes(model.to_bytes())


def twice() -> bytes:
    """Return the model of sessions: a = Twice(x), b = Twice(w), where w may be replaced."""
    nodes = [("Twice", "x", "a"), ("Twice", "w", "b")]
    inputs, outputs = (
        [("x", _FREE, "f4"), ("w", _TWO, "f4")],
        [("a", _FREE, "f4"), ("b", _FREE, "f4")],
    )
    weights = {"w": _floats(1, 2)}
    return bytes(_graph("main", {"twice": 1}, nodes, inputs, outputs, weights).to_bytes())


def probe() -> bytes:
    """Return the model of one node Probe, with an initializer and attributes of all types."""
    attributes = {"f": 1.5, "i": 7, "s": "abc", "fs": [1.0, 2.0, 3.0], "is": [4, 5, 6]}
    attributes |= {"ss": ["x", "yz"], "t": _floats(1, 2), "es": ""}
    nodes = [("Probe", "X - C - Y V", "O - S", attributes, "the_node")]
    inputs = [("X", ("batch", 3), "f4"), ("Y", None, "f4"), ("V", (1,), "f4")]
    outputs = [("O", (2, 3), "f4"), ("S", None, str)]
    graph = _graph("graph", {"probe": 1}, nodes, inputs, outputs, {"C": _floats(1, 2)})
    return bytes(graph.to_bytes())


def branching() -> bytes:
    """Return the model of graphs: something for every slot to answer."""
    branches = {
        name: _graph(name, {}, [node], [], [(node[2], _TWO, "f4")], {})
        for name, node in {
            "then_branch": ("Add", "a w", "sum"),
            "else_branch": ("Mul", "a c", "p"),
        }.items()
    }
    nodes: list[tuple[Any, ...]] = [
        ("Add", "x w", "a"),
        ("Constant", "", "c", {"value_float": 0.5}),
        ("If", "cond", "y", branches),
        ("Clip", "y - c", "clipped"),
        ("Softmax", "clipped", "z"),
        ("Add", "a o", "b"),
    ]
    inputs, outputs = (
        [("x", _FREE, "f4"), ("cond", (), "?"), ("o", _TWO, "f4")],
        [("z", _FREE, "f4"), ("b", _FREE, "f4")],
    )
    weights = {"w": _floats(1, 2), "o": _floats(3, 4), "unused": _floats(5, 6)}
    graph = _graph("main", {"": 21}, nodes, inputs, outputs, weights)
    graph.producer_name, graph.domain, graph.version = "maker", "models", 3
    graph.description, graph.graph_description = "about the model", "about the graph"
    graph.metadata.update({"key": "value", "other": ""})
    return bytes(graph.to_bytes())


_NUMBERS: tuple[int, ...] = (20, 0x54524F54, 0xC000C, 4, 0x80000, 12, 1, 4, 1, 16, 0x14000C)
_NUMBERS += (0x80004, 0x10000C, 12)
_NUMBERS += (16, 24, 1, 32, 1, ord("w"), 0, 1, 2, 0, 0, 8, 0x40400000, 0x40800000)
ADAPTER = struct.pack("<28I", *_NUMBERS)  # of LoRA: "w", the floats 3 and 4
