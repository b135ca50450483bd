# SPDX-License-Identifier: MIT
"""The models of rows, as bytes."""

import struct
from typing import Any

from ortcffi.models.message import Message

_FLOAT, _STRING, _BOOL = 1, 8, 9


def _made(kind: str, **fields: Any) -> Any:
    """Make a message of ONNX; a field that is None is not there."""
    message = Message(kind)
    for name, value in fields.items():
        setattr(message, name, value)
    return message


def _port(name: str, kind: int = _FLOAT, dims: tuple[int | str, ...] | None = ("length",)) -> Any:
    """Make an input or output: a tensor; None for `dims` leaves the shape out."""
    fields = [{"dim_param" if isinstance(dim, str) else "dim_value": dim} for dim in dims or ()]
    listed = [_made("TensorShapeProto.Dimension", **each) for each in fields]
    shape = None if dims is None else _made("TensorShapeProto", dim=listed)
    tensor = _made("TypeProto.Tensor", elem_type=kind, shape=shape)
    return _made("ValueInfoProto", name=name, type=_made("TypeProto", tensor_type=tensor))


def _floats(name: str, *numbers: float) -> Any:
    raw = struct.pack(f"<{len(numbers)}f", *numbers)
    fields = {"dims": [len(numbers)], "data_type": _FLOAT, "name": name, "raw_data": raw}
    return _made("TensorProto", **fields)


def _node(op: str, inputs: str, outputs: str, *attributes: Any, **more: Any) -> Any:
    """Make a node; names are parted by blanks, and "-" is none."""
    names = [["" if each == "-" else each for each in texts.split()] for texts in (inputs, outputs)]
    fields = {"input": names[0], "output": names[1], "name": outputs, "op_type": op} | more
    return _made("NodeProto", **fields, attribute=list(attributes))


def _attribute(name: str, kind: int, **value: Any) -> Any:
    """Make an attribute; `kind` is its number in ONNX."""
    return _made("AttributeProto", name=name, **value, type=kind)


def _entries(pairs: tuple[tuple[str, str | None], ...]) -> list[Any]:
    return [_made("StringStringEntryProto", key=key, value=value) for key, value in pairs]


def metadata(*pairs: tuple[str, str | None], ir_version: int | None = 8) -> bytes:
    """Return a model of nothing but entries of metadata."""
    return _bytes_of(_made("ModelProto", ir_version=ir_version, metadata_props=_entries(pairs)))


def _model(graph: Any, ops: str, version: int, **more: Any) -> bytes:
    opsets = [_made("OperatorSetIdProto", domain=ops, version=version)]
    return _bytes_of(_made("ModelProto", ir_version=8, graph=graph, opset_import=opsets, **more))


def _bytes_of(message: Any) -> bytes:
    return bytes(message.to_bytes())


def twice() -> bytes:
    """Return the model of sessions: a = Twice(x), b = Twice(w), where w may be replaced."""
    graph = _made(
        "GraphProto",
        name="main",
        node=[_node("Twice", x, y, domain="twice") for x, y in (("x", "a"), ("w", "b"))],
        initializer=[_floats("w", 1, 2)],
        input=[_port("x"), _port("w", dims=(2,))],
        output=[_port("a"), _port("b")],
    )
    return _model(graph, "twice", 1)


def probe() -> bytes:
    """Return the model of one node Probe, with an initializer and attributes of all types."""
    attributes = (
        _attribute("f", 1, f=1.5),
        _attribute("i", 2, i=7),
        _attribute("s", 3, s=b"abc"),
        _attribute("fs", 6, floats=[1.0, 2.0, 3.0]),
        _attribute("is", 7, ints=[4, 5, 6]),
        _attribute("ss", 8, strings=[b"x", b"yz"]),
        _attribute("t", 4, t=_floats("", 1, 2)),
        _attribute("es", 3, s=b""),
    )
    graph = _made(
        "GraphProto",
        name="graph",
        node=[_node("Probe", "X - C - Y V", "O - S", *attributes, name="the_node", domain="probe")],
        initializer=[_floats("C", 1, 2)],
        input=[_port("X", dims=("batch", 3)), _port("Y", dims=None), _port("V", dims=(1,))],
        output=[_port("O", dims=(2, 3)), _port("S", _STRING, None)],
    )
    return _model(graph, "probe", 1)


def _branch(name: str, op: str, inputs: str, output: str) -> Any:
    nodes, outputs = [_node(op, inputs, output)], [_port(output, dims=(2,))]
    return _attribute(name, 5, g=_made("GraphProto", name=name, node=nodes, output=outputs))


def branching() -> bytes:
    """Return the model of graphs: something for every slot to answer."""
    branches = (
        _branch("then_branch", "Add", "a w", "sum"),
        _branch("else_branch", "Mul", "a c", "p"),
    )
    graph = _made(
        "GraphProto",
        name="main",
        doc_string="about the graph",
        node=[
            _node("Add", "x w", "a"),
            _node("Constant", "", "c", _attribute("value_float", 1, f=0.5)),
            _node("If", "cond", "y", *branches),
            _node("Clip", "y - c", "clipped"),
            _node("Softmax", "clipped", "z"),
            _node("Add", "a o", "b"),
        ],
        initializer=[_floats("w", 1, 2), _floats("o", 3, 4), _floats("unused", 5, 6)],
        input=[_port("x"), _port("cond", _BOOL, ()), _port("o", dims=(2,))],
        output=[_port("z"), _port("b")],
    )
    facts = {"producer_name": "maker", "domain": "models", "model_version": 3}
    facts |= {"doc_string": "about the model"}
    entries = _entries((("key", "value"), ("other", "")))
    return _model(graph, "", 21, **facts, metadata_props=entries)


_NUMBERS: tuple[int, ...] = (20, 0x54524F54, 0xC000C, 4, 0x80000, 12, 1, 4, 1, 16, 0x14000C)
_NUMBERS += (0x80004, 0x10000C, 12)
_NUMBERS += (16, 24, 1, 32, 1, ord("w"), 0, 1, 2, 0, 0, 8, 0x40400000, 0x40800000)
ADAPTER = struct.pack("<28I", *_NUMBERS)  # of LoRA: "w", the floats 3 and 4
