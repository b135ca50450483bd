# SPDX-License-Identifier: MIT
"""What graphs answer: the core's, and those that the real library shows to a provider.

All that a model's graph says becomes lines, with views of each node and of half of the nodes. Lines
may differ for the reasons in `is_allowed`. Nodes go by the name of their first output.
"""

import hashlib
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.node_models import node_models, of_each_kind

import ortcffi as ort
from ortcffi._native import ffi, lib
from ortcffi.models.parts import ModelNode, ModelValue, list_parts

onnx = pytest.importorskip("onnx")

KINDS = ["RequiredGraphInput", "OptionalGraphInput", "GraphOutput", "ConstantInitializer"]
KINDS += ["FromOuterScope"]
Values = "tuple[ModelValue | None, ...]"


# --- lines ----------------------------------------------------------------------------------------


def id_of(node: ModelNode) -> str:
    return next(filter(None, node.outputs), "nothing")


def text_of_type(info: Any) -> str:
    if info is None:
        return "none"
    if info.kind not in (ort.ValueKind.TENSOR, ort.ValueKind.SPARSE):
        return f"{info.kind.name}({text_of_type(info.contained)})"
    tensor = info.tensor_info
    text = f"{info.kind.name}({int(tensor.element_type)})"
    if tensor.shape is None:
        return text
    return f"{text}[{' '.join('-1' if each is None else str(each) for each in tensor.shape)}]"


def text_of(value: Any) -> str:
    """What an attribute or an initializer is: of an array its digest."""
    if isinstance(value, ort.Value):
        return repr(value)
    if isinstance(value, ort.ModelGraph):
        return "a graph"
    if not isinstance(value, np.ndarray):
        return repr(value)
    content = repr(value.tolist()).encode() if value.dtype == object else value.tobytes()
    return f"{value.dtype}{value.shape} {hashlib.sha1(content).hexdigest()}"


def lines_of_value(prefix: str, value: ModelValue) -> Iterator[str]:
    graph = value.graph
    maker, index, count = ffi.new("const OrtNode**"), ffi.new("size_t*"), ffi.new("size_t*")
    graph._ask("ValueInfo_GetValueProducer", value._pointer, maker, index)
    made_by = f"{id_of(graph._node_at(maker[0]))} {index[0]}" if maker[0] else "nobody"
    kinds = " ".join(kind for kind in KINDS if value._is(kind))
    yield f"{prefix}value {value.name}: {kinds} made by {made_by}"
    yield f"{prefix}type {value.name}: {text_of_type(value.type)}"
    yield f"{prefix}data {value.name}: {text_of(value.initializer)}"
    graph._ask("ValueInfo_GetValueNumConsumers", value._pointer, count)
    nodes = ffi.new("const OrtNode*[]", count[0] + 1)
    indices = ffi.new("int64_t[]", count[0] + 1)
    graph._ask("ValueInfo_GetValueConsumers", value._pointer, nodes, indices, count[0])
    yield f"{prefix}uses {value.name} {count[0]}"
    for i in range(count[0]):
        yield f"{prefix}use {value.name} by {id_of(graph._node_at(nodes[i]))} {indices[i]}"


def lines_of_list(prefix: str, what: str, values: Values, *, is_sorted: bool) -> Iterator[str]:
    names = ["-" if each is None else each.name for each in values]
    yield f"{prefix}{what} {' '.join(sorted(names) if is_sorted else names)}"
    for each in values:
        if each is not None:
            yield from lines_of_value(prefix, each)


def lines_of_node(prefix: str, node: ModelNode) -> Iterator[str]:
    about = f"{prefix}node {id_of(node)}"
    yield f"{about}: '{node.domain}'.{node.op_type} {node.since_version} '{node.name}'"
    yield f"{about} provider: {node.ep_name}"
    for what in ("Inputs", "Outputs", "ImplicitInputs"):
        values = list_parts(node.graph, f"Node_Get{what}", ModelValue, node._pointer)
        is_sorted = what == "ImplicitInputs"
        yield from lines_of_list(prefix, f"{what} {id_of(node)}:", values, is_sorted=is_sorted)
    for name, value in node.attributes.items():
        yield f"{prefix}attribute {id_of(node)} {name}: {text_of(value)}"
    for name, inner in node.subgraphs.items():
        assert inner.parent is not None
        assert id_of(inner.parent) == id_of(node)
        yield from lines_of_graph(f"{prefix}{id_of(node)}.{name}>> ", inner)


def lines_of_view(prefix: str, graph: ort.ModelGraph, nodes: list[ModelNode]) -> Iterator[str]:
    out = ffi.new("OrtGraph**")
    pointers = ffi.new("const OrtNode*[]", [node._pointer for node in nodes])
    graph._ask("Graph_GetGraphView", graph.handle, pointers, len(nodes), out)
    view = ort.ModelGraph._of(graph, out[0], {}, is_temporary=graph._is_temporary)
    yield from lines_of_graph(f"{prefix}view {id_of(nodes[0])} {len(nodes)}>> ", view, is_view=True)
    lib.ReleaseGraph(graph.api.pointer, out[0])


def is_in_order(nodes: tuple[ModelNode, ...]) -> bool:
    """Whether what each node uses was made before."""
    later = {name for node in nodes for name in node.outputs if name}
    for node in nodes:
        if not later.isdisjoint(node.inputs):
            return False
        later.difference_update(node.outputs)
    return True


def lines_of_graph(
    prefix: str, graph: ort.ModelGraph, *, is_view: bool = False, has_views: bool = False
) -> Iterator[str]:
    nodes = graph.nodes
    order = "in order" if is_in_order(nodes) else "not in order"
    yield f"{prefix}graph '{graph.name}' version {graph.ir_version} nodes {len(nodes)} {order}"
    # Inputs and outputs of views have no order, and initializers have none anywhere.
    for what in ("Inputs", "Outputs", "Initializers"):
        values = list_parts(graph, f"Graph_Get{what}", ModelValue)
        is_sorted = is_view or what == "Initializers"
        yield from lines_of_list(prefix, f"graph {what}:", values, is_sorted=is_sorted)
    for node in nodes:
        yield from lines_of_node(prefix, node)
    if has_views:
        by_name = sorted(nodes, key=id_of)
        one_of_each = {node.op_type: node for node in by_name}.values()
        for part in [*([node] for node in one_of_each), by_name[: len(nodes) // 2]]:
            if part:
                yield from lines_of_view(prefix, graph, part)


def lines_of_model(graph: ort.ModelGraph) -> set[str]:
    lines = {f"opset '{domain}' {version}" for domain, version in graph.opsets.items()}
    lines.add(f"metadata: {graph.metadata}")
    return lines.union(lines_of_graph("", graph, has_views=True))


# --- the libraries --------------------------------------------------------------------------------


class Reader:
    """Takes no node, and keeps the lines of the first graph that it is shown as a whole."""

    lines: set[str] | None = None

    def capability(self, graph: ort.ModelGraph) -> tuple[()]:
        if graph.parent is None and Reader.lines is None:
            Reader.lines = lines_of_model(graph)
        return ()

    def compile(self, graph: ort.ModelGraph) -> Callable[..., Any]:
        raise NotImplementedError


@pytest.fixture
def shown_by_real(real_api: ort.Api) -> Iterator[Callable[[Path], set[str] | None]]:
    """``shown_by_real(model)`` gives the lines of a model; None where no graph was shown."""
    reader = ort.execution_provider("GraphReader")(Reader)
    with (
        ort.Env("reader", real_api, severity=ort.LogSeverity.FATAL) as env,
        env.register_ep(reader) as registered,
        ort.SessionOptions(real_api, log_severity=4) as options,
    ):
        options.optimization_level = ort.OptimizationLevel.DISABLE_ALL
        options.intra_op_threads = 1
        options.add_devices(registered.devices)

        def shown(model: Path) -> set[str] | None:
            Reader.lines = None
            with suppress(ort.OrtError):  # it has no kernel for a node, which it finds out later
                ort.Session(model, options).close()
            return Reader.lines

        yield shown


def shown_by_core(model: Path) -> set[str]:
    with ort.Model.load(model) as loaded:
        return lines_of_model(loaded._graph(lib.ORTCORE_GRAPH_PREPARED))


# --- what may differ ------------------------------------------------------------------------------


def tensor(text: str) -> tuple[str, list[str] | None] | None:
    """The element type of a tensor's type, and its dimensions."""
    found = re.fullmatch(r"(\w+\(\d+\))(?:\[(.*)\])?", text)
    return found and (found[1], None if found[2] is None else found[2].split())


def is_inferred(ours: str, theirs: str) -> bool:
    """Whether a type is one that the real library has made more precise."""
    mine, other = tensor(ours), tensor(theirs)
    if mine is None or other is None:  # of elements of sequences it forgets the shape
        return re.sub(r"\[.*?\]", "", ours) == re.sub(r"\[.*?\]", "", theirs)
    if mine[0] != other[0] or mine[1] is None or other[1] is None:
        return mine[0] == other[0] and mine[1] is None
    return len(mine[1]) == len(other[1]) and all(
        a in (b, "-1") or not a.lstrip("-").isdigit() or b.startswith("unk__")
        for a, b in zip(mine[1], other[1], strict=True)
    )


def is_allowed(ours: str, theirs: str, version: int) -> bool:
    """Whether two lines about the same thing may differ."""
    what, mine = ours.split(": ", 1) if ": " in ours else (ours, "")
    if re.search(r"(^|>> )type ", what):
        return is_inferred(mine, theirs.split(": ", 1)[1])
    if version < 4 and what == "graph Inputs":  # constants are inputs there
        return set(ours.split()) <= set(theirs.split())
    return False


def subject(line: str) -> str:
    """What a line is about."""
    return line.partition(": ")[0] if ": " in line else " ".join(line.split(" ")[:2])


def differences(ours: list[str], theirs: list[str]) -> list[str]:
    """The lines that only one of the libraries has and that may not differ."""
    version = int(re.findall(r"^graph '.*' version (\d+) nodes", "\n".join(ours), re.MULTILINE)[0])
    # The real library also lists operator sets that it knows without an import.
    other = {subject(x): x for x in set(theirs) - set(ours) if not x.startswith("opset ")}
    left = []
    for line in sorted(set(ours) - set(theirs)):
        about = subject(line)
        if about in other and is_allowed(line, other[about], version):
            del other[about]
        else:
            left.append(f"core: {line}")
    return left + [f"real: {line}" for line in other.values()]


# --- models ---------------------------------------------------------------------------------------


def names_read(node: "onnx.NodeProto") -> set[str]:
    """The names of all values that a node reads, also in its subgraphs."""
    graphs = [g for each in node.attribute for g in (each.g, *each.graphs)]
    inner = [names_read(each) | {x.name for x in g.output} for g in graphs for each in g.node]
    return set(node.input).union(*inner)


def has_dead_nodes(graph: "onnx.GraphProto") -> bool:
    """Whether some node leads to no output: the real library shows it, if it does not optimize."""
    needed = {each.name for each in graph.output}
    for node in reversed(graph.node):
        if needed.isdisjoint(node.output):
            return True
        needed |= names_read(node)
    return False


def test_graphs_of_all_operators_answer_alike(shown_by_real):
    """It takes 4 s."""
    files = (Path(onnx.__file__).parent / "backend/test/data").glob("**/*.onnx")
    count, found = 0, {}
    for path, model in of_each_kind([*files, *node_models()]):
        theirs = None if has_dead_nodes(model.graph) else shown_by_real(path)
        if theirs is not None:
            count += 1
            found[str(path)] = differences(shown_by_core(path), theirs)
    assert {path: lines for path, lines in found.items() if lines} == {}
    assert count > 500
