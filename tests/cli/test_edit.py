# SPDX-License-Identifier: MIT
"""``ortcffi edit`` and ``ortcffi diff``."""

import os

import numpy as np
import pytest

import ortcffi as ort
from ortcffi.cli import diff, edit


def made(path, *, scale=1.0, op_type="Relu", opset=21):
    graph = ort.Graph(opsets={"": opset})
    x = graph.input("x:0", "f4", ["n", 2])
    w = graph.initializer("w", np.full((2, 3), scale, np.float32))
    (t,) = graph.node("MatMul", [x, w], ["t:0"], name="dense")
    (y,) = graph.node(op_type, [t], ["y"], name="last")
    graph.output(y, "f4", ["n", 3])
    graph.save(path)
    return str(path)


@pytest.fixture
def model(tmp_path):
    return made(tmp_path / "model.onnx")


def changed(model, *options):
    """The model that the command writes in the place of its input."""
    assert edit.main([model, "-o", model, *options]) == 0
    return ort.Model.load(model).graph


def test_batch_dimensions_and_names_are_changed(model):
    graph = changed(model, "--batch", "8", "--rename", "x:0=image", "--rename", "last=end")
    assert [(each.name, each.shape) for each in graph.inputs] == [("image", (8, 2))]
    assert graph.nodes[-1].name == "end"


@pytest.mark.parametrize(("length", "shape"), [("batch", ("batch", 2)), ("4", (4, 2))])
def test_a_dimension_gets_a_name_or_a_length(model, length, shape):
    assert changed(model, "--dim", f"n={length}").inputs[0].shape == shape


def test_names_with_colons_are_extracted(model):
    graph = changed(model, "--extract", "x:0:t:0")
    assert [node.op_type for node in graph.nodes] == ["MatMul"]


def test_an_extracted_input_without_a_type_gets_one(model):
    pytest.importorskip("onnx")
    graph = changed(model, "--extract", "t:0:y")
    assert (graph.inputs[0].name, graph.inputs[0].shape) == ("t:0", ("n", 3))


def test_floats_become_float16(model):
    pytest.importorskip("onnx")
    graph = changed(model, "--float16")
    assert graph.initializers["w"].dtype == np.float16
    assert graph.outputs[0].element_type == ort.ElementType.FLOAT16


def test_large_weights_go_to_a_file_of_their_own(model, tmp_path):
    changed(model, "--external-data", "16")
    assert (tmp_path / "model.onnx.data").stat().st_size >= 24


@pytest.mark.parametrize(
    ("options", "error"),
    [
        (["--dim", "m=3"], "--dim: no value has a dimension 'm'"),
        (["--dim", "n=-2"], "--dim: lengths['n'] must be from 0"),
        (["--batch", "-1"], "--batch: must be from 0"),
        (["--rename", "z=q"], "--rename: the graph has no value and no node 'z'"),
        (["--rename", "x:0=y"], "--rename: 'x:0' cannot become 'y', which is there already"),
        (["--extract", "x:0:z"], "--extract: the graph has no value 'z'"),
        (["--extract", "w:t:1"], "--extract: the graph has no value 't:1': did you mean 't:0'?"),
        (["--extract", "y"], "--extract: must be inputs and outputs, such as A,B:Y, not 'y'"),
        (["--external-data", "much"], "--external-data: must be a number of bytes"),
    ],
)
def test_an_error_names_the_option_and_leaves_the_file(model, capsys, options, error):
    with open(model, "rb") as file:
        before = file.read()
    assert edit.main([model, "-o", model, *options]) == 1
    assert capsys.readouterr().err.startswith(f"python -m ortcffi edit: {error}")
    with open(model, "rb") as file:
        assert file.read() == before
    assert os.listdir(os.path.dirname(model)) == ["model.onnx"]


def test_a_file_that_is_no_model_is_an_error_of_both_commands(tmp_path, model, capsys):
    (tmp_path / "text.onnx").write_bytes(b"not a model")
    assert edit.main([str(tmp_path / "text.onnx"), "-o", model]) == 1
    assert diff.main([str(tmp_path / "text.onnx"), model]) == 2
    assert diff.main([model, str(tmp_path / "none.onnx")]) == 2
    assert capsys.readouterr().out == ""


# --- diff -----------------------------------------------------------------------------------------


def differences(capsys, one, other):
    code = diff.main([str(one), str(other)])
    lines = capsys.readouterr().out.splitlines()
    assert code == bool(lines)
    return lines


def test_a_model_does_not_differ_from_itself_with_weights_elsewhere(model, tmp_path, capsys):
    ort.Graph(model).save(tmp_path / "other.onnx", external_data=1)
    assert differences(capsys, model, tmp_path / "other.onnx") == []


def test_weights_operators_and_versions_that_differ_are_printed(model, tmp_path, capsys):
    other = made(tmp_path / "other.onnx", scale=1.5, op_type="Tanh", opset=20)
    assert differences(capsys, model, other) == [
        "! ir_version: 10 -> 9",
        "! opset: 21 -> 20",
        "! node y: op_type: 'Relu' -> 'Tanh'",
        "! weight w: 6 of 6 elements differ, by at most 0.5",
    ]


def test_types_and_names_that_differ_are_printed(model, tmp_path, capsys):
    other = tmp_path / "other.onnx"
    assert edit.main([model, "-o", str(other), "--batch", "8", "--rename", "y=z"]) == 0
    assert differences(capsys, model, other) == [
        "! outputs: ['y'] -> ['z']",
        "! node y: outputs: ['y'] -> ['z']",
        "! value x:0: float[n, 2] -> float[8, 2]",
        "! value y -> z: float[n, 3] -> float[8, 3]",
    ]


def test_an_input_that_has_another_name_is_compared_by_its_place(model, tmp_path, capsys):
    other = tmp_path / "other.onnx"
    assert edit.main([model, "-o", str(other), "--batch", "8", "--rename", "x:0=z"]) == 0
    assert "! value x:0 -> z: float[n, 2] -> float[8, 2]" in differences(capsys, model, other)


def test_what_only_one_model_has_is_printed(model, tmp_path, capsys):
    graph = ort.Graph(model)
    graph.metadata["author"] = "me"
    graph["last"].attributes["alpha"] = 0.5
    graph.node("Identity", ["y"], ["z"])
    graph.function("my", "Twice", ["a"], ["b"]).node("Add", ["a", "a"], ["b"])
    del graph.initializers["w"]
    graph.input("w", "f4", [2, 3])
    graph.save(tmp_path / "other.onnx")
    lines = differences(capsys, model, tmp_path / "other.onnx")
    assert "+ metadata author: 'me'" in lines
    assert "+ node y: attribute alpha: 0.5" in lines
    assert "+ node z: <GraphNode Identity: y -> z>" in lines
    assert "- weight w: float32[2, 3]" in lines
    assert any(line.startswith("+ function my.Twice") for line in lines)


@pytest.mark.parametrize("alpha", [float("nan"), -0.0])
def test_an_attribute_that_is_no_usual_number_is_equal_to_itself(model, tmp_path, capsys, alpha):
    graph = ort.Graph(model)
    graph["last"].attributes["alpha"] = alpha
    graph.save(model)
    assert differences(capsys, model, model) == []
    graph["last"].attributes["alpha"] = 0.0
    graph.save(tmp_path / "other.onnx")
    expected = [f"! node y: attribute alpha: {alpha} -> 0.0"]
    assert differences(capsys, model, tmp_path / "other.onnx") == expected


def test_branches_are_compared(tmp_path, capsys):
    for name, value in (("a.onnx", np.nan), ("b.onnx", np.nan), ("c.onnx", 2.0)):
        branch, graph = ort.Graph(), ort.Graph()
        branch.node("Constant", [], ["k"], attributes={"value": np.array([value], np.float32)})
        branch.output("k", "f4", [1])
        choice = graph.input("choice", "?", [])
        both = {"then_branch": branch, "else_branch": branch.copy()}
        graph.output(*graph.node("If", [choice], ["y"], attributes=both), "f4", [1])
        graph.save(tmp_path / name)
    assert differences(capsys, tmp_path / "a.onnx", tmp_path / "b.onnx") == []
    lines = differences(capsys, tmp_path / "a.onnx", tmp_path / "c.onnx")
    place = "! node y: attribute then_branch: node k: attribute value"
    assert lines[0].startswith(f"{place}: 1 of 1 elements differ")
