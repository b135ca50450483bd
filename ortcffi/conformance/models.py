# SPDX-License-Identifier: MIT
"""The models of rows, as bytes, with a writer of ONNX's format: nothing else knows them."""

import struct
from typing import Any

_FLOAT, _INT64, _STRING, _BOOL = 1, 7, 8, 9
Field = tuple[int, Any]


def _varint(number: int) -> bytes:
    number &= 2**64 - 1
    groups = [number >> shift & 0x7F for shift in range(0, max(number.bit_length(), 1), 7)]
    return bytes([*(group | 0x80 for group in groups[:-1]), groups[-1]])


def message(*fields: Field) -> bytes:
    """Return a message: fields of numbers, floats, texts and messages, by their numbers."""
    parts = []
    for field, value in fields:
        if isinstance(value, float):
            parts.append(_varint(field << 3 | 5) + struct.pack("<f", value))
        elif isinstance(value, int):
            parts.append(_varint(field << 3) + _varint(value))
        else:
            raw = value.encode() if isinstance(value, str) else value
            parts.append(_varint(field << 3 | 2) + _varint(len(raw)) + raw)
    return b"".join(parts)


def port(name: str, kind: int = _FLOAT, dims: tuple[int | str, ...] | None = ("length",)) -> bytes:
    """Return an input or output: a tensor; None for `dims` leaves the shape out."""
    shape = [(1, message((2 if isinstance(dim, str) else 1, dim))) for dim in dims or ()]
    tensor = [(1, kind), *([] if dims is None else [(2, message(*shape))])]
    return message((1, name), (2, message((1, message(*tensor)))))


def floats(name: str, *numbers: float) -> bytes:
    """Return a tensor of float32."""
    raw = struct.pack(f"<{len(numbers)}f", *numbers)
    return message((1, len(numbers)), (2, _FLOAT), (8, name), (9, raw))


def node(op: str, inputs: str, outputs: str, *more: Field, name: str | None = None) -> bytes:
    """Return a node; names are parted by blanks, and "-" is none."""
    names = [
        (field, "" if each == "-" else each)
        for field, texts in ((1, inputs), (2, outputs))
        for each in texts.split()
    ]
    return message(*names, (3, outputs if name is None else name), (4, op), *more)


def attribute(name: str, kind: int, *values: Field) -> Field:
    """Return an attribute as a field of a node; `kind` is its number in ONNX."""
    return 5, message((1, name), *values, (20, kind))


def model(graph: bytes, domain: str, version: int, *more: Field) -> bytes:
    """Return a model with one operator set."""
    return message((1, 8), (7, graph), (8, message((1, domain), (2, version))), *more)


def twice() -> bytes:
    """Return the model of sessions: a = Twice(x), b = Twice(w), where w may be replaced."""
    nodes = [(1, node("Twice", x, y, (7, "twice"))) for x, y in (("x", "a"), ("w", "b"))]
    ports = [(11, port("x")), (11, port("w", dims=(2,))), (12, port("a")), (12, port("b"))]
    return model(message(*nodes, (2, "main"), (5, floats("w", 1, 2)), *ports), "twice", 1)


_PROBE = (
    attribute("f", 1, (2, 1.5)),
    attribute("i", 2, (3, 7)),
    attribute("s", 3, (4, "abc")),
    attribute("fs", 6, (7, 1.0), (7, 2.0), (7, 3.0)),
    attribute("is", 7, (8, 4), (8, 5), (8, 6)),
    attribute("ss", 8, (9, "x"), (9, "yz")),
    attribute("t", 4, (5, floats("", 1, 2))),
    attribute("es", 3, (4, "")),
)


def probe() -> bytes:
    """Return the model of one node Probe, with an initializer and attributes of all types."""
    one = node("Probe", "X - C - Y V", "O - S", *_PROBE, (7, "probe"), name="the_node")
    ports = [(11, port("X", dims=("batch", 3))), (11, port("Y", dims=None))]
    ports += [(11, port("V", dims=(1,))), (12, port("O", dims=(2, 3)))]
    ports += [(12, port("S", _STRING, None))]
    return model(message((1, one), (2, "graph"), (5, floats("C", 1, 2)), *ports), "probe", 1)


def _branch(name: str, op: str, inputs: str, output: str) -> Field:
    graph = message((1, node(op, inputs, output)), (2, name), (12, port(output, dims=(2,))))
    return attribute(name, 5, (6, graph))


def branching() -> bytes:
    """Return the model of graphs: something for every slot to answer."""
    constant = node("Constant", "", "c", attribute("value_float", 1, (2, 0.5)))
    branches = (
        _branch("then_branch", "Add", "a w", "sum"),
        _branch("else_branch", "Mul", "a c", "p"),
    )
    nodes = [node("Add", "x w", "a"), constant, node("If", "cond", "y", *branches)]
    nodes += [node("Clip", "y - c", "clipped"), node("Softmax", "clipped", "z")]
    nodes += [node("Add", "a o", "b")]
    weights = [floats("w", 1, 2), floats("o", 3, 4), floats("unused", 5, 6)]
    inputs = [port("x"), port("cond", _BOOL, ()), port("o", dims=(2,))]
    graph = [*((1, each) for each in nodes), (2, "main"), *((5, each) for each in weights)]
    graph += [(10, "about the graph"), *((11, each) for each in inputs)]
    graph += [(12, port("z")), (12, port("b"))]
    entries = [
        (14, message((1, key), (2, text))) for key, text in (("key", "value"), ("other", ""))
    ]
    facts = [(2, "maker"), (4, "models"), (5, 3), (6, "about the model"), *entries]
    return model(message(*graph), "", 21, *facts)


def add() -> bytes:
    """Return a model that needs an engine: y = x + x."""
    one = node("Add", "x x", "y")
    return model(message((1, one), (2, "sum"), (11, port("x")), (12, port("y"))), "", 13)


_NUMBERS: tuple[int, ...] = (
    20,
    0x54524F54,
    0xC000C,
    4,
    0x80000,
    12,
    1,
    4,
    1,
    16,
    0x14000C,
    0x80004,
    0x10000C,
    12,
)
_NUMBERS += (16, 24, 1, 32, 1, ord("w"), 0, 1, 2, 0, 0, 8, 0x40400000, 0x40800000)
ADAPTER = struct.pack("<28I", *_NUMBERS)  # of LoRA: "w", the floats 3 and 4
