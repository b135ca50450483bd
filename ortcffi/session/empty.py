# SPDX-License-Identifier: MIT
"""Sequences without elements, for which the C API has no function."""

from functools import cache
from typing import TYPE_CHECKING

from ortcffi._handle import out_of, owned_by, owner_of
from ortcffi._native import ffi, lib
from ortcffi.errors import checked
from ortcffi.kernels.empty_sequence import empty_sequence_on_core
from ortcffi.options.session import SessionOptions
from ortcffi.session.creation import environment_of
from ortcffi.values.lifecycle import blank
from ortcffi.values.value import Value

if TYPE_CHECKING:
    from ortcffi.table.api import Api

__all__ = ["empty_sequence"]


def empty_sequence(api: "Api", element: int) -> Value:
    """A sequence without tensors of an element type.

    Those of a real library cost a session and a run: all that need one share it, as long as the
    table lives. That is safe, because no function can change one.

    Parameters
    ----------
    api : Api
        A table.
    element : int
        ONNX's number for the type.
    """
    if api.is_core:
        return empty_sequence_on_core(api, element)
    made: dict[int, Value] = vars(api).setdefault("_empty_sequences", {})
    found = made.get(element)
    return found if found is not None else made.setdefault(element, _make(api, element))


def _make(api: "Api", element: int) -> Value:
    """Run a model with one node that makes such a sequence."""
    value, out = blank(Value, api)
    env, model, name = environment_of(api, None), _model(element), ffi.new("char[]", b"y")
    session = owner_of("OrtSession*", api, lib.ReleaseSession, env)
    with SessionOptions(api, intra_op_threads=1) as options:
        checked.CreateSessionFromArray(
            api.pointer, env.handle, model, len(model), options.handle, out_of(session)
        )
    checked.Run(
        *(api.pointer, owned_by(session), ffi.NULL, ffi.NULL, ffi.NULL, 0),
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
