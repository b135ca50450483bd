# SPDX-License-Identifier: MIT
"""Operators that ONNX describes by others: their functions, for the nodes of a model."""

from collections import ChainMap
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from ortcffi._native import lib
from ortcffi._public import quoted
from ortcffi.models.wire import Message

__all__ = ["Descriptions", "check_described", "described_by_others", "key_of"]

Key = tuple[str, str]  # domain, operator


def key_of(name: str) -> Key:
    """The domain and the operator of a name such as "ai.onnx.ml.Scaler"."""
    domain, _, operator = name.rpartition(".")
    return ("" if domain == "ai.onnx" else domain), operator


def described_by_others(names: Iterable[str], opsets: dict[str, int]) -> list[str]:
    """Those operators that ONNX describes by others, if the package onnx is installed."""
    return [name for name in names if _has_body(_schema(key_of(name), opsets))]


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
