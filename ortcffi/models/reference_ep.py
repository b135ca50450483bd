# SPDX-License-Identifier: MIT
"""The execution provider "reference": nodes computed by ``onnx.reference``."""

from collections.abc import Callable
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from ortcffi.ep.installed import REFERENCE
from ortcffi.models.by_onnx import schema_of
from ortcffi.models.graph import Graph
from ortcffi.models.python_ep import execution_provider
from ortcffi.models.shown import add_alone
from ortcffi.values.element_types import ValueKind, dtype_of
from ortcffi.values.type_info import contained_dtype

try:
    import onnx
    from onnx.reference import ReferenceEvaluator
    from onnx.reference.op_run import OpRun
except ImportError as error:
    raise ModuleNotFoundError(
        f"the execution provider {REFERENCE!r} computes by the package onnx, which is not "
        "installed: run 'pip install onnx'",
        name="onnx",
    ) from error

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ortcffi.models.model_graph import ModelGraph
    from ortcffi.models.parts import ModelNode

_PASSED_ON_THE_CORE = {ValueKind.TENSOR, ValueKind.SEQUENCE, ValueKind.MAP, ValueKind.OPTIONAL}


@execution_provider(REFERENCE, vendor="onnx")
class ReferenceEp:
    """Takes all nodes that ``onnx.reference`` of the package onnx knows and that are not taken yet.

    Neighbours are one group, whose inner values may be anything. What goes in and out are tensors,
    and on the core sequences, maps and optionals too.
    """

    def __init__(self) -> None:
        self._known: dict[tuple[str, str, int], bool] = {}

    def capability(self, graph: "ModelGraph") -> "list[list[ModelNode]]":
        """Each run of neighbours in the order of the graph: no path leaves it and comes back."""
        if graph.parent is not None:
            return []  # the node with the graph is taken as a whole
        opsets, nodes = graph.opsets, graph.nodes
        taken = [not node.ep_name and self._knows(node, opsets) for node in nodes]
        kinds = _PASSED_ON_THE_CORE if graph.api.is_core else {ValueKind.TENSOR}
        others = {name for name, value in graph.values.items() if not _is_of(value, kinds)}
        _refuse_borders(graph, nodes, taken, others)
        runs = groupby(zip(nodes, taken, strict=True), key=itemgetter(1))
        return [[node for node, _ in pairs] for is_taken, pairs in runs if is_taken]

    def _knows(self, node: "ModelNode", opsets: dict[str, int]) -> bool:
        key = node.domain, node.op_type, opsets.get(node.domain, 1)
        if key not in self._known:
            try:
                graph = Graph(opsets=opsets)
                add_alone(graph, node)
                _evaluator(graph)
                self._known[key] = True
            except Exception:  # noqa: BLE001  # several, by release
                self._known[key] = False
        inner = (each for graph in node.subgraphs.values() for each in graph.nodes)
        return self._known[key] and all(self._knows(each, opsets) for each in inner)

    def compile(self, graph: "ModelGraph") -> Callable[..., Any]:
        """Compute the group as a model."""
        evaluator = _evaluator(Graph(graph))
        names = [value.name for value in graph.inputs]
        dtypes = [_dtype(value) for value in graph.outputs]

        def compute(*arrays: Any) -> Any:
            found = evaluator.run(None, dict(zip(names, arrays, strict=True)))
            results = tuple(map(_as_declared, found, dtypes))
            return results if len(results) > 1 else results[0]

        return compute


def _evaluator(graph: Graph) -> Any:
    model = onnx.load_from_string(graph._home.message.to_bytes())
    versions = {each.domain: each.version for each in model.opset_import}
    _adapt(model.graph, versions)
    return ReferenceEvaluator(model, new_ops=[Optional, OptionalHasElement, ZipMap])


_ALWAYS = "ortcffi always"


def _adapt(graph: Any, versions: dict[str, int]) -> None:
    """Change what the reference does otherwise than ONNX says.

    A Loop without a condition makes no iteration there, so it gets a true one. Attributes that
    hosts add, not all of which the reference knows, are removed.
    """
    for node in graph.node:
        if node.op_type == "Loop" and not node.domain and not "".join(node.input[1:2]):
            node.input[:] = [*node.input[:1], _ALWAYS, *node.input[2:]]
        for attribute in node.attribute:
            if attribute.HasField("g"):
                _adapt(attribute.g, versions)
        schema = schema_of((node.domain, node.op_type), versions)
        if schema is None:
            continue
        known = schema.attributes
        kept = [
            each
            for each in node.attribute
            if each.name not in known or each != known[each.name].default_value
        ]
        del node.attribute[:]
        node.attribute.extend(kept)
    if any(_ALWAYS in node.input for node in graph.node):
        graph.initializer.append(onnx.numpy_helper.from_array(np.array(True), _ALWAYS))


def _dtype(value: Any) -> Any:
    """Return that of a tensor, or of the tensors in a sequence; None if it is not known."""
    if value.element_type:
        return dtype_of(value.element_type)
    is_optional = value.type is not None and value.type.kind is ValueKind.OPTIONAL
    return contained_dtype(value.type.contained if is_optional else value.type)


def _as_declared(result: Any, dtype: Any) -> Any:
    """Return the reference computes some operators in wider types than they have."""
    if _is_nothing(result):
        return None
    if isinstance(result, list):
        return [_as_declared(each, dtype) for each in result]
    if isinstance(result, dict):
        return result
    array = np.asarray(result)
    return array if dtype is None or array.dtype == dtype else array.astype(dtype)


_NOTHING = [None]  # the reference has no result that is None


class Optional(OpRun):
    """The package onnx makes a list of what the optional holds."""

    op_domain = ""

    def _run(self, x: Any = None, type: Any = None) -> tuple[Any]:  # noqa: A002, ARG002  # the attribute
        return (_NOTHING if x is None else x,)


class OptionalHasElement(OpRun):
    """The same for what `Optional` makes."""

    op_domain = ""

    def _run(self, x: Any = None) -> "tuple[np.ndarray[Any, Any]]":
        return (np.array(x is not None and not _is_nothing(x)),)


def _is_nothing(result: Any) -> bool:
    return isinstance(result, list) and len(result) == 1 and result[0] is None


class ZipMap(OpRun):
    """The operator that ends classifiers, which the package onnx does not compute."""

    op_domain = "ai.onnx.ml"

    def _run(
        self,
        x: Any,
        classlabels_int64s: Any = None,
        classlabels_strings: Any = None,
    ) -> tuple[list[dict[Any, float]]]:
        labels = classlabels_int64s or classlabels_strings
        rows = np.atleast_2d(x)
        return ([dict(zip(labels, row.tolist(), strict=True)) for row in rows],)


def _read(node: "ModelNode") -> tuple[str, ...]:
    return (*node.inputs, *node.implicit_inputs)


def _refuse_borders(
    graph: "ModelGraph", nodes: "Sequence[ModelNode]", taken: list[bool], others: set[str]
) -> None:
    """Give back the nodes of groups that would pass on what cannot be: `others`.

    A node that is given back divides its group, so that those whose values it shares are looked at
    again.
    """
    if not others:
        return
    makers = {name: i for i, node in enumerate(nodes) for name in node.outputs if name in others}
    users: dict[str, list[int]] = {name: [] for name in others}
    for i, node in enumerate(nodes):
        for name in others.intersection(_read(node)):
            users[name].append(i)
    outputs = {value.name for value in graph.outputs}
    while True:
        groups, number = [], 0
        for i, is_taken in enumerate(taken):
            number += i > 0 and is_taken != taken[i - 1]
            groups.append(number if is_taken else -1)
        refused: set[int] = set()
        for name, places in users.items():
            all_of_it = [*places, *([makers[name]] if name in makers else ())]
            inside = {groups[i] for i in all_of_it}
            if name not in makers or name in outputs or len(inside) > 1:
                refused.update(i for i in all_of_it if taken[i])
        if not refused:
            return
        for i in refused:
            taken[i] = False


def _is_of(value: Any, kinds: set[ValueKind]) -> bool:
    info = value.type
    return info is None or info.kind in kinds
