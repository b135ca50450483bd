# SPDX-License-Identifier: MIT
"""Graphs described in Python, and the models that a library makes of them."""

import pickle

import numpy as np
import pytest
from support import models
from support.graphs import graph_of

import ortcffi as ort
from ortcffi.models.message import Message

onnx = pytest.importorskip("onnx")
numpy_helper = pytest.importorskip("onnx.numpy_helper")
ReferenceEvaluator = pytest.importorskip("onnx.reference").ReferenceEvaluator


def read_back(graph):
    model = onnx.load_from_string(graph.to_bytes())
    onnx.checker.check_model(model)
    return model


def test_a_saved_graph_has_its_parts(dense):
    proto = read_back(dense).graph
    nodes = [(node.op_type, node.name, list(node.input)) for node in proto.node]
    assert [op for op, *_ in nodes] == ["MatMul", "Add", "Softmax"]
    assert nodes[1] == ("Add", "bias", ["product", "b"])
    (x,) = proto.input
    dimensions = x.type.tensor_type.shape.dim
    assert (x.name, dimensions[0].dim_param, dimensions[1].dim_value) == ("x", "batch", 64)
    found = {each.name: numpy_helper.to_array(each) for each in proto.initializer}
    for name, array in dense.initializers.items():
        np.testing.assert_array_equal(found[name], array)


@pytest.mark.parametrize(
    "value",
    [
        *(
            3,
            -(2**63),
            0.5,
            "text",
            "",
            b"\xff\x00\xfe",
            [1, 2],
            [0.5, -1.0],
            ["a", "é"],
            [True, 2],
        ),
        *([np.float32(0.5), np.float16(2)], [np.True_, np.int8(2)]),
    ],
)
def test_attributes_come_back_as_they_were(value):
    graph = graph_of("x f4[1]", "y = Identity x", "y f4[1]", {"": 21, "my": 1})
    graph.node("Op", ["x"], ["z"], domain="my", attributes={"value": value})
    kept = graph.nodes[1].attributes["value"]
    assert kept == value


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i1", "u2", "i8", "?"])
@pytest.mark.parametrize("count", [3, 200])
def test_initializers_of_every_size_and_type_are_saved(dtype, count):
    array = np.arange(count).astype(dtype)
    graph = graph_of("", "y = Identity w", "", w=array)
    graph.output("y", dtype, [count])
    (found,) = read_back(graph).graph.initializer
    np.testing.assert_array_equal(numpy_helper.to_array(found), array)


@pytest.mark.parametrize("shape", [(), (4,), (2, 2), (0,), (0, 3)])
def test_initializers_of_strings_are_saved(shape):
    strings = np.array(["one", "", "três", "zwei" * 20], object)[: int(np.prod(shape))]
    graph = graph_of("", "y = Identity w", "", w=strings.reshape(shape))
    graph.output("y", str, shape)
    (found,) = ReferenceEvaluator(read_back(graph)).run(None, {})
    assert found.shape == shape
    assert [str(each) for each in found.ravel()] == list(strings)


def test_a_value_of_another_library_can_be_an_initializer(core_api):
    graph = graph_of(
        "", "y = Identity w", "y f8[64]", w=ort.Value.from_numpy(np.arange(64.0), api=core_api)
    )
    (found,) = read_back(graph).graph.initializer
    np.testing.assert_array_equal(numpy_helper.to_array(found), np.arange(64.0))


def test_a_graph_survives_pickling(dense):
    again = pickle.loads(pickle.dumps(dense))
    assert again.to_bytes() == dense.to_bytes()


@pytest.mark.parametrize(
    ("words", "wrong"),
    [
        ("name must be a str", lambda g: g.input(3, "f4", [1])),
        ("name must not be empty", lambda g: g.input("", "f4", [1])),
        ("the graph has 'x' already", lambda g: g.input("x", "f4", [1])),
        ("the graph has 'w' already", lambda g: g.node("Neg", ["x"], ["w"])),
        ("outputs must differ", lambda g: g.node("Split", ["x"], ["a", "a"])),
        ("outputs must be an iterable", lambda g: g.node("Neg", ["x"], "y")),
        ("inputs\\[0\\] must be a str", lambda g: g.node("Neg", [1], ["y"])),
        ("op_type must not be empty", lambda g: g.node("", ["x"], ["y"])),
        ("shape\\[1\\] must be from 0", lambda g: g.input("z", "f4", [1, -1])),
        ("element_type", lambda g: g.input("z", "M8[s]", [1])),
        ("value must be an ndarray", lambda g: g.initializer("v", [1, 2])),
        (
            "byte order.*: pass Value.from_numpy of it, with copy=True",
            lambda g: g.initializer("v", np.ones(3, np.dtype("f4").newbyteorder())),
        ),
        ("value is not C-contiguous", lambda g: g.initializer("v", np.ones((3, 3)).T[1:])),
        ("an array, a Graph or a list", lambda g: g.node("C", [], ["y"], attributes={"v": {1}})),
        ("elements of one type", lambda g: g.node("C", [], ["y"], attributes={"v": [1, "a"]})),
        ("'v'. must fit a", lambda g: g.node("C", [], ["y"], attributes={"v": [1e39]})),
        ("'v'. must be from", lambda g: g.node("C", [], ["y"], attributes={"v": 2**63})),
        ("attributes must be a mapping", lambda g: g.node("C", [], ["y"], attributes=[1])),
        ("an output already", lambda g: [g.output("y", "f4"), g.output("y", "f4")]),
        ("opsets\\[''\\] must be from 1", lambda _: ort.Graph({"": 0})),
        ("the node must be a GraphNode, not str", lambda g: g.replace("a", "b")),
        ("the node must be a GraphNode, not str", lambda g: g.insert_before("a", "b")),
        ("the graph has no node <GraphNode N: ", lambda g: g.nodes.remove(ort.GraphNode("N"))),
        ("a node of but must be a Gr", lambda g: g.replace_all_uses("x", "w", but=["a"])),
    ],
)
def test_a_wrong_argument_is_named_and_changes_nothing(words, wrong):
    graph = graph_of("x f4[1]", "", "", w=np.ones(3))
    with pytest.raises((TypeError, ValueError), match=words):
        wrong(graph)
    assert (len(graph.inputs), len(graph.initializers), len(graph.nodes)) == (1, 1, 0)


@pytest.mark.usefixtures("real_api")
def test_outputs_without_a_type_are_inferred():
    graph = graph_of("x f4[n]", "y = Cast(to=7) x", "y")
    assert graph["y"].element_type is None
    assert graph.to_model().graph["y"].type is None
    session = ort.Session(graph)
    assert session.outputs[0].element_type == ort.ElementType.INT64
    assert session.run(x=[1, 2])[0].tolist() == [1, 2]
    with pytest.raises(TypeError, match="shape must not be given without element_type"):
        graph.output("y", shape=[1])


class Revealing(bytes):
    """Bytes that look at the message that has them when they go."""

    __slots__ = ()

    def __del__(self):
        SEEN.append(MESSAGES[0].raw_data)


class Changing(int):
    """A number that changes the message that has it when it is written."""

    __slots__ = ()

    def __float__(self):
        MESSAGES[1].floats.clear()
        MESSAGES[1].f = MESSAGES[1].floats = None
        return 7.0


SEEN = []
MESSAGES = [Message("TensorProto"), Message("AttributeProto")]


def test_what_a_graph_is_made_of_may_call_python():
    MESSAGES[0].raw_data = Revealing(1000)
    MESSAGES[0].raw_data = b"new"
    assert SEEN == [b"new"]
    MESSAGES[1].floats = [Changing(index) for index in range(100)]
    MESSAGES[1].f = Changing(3)
    assert MESSAGES[1].to_bytes() == b"\x15\0\0\xe0@"


def test_a_list_of_names_that_is_in_itself_is_refused():
    graph = ort.Graph()
    graph.node("Neg", ["x"], ["y"])
    names = graph.nodes[0].inputs
    names.append(names)
    graph.copy()
    with pytest.raises(TypeError, match=r"NodeProto\.input cannot be"):
        graph.to_bytes()
    names.clear()


def test_a_graph_is_never_in_itself():
    graph, branch = ort.Graph(), ort.Graph()
    graph.node("If", ["c"], ["y"], attributes={"then_branch": branch})
    node = ort.GraphNode("If", ["c"], ["z"], attributes={"then_branch": graph})
    refused = pytest.raises(ValueError, match="cannot be in itself")
    for inner in (graph, branch):
        with refused:
            inner.nodes.append(node)
        with refused:
            inner.node("If", ["c"], ["z"], attributes={"then_branch": graph})
    with refused:
        graph.nodes[0].attributes["else_branch"] = graph
    assert len(graph.nodes) == 1
    assert len(branch.nodes) == 0


def test_a_node_is_in_one_graph():
    graph, other = ort.Graph(), ort.Graph()
    graph.node("If", ["c"], ["y"])
    node = graph.nodes[0]
    other.nodes.append(node)
    node.attributes["then_branch"] = graph  # of the copy in the other graph
    assert node == other.nodes[0] != graph.nodes[0]
    assert not graph.nodes[0].attributes
    with pytest.raises(ValueError, match="in the graph already"):
        other.nodes[:0] = [made := ort.GraphNode("Neg", ["y"], ["z"]), made]
    other.nodes[:] = [node]
    graph.nodes.append(made)
    graph.nodes.clear()
    other.nodes.append(made)
    made.name = "moved"
    assert other.nodes[1].name == "moved"


def test_onnx_has_one_version_of_operators_under_both_its_names():
    graph = ort.Graph({"ai.onnx": 21})
    graph.opsets["ai.onnx"] = 22
    assert dict(graph.opsets) == {"": 22}
    assert graph.opsets["ai.onnx"] == 22
    del graph.opsets["ai.onnx"]
    assert dict(graph.opsets) == {}


def test_a_reference_to_an_attribute_of_an_unknown_type_is_refused():
    node = ort.GraphNode("Neg", ["x"], ["y"])
    with pytest.raises(ValueError, match=r"type must be one of FLOAT, INT, .*not 'NOPE'"):
        node.attributes["axis"] = ort.AttributeReference("axis", "NOPE")
    assert not node.attributes


def test_values_that_are_no_tensors_say_what_they_are():
    tensor = models.tensor_type("float32", ["n", 2])
    sequence = models.sequence_type(tensor)
    types = {
        "sequence(float[n, 2])": sequence,
        "optional(sequence(float[n, 2]))": models.optional_type(sequence),
        "map(int64, float[n, 2])": models.map_type("int64", tensor),
        "unknown": b"",
    }
    infos = [models.value_info(f"v{i}", each) for i, each in enumerate(types.values())]
    values = ort.Graph(models.model([], infos, infos[:1])).inputs
    expected = [f"<GraphValue v{i}: {each}>" for i, each in enumerate(types)]
    assert list(map(repr, values)) == expected
