# SPDX-License-Identifier: MIT
"""Models prepared for execution providers: types of inner values, and operators as functions.

The functions are those of operators that ONNX describes by others, for the nodes of a model.
"""

from collections import ChainMap
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ortcffi._native import lib
from ortcffi._public import quoted
from ortcffi.models import inlining
from ortcffi.models.nodes import names_of
from ortcffi.models.wire import Message

if TYPE_CHECKING:
    from ortcffi.models.model import Model

__all__ = ["MISSING", "prepare", "with_types"]

Key = tuple[str, str]  # domain, operator


def key_of(name: str) -> Key:
    """The domain and the operator of a name such as "ai.onnx.ml.Scaler"."""
    domain, _, operator = name.rpartition(".")
    return ("" if domain == "ai.onnx" else domain), operator


def check_described(names: Iterable[str], opsets: dict[str, int]) -> None:
    """Raise `ValueError` for an operator that is not described by others."""
    for name in names:
        schema = _schema(key_of(name), opsets)
        if schema is None:
            raise ValueError(f"operators: ONNX has no operator {quoted(name)}")
        if not _has_body(schema):
            raise ValueError(f"operators: ONNX does not describe {quoted(name)} by other operators")


def _schema(key: Key, opsets: dict[str, int]) -> Any:
    """What ONNX says of an operator; None if it does not have it."""
    from onnx import defs

    domain, operator = key
    try:
        return defs.get_schema(operator, opsets.get(domain, 1), domain)
    except defs.SchemaError:
        return None


def _has_body(schema: Any) -> bool:
    return schema is not None and (schema.has_function or schema.has_context_dependent_function)


class Descriptions:
    """Gives the function of a node, if its operator is to be replaced.

    The package onnx has an inliner too. It does not know types within a function, inputs in the
    middle that are left out, nor defaults of attributes.

    Attributes
    ----------
    count : int
        How many nodes it has given functions for.
    untyped : str or None
        An operator whose function depends on a type that is not known, and the value.
    """

    def __init__(self, keys: set[Key], opsets: dict[str, int]) -> None:
        self.count = 0
        self.untyped: str | None = None
        self._keys, self._opsets = keys, opsets
        self._types: ChainMap[str, bytes] = ChainMap()  # of the graph and those around it

    @contextmanager
    def within(self, graph: Message) -> Iterator[None]:
        """The nodes that are asked about are of a graph, which may be within others."""
        around = self._types
        self._types = around.new_child(dict(_types_of(graph)))
        yield
        self._types = around

    def __call__(self, node: Message) -> Message | None:
        """The function of a node; None where it stays."""
        domain, operator = node.text(lib.NODE_DOMAIN), node.text(lib.NODE_OPERATOR)
        key = ("" if domain == "ai.onnx" else domain), operator
        if key not in self._keys:
            return None
        schema = _schema(key, self._opsets)
        content = self._content(schema, node) if _has_body(schema) else b""
        if not content:
            return None
        from onnx import FunctionProto

        function = FunctionProto.FromString(content)
        for each in function.opset_import:  # ONNX has them valid for later versions, too
            each.version = self._opsets.get(each.domain, each.version)
        known = {each.name for each in function.attribute_proto}
        defaults = (each.default_value for each in schema.attributes.values())
        function.attribute_proto.extend(
            each for each in defaults if each.type and each.name not in known
        )
        self.count += 1
        return Message(function.SerializeToString())

    def _content(self, schema: Any, node: Message) -> bytes:
        """The function in the version that the model uses; empty where there is none."""
        version = self._opsets.get(schema.domain, 1)
        if any(each <= version for each in schema.function_opset_versions):
            return bytes(schema.get_function_with_opset_version(version))
        versions = [n for n in schema.context_dependent_function_opset_versions if n <= version]
        if not versions:
            return b""
        types = []
        for name in node.texts(lib.NODE_INPUT):
            if name and name not in self._types:
                self.untyped = f"{schema.name}: the type of {quoted(name)} is not known"
                return b""
            types.append(self._types.get(name, b""))
        build = schema.get_context_dependent_function_with_opset_version
        try:
            return bytes(build(max(versions), bytes(node), types))
        except Exception as error:  # of C++
            raise ValueError(f"onnx cannot replace {schema.name}: {error}") from error


def _types_of(graph: Message) -> Iterator[tuple[str, bytes]]:
    """The serialized types of a graph's own values."""
    from onnx import GraphProto, helper

    proto = GraphProto.FromString(bytes(graph))
    for value in (*proto.input, *proto.output, *proto.value_info):
        if value.type.WhichOneof("value"):
            yield value.name, value.type.SerializeToString()
    for weights in proto.initializer:
        made = helper.make_tensor_type_proto(weights.data_type, weights.dims)
        yield weights.name, made.SerializeToString()
    for sparse in proto.sparse_initializer:
        made = helper.make_tensor_type_proto(sparse.values.data_type, sparse.dims)
        yield sparse.values.name, made.SerializeToString()


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
