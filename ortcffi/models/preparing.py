# SPDX-License-Identifier: MIT
"""Models prepared for execution providers: types of inner values, and operators as functions."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ortcffi._native import lib
from ortcffi.models import inlining
from ortcffi.models.contents import untyped
from ortcffi.models.editing import graph_of
from ortcffi.models.nodes import names_of
from ortcffi.models.wire import Message

if TYPE_CHECKING:
    from ortcffi.models.model import Model

__all__ = ["prepare", "with_types"]

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
        keys = [_key(name) for name in names]
        _check_known(proto, names, keys)
        proto = inliner.inline_selected_functions(proto, keys, inline_schema_functions=True)
    try:
        proto = shape_inference.infer_shapes(proto, data_prop=True)
    except shape_inference.InferenceError as error:
        told = str(error).partition("\n")[0]
        raise ValueError(f"onnx cannot say which types the model has: {told}") from error
    return Message(proto.SerializeToString())


def with_types(model: "Model") -> "Model":
    """The model with the types that it lacks, where they can be had; otherwise as it is."""
    if not untyped(graph_of(model._skeleton())):
        return model
    try:
        return model.prepare()
    except (ModuleNotFoundError, ValueError):
        return model


def _key(name: str) -> tuple[str, str]:
    domain, _, operator = name.rpartition(".")
    return ("" if domain == "ai.onnx" else domain), operator


def _check_known(proto: Any, names: tuple[str, ...], keys: list[tuple[str, str]]) -> None:
    """Raise `ValueError` for an operator that is not described by others."""
    from onnx import defs

    versions = {each.domain: each.version for each in proto.opset_import}
    versions[""] = versions.get("", versions.get("ai.onnx", 1))
    for name, (domain, operator) in zip(names, keys, strict=True):
        try:
            schema: Any = defs.get_schema(operator, versions.get(domain, 1), domain)
        except defs.SchemaError:
            raise ValueError(f"operators: ONNX has no operator {name!r}") from None
        if not (schema.has_function or schema.has_context_dependent_function):
            raise ValueError(f"operators: ONNX does not describe {name!r} by other operators")
