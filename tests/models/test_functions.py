# SPDX-License-Identifier: MIT
"""Functions of a model: made, called, and put in the place of their calls."""

import numpy as np
import pytest

import ortcffi as ort

onnx = pytest.importorskip("onnx")
helper = onnx.helper
ReferenceEvaluator = pytest.importorskip("onnx.reference").ReferenceEvaluator
branching = pytest.importorskip("support.branching")  # needs onnx
X = np.linspace(-1, 2, 200, dtype=np.float32)


def run(graph, **feed):
    proto = onnx.load_from_string(graph.to_bytes())
    onnx.checker.check_model(proto)
    return ReferenceEvaluator(proto).run(None, feed or {"x": X})[0]


def with_functions():
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid("my", 1)]
    scale = helper.make_node("Constant", [], ["k"])
    scale.attribute.append(
        onnx.AttributeProto(
            name="value_float", type=onnx.AttributeProto.FLOAT, ref_attr_name="factor"
        )
    )
    inner = helper.make_function(
        "my",
        "Scale",
        ["a"],
        ["b"],
        [scale, helper.make_node("Mul", ["a", "k"], ["b"])],
        opsets,
        [],
        [helper.make_attribute("factor", 2.0)],
    )
    calls = [
        helper.make_node("Scale", ["a"], ["t"], domain="my", name="call", factor=3.0),
        helper.make_node("Scale", ["t"], ["b"], domain="my"),
    ]
    outer = helper.make_function("my", "Twice", ["a"], ["b", "a"], calls, opsets)
    nodes = [
        helper.make_node("Twice", ["x"], ["y", "same"], domain="my", name="one"),
        helper.make_node("Twice", ["y"], ["z"], domain="my", name="two"),
        helper.make_node("Add", ["z", "same"], ["sum"]),
    ]
    graph = helper.make_graph(nodes, "g", [branching.info("x")], [branching.info("sum")])
    return helper.make_model(graph, opset_imports=opsets, functions=[inner, outer], ir_version=10)


def test_functions_are_put_in_the_place_of_their_calls():
    graph = ort.Graph(with_functions().SerializeToString())
    assert [each.name for each in graph.functions] == ["Scale", "Twice"]
    graph.inline()
    assert not graph.functions
    assert {node.domain for node in graph.nodes} == {""}
    np.testing.assert_allclose(run(graph), X * 37, rtol=1e-6)


def test_a_function_is_made_and_called():
    graph = ort.Graph()
    graph.input("x", "f4", [2])
    scale = graph.function("my", "Scale", ["a"], ["b"], ["factor"])
    reference = ort.AttributeReference("factor", "FLOAT")
    scale.node("Constant", [], ["k"], attributes={"value_float": reference})
    scale.node("Mul", ["a", "k"], ["b"])
    assert scale.nodes[0].attributes["value_float"] == reference
    graph.node("Scale", ["x"], ["y"], domain="my", attributes={"factor": 3.0})
    graph.output("y", "f4", [2])
    np.testing.assert_array_equal(run(graph, x=np.ones(2, np.float32)), [3, 3])
    with pytest.raises(ValueError, match="a function 'Scale' already"):
        graph.function("my", "Scale", ["a"], ["b"])


def test_a_function_of_another_version_is_refused():
    proto = with_functions()
    proto.functions[0].opset_import[0].version = 20
    with pytest.raises(ValueError, match="the function 'Scale' uses version 20"):
        ort.Graph(proto.SerializeToString()).inline()


def test_a_function_that_calls_itself_is_refused():
    proto = with_functions()
    proto.functions[0].node[1].op_type = "Twice"
    proto.functions[0].node[1].domain = "my"
    with pytest.raises(ValueError, match="calls itself"):
        ort.Graph(proto.SerializeToString()).inline()


def test_functions_that_would_be_too_many_nodes_are_refused():
    graph = ort.Graph()
    graph.input("x", "f4", [2])
    for i in range(40):
        function = graph.function("my", f"f{i}", ["a"], ["c"])
        name, domain = (f"f{i - 1}", "my") if i else ("Neg", "")
        function.node(name, ["a"], ["b"], domain=domain)
        function.node(name, ["b"], ["c"], domain=domain)
    graph.node("f39", ["x"], ["y"], domain="my")
    graph.output("y", "f4", [2])
    with pytest.raises(ValueError, match="would have 1,099,511,627,776 nodes, and max_nodes is"):
        graph.inline()
    with pytest.raises(ValueError, match="max_nodes"):
        graph.to_model().prepare()
