# SPDX-License-Identifier: MIT
"""Graphs that are edited at random, and files that are damaged at random."""

import random
from contextlib import suppress

import numpy as np
import pytest
from support import models
from support.node_models import node_models

import ortcffi as ort
from ortcffi.errors import Fail, InvalidGraph, InvalidProtobuf, NoSuchFile, NotImplemented
from ortcffi.models.contents import contents_of

onnx = pytest.importorskip("onnx")
BROKEN = (InvalidProtobuf, InvalidGraph, Fail, NoSuchFile)


def rename(graph, proto, rng):
    name = rng.choice(sorted(graph.values))
    graph.rename({name: f"{name}+"})
    for node in proto.graph.node:
        for side in (node.input, node.output):
            side[:] = [f"{name}+" if each == name else each for each in side]
    infos = (proto.graph.input, proto.graph.output, proto.graph.value_info)
    for each in (*(info for side in infos for info in side), *proto.graph.initializer):
        each.name = f"{name}+" if each.name == name else each.name


def shape(graph, proto, rng):
    i, shape = rng.randrange(len(graph.inputs)), [rng.randrange(9), "n"]
    graph.inputs[i].shape = shape
    kind = proto.graph.input[i].type.tensor_type
    kind.shape.CopyFrom(onnx.helper.make_tensor_type_proto(1, shape).tensor_type.shape)


def attribute(graph, proto, rng):
    i, value = rng.randrange(len(graph.nodes)), rng.choice([3, 0.5, "text", [1, 2], b"\xff"])
    graph.nodes[i].attributes["more"] = value
    attributes = proto.graph.node[i].attribute
    kept = [each for each in attributes if each.name != "more"]
    del attributes[:]
    attributes.extend([*kept, onnx.helper.make_attribute("more", value)])


def node(graph, proto, rng):
    i, made = rng.randrange(len(graph.nodes) + 1), f"made {rng.random()}"
    read = rng.choice(sorted(graph.values))
    graph.nodes.insert(i, ort.GraphNode("Neg", [read], [made], name=f"node {made}"))
    proto.graph.node.insert(i, onnx.helper.make_node("Neg", [read], [made], name=f"node {made}"))


def initializer(graph, proto, rng):
    name, array = f"weights {rng.random()}", np.arange(rng.randrange(200), dtype=np.float32)
    graph.initializers[name] = array
    proto.graph.initializer.append(onnx.numpy_helper.from_array(array, name))


def metadata(graph, proto, rng):
    name = f"key {rng.random()}"
    graph.metadata[name] = "ü"
    proto.metadata_props.add(key=name, value="ü")


EDITS = [rename, shape, attribute, node, initializer, metadata]


def ordered(proto):
    """A model whose equal ones have equal bytes."""
    return onnx.ModelProto.FromString(proto.SerializeToString())


@pytest.mark.parametrize("seed", range(5))
def test_a_hundred_edits_make_the_model_that_onnx_makes(seed):
    content = models.increments(20)
    graph, proto = ort.Graph(content), onnx.load_model_from_string(content)
    rng = random.Random(seed)
    for _ in range(100):
        rng.choice(EDITS)(graph, proto, rng)
    written = onnx.load_model_from_string(graph._model().to_bytes())
    assert written == ordered(proto)


def use(content, tmp_path):
    """Use all that a model has, and compare the weights that it has after an edit."""
    with ort.Model.load(content) as model:
        found = {name: repr(array) for name, array in model.graph.initializers.items()}
        for each in model.graph.nodes:
            dict(each.attributes)
        for value in model.graph.values.values():
            repr(value)
        contents_of(model)
        with suppress(NotImplemented):  # nobody takes the nodes
            ort.Session(model, api=ort.core_api()).close()
    graph = ort.Graph(content)
    [dict(each.attributes) for each in graph.nodes]
    assert {name: repr(array) for name, array in graph.initializers.items()} == found
    graph.metadata["edited"] = "yes"
    graph.save(tmp_path / "saved.onnx")
    with ort.Model.load(tmp_path / "saved.onnx") as again:
        assert {n: repr(array) for n, array in again.graph.initializers.items()} == found


def test_damaged_models_raise_no_other_errors(tmp_path):
    rng, sources = random.Random(7), [models.scaled(), models.loop(3, 4), models.increments(5)]
    sources += [path.read_bytes() for path in node_models()[:20]]
    for i in range(150):
        content = bytearray(sources[i % len(sources)])
        content[rng.randrange(len(content))] = rng.randrange(256)
        try:
            use(bytes(content), tmp_path)
        except BROKEN:
            continue
