# SPDX-License-Identifier: MIT
"""Models prepared for execution providers: types of inner values, and operators as functions."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ortcffi._native import lib
from ortcffi.models import inlining
from ortcffi.models.nodes import names_of
from ortcffi.models.wire import Message

if TYPE_CHECKING:
    from ortcffi.models.model import Model

__all__ = ["MISSING", "described_by_others", "prepare", "with_types"]

MISSING = (
    "types of inner values come from the package onnx, which is not installed: run 'pip install "
    "onnx', or save what Model.prepare() makes where it is"
)


def prepare(model: "Model", operators: Iterable[str]) -> Message:
    """The skeleton with types; weights stay numbers in it, which `onnx` does not read."""
    names = names_of("operators", operators)
    try:
        import onnx
        from onnx import inliner, shape_inference
    except ImportError as error:
        raise ModuleNotFoundError(MISSING, name="onnx") from error
    skeleton = model._skeleton()
    if skeleton.all(lib.MODEL_FUNCTION):
        skeleton = inlining.inline(model)
    proto: Any = onnx.load_model_from_string(bytes(skeleton))
    if names:
        _check_described(names, model.opsets)
        keys = [_key(name) for name in names]
        try:
            proto = inliner.inline_selected_functions(proto, keys, inline_schema_functions=True)
        except RuntimeError as error:  # such as for an input in the middle that is left out
            reason = str(error).rpartition("failed: ")[2].strip()
            raise ValueError(f"onnx cannot replace {', '.join(names)}: '{reason}'") from error
    declared = {output.name: output.type for output in proto.graph.output}
    try:
        proto = shape_inference.infer_shapes(proto, data_prop=True)
    except shape_inference.InferenceError as error:
        reason = str(error).partition("\n")[0]
        raise ValueError(f"onnx cannot say which types the model has: {reason}") from error
    for output in proto.graph.output:
        _keep_declared(output.type, declared[output.name])
    return Message(proto.SerializeToString())


def _keep_declared(inferred: Any, declared: Any) -> None:
    """Take back what inference changes in the type of an output, and nobody can use.

    It names free dimensions ``unk__0`` and so on, and gives elements of containers a shape.
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


def _key(name: str) -> tuple[str, str]:
    domain, _, operator = name.rpartition(".")
    return ("" if domain == "ai.onnx" else domain), operator


def described_by_others(names: Iterable[str], opsets: dict[str, int]) -> list[str]:
    """Those operators that ONNX describes by others, if the package onnx is installed."""
    return [name for name in names if _has_body(_schema(_key(name), opsets))]


def _schema(key: tuple[str, str], opsets: dict[str, int]) -> Any:
    """What ONNX says of an operator; None if it does not have it."""
    from onnx import defs

    domain, operator = key
    try:
        return defs.get_schema(operator, opsets.get(domain, 1), domain)
    except defs.SchemaError:
        return None


def _has_body(schema: Any) -> bool:
    return schema is not None and (schema.has_function or schema.has_context_dependent_function)


def _check_described(names: tuple[str, ...], opsets: dict[str, int]) -> None:
    """Raise `ValueError` for an operator that is not described by others."""
    for name in names:
        schema = _schema(_key(name), opsets)
        if schema is None:
            raise ValueError(f"operators: ONNX has no operator {name!r}")
        if not _has_body(schema):
            raise ValueError(f"operators: ONNX does not describe {name!r} by other operators")
