# SPDX-License-Identifier: MIT
"""Models prepared for execution providers: types of inner values, and operators as functions."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ortcffi._native import lib
from ortcffi.models import inlining
from ortcffi.models.described import Descriptions, check_described, key_of
from ortcffi.models.nodes import names_of
from ortcffi.models.wire import Message

if TYPE_CHECKING:
    from ortcffi.models.model import Model

__all__ = ["MISSING", "prepare", "with_types"]

_DEEPEST = 64  # operators within operators
MISSING = (
    "types of inner values come from the package onnx, which is not installed: run 'pip install "
    "onnx', or save what Model.prepare() makes where it is"
)


def prepare(model: "Model", operators: Iterable[str]) -> Message:
    """The skeleton with types; weights stay numbers in it, which `onnx` does not read."""
    names = names_of("operators", operators)
    check_described(names, model.opsets)
    skeleton = model._skeleton()
    if skeleton.all(lib.MODEL_FUNCTION):
        skeleton = inlining.inline(skeleton)
    parsed = _parsed(skeleton)
    declared = parsed.graph.output
    proto = _inferred(parsed)
    keys = {key_of(name) for name in names}
    for _ in range(_DEEPEST if keys else 0):
        described = Descriptions(keys, model.opsets)
        skeleton = inlining.inline(Message(proto.SerializeToString()), described)
        if described.count == 0:
            if described.untyped is not None:
                raise ValueError(f"onnx cannot replace {described.untyped}")
            break
        proto = _inferred(_parsed(skeleton))
    for output, before in zip(proto.graph.output, declared, strict=True):
        _keep_declared(output.type, before.type)
    return Message(proto.SerializeToString())


def _parsed(skeleton: Message) -> Any:
    """The model as an object of the package onnx."""
    try:
        import onnx
        from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
    except ImportError as error:
        raise ModuleNotFoundError(MISSING, name="onnx") from error
    try:
        return onnx.load_model_from_string(bytes(skeleton))
    except DecodeError as error:
        raise ValueError(f"onnx cannot read the model: {error}") from error


def _inferred(proto: Any) -> Any:
    """A copy of the model with types of inner values."""
    from onnx import shape_inference

    try:
        return shape_inference.infer_shapes(proto, data_prop=True)
    except shape_inference.InferenceError as error:
        reason = str(error).partition("\n")[0]
        raise ValueError(f"onnx cannot say which types the model has: {reason}") from error


def _keep_declared(inferred: Any, declared: Any) -> None:
    """Take back what inference adds to the declared type of an output.

    It names free dimensions ``unk__0`` and so on, and gives elements of containers a shape: no user
    of the model can rely on either.
    """
    if declared.WhichOneof("value") not in (None, "tensor_type"):
        inferred.CopyFrom(declared)
        return
    names = {length.dim_param for length in declared.tensor_type.shape.dim}
    for length in inferred.tensor_type.shape.dim:
        if length.dim_param.startswith("unk__") and length.dim_param not in names:
            length.Clear()


def with_types(model: "Model") -> "Model":
    """The model with the types that it lacks, where they can be had; otherwise as it is."""
    try:
        return model.prepare() if model._untyped() else model
    except (ModuleNotFoundError, ValueError):
        return model
