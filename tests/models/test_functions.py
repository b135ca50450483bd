# SPDX-License-Identifier: MIT
"""Functions of a model: made, called, and put in the place of their calls."""

import numpy as np
import pytest
from support.graphs import parsed

import ortcffi as ort

onnx = pytest.importorskip("onnx")
ReferenceEvaluator = pytest.importorskip("onnx.reference").ReferenceEvaluator
X = np.linspace(-1, 2, 200, dtype=np.float32)


def run(graph, **feed):
    proto = onnx.load_from_string(graph.to_bytes())
    onnx.checker.check_model(proto)
    return ReferenceEvaluator(proto).run(None, feed or {"x": X})[0]


FUNCTIONS = """g (float[n] x) => (float[n] sum) {
    y, same = my.Twice(x)
    z, unread = my.Twice(y)
    sum = Add(z, same)
}
<domain: "my", opset_import: ["": 21, "my": 1]> Scale <factor: float = 2.0> (a) => (b) {
    k = Constant <value_float: float = @factor> ()
    b = Mul(a, k)
}
<domain: "my", opset_import: ["": 21, "my": 1]> Twice (a) => (b, a) {
    t = my.Scale <factor = 3.0> (a)
    b = my.Scale(t)
}"""


def with_functions():
    return onnx.load_from_string(parsed(FUNCTIONS, '"": 21, "my": 1', 10))


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
