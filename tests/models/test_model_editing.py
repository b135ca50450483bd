# SPDX-License-Identifier: MIT
"""Models that were edited or written, compared with what the package onnx makes of them."""

import gc
import os
import weakref

import numpy as np
import pytest
from support import models
from support.node_models import node_models, of_each_kind

import ortcffi as ort

onnx = pytest.importorskip("onnx")
numpy_helper = onnx.numpy_helper
ReferenceEvaluator = pytest.importorskip("onnx.reference").ReferenceEvaluator


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


def edited(model, change):
    graph = model.edit()
    change(graph)
    return graph.to_model()


def with_weights(model, array):
    return edited(model, lambda graph: graph.initializers.update(w=array))


# --- written --------------------------------------------------------------------------------------


def test_a_model_is_saved_over_the_file_that_it_is_read_from(proto, tmp_path):
    path = tmp_path / "model.onnx"
    onnx.save(proto, path)
    model = ort.Model.load(path)
    weights = model.graph.initializers["w"]
    edited(model, lambda graph: graph.rename({"x": "input"})).save(path)
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


def test_weights_go_to_another_file(model, proto, tmp_path, monkeypatch):
    path, modes, replace = tmp_path / "model.onnx", [], os.replace
    path.touch(0o600)

    def noted(*arguments):
        modes.extend(os.stat(each).st_mode & 0o777 for each in tmp_path.iterdir())
        replace(*arguments)

    monkeypatch.setattr(os, "replace", noted)
    model.save(path, external_data="512 B")
    assert os.name == "nt" or set(modes) == {0o600}, "as private as the old one from the first byte"
    assert sorted(os.listdir(tmp_path)) == ["model.onnx", "model.onnx.data"]
    assert os.path.getsize(path) < 1000
    assert onnx.load(path).graph.initializer[0].raw_data == proto.graph.initializer[0].raw_data
    again = ort.Model.load(path)
    assert again.graph.initializers["w"].tolist() == list(range(200))
    assert parsed(again) == proto
    again.save(path, external_data=10**6)  # all of it comes back into the file
    assert onnx.load(path) == proto


def test_a_default_of_a_function_stays_in_the_model(proto, tmp_path):
    """Onnx looks into nodes alone for external data."""
    default = onnx.helper.make_attribute("v", onnx.helper.make_tensor("", 1, [300], ONES))
    imports = [onnx.helper.make_opsetid("", 18)]
    node = onnx.helper.make_node("Identity", ["x"], ["y"])
    proto.functions.append(
        onnx.helper.make_function("d", "F", ["x"], ["y"], [node], imports, [], [default])
    )
    path = tmp_path / "model.onnx"
    ort.Model.load(proto.SerializeToString()).save(path, external_data=100)
    assert onnx.load(path, load_external_data=False).functions == proto.functions
    assert len(os.listdir(tmp_path)) == 2


def test_a_file_that_the_old_model_only_mentions_is_kept(model, proto, tmp_path):
    name = "model.onnx.data"
    (tmp_path / name).write_bytes(b"precious")
    proto.doc_string = proto.graph.node[0].name = name
    onnx.save(proto, tmp_path / "model.onnx")
    model.save(tmp_path / "model.onnx", external_data=1)
    assert (tmp_path / name).read_bytes() == b"precious"
    assert len(os.listdir(tmp_path)) == 3


@pytest.mark.parametrize("kind", ["initializer", "sparse", "constant", "sparse constant"])
def test_the_file_of_any_tensor_of_an_old_model_is_removed(proto, tmp_path, kind):
    path = tmp_path / "model.onnx"
    model = ort.Model.load(proto.SerializeToString())
    tensor = onnx.helper.make_tensor("s", 1, [300], ONES)
    indices = onnx.helper.make_tensor("", 7, [300], range(300))
    sparse = onnx.helper.make_sparse_tensor(tensor, indices, [400])
    if kind == "initializer":
        proto.graph.initializer.append(tensor)
    elif kind == "sparse":
        proto.graph.sparse_initializer.append(sparse)
    else:
        node = proto.graph.node.add(op_type="Constant", output=["c"])
        value = onnx.helper.make_attribute("value", tensor if kind == "constant" else sparse)
        node.attribute.append(value)
    ort.Model.load(proto.SerializeToString()).save(path, external_data=1000)
    assert len(os.listdir(tmp_path)) == 2
    model.save(path, external_data=1000)
    assert os.listdir(tmp_path) == ["model.onnx"]


def in_two_parts(proto, attribute, first, second):
    """A model's bytes whose node has a tensor in two parts, in the second part of its graph."""
    tensor = b"".join(models.field(5, each.SerializeToString()) for each in (first, second))
    attribute = models.field(1, attribute) + models.field(20, 4) + tensor
    head = proto.SerializeToString()
    node = models.field(1, models.node("Constant", "", "c") + models.field(5, attribute))
    return head + models.field(7, node)  # the second part of the graph


ONES = np.ones(300, np.float32)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"raw_data": ONES.tobytes()}, {"dims": [300], "data_type": 1}),
        ({"dims": [300], "data_type": 1}, {"raw_data": ONES.tobytes()}),
        ({"dims": [300], "float_data": ONES[:100]}, {"data_type": 1, "float_data": ONES[100:]}),
        (
            {"dims": [15], "data_type": 2, "raw_data": ONES.tobytes()},
            {"dims": [20], "data_type": 1},
        ),
    ],
)
def test_weights_in_parts_go_to_another_file(proto, tmp_path, first, second):
    parts = [onnx.TensorProto(**each) for each in (first, second)]
    content = in_two_parts(proto, "value", *parts)
    path = tmp_path / "model.onnx"
    ort.Model.load(content).save(path, external_data=1000)
    assert os.path.getsize(path) < 2000
    expected, found = onnx.load_from_string(content), onnx.load(path)
    arrays = [numpy_helper.to_array(e.graph.node[-1].attribute[0].t) for e in (expected, found)]
    np.testing.assert_array_equal(*arrays)
    again = onnx.load_from_string(ort.Model.load(path).to_bytes())
    np.testing.assert_array_equal(
        numpy_helper.to_array(again.graph.node[-1].attribute[0].t), arrays[0]
    )


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
    path, rename = tmp_path / "model.onnx", os.replace
    model.save(path, external_data=1)
    weights = model.graph.initializers["w"]
    other = with_weights(model, -weights)

    def stop(*_arguments):
        raise KeyboardInterrupt

    def rename_and_stop(*arguments):
        rename(*arguments)
        raise KeyboardInterrupt

    def saved_when(function, place):
        with monkeypatch.context() as patch:
            patch.setattr(place, function)
            with pytest.raises(KeyboardInterrupt):
                other.save(path, external_data=1)
        return ort.Model.load(path).graph.initializers["w"]

    for step in ["take", "finish", "replace"]:
        found = saved_when(stop, f"ortcffi._new_file.NewFile.{step}")
        assert sorted(os.listdir(tmp_path)) == ["model.onnx", "model.onnx.data"]
        np.testing.assert_array_equal(found, weights)
    for expected in [other, model, other]:
        expected.save(path, external_data=1)
        assert len(os.listdir(tmp_path)) == 2
        saved = ort.Model.load(path).graph.initializers["w"]
        np.testing.assert_array_equal(saved, expected.graph.initializers["w"])
    next(tmp_path.glob("*.data")).unlink()
    model.save(path, external_data=1)  # also where the weights of the old one were lost
    np.testing.assert_array_equal(ort.Model.load(path).graph.initializers["w"], weights)
    np.testing.assert_array_equal(saved_when(rename_and_stop, "os.replace"), -weights)


@pytest.mark.skipif(os.name == "nt", reason="an open file cannot be replaced")
def test_graphs_keep_the_weights_of_a_model_that_is_replaced(model, tmp_path):
    path = tmp_path / "model.onnx"
    model.save(path, external_data=1)
    opened, first, second = ort.Model.load(path), ort.Graph(path), ort.Graph(path)
    weights = first.initializers["w"].copy()
    for graph in (first, first, second):
        graph.initializer(f"more {len(graph.initializers)}", np.ones(3000, np.float32))
        graph.save(path, external_data=1)
        assert len(os.listdir(tmp_path)) == 2
        for each in (first, second, ort.Graph(path)):
            np.testing.assert_array_equal(each.initializers["w"], weights)
        with pytest.raises(ort.errors.Fail, match="is no file"):
            opened.graph.initializers["w"]  # and never those of another model


def test_a_link_in_the_place_of_the_weights_is_not_written_through(model, tmp_path):
    outside = tmp_path / "outside"
    outside.write_bytes(b"precious")
    folder = tmp_path / "models"
    folder.mkdir()
    (folder / "model.onnx.data").symlink_to(outside)
    model.save(folder / "model.onnx", external_data=1)
    assert outside.read_bytes() == b"precious"
    assert onnx.load(folder / "model.onnx").graph.initializer[0].raw_data


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


def test_an_attribute_of_the_graph_that_is_asked_of_the_model_is_suggested(model):
    with pytest.raises(AttributeError, match=r"attribute 'nodes': did you mean 'graph.nodes'"):
        _ = model.nodes
    with pytest.raises(AttributeError, match=r"'opset': did you mean 'opsets'"):
        _ = model.opset


def test_a_model_of_every_operator_of_onnx_is_written_and_edited():
    for path, _ in of_each_kind(node_models()):
        content = path.read_bytes()
        model = ort.Model.load(content)
        assert model.to_bytes() == content
        graph = model.edit()
        graph.metadata["edited"] = "yes"
        expected = onnx.ModelProto.FromString(content)
        expected.metadata_props.add(key="edited", value="yes")
        assert parsed(graph.to_model()) == expected
        del graph.metadata["edited"]
        names = {name: f"{name}!" for name in graph.values}
        graph.rename(names)
        graph.rename({new: old for old, new in names.items()})
        assert parsed(graph.to_model()) == onnx.ModelProto.FromString(content)


def test_an_edited_model_keeps_the_bytes_of_the_weights_that_it_shares(proto):
    content = np.frombuffer(proto.SerializeToString(), np.uint8)
    alive = weakref.ref(content)
    model = ort.Model.load(memoryview(content))
    graph = model.edit()
    graph.rename({"z": "out"})
    edited = graph.to_model()
    weights = model.graph["w"].initializer.tolist()
    model.close()
    del content, model, graph
    gc.collect()
    assert alive() is not None
    assert edited.graph["w"].initializer.tolist() == weights
    edited.close()
    del edited
    gc.collect()
    assert alive() is None
