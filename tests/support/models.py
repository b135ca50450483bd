# SPDX-License-Identifier: MIT
"""Small ONNX models as bytes, written as protobuf by hand: no package of ONNX is needed."""

from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

ELEMENTS = {  # TensorProto.DataType
    "float32": 1,
    "uint8": 2,
    "int8": 3,
    "int32": 6,
    "int64": 7,
    "str": 8,
    "bool": 9,
    "float16": 10,
    "float64": 11,
    "uint32": 12,
    "uint64": 13,
    "bfloat16": 16,
    "int4": 22,
}


# --- protobuf -------------------------------------------------------------------------------------


def varint(number: int) -> bytes:
    if 0 <= number <= 0x7F:  # as nearly all are
        return number.to_bytes()
    number &= (1 << 64) - 1
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def field(number: int, value: int | bytes | str) -> bytes:
    """One field: an int as a varint, anything else with its length."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    content = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(content)) + content


def fields(number: int, values: Any) -> bytes:
    return b"".join(field(number, value) for value in values)


# --- types ----------------------------------------------------------------------------------------


def dimension(n: int | str | None) -> bytes:
    if n is None:
        return b""
    return field(1, n) if isinstance(n, int) else field(2, n)


def shape_of(dimensions: Any) -> bytes:
    return fields(1, (dimension(n) for n in dimensions))


def tensor_type(dtype: str, shape: Any = None, kind: int = 1) -> bytes:
    """A TypeProto of a tensor; `kind` 8 is a sparse one."""
    inner = field(1, ELEMENTS[dtype])
    return field(kind, inner + (b"" if shape is None else field(2, shape_of(shape))))


def sequence_type(item: bytes) -> bytes:
    return field(4, field(1, item))


def map_type(key: str, value: bytes) -> bytes:
    return field(5, field(1, ELEMENTS[key]) + field(2, value))


def optional_type(item: bytes) -> bytes:
    return field(9, field(1, item))


def value_info(name: str, kind: bytes) -> bytes:
    return field(1, name) + field(2, kind)


def value(name: str, dtype: str = "float32", shape: Any = None) -> bytes:
    return value_info(name, tensor_type(dtype, shape))


# --- graphs ---------------------------------------------------------------------------------------


def tensor(name: str, array: Any) -> bytes:
    array = np.asarray(array)
    head = b"".join(field(1, n) for n in array.shape)
    if array.dtype.kind in "OU":
        head += field(2, ELEMENTS["str"]) + fields(6, (str(x) for x in array.ravel()))
        return head + field(8, name)
    head += field(2, ELEMENTS[array.dtype.name])
    return head + field(8, name) + field(9, np.ascontiguousarray(array).tobytes())


def external_tensor(name: str, shape: Any, location: str, **others: int) -> bytes:
    """A float tensor whose elements are in a file; `others` are offset and length."""
    entries = {"location": location, **{key: str(number) for key, number in others.items()}}
    head = b"".join(field(1, n) for n in shape) + field(2, 1) + field(8, name)
    described = (field(13, field(1, key) + field(2, text)) for key, text in entries.items())
    return head + b"".join(described) + field(14, 1)


def single(number: int, given: Any) -> bytes:
    return varint(number << 3 | 5) + np.float32(given).tobytes()


def attribute(name: str, given: Any) -> bytes:
    if isinstance(given, float):
        content, kind = single(2, given), 1
    elif isinstance(given, int):
        content, kind = field(3, given), 2
    elif isinstance(given, str):
        content, kind = field(4, given), 3
    elif isinstance(given, np.ndarray):
        content, kind = field(5, tensor("", given)), 4
    elif isinstance(given, bytes):  # a graph
        content, kind = field(6, given), 5
    elif given and isinstance(given[0], float):
        content, kind = b"".join(single(7, each) for each in given), 6
    elif given and isinstance(given[0], str):
        content, kind = fields(9, given), 8
    else:
        content, kind = fields(8, given), 7
    return field(1, name) + content + field(20, kind)


def node(op: str, inputs: Any, outputs: Any, domain: str = "", **attributes: Any) -> bytes:
    """A node; names are in a list, or separated by spaces."""
    sides = [side.split() if isinstance(side, str) else side for side in (inputs, outputs)]
    head = fields(1, sides[0]) + fields(2, sides[1])
    head += field(3, "_".join([op, *sides[1]])) + field(4, op)
    return head + fields(5, (attribute(*pair) for pair in attributes.items())) + field(7, domain)


def graph(nodes: Any, inputs: Any, outputs: Any, initializers: Any = (), name: str = "g") -> bytes:
    head = fields(1, nodes) + field(2, name) + fields(5, initializers)
    return head + fields(11, inputs) + fields(12, outputs)


def model(
    nodes: Any,
    inputs: Any,
    outputs: Any,
    initializers: Any = (),
    *,
    opset: int = 17,
    domains: dict[str, int] | None = None,
    metadata: dict[str, str] | None = None,
    facts: bytes = b"",
    inner: bytes = b"",
) -> bytes:
    """A model; `facts` are further fields of it, and `inner` of its graph."""
    opsets = {"": opset, **(domains or {})}
    head = field(1, 8) + facts
    head += fields(8, (field(1, name) + field(2, n) for name, n in opsets.items()))
    props = ((field(1, key) + field(2, text)) for key, text in (metadata or {}).items())
    return head + field(7, graph(nodes, inputs, outputs, initializers) + inner) + fields(14, props)


def of_ops(nodes: Any, inputs: dict[str, Any], outputs: dict[str, Any], *domains: str) -> bytes:
    """A model of custom ops, with a dtype for each port, or a pair of dtype and shape."""

    def port(name: str, info: Any) -> bytes:
        dtype, shape = info if isinstance(info, tuple) else (info, None)
        kind = np.dtype(dtype)
        return value(name, "str" if kind.hasobject else kind.name, shape)

    ports = [[port(*pair) for pair in side.items()] for side in (inputs, outputs)]
    return model(nodes, *ports, domains=dict.fromkeys(domains, 1))


# --- models that tests share ----------------------------------------------------------------------


def add(shape: Any = (1, 4), dtype: str = "float32") -> bytes:
    """y = x + x."""
    ports = [value("x", dtype, shape)], [value("y", dtype, shape)]
    return model([node("Add", "x x", "y")], *ports)


def increments(count: int) -> bytes:
    """y = x + 1 + 1 + ..., in so many nodes, with the open dimension n."""
    names = ["x", *(f"y{i}" for i in range(1, count)), "y"]
    nodes = [node("Add", f"{names[i]} one", names[i + 1]) for i in range(count)]
    ports = [value("x", shape=["n"])], [value("y", shape=["n"])]
    return model(nodes, *ports, [tensor("one", np.ones(1, np.float32))])


def identity(dtype: str = "float32", shape: Any = (1, 4)) -> bytes:
    """y = x."""
    ports = [value("x", dtype, shape)], [value("y", dtype, shape)]
    return model([node("Identity", "x", "y")], *ports)


def two_inputs() -> bytes:
    """total = a + b, difference = a - b, in int64, with the open dimension n."""
    ports = [[value(name, "int64", ["n"]) for name in names] for names in ("ab", "sd")]
    return model([node("Add", "a b", "s"), node("Sub", "a b", "d")], *ports)


def scaled() -> bytes:
    """y = x * w, with w of ones, which is an input too, so it can be replaced."""
    ports = [value("x", shape=(1, 4)), value("w", shape=(1, 4))], [value("y", shape=(1, 4))]
    weights = tensor("w", np.ones((1, 4), np.float32))
    return model([node("Mul", "x w", "y")], *ports, [weights])


def pairs(dtype: str) -> bytes:
    """y = the sequence of x and x."""
    kind = sequence_type(tensor_type(dtype))
    return model(
        [node("SequenceConstruct", "x x", "y")], [value("x", dtype)], [value_info("y", kind)]
    )


def zipped(**labels: Any) -> bytes:
    """y = a map of each row of x; its keys are the attribute ``classlabels_...`` of ZipMap."""
    key = "str" if "classlabels_strings" in labels else "int64"
    kind = sequence_type(map_type(key, tensor_type("float32")))
    nodes = [node("ZipMap", "x", "y", "ai.onnx.ml", **labels)]
    return model(nodes, [value("x")], [value_info("y", kind)], domains={"ai.onnx.ml": 1})


def matmul(rows: int = 1, size: int = 256) -> bytes:
    """y = x @ w, with w of ones."""
    weights = tensor("w", np.ones((size, size), np.float32))
    ports = [value("x", shape=(rows, size))], [value("y", shape=(rows, size))]
    return model([node("MatMul", "x w", "y")], *ports, [weights])


@cache
def loop(trips: int, size: int = 128, rows: int | str | None = None) -> bytes:
    """y = x @ 1 @ 1 ... within a loop, which takes as long as there are trips."""
    shape = size if rows is None else rows, size
    body = graph(
        [node("Identity", "go", "go_on"), node("MatMul", "v w", "v_next")],
        [value("i", "int64", []), value("go", "bool", []), value("v", shape=shape)],
        [value("go_on", "bool", []), value("v_next", shape=shape)],
        name="body",
    )
    return model(
        [node("Loop", "trips go x", "y", body=body)],
        [value("x", shape=shape)],
        [value("y", shape=shape)],
        [
            tensor("trips", np.array(trips, np.int64)),
            tensor("go", np.array(True)),
            tensor("w", np.eye(size, dtype=np.float32)),
        ],
    )


def sines(count: int) -> bytes:
    """The shape of sin(sin(...)), so often, of as many zeros as x says: short or long."""
    names = ["zeros", *(f"y{i}" for i in range(count))]
    nodes = [node("Sin", *pair) for pair in pairwise(names)]
    return model(
        [node("ConstantOfShape", "x", "zeros"), *nodes, node("Shape", names[-1], "y")],
        [value("x", "int64", [1])],
        [value("y", "int64", [1])],
    )
