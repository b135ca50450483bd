# SPDX-License-Identifier: MIT
"""Functions of models, and parts of graphs that come into other graphs."""

import numpy as np
import pytest
from support.graphs import graph_of, parsed

import ortcffi as ort

# --- functions ------------------------------------------------------------------------------------


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
    graph = graph_of("x f4[2]", "", "")
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


def test_a_function_of_another_version_or_that_calls_itself_is_refused():
    newer, itself = with_functions(), with_functions()
    newer.functions[0].opset_import[0].version = 20
    itself.functions[0].node[1].op_type = "Twice"
    itself.functions[0].node[1].domain = "my"
    words = {"the function 'Scale' uses version 20": newer, "calls itself": itself}
    for text, proto in words.items():
        with pytest.raises(ValueError, match=text):
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


# --- names that subgraphs make themselves ---------------------------------------------------------


THREE = np.arange(3, dtype=np.float32)


def computed(graph):
    evaluator = ReferenceEvaluator(onnx.load_from_string(graph.to_bytes()))
    return evaluator.run(None, {"x": THREE, "c": np.array(True)})[0].tolist()


def with_branches(read, makes):
    """A graph whose branches add what they make to a value of the graph."""
    branch = ort.Graph()
    branch.node("Abs", ["x"], [makes])
    branch.output(*branch.node("Add", [makes, read], ["sum"]))
    graph = graph_of("x f4[3], c ?[]", "", "")
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
    assert computed(graph) == [0, 0, 0]
    graph.nodes[0].outputs = ["n"]
    graph.replace_all_uses("v", "n")
    assert computed(graph) == (THREE + np.exp(THREE)).tolist()


def test_subgraphs_of_a_merged_graph_read_what_they_are_given():
    first = graph_of("x f4[3]", "e = Exp x; m = Sub x e", "m f4[3]")
    first.merge(with_branches("x", "m"), {"x": "m"})
    given = THREE - np.exp(THREE)
    assert computed(first) == (np.abs(given) + given).tolist()


def test_a_merged_value_has_no_name_that_a_subgraph_makes():
    first, second = with_branches("x", "m"), graph_of("y f4[3]", "m = Abs y", "m f4[3]")
    names = first.merge(second, prefix="second/")
    assert names == {"y": "y", "m": "second/m"}
    assert computed(first) == (THREE + THREE).tolist()


def test_a_graph_is_merged_several_times_with_one_prefix():
    graph = graph_of("x f4[3]", "abs: y = Abs x", "y f4[3]")
    step = graph_of("y f4[3]", "abs: e = Exp y; z = Neg e", "z f4[3]")
    end, expected = "y", THREE
    for _ in range(3):
        end, expected = graph.merge(step, {"y": end})["z"], -np.exp(expected)
    assert computed(graph) == expected.tolist()
    names = [node.name for node in graph.nodes if node.name]
    assert len(set(names)) == len(names) == 4


# --- weights that parts bring along ---------------------------------------------------------------


helper, numpy_helper = onnx.helper, onnx.numpy_helper
OWN, OTHER = np.full(100, 1, np.float32), np.full(100, 2, np.float32)
OPSETS = [helper.make_opsetid("", 21)]


def large_graph():
    """A graph that has large weights of its own."""
    return graph_of("", "y = Identity own", "y f4[100]", own=OWN)


def in_memory(graph, _):
    return ort.Graph(graph.to_model())


def in_files(graph, folder):
    folder.mkdir()
    graph.save(folder / "model.onnx", external_data=1)
    return ort.Graph(folder / "model.onnx")


def tensors_of(attribute):
    return [attribute.t] if attribute.HasField("t") else [attribute.sparse_tensor.values]


def of_nodes(proto):
    return [
        numpy_helper.to_array(tensor)
        for node in proto
        for attribute in node.attribute
        for tensor in tensors_of(attribute)
    ]


@pytest.fixture(params=[in_memory, in_files])
def stored(request, tmp_path):
    folders = iter(range(2))
    return lambda graph: request.param(graph, tmp_path / str(next(folders)))


def test_a_node_of_another_graph_keeps_its_constant(stored):
    made = ort.Graph()
    made.node("Constant", [], ["c"], attributes={"value": OTHER})
    made.output("c", "f4", [100])
    other, graph = stored(made), stored(large_graph())
    graph.nodes.append(other.nodes[0])
    assert graph.nodes[-1].attributes["value"].tolist() == OTHER.tolist()
    [value] = of_nodes(onnx.load_from_string(graph.to_bytes()).graph.node)
    assert value.tolist() == OTHER.tolist()


def test_a_function_of_another_graph_keeps_its_constant(stored):
    made = ort.Graph()
    made.input("x", "f4", [100])
    function = made.function("own", "Plus", ["x"], ["y"])
    function.node("Constant", [], ["c"], attributes={"value": OTHER})
    function.node("Add", ["x", "c"], ["y"])
    made.output(*made.node("Plus", ["x"], ["z"], domain="own"), "f4", [100])
    other, graph = stored(made), stored(large_graph())
    graph.merge(other, {"x": "y"})
    [function] = onnx.load_from_string(graph.to_bytes()).functions
    [value] = of_nodes(function.node)
    assert value.tolist() == OTHER.tolist()


def test_a_sparse_weight_of_another_graph_stays(stored):
    values = numpy_helper.from_array(OTHER, "s")
    places = numpy_helper.from_array(np.arange(0, 200, 2), "")
    sparse = helper.make_sparse_tensor(values, places, [200])
    y = helper.make_tensor_value_info("z", onnx.TensorProto.FLOAT, [200])
    nodes = [helper.make_node("Identity", ["s"], ["z"])]
    proto = helper.make_graph(nodes, "sparse", [], [y], sparse_initializer=[sparse])
    content = helper.make_model(proto, opset_imports=OPSETS, ir_version=10).SerializeToString()
    other, graph = stored(ort.Graph(content)), stored(large_graph())
    graph.merge(other, {})
    [found] = onnx.load_from_string(graph.to_bytes()).graph.sparse_initializer
    assert numpy_helper.to_array(found.values).tolist() == OTHER.tolist()
    assert numpy_helper.to_array(found.indices).tolist() == list(range(0, 200, 2))
