# SPDX-License-Identifier: MIT
"""Sequences without elements, for which the C API has no function."""

from typing import TYPE_CHECKING

from ortcffi._handle import out_of, owned_by, owner_of
from ortcffi._native import ffi, lib
from ortcffi.kernels.host import empty_sequence_on_core
from ortcffi.models.graph import Graph
from ortcffi.models.message import Message
from ortcffi.options.session_options import SessionOptions
from ortcffi.session.creation import environment_of
from ortcffi.values.lifecycle import blank
from ortcffi.values.value import Value

if TYPE_CHECKING:
    from ortcffi.table.api import Api


def empty_sequence(api: "Api", element: int) -> Value:
    """Return a sequence without tensors of an element type.

    Those of a real library cost a session and a run: all that need one share it, as long as the
    table lives. That is safe, because no function can change one.
    """
    if api.is_core:
        return empty_sequence_on_core(api, element)
    made: dict[int, Value] = vars(api).setdefault("_empty_sequences", {})
    found = made.get(element)
    return found if found is not None else made.setdefault(element, _make(api, element))


def _make(api: "Api", element: int) -> Value:
    value, out = blank(Value, api)
    env, model, name = environment_of(api, None), _model(element), ffi.new("char[]", b"y")
    session = owner_of("OrtSession*", api, lib.ReleaseSession, env)
    with SessionOptions(api, intra_op_threads=1) as options:
        given = env.handle, model, len(model), options.handle
        api._call("CreateSessionFromArray", *given, out_of(session))
    nothing = ffi.NULL, ffi.NULL, ffi.NULL, 0
    names = ffi.new("char*[]", [name])
    api._call("Run", owned_by(session), *nothing, names, 1, out)
    return value


def _model(element: int) -> bytes:
    graph = Graph({"": 17})
    graph.node("SequenceEmpty", [], ["y"], attributes={"dtype": element})
    tensor, sequence, kind = map(Message, ("TypeProto.Tensor", "TypeProto.Sequence", "TypeProto"))
    tensor.elem_type, sequence.elem_type = element, Message("TypeProto")
    sequence.elem_type.tensor_type, kind.sequence_type = tensor, sequence
    graph.output("y")
    graph._message.output[0].type = kind
    return graph.to_bytes()
