# SPDX-License-Identifier: MIT
"""``Model.prepare``: types of inner values, and operators that ONNX describes by others."""

import sys

import numpy as np
import pytest
from support import models
from support.graphs import graph_of, parsed

import ortcffi as ort

LARGE = np.arange(4096, dtype=np.float32).reshape(64, 64)


def typeless():
    """A model that does not say the types of inner values."""
    graph = graph_of(
        "x f4[batch,64]", "h = MatMul x w; m = Mish h; y = Relu m", "y f4[batch,64]", w=LARGE
    )
    return ort.Model.load(graph.to_bytes())


def types_of(model):
    return {name: str(value.type) for name, value in model.graph.values.items()}


def test_each_inner_value_has_a_type_and_shape_and_weights_stay_as_they_are(tmp_path):
    model = typeless()
    assert model.graph["h"].type is None
    prepared = model.prepare()
    assert types_of(prepared)["h"] == "tensor(float[batch, 64])"
    np.testing.assert_array_equal(prepared.graph.initializers["w"], LARGE)
    before, after = (each.graph.initializers["w"].ctypes.data for each in (model, prepared))
    assert before == after
    prepared.save(tmp_path / "prepared.onnx")
    assert types_of(ort.Model.load(tmp_path / "prepared.onnx")) == types_of(prepared)


def test_an_operator_is_replaced_by_those_that_describe_it():
    prepared = typeless().prepare(["Mish"])
    operators = [node.op_type for node in prepared.graph.nodes]
    assert operators == ["MatMul", "Softplus", "Tanh", "Mul", "Relu"]
    assert "None" not in types_of(prepared).values()


@pytest.mark.parametrize("dimensions", [[2, None], None])
def test_no_output_gets_a_dimension_with_an_invented_name(dimensions):
    graph = graph_of("x f4[3,4]", "h = Relu x; y = NonZero h", "")
    graph.output("y", "i8", dimensions)
    types = types_of(ort.Model.load(graph.to_bytes()).prepare())
    assert types == {
        "x": "tensor(float[3, 4])",
        "h": "tensor(float[3, 4])",
        "y": "tensor(int64[2, ?])",
    }


def test_an_output_that_is_a_sequence_keeps_its_type(core_api):
    model = ort.Model.load(models.zipped(classlabels_strings=["ham", "spam"]))
    with ort.Session(model, providers=["reference"], api=core_api) as session:
        (output,) = session.outputs
        assert output.describe() == str(model.graph.outputs[0].type)
        assert output.describe() == "sequence(map(string, tensor(float)))"


def test_functions_of_the_model_are_inlined():
    pytest.importorskip("onnx")
    text = """g (float[3] x) => (float[3] y) { h = mine.Double(x) y = Relu(h) }
    <domain: "mine", opset_import: ["": 21]> Double (a) => (b) { b = Add(a, a) }"""
    prepared = ort.Model.load(parsed(text, '"": 21, "mine": 1', 10)).prepare()
    assert [node.op_type for node in prepared.graph.nodes] == ["Add", "Relu"]
    assert types_of(prepared)["h"] == "tensor(float[3])"


def test_a_function_with_a_name_that_is_no_text_is_refused():
    pytest.importorskip("onnx")
    text = """g (float[2] x) => (float[2] y) { y = f.same(x) }
    <domain: "f", opset_import: ["": 17]> same (passed) => (passed) { other = Neg(passed) }"""
    content = parsed(text, '"": 17, "f": 1').replace(b"passed", b"passe\xa0")
    with pytest.raises(ort.errors.InvalidGraph, match="such a name"):
        ort.Model.load(content).prepare()


@pytest.mark.parametrize("depth", [100, 101])
def test_functions_may_call_each_other_100_deep(depth):
    pytest.importorskip("onnx")
    calls = [f"f.f{i + 1}" for i in range(depth - 1)] + ["Neg"]
    functions = (
        f'<domain: "f", opset_import: ["": 17, "f": 1]> f{i} (a) => (b) {{ b = {call}(a) }}'
        for i, call in enumerate(calls)
    )
    text = "\n".join(["g (float[2] x) => (float[2] y) { y = f.f0(x) }", *functions])
    model = ort.Model.load(parsed(text, '"": 17, "f": 1'))
    if depth > 100:
        with pytest.raises(ValueError, match="'f100' is called 100 functions deep"):
            model.prepare()
    else:
        assert [node.op_type for node in model.prepare().graph.nodes] == ["Neg"]


@pytest.mark.parametrize(
    ("operators", "reason"),
    [
        (["NoSuch"], "ONNX has no operator 'NoSuch'"),
        (["Add"], "ONNX does not describe 'Add' by other operators"),
        (["com.microsoft.Mish"], "ONNX has no operator 'com.microsoft.Mish'"),
    ],
)
def test_an_operator_that_cannot_be_replaced_is_refused(operators, reason):
    with pytest.raises(ValueError, match=reason):
        typeless().prepare(operators)


def replaced(operator, inputs):
    """What those make of [-1, 0.2, 3] that stand for an operator."""
    pytest.importorskip("onnx")
    graph = graph_of("x f4[3]", "", "", most=np.array(1, np.float32))
    graph.node(operator, inputs, ["y"])
    graph.output("y", "f4", [3])
    prepared = ort.Model.load(graph.to_bytes()).prepare([operator])
    assert operator not in [node.op_type for node in prepared.graph.nodes]
    with ort.Session(prepared, providers=["reference"], api=ort.core_api()) as session:
        return session.run(x=np.array([-1, 0.2, 3], np.float32))[0].tolist()


def test_an_operator_is_replaced_with_defaults_and_without_an_input_in_the_middle():
    assert replaced("ThresholdedRelu", ["x"]) == pytest.approx([0, 0, 3])
    assert replaced("Clip", ["x", "", "most"]) == pytest.approx([-1, 0.2, 1])


def test_an_operator_within_one_is_replaced_that_needs_the_types_of_its_inputs():
    graph = graph_of("x f4[3]", "y = Relu x", "y f4[3]", {"": 18})
    prepared = ort.Model.load(graph.to_bytes()).prepare(["Relu", "CastLike"])
    assert [node.op_type for node in prepared.graph.nodes] == ["Constant", "Cast", "Max"]


def test_branches_may_have_values_of_one_name_and_different_types():
    pytest.importorskip("onnx")
    branch = (
        "{} () => (float[3] {}) <{} like = {{1}}> {{ h = CastLike(x, like) {} = Cast<to = 1>(h) }}"
    )
    branches = {
        "then_branch": branch.format("one", "a", "float[1]", "a"),
        "else_branch": branch.format("two", "b", "int64[1]", "b"),
    }
    inner = ", ".join(f"{name} = {text}" for name, text in branches.items())
    text = f"g (bool c, float[3] x) => (float[3] y) {{ y = If(c) <{inner}> }}"
    (choice,) = ort.Model.load(parsed(text)).prepare(["CastLike"]).graph.nodes
    casts = {
        name: [node.attributes["to"] for node in graph.nodes if node.op_type == "Cast"]
        for name, graph in choice.subgraphs.items()
    }
    assert casts == {"then_branch": [1, 1], "else_branch": [7, 1]}


def test_an_operator_whose_type_is_not_known_is_named():
    pytest.importorskip("onnx")
    graph = graph_of("x f4[3]", "h = mine.Unknown x; y = Clip h", "y f4[3]")
    with pytest.raises(ValueError, match="onnx cannot replace Clip: the type of 'h' is not known"):
        ort.Model.load(graph.to_bytes()).prepare(["Clip"])


def test_a_single_name_is_no_list_of_operators():
    with pytest.raises(TypeError, match="operators must be an iterable of str"):
        typeless().prepare("Mish")


def test_without_the_package_onnx_the_error_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ModuleNotFoundError, match="'pip install onnx'") as caught:
        typeless().prepare()
    assert caught.value.name == "onnx"
    assert "\n" not in str(caught.value)


def test_what_onnx_cannot_infer_is_an_error():
    graph = graph_of("x f4[3]", "y = Add x", "y f4[3]")  # Add has two inputs
    with pytest.raises(ValueError, match="onnx cannot say which types"):
        ort.Model.load(graph.to_bytes()).prepare()


def unreadable() -> bytes:
    """y = x + x + x, in a model that onnx refuses: a node has malformed metadata."""
    node = models.node("Add", "x x", "h") + models.field(9, b"\xff")
    ports = [models.value("x", shape=[3])], [models.value("y", shape=[3])]
    return models.model([node, models.node("Add", "h x", "y")], *ports)


def test_what_protobuf_cannot_read_is_an_error(core_api):
    with pytest.raises(ort.errors.InvalidProtobuf):
        ort.Model.load(unreadable()).prepare()
    with pytest.raises(ort.errors.InvalidProtobuf):
        ort.Session(unreadable(), api=core_api)
