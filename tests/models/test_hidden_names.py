# SPDX-License-Identifier: MIT
"""Names that subgraphs make themselves, where an edit brings a value of that name."""

import numpy as np
import pytest

import ortcffi as ort

onnx = pytest.importorskip("onnx")
ReferenceEvaluator = pytest.importorskip("onnx.reference").ReferenceEvaluator
X = np.arange(3, dtype=np.float32)


def run(graph):
    evaluator = ReferenceEvaluator(onnx.load_from_string(graph.to_bytes()))
    return evaluator.run(None, {"x": X, "c": np.array(True)})[0].tolist()


def with_branches(read, makes):
    """A graph whose branches add what they make to a value of the graph."""
    branch = ort.Graph()
    branch.node("Abs", ["x"], [makes])
    branch.output(*branch.node("Add", [makes, read], ["sum"]))
    graph = ort.Graph()
    graph.input("x", "f4", [3])
    graph.input("c", "?", [])
    if read != "x":
        graph.node("Neg", ["x"], [read])
    branches = {"then_branch": branch, "else_branch": branch.copy()}
    graph.output(*graph.node("If", ["c"], ["y"], attributes=branches), "f4", [3])
    return graph


def test_a_value_that_a_subgraph_would_hide_replaces_none():
    graph = with_branches("v", "m")
    graph.nodes.insert(0, ort.GraphNode("Exp", ["x"], ["m"]))
    with pytest.raises(ValueError, match="makes 'm' itself"):
        graph.replace_all_uses("v", "m")
    assert run(graph) == [0, 0, 0]
    graph.nodes[0].outputs = ["n"]
    graph.replace_all_uses("v", "n")
    assert run(graph) == (X + np.exp(X)).tolist()


def test_subgraphs_of_a_merged_graph_read_what_they_are_given():
    first = ort.Graph()
    first.input("x", "f4", [3])
    first.output(*first.node("Sub", ["x", *first.node("Exp", ["x"], ["e"])], ["m"]), "f4", [3])
    second = with_branches("x", "m")
    first.merge(second, {"x": "m"})
    given = X - np.exp(X)
    assert run(first) == (np.abs(given) + given).tolist()


def test_a_merged_value_has_no_name_that_a_subgraph_makes():
    first, second = with_branches("x", "m"), ort.Graph()
    second.input("y", "f4", [3])
    second.output(*second.node("Abs", ["y"], ["m"]), "f4", [3])
    names = first.merge(second, prefix="second/")
    assert names == {"y": "y", "m": "second/m"}
    assert run(first) == (X + X).tolist()


def test_a_graph_is_merged_several_times_with_one_prefix():
    graph, step = ort.Graph(), ort.Graph()
    graph.input("x", "f4", [3])
    graph.output(*graph.node("Abs", ["x"], ["y"], name="abs"), "f4", [3])
    step.input("y", "f4", [3])
    step.node("Exp", ["y"], ["e"], name="abs")
    step.output(*step.node("Neg", ["e"], ["z"]), "f4", [3])
    end, expected = "y", X
    for _ in range(3):
        end, expected = graph.merge(step, {"y": end})["z"], -np.exp(expected)
    assert run(graph) == expected.tolist()
    names = [node.name for node in graph.nodes if node.name]
    assert len(set(names)) == len(names) == 4
