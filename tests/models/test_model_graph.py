# SPDX-License-Identifier: MIT
"""Graphs, nodes and values as objects: what they find, keep, refuse and print."""

import copy
import gc
import pickle
import sys

import numpy as np
import pytest
from support import models
from support.graphs import graph_of
from support.processes import run
from support.threads import run_threads

import ortcffi as ort


@pytest.fixture
def graph(dense):
    """The graph of a model that is described by `dense`; nothing else keeps it."""
    with dense.to_model().graph as made:
        yield made


# --- found ----------------------------------------------------------------------------------------


def test_a_name_finds_the_value_before_the_node():
    described = graph_of("x f4[1]", "x: y = Neg x; last: z = Abs y", "z f4[1]")
    for graph in (described, described.to_model().graph):
        assert graph["x"].name == "x"
        assert graph["x"].element_type == ort.ElementType.FLOAT
        assert graph["last"].op_type == "Abs"
        assert "x" in graph
        assert "q" not in graph
        assert 3 not in graph
        with pytest.raises(LookupError, match="no value and no node 'lasd': did you mean 'last'"):
            graph["lasd"]
        with pytest.raises(TypeError, match="is not iterable: use its nodes"):
            iter(graph)


def test_what_was_described_and_what_is_read_have_the_same_properties(dense, graph):
    for side in (dense, graph):
        assert [value.name for value in side.inputs] == ["x"]
        assert side.outputs[0].shape == ("batch", 3)
        assert list(side.values) == ["x", "w", "b", "product", "total", "y"]
        assert side.values["w"].shape == (64, 3)
        assert side.opsets == {"": 21}
        assert [node.op_type for node in side.nodes] == ["MatMul", "Add", "Softmax"]
        assert side.nodes[2].attributes == {"axis": -1}
        np.testing.assert_array_equal(side.initializers["b"], np.ones(3))
        assert repr(side).endswith(" of 3 nodes: x -> y>")


def test_values_know_who_makes_and_reads_them(graph):
    total = graph["total"]
    assert total.producer == graph["bias"]
    assert [node.op_type for node in total.consumers] == ["Softmax"]
    assert graph["x"].producer is None
    assert graph["y"].consumers == ()
    flags = {
        name: (value.is_input, value.is_output, value.is_initializer, value.is_outer)
        for name, value in graph.values.items()
    }
    assert flags["x"] == (True, False, False, False)
    assert flags["w"] == (False, False, True, False)
    assert flags["y"] == (False, True, False, False)


def test_a_subgraph_finds_what_the_graphs_around_it_have():
    model = ort.Model.load(models.loop(3, 4))
    (loop,) = (node for node in model.graph.nodes if node.op_type == "Loop")
    (body,) = loop.subgraphs.values()
    assert loop.attributes["body"] == body
    assert body.parent == loop
    assert model.graph.parent is None
    outer = model.graph.inputs[0]
    assert body[outer.name] == outer or body[outer.name].is_outer
    assert body.nodes[0].graph == body
    assert body != model.graph


def test_parts_are_equal_where_they_are_the_same(graph):
    assert graph.nodes == graph.nodes
    assert graph.nodes[0] is not graph.nodes[0]
    assert len({*graph.nodes, *graph.nodes}) == 3
    assert graph["x"] != graph["y"]
    assert graph["x"] != "x"
    assert graph["x"].graph == graph


def test_nobody_makes_parts_copies_or_pickles_them(graph):
    for kind in (ort.ModelNode, ort.ModelValue):
        with pytest.raises(TypeError, match="belongs to a graph"):
            kind()
    for part in (graph, graph.nodes[0], graph["x"]):
        for act in (pickle.dumps, copy.deepcopy):
            with pytest.raises(TypeError, match="cannot pickle"):
                act(part)


# --- kept and refused -----------------------------------------------------------------------------


def test_an_array_keeps_the_model_and_cannot_be_written_to(dense):
    array = dense.to_model().graph.initializers["w"]
    gc.collect()
    assert array[0, 1] == np.float32(1 / 192)
    with pytest.raises(ValueError, match="read-only"):
        array[0, 0] = 1
    with pytest.raises(ValueError, match="cannot set WRITEABLE"):
        array.flags.writeable = True


def test_parts_of_a_closed_graph_refuse(graph):
    node, value, values, names = graph.nodes[0], graph["x"], graph.values, graph.nodes[0].inputs
    graph.close()
    for use in (
        lambda: node.name,
        lambda: node.attributes,
        lambda: node.subgraphs,
        lambda: value.type,
        lambda: value.producer,
        lambda: value.is_input,
        lambda: values["x"],
        lambda: graph["x"],
    ):
        with pytest.raises(ValueError, match="this ModelGraph is closed"):
            use()
    assert names == node.inputs  # what was read stays
    assert repr(node) == "<ModelNode of a closed graph>"
    assert repr(value) == "<ModelValue of a closed graph>"
    assert repr(graph) == "<ModelGraph closed>"


def test_of_a_graph_that_nobody_keeps_arrays_are_copies(dense):
    kept = dense.to_model()
    whole = kept.graph
    given = ort.ModelGraph(kept.api, whole.handle)
    array = given.initializers["w"]
    assert array.base is None
    given.close()
    del given, whole, kept
    gc.collect()
    assert array.sum() == pytest.approx(dense.initializers["w"].sum())


def test_writable_bytes_are_copied():
    content = bytearray(models.scaled())
    model = ort.Model.load(content)
    content[:] = bytes(len(content))
    assert model.graph.nodes[0].op_type == "Mul"


def test_threads_read_a_graph_at_once(dense):
    model = dense.to_model()
    seen = []

    def read():
        for _ in range(50):
            graph = model.graph
            arrays = [graph.initializers[name].sum() for name in graph.initializers]
            types = [str(value.type) for value in graph.values.values()]
            seen.append((len(graph.nodes), sum(arrays), *types))

    run_threads(read, read, read)
    assert len(set(seen)) == 1


# --- files ----------------------------------------------------------------------------------------

RESIDENT = """
import sys
import ortcffi as ort

def resident_bytes():
    with open("/proc/self/smaps_rollup") as lines:
        return next(int(line.split()[1]) << 10 for line in lines if line.startswith("Rss:"))

def use(path, size):
    model = ort.Model.load(path)
    assert model.graph.initializers["w"].nbytes == size
    assert len(model.graph.nodes) == 1
    graph = model.edit()
    graph.rename({"y": "z"})
    renamed = graph.to_model()
    assert renamed.graph.initializers["w"].nbytes == size
    return model, renamed

use(sys.argv[1], 1 << 12)  # what a process needs once
before = resident_bytes()
kept = use(sys.argv[2], 1 << 26)
assert resident_bytes() - before < 1 << 20, resident_bytes() - before
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_of_large_weights_no_page_is_read(tmp_path):
    files = tmp_path / "small.onnx", tmp_path / "large.onnx"
    for file, size in zip(files, (1 << 12, 1 << 26), strict=True):
        graph = graph_of(
            "x i8[1]", "y = Gather w x", "y f4[1,4]", w=np.zeros((size // 16, 4), np.float32)
        )
        graph.save(file)
    run(sys.executable, "-c", RESIDENT, *files)


@pytest.mark.parametrize(
    ("kind", "words", "given"),
    [
        (ort.errors.NoSuchFile, "no.onnx' does not exist", "/no/no.onnx"),
        (ort.errors.InvalidProtobuf, "the bytes are no ONNX model", b"text"),
        (ort.errors.InvalidGraph, "the model has no graph", b""),
        (TypeError, "model must be a path or bytes-like, not int", 3),
        (ValueError, "model: .*not C-contiguous", memoryview(b"abcd")[::2]),
        (ValueError, "null character", "a\0b"),
    ],
)
def test_what_is_no_model_is_refused(kind, words, given):
    with pytest.raises(kind, match=words):
        ort.Model.load(given)


@pytest.mark.parametrize("cut", [b"\x10", b"\x10\x95", b"\x12\x01"])
def test_a_field_ends_within_its_message(cut):
    opset = b"\x42" + bytes([len(cut)]) + cut
    with pytest.raises(ort.errors.InvalidProtobuf):
        ort.Model.load(graph_of("x f4[1]", "y = Neg x", "y f4[1]").to_bytes() + opset + b"\x08\x07")


# --- printed --------------------------------------------------------------------------------------

EVIL = "\x1b[2J\n" + "x" * 300


def test_texts_of_a_file_fit_a_line_and_harm_no_terminal():
    described = ort.Graph()
    described.input(EVIL, "f4", [EVIL])
    described.node(EVIL, [EVIL], ["y"], name=EVIL, domain=EVIL)
    described.output("y", "f4", [1])
    model = described.to_model()
    graph = model.graph
    for part in (model, graph, graph.nodes[0], graph.inputs[0], described):
        assert repr(part).isprintable()
        assert len(repr(part)) < 500
    names = range(300)
    inputs, outputs = (", ".join(f"{x}{i} f4[1]" for i in names) for x in "xy")
    many = graph_of(inputs, "; ".join(f"y{i} = Neg x{i}" for i in names), outputs)
    graph = many.to_model().graph
    ports = "x0, x1, x2, x3, 296 more -> y0, y1, y2, y3, 296 more"
    assert repr(graph) == f"<ModelGraph of 300 nodes: {ports}>"
    assert len(repr(graph.values)) < 80


# --- any library ----------------------------------------------------------------------------------


def test_an_older_table_is_refused(dense):
    model = dense.to_model()
    with pytest.raises(ort.errors.NotImplemented, match="since API version 23"):
        ort.ModelGraph(ort.emulate(22), model.graph.handle, model)
