# SPDX-License-Identifier: MIT
"""Random edits of networks of clients, by `Graph` and by the package onnx: one model comes of both.

They need the extra `clients`, and silero-vad, which `pip install --no-deps` installs without torch.
They run only where this folder is named.
"""

import random
from importlib.metadata import PackageNotFoundError, files

import numpy as np
import onnx
import onnxruntime
import pytest

import ortcffi as ort

PACKAGES = "silero-vad", "rapidocr-onnxruntime", "magika", "nudenet", "ddddocr", "faster-whisper"
EDITS_OF_A_NETWORK = 100


def found(package):
    try:
        return [each.locate() for each in files(package) or () if each.suffix == ".onnx"]
    except PackageNotFoundError:
        return []


NETWORKS = [path for package in PACKAGES for path in found(package)]


# --- one edit, twice ------------------------------------------------------------------------------


def bodies(graph):
    """A GraphProto, and those in attributes of its nodes."""
    yield graph
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield from bodies(attribute.g)


def rename(graph, proto, rng):
    name = rng.choice(sorted(graph.values))
    new = f"{name}+{rng.random()}"
    graph.rename({name: new})
    for body in bodies(proto.graph):
        for node in body.node:
            for side in (node.input, node.output):
                side[:] = [new if each == name else each for each in side]
        for each in (*body.input, *body.output, *body.value_info, *body.initializer):
            each.name = new if each.name == name else each.name


def rename_a_node(graph, proto, rng):
    i, name = rng.randrange(len(graph.nodes)), f"node {rng.random()}"
    graph.nodes[i].name = proto.graph.node[i].name = name


def insert(graph, proto, rng):
    """A node behind another one, for all that read a value of it."""
    i = rng.randrange(len(graph.nodes))
    node, copied = graph.nodes[i], f"copy {rng.random()}"
    name = next(each for each in node.outputs if each)
    if name in graph.outputs or not any(name in each._read() for each in graph.nodes):
        return
    made = ort.GraphNode("Identity", [name], [copied])
    graph.insert_after(node, made)
    graph.replace_all_uses(name, copied, but=[made])
    for body in bodies(proto.graph):
        for each in body.node:
            each.input[:] = [copied if read == name else read for read in each.input]
        for each in body.output:
            each.name = copied if each.name == name else each.name
    proto.graph.node.insert(i + 1, onnx.helper.make_node("Identity", [name], [copied]))


def show_a_value(graph, proto, rng):
    """A new output, whose type the library infers."""
    made = [name for node in graph.nodes for name in node.outputs if name not in graph.outputs]
    name = rng.choice(made or [""])
    if name and len(graph.outputs) < 6:
        graph.output(name)
        proto.graph.output.add(name=name)


def scale_weights(graph, proto, rng):
    tensors = proto.graph.initializer  # those of one dimension may say shapes
    floats = [each for each in tensors if each.data_type == 1 and len(each.dims) > 1]
    if floats:
        tensor = rng.choice(floats)
        array = np.asarray(onnx.numpy_helper.to_array(tensor) * np.float32(0.75))
        graph.initializers[tensor.name] = array
        tensor.CopyFrom(onnx.numpy_helper.from_array(array, tensor.name))
        kept = [each for each in proto.graph.value_info if each.name != tensor.name]
        del proto.graph.value_info[:]
        proto.graph.value_info.extend(kept)


def constants_out(graph, proto, _rng):
    graph.constants_to_initializers()
    for body in reversed(list(bodies(proto.graph))):
        kept = []
        for node in body.node:
            if node.op_type == "Constant" and node.attribute[0].name == "value":
                body.initializer.append(node.attribute[0].t)
                body.initializer[-1].name = node.output[0]
            else:
                kept.append(node)
        kept = [onnx.NodeProto.FromString(each.SerializeToString()) for each in kept]
        del body.node[:]
        body.node.extend(kept)


def constant_in(graph, proto, rng):
    inputs = {each.name for each in proto.graph.input}
    tensors = [each for each in proto.graph.initializer if each.name not in inputs]
    if tensors:
        tensor = rng.choice(tensors)
        graph.initializers_to_constants(lambda name: name == tensor.name)
        node = onnx.helper.make_node("Constant", [], [tensor.name], value=tensor)
        kept = [each for each in proto.graph.initializer if each.name != tensor.name]
        proto.graph.node.insert(0, node)
        del proto.graph.initializer[:]
        proto.graph.initializer.extend(kept)


def name_dimensions(graph, proto, rng):
    names = {name for value in (*graph.inputs, *graph.outputs) for name in value.shape or ()}
    names = sorted(each for each in names if isinstance(each, str))
    if names:
        name, new = rng.choice(names), f"length {rng.random()}"
        graph.set_dimensions({name: new})
        for body in bodies(proto.graph):
            for info in (*body.input, *body.output, *body.value_info):
                for each in info.type.tensor_type.shape.dim:
                    if each.dim_param == name:
                        each.dim_param = new


EDITS = [rename, rename_a_node, insert, show_a_value, scale_weights]
EDITS += [constants_out, constant_in, name_dimensions]


# --- the models that come of it -------------------------------------------------------------------

HEIGHTS = {"ch_PP-OCRv4_rec_infer.onnx": 48}  # of pictures


def feed_of(session, name, rng):
    """Numbers of the kinds that clients give a network."""
    feed = {}
    for value in session.get_inputs():
        lengths = {2: [1, 576], 4: [1, 3, HEIGHTS.get(name, 320), 320]}
        free = lengths.get(len(value.shape), [1, 1, 1])
        pairs = zip(value.shape, free, strict=False)
        shape = [each if isinstance(each, int) else other for each, other in pairs]
        if value.type == "tensor(int64)":
            feed[value.name] = np.full(shape, 16000, np.int64)
        elif value.type == "tensor(int32)":
            feed[value.name] = rng.integers(0, 256, shape, np.int32)
        else:
            feed[value.name] = rng.random(shape, np.float32)
    return feed


def run(content, name):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = 1, 3
    session = onnxruntime.InferenceSession(content, options)
    return session.run(None, feed_of(session, name, np.random.default_rng(5)))


@pytest.mark.parametrize("path", NETWORKS, ids=lambda path: path.name)
def test_edits_of_a_network_make_what_onnx_makes(path):
    graph, proto = ort.Graph(path), onnx.load(path)
    rng = random.Random(path.name)
    for _ in range(EDITS_OF_A_NETWORK):
        rng.choice(EDITS)(graph, proto, rng)
    written = graph.to_bytes()
    expected = onnx.ModelProto.FromString(proto.SerializeToString())
    assert onnx.load_from_string(written) == expected
    outputs = run(written, path.name), run(expected.SerializeToString(), path.name)
    for ours, theirs in zip(*outputs, strict=True):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("path", NETWORKS, ids=lambda path: path.name)
def test_edits_that_change_no_number_change_none(path):
    graph, rng = ort.Graph(path), random.Random(path.name)
    proto = onnx.load(path)
    for _ in range(EDITS_OF_A_NETWORK):
        rng.choice([rename, rename_a_node, insert, constants_out])(graph, proto, rng)
    graph.infer_shapes()
    graph.remove_unused()
    graph.sort()
    outputs = run(graph.to_bytes(), path.name), run(path.read_bytes(), path.name)
    for ours, theirs in zip(*outputs, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6)
