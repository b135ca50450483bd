# SPDX-License-Identifier: MIT
"""Models that were edited or written, compared with what the package onnx makes of them."""

import gc
import os
import weakref

import numpy as np
import pytest
from support.node_models import node_models

import ortcffi as ort

onnx = pytest.importorskip("onnx")
helper, numpy_helper = onnx.helper, onnx.numpy_helper
ReferenceEvaluator = pytest.importorskip("onnx.reference").ReferenceEvaluator
F4 = onnx.TensorProto.FLOAT


def info(name, shape=("n",)):
    return helper.make_tensor_value_info(name, F4, list(shape))


@pytest.fixture
def proto():
    """A model: z = relu(x + w) * (x > 0 ? t : x), with t = x + w used by a subgraph."""
    then = helper.make_graph([helper.make_node("Neg", ["t"], ["a"])], "then", [], [info("a")])
    other = helper.make_graph([helper.make_node("Abs", ["x"], ["b"])], "else", [], [info("b")])
    nodes = [
        helper.make_node("Add", ["x", "w"], ["t"], name="add"),
        helper.make_node("Relu", ["t"], ["r"], name="relu"),
        helper.make_node("ReduceSum", ["x"], ["s"], name="sum", keepdims=0),
        helper.make_node("Cast", ["s"], ["c"], name="cast", to=onnx.TensorProto.BOOL),
        helper.make_node("If", ["c"], ["i"], name="if", then_branch=then, else_branch=other),
        helper.make_node("Mul", ["r", "i"], ["z"], name="mul"),
    ]
    weights = [numpy_helper.from_array(np.arange(200, dtype=np.float32), "w")]
    graph = helper.make_graph(nodes, "g", [info("x", [200])], [info("z")], weights)
    graph.value_info.append(info("t", [200]))
    opsets = [helper.make_opsetid("", 21)]
    return helper.make_model(graph, opset_imports=opsets, producer_name="test", ir_version=10)


@pytest.fixture
def model(proto):
    with ort.Model.load(proto.SerializeToString()) as made:
        yield made


X = np.linspace(-1, 2, 200, dtype=np.float32)


def run(model, feed=None):
    proto = model if isinstance(model, onnx.ModelProto) else parsed(model)
    return ReferenceEvaluator(proto).run(None, {"x": X} if feed is None else feed)[0]


def parsed(model):
    return onnx.load_from_string(model.to_bytes())


# --- written --------------------------------------------------------------------------------------


def test_what_was_read_is_written_as_it_was(model, proto):
    assert model.to_bytes() == proto.SerializeToString()


def test_a_saved_model_is_whole_and_replaces_the_file(model, proto, tmp_path):
    path = tmp_path / "model.onnx"
    path.write_bytes(b"before")
    model.save(path)
    assert onnx.load(path) == proto
    assert os.listdir(tmp_path) == ["model.onnx"]


def test_a_model_is_saved_over_the_file_that_it_is_read_from(proto, tmp_path):
    path = tmp_path / "model.onnx"
    onnx.save(proto, path)
    model = ort.Model.load(path)
    weights = model.graph.initializers["w"]
    model.rename({"x": "input"}).save(path)
    assert weights.tolist() == list(range(200))
    assert onnx.load(path).graph.input[0].name == "input"


def test_the_folder_of_a_link_is_left_as_the_system_does(proto, tmp_path):
    (tmp_path / "folder/inner").mkdir(parents=True)
    (tmp_path / "link").symlink_to("folder/inner")
    onnx.save(proto, tmp_path / "folder/model.onnx")
    model = ort.Model.load(tmp_path / "link/../model.onnx")
    assert model.path is not None
    assert os.path.samefile(model.path, tmp_path / "folder/model.onnx")
    assert ort.Session(model).run(x=X)


def test_the_name_of_a_file_may_be_as_long_as_the_system_allows(model, proto, tmp_path):
    path = tmp_path / ("\N{CJK UNIFIED IDEOGRAPH-6A21}" * 85)
    model.save(path)
    assert onnx.load(path) == proto


def test_weights_go_to_another_file(model, proto, tmp_path):
    path = tmp_path / "model.onnx"
    model.save(path, external_data="512 B")
    assert sorted(os.listdir(tmp_path)) == ["model.onnx", "model.onnx.data"]
    assert os.path.getsize(path) < 1000
    assert onnx.load(path).graph.initializer[0].raw_data == proto.graph.initializer[0].raw_data
    again = ort.Model.load(path)
    assert again.graph.initializers["w"].tolist() == list(range(200))
    assert parsed(again) == proto
    again.save(path, external_data=10**6)  # all of it comes back into the file
    assert onnx.load(path) == proto


def test_tensors_without_their_numbers_do_not_go_to_another_file(proto, tmp_path):
    lie = onnx.helper.make_tensor("lie", onnx.TensorProto.FLOAT, [200], [1] * 200)
    del lie.float_data[100:]
    proto.graph.initializer.append(lie)
    path = tmp_path / "model.onnx"
    onnx.save(proto, path)
    model = ort.Model.load(path)
    with pytest.raises(ort.errors.Fail, match="not as many elements as its shape"):
        model.save(tmp_path / "out.onnx", external_data=100)
    assert os.listdir(tmp_path) == ["model.onnx"]
    model.save(tmp_path / "out.onnx")
    assert onnx.load(tmp_path / "out.onnx") == proto


def test_a_saved_model_has_its_own_weights_at_each_moment(model, tmp_path, monkeypatch):
    """Whatever stops a save, the old model is there with its weights, or the new with its own."""
    path = tmp_path / "model.onnx"
    model.save(path, external_data=1)
    weights = model.graph.initializers["w"]
    other = model.replace("w", -weights)

    def stop(*_arguments):
        raise KeyboardInterrupt

    for step in ["take", "finish", "replace"]:
        with monkeypatch.context() as patch:
            patch.setattr(f"ortcffi._new_file.NewFile.{step}", stop)
            with pytest.raises(KeyboardInterrupt):
                other.save(path, external_data=1)
        assert sorted(os.listdir(tmp_path)) == ["model.onnx", "model.onnx.data"]
        np.testing.assert_array_equal(ort.Model.load(path).graph.initializers["w"], weights)
    for expected in [other, model, other]:
        expected.save(path, external_data=1)
        assert len(os.listdir(tmp_path)) == 2
        saved = ort.Model.load(path).graph.initializers["w"]
        np.testing.assert_array_equal(saved, expected.graph.initializers["w"])


def test_an_interrupt_after_the_rename_leaves_the_new_model_with_its_weights(
    model, tmp_path, monkeypatch
):
    path = tmp_path / "model.onnx"
    model.save(path, external_data=1)
    rename = os.replace

    def interrupted(*arguments):
        rename(*arguments)
        raise KeyboardInterrupt

    weights = model.graph.initializers["w"]
    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        model.replace("w", -weights).save(path, external_data=1)
    np.testing.assert_array_equal(ort.Model.load(path).graph.initializers["w"], -weights)


def test_a_model_whose_weights_were_lost_is_saved_with_new_ones(model, tmp_path):
    path = tmp_path / "model.onnx"
    model.save(path, external_data=1)
    (tmp_path / "model.onnx.data").unlink()
    model.save(path, external_data=1)
    weights = ort.Model.load(path).graph.initializers["w"]
    np.testing.assert_array_equal(weights, model.graph.initializers["w"])


def test_a_link_in_the_place_of_the_weights_is_not_written_through(model, tmp_path):
    outside = tmp_path / "outside"
    outside.write_bytes(b"precious")
    folder = tmp_path / "models"
    folder.mkdir()
    (folder / "model.onnx.data").symlink_to(outside)
    model.save(folder / "model.onnx", external_data=1)
    assert outside.read_bytes() == b"precious"
    assert onnx.load(folder / "model.onnx").graph.initializer[0].raw_data


@pytest.mark.skipif(os.name == "nt", reason="of POSIX")
def test_files_of_a_private_model_are_private_from_their_first_byte(model, tmp_path, monkeypatch):
    path = tmp_path / "model.onnx"
    model.save(path)
    path.chmod(0o600)
    modes = []
    replace = os.replace

    def noted(*arguments):
        modes.extend(os.stat(each).st_mode & 0o777 for each in tmp_path.iterdir())
        replace(*arguments)

    monkeypatch.setattr(os, "replace", noted)
    model.save(path, external_data=1)
    assert set(modes) == {0o600}


def test_a_folder_that_does_not_exist_is_no_path_of_a_model(model, tmp_path):
    with pytest.raises(IsADirectoryError):
        model.save(f"{tmp_path}/new/")
    with pytest.raises(ValueError, match="external_data needs a file"):
        model.save(os.devnull, external_data=1)
    assert os.listdir(tmp_path) == []


def test_a_file_that_cannot_be_written_stays_as_it_was(model, tmp_path, monkeypatch):
    path = tmp_path / "model.onnx"
    path.write_bytes(b"before")

    def fail(*_arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("ortcffi._new_file.NewFile.take", fail)
    with pytest.raises(OSError, match="No space left"):
        model.save(path, external_data=1)
    assert path.read_bytes() == b"before"
    assert os.listdir(tmp_path) == ["model.onnx"]
    with pytest.raises(FileNotFoundError, match=r"'\S+/none/model\.onnx'$"):
        model.save(tmp_path / "none" / "model.onnx")


# --- renamed --------------------------------------------------------------------------------------


def test_values_and_nodes_are_renamed_in_subgraphs_too(model):
    edited = model.rename({"t": "sum of both", "add": "first", "x": "input", "w": "weights"})
    graph = edited.graph
    assert graph["first"].inputs == ("input", "weights")
    assert graph["if"].implicit_inputs == ("input", "sum of both")
    assert graph["if"].attributes["then_branch"].nodes[0].inputs == ("sum of both",)
    assert graph["sum of both"].shape == (200,)
    onnx.checker.check_model(parsed(edited))
    np.testing.assert_array_equal(run(edited, {"input": X}), run(model))


def test_names_can_be_exchanged(model):
    graph = model.rename({"t": "r", "r": "t"}).graph
    assert (graph["add"].outputs, graph["relu"].inputs, graph["relu"].outputs) == (
        ("r",),
        ("r",),
        ("t",),
    )


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
def test_a_wrong_name_is_named(model, kind, names, words):
    with pytest.raises(kind, match=words):
        model.rename(names)


# --- replaced -------------------------------------------------------------------------------------


def test_an_initializer_gets_other_contents(model, proto):
    edited = model.replace("w", np.ones(200, np.float32))
    proto.graph.initializer[0].CopyFrom(numpy_helper.from_array(np.ones(200, np.float32), "w"))
    np.testing.assert_array_equal(run(edited), run(proto))
    assert model.graph.initializers["w"][5] == 5


def test_nodes_read_another_value_in_subgraphs_too(model):
    graph = model.replace("t", "x").graph
    assert graph["relu"].inputs == ("x",)
    assert graph["if"].implicit_inputs == ("x",)
    assert not graph["t"].consumers


def test_a_node_becomes_another_one_or_several(model, proto):
    node = ort.GraphNode("Identity", ("t",), ("r",), "", "same", {})
    assert model.replace("relu", node).graph["same"].outputs == ("r",)
    several = ort.Graph()
    several.initializer("zero", np.zeros((), np.float32))
    several.node("Max", ["t", "zero"], ["m"])
    several.node("Identity", ["m"], ["r"])
    edited = model.replace(model.graph["relu"], several)
    onnx.checker.check_model(parsed(edited))
    np.testing.assert_array_equal(run(edited), run(proto))


@pytest.mark.parametrize(
    ("kind", "old", "new", "words"),
    [
        (LookupError, "nothing", "x", "no value and no node 'nothing'"),
        (TypeError, 3, "x", "old must be a name"),
        (ValueError, "x", np.ones(3), "'x' is no initializer"),
        (TypeError, "w", 3, "new must be an array"),
        (
            ValueError,
            "w",
            np.ones(200),
            r"the element type of 'w', which is tensor\(float\[200\]\), but is float64 \[200\]",
        ),
        (LookupError, "t", "nothing", "new: the graph has no value 'nothing'"),
        (ValueError, "z", "x", "'z' is an output of the graph"),
        (TypeError, "relu", "x", "new must be a GraphNode or a Graph"),
        (
            ValueError,
            "relu",
            ort.GraphNode("Neg", ("t",), ("q",), "", "", {}),
            "new does not make 'r'",
        ),
        (
            ValueError,
            "relu",
            ort.GraphNode("Split", ("t",), ("r", "s"), "", "", {}),
            "new makes 's', which the graph has already",
        ),
        (
            LookupError,
            "relu",
            ort.GraphNode("Neg", ("q",), ("r",), "", "", {}),
            "new reads 'q', which the graph does not have",
        ),
    ],
)
def test_what_does_not_fit_is_refused(model, kind, old, new, words):
    with pytest.raises(kind, match=words):
        model.replace(old, new)


def test_a_value_that_would_depend_on_itself_is_refused(model):
    with pytest.raises(ort.errors.Fail, match="cycle"):
        model.replace("x", "z").graph  # noqa: B018


# --- extracted ------------------------------------------------------------------------------------


def test_a_part_of_a_model_is_a_model(model):
    part = model.extract(["t"], ["r"])
    assert [node.op_type for node in part.graph.nodes] == ["Relu"]
    assert not part.graph.initializers
    assert part.graph["t"].shape == (200,)
    np.testing.assert_array_equal(run(part, {"t": X}), np.maximum(X, 0))


def test_what_subgraphs_read_is_extracted_with_them(model):
    part = model.extract(["x"], ["i"])
    assert [node.name for node in part.graph.nodes] == ["add", "sum", "cast", "if"]
    assert list(part.graph.initializers) == ["w"]
    with pytest.raises(ValueError, match="inputs lack 'x', which outputs need"):
        model.extract(["t"], ["i"])


def test_an_input_may_be_made_beside_what_is_needed():
    node = helper.make_node("Split", ["x"], ["a", "b"], num_outputs=2)
    added = helper.make_node("Add", ["a", "b"], ["a_"])
    graph = helper.make_graph([node, added], "g", [info("x", [4])], [info("a_", [2])])
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)])
    model = ort.Model.load(proto.SerializeToString())
    part = model.extract({"x": None, "a": ("f4", [2])}, ["a_"])
    feed = {"x": np.arange(4, dtype=np.float32), "a": np.zeros(2, np.float32)}
    onnx.checker.check_model(parsed(part))
    np.testing.assert_array_equal(run(part, feed), [2, 3])


def test_an_input_of_no_known_type_needs_one(model):
    with pytest.raises(ValueError, match=r"type 'r' has; .* \{'r': \(element_type, shape\)\}"):
        model.extract(["r", "i"], ["z"])
    types = {"r": ("f4", [200]), "i": ("f4", [None])}
    part = model.extract(types, ["z"])
    assert (part.graph["r"].shape, part.graph["i"].shape) == ((200,), (None,))
    onnx.checker.check_model(parsed(part))


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
def test_a_wrong_end_of_a_part_is_named(model, kind, inputs, outputs, words):
    with pytest.raises(kind, match=words):
        model.extract(inputs, outputs)


# --- what it says of itself -----------------------------------------------------------------------


def test_what_the_graph_has_is_found_by_who_asks_the_model(model):
    with pytest.raises(AttributeError, match=r"attribute 'nodes': did you mean 'graph.nodes'"):
        _ = model.nodes
    with pytest.raises(AttributeError, match=r"'opset': did you mean 'opsets'"):
        _ = model.opset


def test_metadata_is_changed(model):
    edited = model.with_metadata(
        {"a": "1", "b": "2"}, version=7, producer_name="me", graph_name="h"
    )
    found = edited.with_metadata({"a": None}).metadata
    assert (found.version, found.producer_name, found.graph_name) == (7, "me", "h")
    assert found.custom == {"b": "2"}
    assert model.metadata.producer_name == "test"
    with pytest.raises(TypeError, match=r"no argument 'producer': did you mean 'producer_name'"):
        model.with_metadata(producer="me")
    with pytest.raises(TypeError, match=r"'author'; an entry of your own is {'author': ...}"):
        model.with_metadata(author="me")


def test_a_version_is_set_where_operators_have_the_same_form(model):
    edited = model.with_opset(22)
    assert edited.opsets == {"": 22}
    assert model.with_opset(3, "my.domain").opsets == {"": 21, "my.domain": 3}
    with pytest.raises(
        ValueError, match="in version 12 the operator Add has the form of version 7"
    ):
        model.with_opset(12)


def test_a_version_of_which_no_operators_are_known_is_refused(model):
    newest = onnx.defs.onnx_opset_version()
    for domain in ("", "ai.onnx"):
        with pytest.raises(
            ValueError, match=f"of the operators of .* is {newest}, not {newest + 1}"
        ):
            model.with_opset(newest + 1, domain)
    with pytest.raises(ValueError, match=r"the operators of ai\.onnx\.ml is"):
        model.with_opset(10**9, "ai.onnx.ml")
    assert model.with_opset(10**9, "my.domain").opsets["my.domain"] == 10**9


# --- functions ------------------------------------------------------------------------------------


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
    graph = helper.make_graph(nodes, "g", [info("x")], [info("sum")])
    return helper.make_model(graph, opset_imports=opsets, functions=[inner, outer], ir_version=10)


def test_functions_are_put_in_the_place_of_their_calls():
    proto = with_functions()
    model = ort.Model.load(proto.SerializeToString())
    assert [each.name for each in model.functions] == ["Scale", "Twice"]
    inlined = model.inline()
    assert not inlined.functions
    assert {node.domain for node in inlined.graph.nodes} == {""}
    onnx.checker.check_model(parsed(inlined))
    np.testing.assert_allclose(run(inlined), X * 37, rtol=1e-6)


def test_a_function_of_another_version_is_refused():
    proto = with_functions()
    proto.functions[0].opset_import[0].version = 20
    with pytest.raises(ValueError, match="the function 'Scale' uses version 20"):
        ort.Model.load(proto.SerializeToString()).inline()


def test_a_function_that_calls_itself_is_refused():
    proto = with_functions()
    proto.functions[0].node[1].op_type = "Twice"
    proto.functions[0].node[1].domain = "my"
    with pytest.raises(ValueError, match="calls itself"):
        ort.Model.load(proto.SerializeToString()).inline()


def test_every_model_of_the_node_tests_of_onnx_is_written_and_edited():
    for path in node_models():
        content = path.read_bytes()
        model = ort.Model.load(content)
        assert model.to_bytes() == content
        copy = model.with_metadata({"edited": "yes"})
        expected = onnx.ModelProto.FromString(content)
        expected.metadata_props.add(key="edited", value="yes")
        assert parsed(copy) == expected
        names = {name: f"{name}!" for name in model.graph.values}
        back = {new: old for old, new in names.items()}
        assert parsed(model.rename(names).rename(back)) == onnx.ModelProto.FromString(content)


def test_an_edited_model_keeps_the_bytes_of_the_weights_that_it_shares(proto):
    content = np.frombuffer(proto.SerializeToString(), np.uint8)
    alive = weakref.ref(content)
    model = ort.Model.load(memoryview(content))
    edited = model.rename({"z": "out"})
    weights = model.graph["w"].initializer.tolist()
    model.close()
    del content, model
    gc.collect()
    assert alive() is not None
    assert edited.graph["w"].initializer.tolist() == weights
    edited.close()
    del edited
    gc.collect()
    assert alive() is None
