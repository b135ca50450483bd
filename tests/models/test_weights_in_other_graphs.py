# SPDX-License-Identifier: MIT
"""Parts of graphs that come into other graphs bring their own weights along."""

import numpy as np
import pytest

import ortcffi as ort

onnx = pytest.importorskip("onnx")
helper, numpy_helper = onnx.helper, onnx.numpy_helper
OWN, OTHER = np.full(100, 1, np.float32), np.full(100, 2, np.float32)
OPSETS = [helper.make_opsetid("", 21)]


def large_graph():
    """A graph that has large weights of its own."""
    graph = ort.Graph()
    graph.initializer("own", OWN)
    graph.output(*graph.node("Identity", ["own"], ["y"]), "f4", [100])
    return graph


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
