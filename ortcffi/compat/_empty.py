# SPDX-License-Identifier: MIT
"""Sequences without elements, which the C API has no function for."""

from functools import cache
from typing import TYPE_CHECKING

from ortcffi._native import ffi
from ortcffi.compat._types import onnx_of
from ortcffi.errors import checked
from ortcffi.session.session import Session
from ortcffi.values.lifecycle import blank
from ortcffi.values.value import Value

if TYPE_CHECKING:
    from ortcffi.table.api import Api
    from ortcffi.values.element_types import ElementType

__all__ = ["empty_sequence"]


def empty_sequence(api: "Api", element: "ElementType") -> Value:
    """Make a sequence without tensors of an element type: a model with one node has it."""
    value, out = blank(Value, api)
    with Session(_model(onnx_of(element)), api=api) as session:
        name = ffi.new("char[]", b"y")
        checked.Run(
            *(api.pointer, session.handle, ffi.NULL, ffi.NULL, ffi.NULL, 0),
            *(ffi.new("char*[]", [name]), 1, out),
        )
    return value


@cache
def _model(element: int) -> bytes:
    """A model whose output is an empty sequence, as ONNX serializes it.

    The model editor cannot make it: it knows outputs that are tensors only.
    """
    attribute = _text(1, b"dtype") + _number(3, element) + _number(20, 2)
    node = _text(2, b"y") + _text(4, b"SequenceEmpty") + _text(5, attribute)
    tensor = _text(1, _number(1, element))
    kind = _text(4, _text(1, tensor))
    graph = _text(1, node) + _text(2, b"g") + _text(12, _text(1, b"y") + _text(2, kind))
    return _number(1, 8) + _text(7, graph) + _text(8, _text(1, b"") + _number(2, 17))


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _text(field: int, content: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(content)) + content


def _varint(value: int) -> bytes:
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])
