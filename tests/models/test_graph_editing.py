# SPDX-License-Identifier: MIT
"""Graphs that are edited, compared with what the package onnx makes of them."""

import numpy as np
import pytest
from support.graphs import graph_of

import ortcffi as ort

onnx = pytest.importorskip("onnx")
numpy_helper = onnx.numpy_helper
ReferenceEvaluator = pytest.importorskip("onnx.reference").ReferenceEvaluator
X = np.linspace(-1, 2, 200, dtype=np.float32)


@pytest.fixture
def graph(proto):
    return ort.Graph(proto.SerializeToString())


def parsed(graph):
    proto = onnx.load_from_string(graph.to_bytes())
    onnx.checker.check_model(proto)
    return proto


def run(graph, **feed):
    proto = graph if isinstance(graph, onnx.ModelProto) else parsed(graph)
    return ReferenceEvaluator(proto).run(None, feed or {"x": X})[0]


# --- types ----------------------------------------------------------------------------------------


def test_shapes_and_types_of_values_are_set(graph):
    graph.values["r"].element_type = "f4"
    graph["r"].shape = [200]
    infos = {each.name: each for each in parsed(graph).graph.value_info}
    assert infos["r"].type.tensor_type.shape.dim[0].dim_value == 200
    with pytest.raises(ValueError, match="element type of 'i' must be set before"):
        graph["i"].shape = [3]
    graph.inputs["x"].shape = ("batch", 3, None)
    graph.inputs[0].element_type = "f8"
    (x,) = parsed(graph).graph.input
    dimensions = x.type.tensor_type.shape.dim
    assert [each.dim_param or each.dim_value for each in dimensions] == ["batch", 3, 0]
    assert x.type.tensor_type.elem_type == onnx.TensorProto.DOUBLE
    graph.inputs["x"].shape = None
    assert graph.inputs["x"].shape is None
    with pytest.raises(ValueError, match=r"shape\[0\] must be from 0"):
        graph.inputs["x"].shape = [-1]
    with pytest.raises(LookupError, match="there is no 'y'"):
        _ = graph.inputs["y"]


def test_dimensions_of_a_name_are_set_everywhere(graph):
    graph.set_dimensions(n="m")
    assert graph.outputs["z"].shape == ("m",)
    branch = graph["if"].attributes["then_branch"]
    assert branch.outputs["a"].shape == ("m",)
    graph.set_dimensions({"m": 200})
    assert graph.outputs["z"].shape == (200,)
    assert parsed(graph).graph.output[0].type.tensor_type.shape.dim[0].dim_value == 200
    with pytest.raises(LookupError, match="no value has a dimension 'n'"):
        graph.set_dimensions(n=3)


def test_subgraphs_and_nodes_stay_those_of_the_graph_when_types_are_inferred(graph):
    node = graph["if"]
    branch = node.subgraphs["then_branch"]
    graph.infer_shapes()
    assert graph.values["r"].shape == (200,)
    assert branch.outputs["a"].shape == (200,)
    branch.rename({"a": "q"})
    node.name = "choice"
    [found] = [each for each in parsed(graph).graph.node if each.name == "choice"]
    assert {each.name: each.g.node[0].output[0] for each in found.attribute} == {
        "then_branch": "q",
        "else_branch": "b",
    }


def test_the_batch_is_set_in_one_line():
    graph = graph_of(
        "x f4[1,4]", "t = MatMul x w; y = Relu t", "y f4[1,2]", w=np.ones((4, 2), np.float32)
    )
    graph.infer_shapes()
    assert graph["t"].shape == (1, 2)
    graph.set_batch("n")
    assert (graph.inputs[0].shape, graph.outputs[0].shape) == (("n", 4), ("n", 2))
    assert graph["t"].shape is None
    graph.infer_shapes()
    graph.set_batch(8)
    assert (graph["t"].shape, graph.outputs[0].shape) == ((8, 2), (8, 2))
    assert run(graph, x=np.ones((8, 4), np.float32)).shape == (8, 2)


@pytest.mark.parametrize("constants", [False, True])
def test_the_batch_is_kept_by_shapes_that_have_it_as_a_constant(constants):
    nodes = "flat = Reshape x to; row = Reshape bias to; sum = Add flat row; y = Reshape sum back"
    weights = {"to": np.array([1, 6]), "bias": np.arange(6, dtype=np.float32)}  # of no batch
    weights["back"] = np.array([1, -1, 2])
    graph = graph_of("x f4[1,2,3]", nodes, "y f4[1,3,2]", **weights)
    if constants:
        graph.initializers_to_constants()
    one = [run(graph, x=np.full((1, 2, 3), i, np.float32)) for i in range(4)]
    graph.infer_shapes()
    graph.set_batch(4)
    graph.infer_shapes()
    assert [graph[each].shape for each in ("flat", "row", "y")] == [(4, 6), (1, 6), (4, 3, 2)]
    x = np.repeat(np.arange(4, dtype=np.float32), 6).reshape(4, 2, 3)
    np.testing.assert_array_equal(run(graph, x=x), np.concatenate(one))


@pytest.mark.parametrize("first", [1, "n", None])
def test_a_state_whose_first_dimension_is_no_batch_keeps_it(first):
    n = first or "?"
    graph = graph_of(f"x f4[{n},4], state f4[2,{n},3]", "y = Relu x", f"y f4[{n},4]")
    graph.set_batch(8)
    assert (graph.inputs["x"].shape, graph.outputs["y"].shape) == ((8, 4), (8, 4))
    assert graph.inputs["state"].shape == (2, 8 if first == "n" else first, 3)


# --- names ----------------------------------------------------------------------------------------


def test_values_and_nodes_are_renamed_in_subgraphs_too(graph, proto):
    expected = run(proto)
    graph.rename({"t": "sum of both", "add": "first", "w": "weights"})
    graph.inputs["x"].name = "input"
    assert graph["first"].inputs == ["input", "weights"]
    assert set(graph["if"].implicit_inputs) == {"sum of both", "input"}
    assert graph["if"].attributes["then_branch"].nodes[0].inputs == ["sum of both"]
    assert graph["sum of both"].shape == (200,)
    graph.rename({"sum of both": "r", "r": "sum of both"})
    assert (graph["first"].outputs, graph["relu"].inputs) == (["r"], ["r"])
    assert graph["relu"].outputs == ["sum of both"]
    np.testing.assert_array_equal(run(graph, input=X), expected)


@pytest.mark.parametrize(
    ("kind", "names", "words"),
    [
        (LookupError, {"nothing": "q"}, "names: the graph has no value and no node 'nothing'"),
        (ValueError, {"x": "t"}, "'x' cannot become 't', which is there already"),
        (ValueError, {"x": "a"}, "'x' cannot become 'a', which is there already"),
        (ValueError, {"x": "q", "t": "q"}, "cannot become 'q'"),
        (ValueError, {"x": ""}, "the new name of 'x' must not be empty"),
        (ValueError, {"add": "mul"}, "'add' cannot become 'mul'"),
        (TypeError, {"x": 3}, r"names\['x'\] must be a str"),
        (TypeError, {3: "x"}, "a key of names must be a str"),
        (TypeError, ["x"], "names must be a mapping"),
    ],
)
def test_a_wrong_name_is_named(graph, kind, names, words):
    before = graph.to_bytes()
    with pytest.raises(kind, match=words):
        graph.rename(names)
    assert graph.to_bytes() == before


def test_names_that_are_not_utf8_survive_unchanged(proto):
    content = proto.SerializeToString().replace(b"relu", b"r\xff\xfeu").replace(b"add", b"a\xffd")
    graph = ort.Graph(content)
    assert [node.name for node in graph.nodes][:2] == ["a\udcffd", "r\udcff\udcfeu"]
    graph.rename({"x": "y"})
    graph.nodes[0].name += "\udcfe"
    assert b"a\xffd\xfe" in graph.to_bytes()
    assert b"r\xff\xfeu" in graph.to_bytes()


# --- nodes ----------------------------------------------------------------------------------------


def test_nodes_are_changed_removed_and_inserted(graph):
    relu = graph["relu"]
    relu.op_type, relu.name = "LeakyRelu", "leaky"
    relu.attributes["alpha"] = 0.5
    assert parsed(graph).graph.node[1].attribute[0].f == 0.5
    del relu.attributes["alpha"]
    new = ort.GraphNode("Abs", ["t"], ["p"])
    graph.insert_after(graph["add"], new)
    graph.replace_all_uses("t", "p", but=[new])
    assert [node.op_type for node in graph.nodes][:3] == ["Add", "Abs", "LeakyRelu"]
    assert (new.inputs, relu.inputs) == (["t"], ["p"])
    assert set(graph["if"].implicit_inputs) == {"p", "x"}
    graph.insert_before(new, ort.GraphNode("Neg", ["t"], ["unused"]))
    graph.nodes.remove(graph.nodes[1])
    assert graph.nodes.index(new) == 1
    graph.nodes.append(ort.GraphNode("Cool", ["z"], ["q"], "mine"))
    assert graph.opsets["mine"] == 1
    with pytest.raises(ValueError, match="in the graph already"):
        graph.nodes.append(new)
    with pytest.raises(TypeError, match="must be a GraphNode, not str"):
        graph.nodes.append("x")


def test_a_node_becomes_another_one_or_a_graph(graph, proto):
    expected = run(proto)
    graph.replace(graph["relu"], ort.GraphNode("Relu", ["t"], ["r"], name="same"))
    np.testing.assert_array_equal(run(graph), expected)
    several = graph_of(
        "t f4[200]", "add: m = Max t w; y = Identity m", "y f4", w=np.zeros((), np.float32)
    )
    graph.replace(graph["same"], several)
    assert [node.name for node in graph.nodes][:2] == ["add", "same/add"]
    assert list(graph.initializers) == ["w", "same/w"]
    np.testing.assert_array_equal(run(graph), expected)
    with pytest.raises(ValueError, match="new does not make 't', which is used"):
        graph.replace(graph["add"], ort.GraphNode("Neg", ["x"], ["other"]))
    with pytest.raises(TypeError, match="new must be a GraphNode or a Graph"):
        graph.replace(graph["add"], "x")


def test_a_value_that_would_depend_on_itself_is_refused(graph):
    graph.replace_all_uses("x", "z")
    with pytest.raises(ort.errors.Fail, match="cycle"):
        graph.to_model()
    with pytest.raises(ValueError, match="wait for each other"):
        graph.sort()


def test_nodes_are_sorted(graph, proto):
    expected = run(proto)
    graph.nodes[:] = reversed(list(graph.nodes))
    with pytest.raises(onnx.checker.ValidationError):
        parsed(graph)
    graph.sort()
    np.testing.assert_array_equal(run(graph), expected)


# --- initializers ---------------------------------------------------------------------------------


def test_initializers_are_read_set_and_removed(graph, proto):
    weights = graph.initializers["w"]
    assert not weights.flags.writeable
    graph.initializers["w"] = np.ones(200, np.float32)
    proto.graph.initializer[0].CopyFrom(numpy_helper.from_array(np.ones(200, np.float32), "w"))
    np.testing.assert_array_equal(run(graph), run(proto))
    assert weights.tolist() == list(range(200))
    graph.initializers["more"] = np.zeros(2)
    assert graph["more"].shape == (2,)
    del graph.initializers["more"]
    assert list(graph.initializers) == ["w"]
    with pytest.raises(TypeError, match="value must be an ndarray"):
        graph.initializers["w"] = [1.0]
    with pytest.raises(KeyError):
        graph.initializers["none"]


def test_weights_are_not_copied(graph):
    array = np.zeros(1000, np.float32)
    graph.initializers["w"] = array
    model = graph.to_model()
    again = model.edit()
    address = array.ctypes.data
    for each in (graph, model.graph, again, again.copy(), again.to_model().graph):
        assert each.initializers["w"].ctypes.data == address


def test_what_an_edit_makes_has_a_name_of_its_own_and_a_failure_changes_nothing():
    twice = graph_of("x f4[2]", "y = my.My x x; y/float = my.My y", "y f4[2]", {"": 17, "my": 1})
    twice.convert_floats("f2")
    twice.to_model()
    with pytest.raises(ValueError, match="prefix must not be empty"):
        twice.merge(twice.copy(), {"x": "y"}, prefix="")
    nothing = ort.Graph()
    nothing.node("Constant", [], [], attributes={"value": np.zeros(1, np.float32)})
    nothing.constants_to_initializers()
    assert [node.op_type for node in nothing.nodes] == ["Constant"]


def test_constants_become_initializers_and_back():
    more = ort.Graph()
    more.input("x", "f4", [2])
    more.node("Constant", [], ["k"], attributes={"value": np.array([1, 2], np.float32)})
    more.node("Constant", [], ["i"], attributes={"value_ints": [3, 4]})
    more.node("Cast", ["i"], ["f"], attributes={"to": 1})
    more.node("Sum", ["x", "k", "f"], ["y"])
    more.output("y", "f4", [2])
    x = np.zeros(2, np.float32)
    for change in (more.constants_to_initializers, more.initializers_to_constants):
        change()
        np.testing.assert_array_equal(run(more, x=x), [4, 6])
    assert [node.op_type for node in more.nodes][:2] == ["Constant"] * 2
    assert not more.initializers


# --- merged and cut -------------------------------------------------------------------------------


def test_graphs_are_merged(graph, proto):
    names = graph.merge(graph.copy(), {"x": "z"}, prefix="second/")
    assert names == {"x": "z", "z": "second/z"}
    assert [value.name for value in graph.outputs] == ["second/z"]
    assert list(graph.initializers) == ["w", "second/w"]
    np.testing.assert_array_equal(run(graph), run(proto, x=run(proto)))
    with pytest.raises(LookupError, match="the other graph has no input 'q'"):
        graph.merge(graph.copy(), {"q": "x"})
    with pytest.raises(LookupError, match="the graph has no value 'q'"):
        graph.merge(graph.copy(), {"x": "q"})
    other = graph.copy()
    other.opsets[""] = 20
    with pytest.raises(ValueError, match="convert_version"):
        graph.merge(other, {"x": "x"})


def test_graphs_of_other_folders_are_merged(tmp_path):
    graphs = []
    for i in range(2):
        graph = graph_of("x f4[100]", "y = Add x w", "y f4[100]", w=np.full(100, i + 1, np.float32))
        (tmp_path / str(i)).mkdir()
        graph.save(tmp_path / str(i) / "m.onnx", external_data=1)
        graphs.append(ort.Graph(tmp_path / str(i) / "m.onnx"))
    graphs[0].merge(graphs[1], {"x": "y"})
    graphs[0].save(tmp_path / "both.onnx")
    with ort.Model.load(tmp_path / "both.onnx") as both:
        found = {name: array[0] for name, array in both.graph.initializers.items()}
    assert found == {"w": 1, "merged/w": 2}


def test_a_part_of_a_graph_is_extracted(graph):
    graph.infer_shapes()
    graph.extract(["t"], ["r"])
    assert [node.op_type for node in graph.nodes] == ["Relu"]
    assert not graph.initializers
    assert graph.inputs["t"].shape == (200,)
    np.testing.assert_array_equal(run(graph, t=X), np.maximum(X, 0))


def test_what_subgraphs_read_is_extracted_with_them(graph):
    with pytest.raises(ValueError, match="inputs lack 'x', which outputs need"):
        graph.extract(["t"], ["i"])
    graph.extract(["x"], ["i"])
    assert [node.name for node in graph.nodes] == ["add", "sum", "cast", "if"]
    assert list(graph.initializers) == ["w"]


def test_an_input_may_be_made_beside_what_is_needed():
    graph = graph_of("x f4[4]", "a, b = Split(num_outputs=2) x; a_ = Add a b", "a_ f4[2]")
    graph.extract({"x": None, "a": ("f4", [2])}, ["a_"])
    feed = {"x": np.arange(4, dtype=np.float32), "a": np.zeros(2, np.float32)}
    np.testing.assert_array_equal(run(graph, **feed), [2, 3])


def test_an_input_of_no_known_type_needs_one(graph):
    with pytest.raises(ValueError, match=r"type 'r' has; .* \{'r': \(element_type, shape\)\}"):
        graph.extract(["r", "i"], ["z"])
    graph.extract({"r": ("f4", [200]), "i": ("f4", [None])}, ["z"])
    assert (graph["r"].shape, graph["i"].shape) == ((200,), (None,))
    parsed(graph)


@pytest.mark.parametrize(
    ("kind", "inputs", "outputs", "words"),
    [
        (LookupError, ["q"], ["z"], "inputs: the graph has no value 'q'"),
        (LookupError, ["x"], ["q"], "outputs: the graph has no value 'q'"),
        (ValueError, ["x", "x"], ["z"], "inputs must differ"),
        (ValueError, ["x"], [], "outputs must not be empty"),
        (TypeError, "x", ["z"], "inputs must be an iterable of str"),
        (TypeError, {"r": "f4", "i": None}, ["z"], r"must be \(element_type, shape\)"),
    ],
)
def test_a_wrong_end_of_a_part_is_named_and_changes_nothing(graph, kind, inputs, outputs, words):
    before = graph.to_bytes()
    with pytest.raises(kind, match=words):
        graph.extract(inputs, outputs)
    assert graph.to_bytes() == before


def test_what_leads_to_no_output_is_removed(graph):
    graph.node("Neg", ["t"], ["unused"])
    graph.initializer("nothing", np.zeros(3))
    graph.remove_unused()
    assert len(graph.nodes) == 6
    assert list(graph.initializers) == ["w"]


# --- what it says of itself -----------------------------------------------------------------------


def test_metadata_is_changed(graph):
    graph.metadata.update({"a": "1", "b": "2"})
    del graph.metadata["a"]
    graph.version, graph.producer_name, graph.name = 7, "me", "h"
    found = graph.to_model().metadata
    assert (found.version, found.producer_name, found.graph_name) == (7, "me", "h")
    assert found.custom == {"b": "2"}
    with pytest.raises(AttributeError, match=r"'producer'.*did you mean 'producer_name'"):
        graph.producer = "me"
    with pytest.raises(TypeError, match=r"metadata\['a'\] must be a str"):
        graph.metadata["a"] = 3


# --- by the package onnx --------------------------------------------------------------------------


def test_a_graph_is_converted_to_another_version():
    w, x = np.ones((64, 64), np.float32), np.ones((3, 64), np.float32)
    nodes = "t = MatMul x w; y = Softmax(axis=1) t"
    graph = graph_of("x f4[3,64]", nodes, "y f4[3,64]", {"": 11}, w=w)
    before = run(graph, x=x)
    graph.convert_version(21)
    assert graph.opsets == {"": 21}
    np.testing.assert_allclose(run(graph, x=x), before, rtol=1e-6)
    with pytest.raises(ValueError, match="onnx cannot convert to version 1000"):
        graph.convert_version(1000)


@pytest.mark.parametrize("keep_ports", [False, True])
@pytest.mark.parametrize("element_type", ["f2", ort.ElementType.BFLOAT16])
def test_floats_are_converted(graph, proto, element_type, keep_ports):
    pytest.importorskip("ml_dtypes")
    graph.convert_floats(element_type, keep_ports=keep_ports)
    element = ort.ElementType.FLOAT if keep_ports else ort.ElementType.FLOAT16
    if element_type != "f2" and not keep_ports:
        element = ort.ElementType.BFLOAT16
    assert graph.inputs["x"].element_type == graph.outputs["z"].element_type == element
    assert graph["w"].element_type != ort.ElementType.FLOAT
    onnx.checker.check_model(parsed(graph), full_check=True)
    if keep_ports and element_type == "f2":
        np.testing.assert_allclose(run(graph), run(proto), rtol=1e-2)


def test_a_name_may_stand_for_floats_in_one_branch_and_integers_in_another():
    """The branches are siblings: neither sees the other's values, nor those of inner branches."""
    x = np.array([1.5, -2.5], np.float32)
    graph = graph_of("x f4[2]", "", "", c=np.array(True))
    branches = ort.Graph(), ort.Graph()
    operators = ("Neg", 1), ("BitwiseNot", 6)  # of FLOAT, INT32
    for branch, (operator, number) in zip(branches, operators, strict=True):
        branch.node("Cast", ["x"], ["t"], attributes={"to": number})
        branch.node(operator, ["t"], ["u"])
        branch.node("Cast", ["u"], [f"v{number}"], attributes={"to": 1})
        branch.output(f"v{number}", "f4", [2])
    for order in (branches, branches[::-1]):
        both = {"then_branch": order[0].copy(), "else_branch": order[1].copy()}
        work = graph.copy()
        work.node("If", ["c"], ["y"], attributes=both)
        work.output("y", "f4", [2])
        expected = run(work, x=x)
        work.convert_floats("f2")
        onnx.checker.check_model(parsed(work), full_check=True)
        np.testing.assert_array_equal(run(work, x=x.astype(np.float16)), expected)
