# SPDX-License-Identifier: MIT
"""Models that are wrong: they are refused, or mean what the package onnx reads."""

import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support import models

import ortcffi as ort

onnx = pytest.importorskip("onnx")
helper = pytest.importorskip("onnx.helper")
DecodeError = pytest.importorskip("google.protobuf.message").DecodeError

X = helper.make_tensor_value_info("x", 1, [2])
FLOATS = np.arange(64, dtype=np.float32)


def graph_of(nodes: list[Any], outputs: list[str], **parts: Any) -> Any:
    made = [helper.make_tensor_value_info(name, 1, [2]) for name in outputs]
    return helper.make_graph(nodes, "g", parts.pop("inputs", [X]), made, **parts)


def bytes_of(graph: Any) -> bytes:
    opset = helper.make_opsetid("", 21)
    return helper.make_model(graph, opset_imports=[opset], ir_version=10).SerializeToString()


def relu(source: str, target: str) -> Any:
    return helper.make_node("Relu", [source], [target])


def refuses(words: str, model: bytes | Path) -> None:
    with pytest.raises(ort.OrtError, match=words):
        assert ort.Model.load(model).graph.nodes


# --- graphs ---------------------------------------------------------------------------------------


def nested(depth: int) -> bytes:
    """Graphs within graphs."""
    graph = graph_of([relu("x", "y")], ["y"], inputs=[])
    for _ in range(depth - 2):
        node = helper.make_node("If", ["x"], ["y"], then_branch=graph, else_branch=graph_of([], []))
        graph = graph_of([node], ["y"], inputs=[])
    node = helper.make_node("If", ["x"], ["y"], then_branch=graph)
    return bytes_of(graph_of([node], ["y"]))


def test_graphs_may_be_nested_to_a_limit():
    assert len(ort.Model.load(nested(32)).graph.nodes) == 1
    refuses("nested too deeply", nested(33))


# --- external data --------------------------------------------------------------------------------


def external(location: str, **entries: str) -> bytes:
    tensor = onnx.TensorProto(name="w", data_type=1, dims=[64], data_location=1)
    for key, value in {"location": location, **entries}.items():
        tensor.external_data.add(key=key, value=value)
    return bytes_of(graph_of([relu("w", "a")], ["a"], initializer=[tensor]))


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., Any]:
    """Writes a model with external data beside the folder's files, and reads the weights."""
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "weights").write_bytes(FLOATS.tobytes())
    (tmp_path / "outside").write_bytes(FLOATS.tobytes())

    def read(location: str, **entries: str) -> Any:
        (folder / "model.onnx").write_bytes(external(location, **entries))
        return np.array(ort.Model.load(folder / "model.onnx").graph.initializers["w"])

    read.folder = folder
    return read


def test_external_data_is_read_below_the_folder_of_the_model(read):
    assert np.array_equal(read("weights"), FLOATS)
    assert np.array_equal(read("weights", offset="0", length="256"), FLOATS)
    (read.folder / "*").write_bytes(FLOATS.tobytes())  # a name like that of weights in memory
    assert np.array_equal(read("*", offset="0"), FLOATS)


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        *[({"location": name}, None) for name in ("../outside", "a/../../outside", "link")],
        *[
            ({"location": name}, None)
            for name in ("", ".", "*", "missing", "weights\0", "{folder}")
        ],
        *[({"offset": text}, None) for text in ("4", "257", str(2**64 - 1), str(2**64))],
        ({"offset": "-4"}, "'offset' of external data, '-4', is no number"),
        ({"length": "255"}, None),
        ({"length": "abc"}, "'length' of external data, 'abc', is no number"),
        ({"basepath": "/"}, "'basepath' of external data, '/', is none that ONNX knows"),
    ],
)
def test_external_data_that_is_not_there_is_refused(read, entries, words):
    (read.folder / "link").symlink_to(read.folder.parent / "outside")
    os.mkfifo(read.folder / "pipe")
    location = entries.get("location", "weights").format(folder=read.folder / "weights")
    with pytest.raises(ort.OrtError, match=words):
        read(**entries | {"location": location})


# --- changes --------------------------------------------------------------------------------------


def names(operands: Any) -> list[str]:
    """The names of values, or names themselves, which may be bytes if they are not UTF-8."""
    found = [getattr(value, "name", value) or "" for value in operands]
    return [x.decode(errors="replace") if isinstance(x, bytes) else x for x in found]


CALLS = """<ir_version: 8, opset_import: ["": 17, "l": 1]>
g (float[2] x) => (float[2] y) { y = l.f(x) }
<domain: "l", opset_import: ["": 17]> f (a) => (b) { b = Add(a, a) }"""


def read_all(content: bytes) -> Any:
    """The graph; what protobuf checks is checked when a graph is first asked for."""
    model = ort.Model.load(content)
    assert model.graph.name is not None
    assert all(function.graph.name is not None for function in model.functions)
    model.to_bytes()
    return model.graph


def test_what_onnx_reads_or_refuses_of_a_changed_model_the_core_does_too():
    """Each model with one byte changed. Protobuf takes a few groups that are refused here. 1 s."""
    calls = onnx.parser.parse_model(CALLS).SerializeToString()
    maps = models.zipped(classlabels_int64s=[1, 2])
    dice, refused, stricter, both = random.Random(1), 0, 0, 0
    for content in (models.scaled(), models.loop(3, 4), calls, maps, models.sines(3)):
        for _ in range(600):
            made = bytearray(content)
            made[dice.randrange(len(made))] = dice.randrange(256)
            try:
                theirs = onnx.load_model_from_string(bytes(made)).graph
            except DecodeError:
                refused += 1
                with pytest.raises((ort.errors.InvalidProtobuf, ValueError)):
                    read_all(bytes(made))
                continue
            try:
                ours = read_all(bytes(made))
            except ort.errors.InvalidProtobuf:
                stricter += 1
                continue
            except (ort.OrtError, ValueError):  # the graph is wrong
                continue
            both += 1
            found = [(*names([n.op_type]), names(n.inputs), names(n.outputs)) for n in ours.nodes]
            nodes = [(*names([n.op_type]), names(n.input), names(n.output)) for n in theirs.node]
            assert sorted(found) == sorted(nodes)
            assert names(ours.inputs) == names(theirs.input)
            assert names(ours.outputs) == names(theirs.output)
    assert refused > 1000
    assert both > 500
    assert stricter <= 3


def in_parts(content: bytes) -> bytes:
    """The bytes of a model whose graph, and the type of whose input, is there in two parts."""
    model = onnx.load_model_from_string(content)
    value = model.graph.input[0]
    first = onnx.TypeProto()
    first.tensor_type.elem_type = value.type.tensor_type.elem_type
    whole = models.field(1, value.name) + models.field(2, first.SerializeToString())
    value.type.tensor_type.ClearField("elem_type")
    whole += models.field(2, value.type.SerializeToString())
    del model.graph.input[:]
    head = models.field(11, whole)
    graph = model.graph.SerializeToString()
    model.ClearField("graph")
    return model.SerializeToString() + models.field(7, head) + models.field(7, graph)


def test_messages_in_parts_are_joined():
    content = models.add()
    parts = ort.Model.load(in_parts(content))
    assert onnx.load_model_from_string(in_parts(content)) == onnx.load_model_from_string(content)
    assert str(parts.graph.inputs[0].type) == str(ort.Model.load(content).graph.inputs[0].type)
    assert parts.graph.inputs[0].type is not None
    assert [node.op_type for node in parts.graph.nodes] == ["Add"]
    many = content + models.field(7, models.field(10, "x")) * 20_000  # each is a text of the graph
    assert len(ort.Model.load(many).graph.nodes) == 1


FLOATS_OF_2 = helper.make_tensor_type_proto(1, [2])
KINDS_OF_TYPES = [
    FLOATS_OF_2,
    helper.make_sequence_type_proto(FLOATS_OF_2),
    helper.make_map_type_proto(7, FLOATS_OF_2),
    helper.make_optional_type_proto(FLOATS_OF_2),
    helper.make_sparse_tensor_type_proto(1, [2]),
]


@pytest.mark.parametrize("last", KINDS_OF_TYPES, ids=lambda kind: kind.WhichOneof("value"))
@pytest.mark.parametrize("first", KINDS_OF_TYPES, ids=lambda kind: kind.WhichOneof("value"))
def test_the_last_of_several_types_of_a_value_counts(first, last):
    """They are one protobuf oneof; one kind twice is one type in two parts."""

    def read(kind: bytes) -> str:
        value = models.field(1, "x") + models.field(2, kind)
        content = models.field(1, 10) + models.field(7, models.field(11, value))
        return str(ort.Model.load(content).graph.inputs[0].type)

    both = first.SerializeToString() + last.SerializeToString()
    meant = onnx.TypeProto.FromString(both)
    assert meant.WhichOneof("value") == last.WhichOneof("value")
    assert read(both) == read(meant.SerializeToString())


@pytest.mark.parametrize("group", [b"\x0b\x0c", b"\x0b\x08\x05\x13\x14\x0c"])
def test_groups_are_unknown_fields(group):
    graph = onnx.load_model_from_string(models.scaled()).graph.SerializeToString()
    content = models.field(1, 8) + models.field(7, group + graph) + models.field(8, b"\x10\x11")
    assert onnx.load_model_from_string(content).graph.node
    assert len(ort.Model.load(content).graph.nodes) == 1
    refuses("malformed", content.replace(group, group[:-1] + b"\x1c"))


@pytest.mark.parametrize("stored", [{"int32_data": [0, 1, 2, 256]}, {"raw_data": b"\0\1\7\xff"}])
def test_weights_of_bool_are_true_or_false(stored):
    tensor = onnx.TensorProto(name="w", data_type=9, dims=[4], **stored)
    model = ort.Model.load(bytes_of(graph_of([relu("x", "y")], ["y"], initializer=[tensor])))
    weights = model.graph.initializers["w"]
    assert weights.view("u1").tolist() == [0, 1, 1, 1]
