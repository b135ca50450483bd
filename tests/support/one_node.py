# SPDX-License-Identifier: MIT
"""Models of one node, as bytes: the few messages of ONNX that they need, written by hand."""

import struct
from typing import Any

import numpy as np

FLOAT, INT, STRING, TENSOR, FLOATS, INTS, STRINGS = 1, 2, 3, 4, 6, 7, 8
TYPES = {"f4": 1, "u1": 2, "i1": 3, "i4": 6, "i8": 7, "O": 8, "b1": 9, "f2": 10, "f8": 11}


def varint(number: int) -> bytes:
    number &= (1 << 64) - 1
    out = b""
    while number > 127:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


def field(number: int, content: Any) -> bytes:
    if isinstance(content, int):
        return varint(number << 3) + varint(content)
    if isinstance(content, float):
        return varint(number << 3 | 5) + struct.pack("<f", content)
    data = content.encode() if isinstance(content, str) else content
    return varint(number << 3 | 2) + varint(len(data)) + data


def element(dtype: Any) -> int:
    return TYPES[np.dtype(dtype).str.lstrip("<|>")]


def tensor(array: np.ndarray, name: str = "") -> bytes:
    out = b"".join(field(1, n) for n in array.shape) + field(2, element(array.dtype))
    if array.dtype == object:
        out += b"".join(field(6, text) for text in array.reshape(-1))
    else:
        out += field(9, array.tobytes())
    return out + field(8, name)


def attribute(name: str, value: Any) -> bytes:
    out = field(1, name)
    if isinstance(value, np.ndarray):
        return out + field(5, tensor(value)) + field(20, TENSOR)
    if isinstance(value, float):
        return out + field(2, value) + field(20, FLOAT)
    if isinstance(value, int):
        return out + field(3, value) + field(20, INT)
    if isinstance(value, str):
        return out + field(4, value) + field(20, STRING)
    kinds = {float: (7, FLOATS), int: (8, INTS), str: (9, STRINGS)}
    number, kind = kinds[type(value[0])]
    return out + b"".join(field(number, each) for each in value) + field(20, kind)


def value_info(name: str, dtype: Any, shape: Any = None) -> bytes:
    content = field(1, element(dtype))
    if shape is not None:
        dims = b"".join(field(1, field(1, n) if isinstance(n, int) else field(2, n)) for n in shape)
        content += field(2, dims)
    return field(1, name) + field(2, field(1, content))


def node(
    op_type: str, domain: str, inputs: Any, outputs: Any, name: str = "the_node", **attributes: Any
) -> bytes:
    return (
        b"".join(field(1, name) for name in inputs)
        + b"".join(field(2, name) for name in outputs)
        + field(3, name)
        + field(4, op_type)
        + b"".join(field(5, attribute(*each)) for each in attributes.items())
        + field(7, domain)
    )


def model(
    nodes: list[bytes], inputs: dict[str, Any], outputs: dict[str, Any], domains: Any
) -> bytes:
    """A model; `inputs` and `outputs` have dtypes, or pairs of dtype and shape, by name."""
    graph = b"".join(field(1, each) for each in nodes) + field(2, "g")
    for number, infos in ((11, inputs), (12, outputs)):
        for name, info in infos.items():
            dtype, shape = info if isinstance(info, tuple) else (info, None)
            graph += field(number, value_info(name, dtype, shape))
    opsets = field(8, field(1, "") + field(2, 21))
    opsets += b"".join(field(8, field(1, domain) + field(2, 1)) for domain in domains)
    return field(1, 10) + opsets + field(7, graph)
