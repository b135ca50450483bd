# SPDX-License-Identifier: MIT
"""Models read without another package, compared with what the package onnx reads."""

from pathlib import Path

import numpy as np
import pytest
from support.graphs import parsed
from support.node_models import node_models, of_each_kind

import ortcffi as ort

onnx = pytest.importorskip("onnx")
helper, numpy_helper = onnx.helper, onnx.numpy_helper

DATA = Path(onnx.__file__).parent / "backend/test/data"
FILES = sorted(DATA.glob("*/*/model.onnx")) + sorted(DATA.glob("light/*.onnx"))


def compare_graph(graph, expected):
    assert graph.name == expected.name
    assert [each.name for each in graph.inputs] == [each.name for each in expected.input]
    assert [each.name for each in graph.outputs] == [each.name for each in expected.output]
    names = [each.name for each in expected.initializer]
    names += [each.values.name for each in expected.sparse_initializer]
    assert list(graph.initializers) == names
    for each in expected.initializer:
        compare_arrays(graph.initializers[each.name], each)
    for side, infos in ((graph.inputs, expected.input), (graph.outputs, expected.output)):
        for value, info in zip(side, infos, strict=True):
            compare_type(value, info.type)
    compare_nodes(graph.nodes, expected.node)


def compare_nodes(nodes, expected):
    """The nodes may be in another order, if those of the file are not sorted."""
    assert len(nodes) == len(expected)
    for node, other in zip(nodes, expected, strict=True):
        assert (node.op_type, node.name) == (other.op_type, other.name)
        assert node.domain == ("" if other.domain == "ai.onnx" else other.domain)
        assert (node.inputs, node.outputs) == (tuple(other.input), tuple(other.output))
        attributes = node.attributes
        assert list(attributes) == [each.name for each in other.attribute]
        for each in other.attribute:
            compare_attribute(attributes[each.name], each)


KINDS = onnx.AttributeProto


def compare_attribute(value, expected):
    if expected.ref_attr_name:
        assert value is None
    elif expected.type == KINDS.GRAPH:
        compare_graph(value, expected.g)
    elif expected.type == KINDS.TENSOR:
        compare_arrays(value, expected.t)
    elif expected.type in (KINDS.TYPE_PROTO, KINDS.SPARSE_TENSOR):
        assert value is None
    else:
        found = helper.get_attribute_value(expected)
        if expected.type == KINDS.STRING:
            found = found.decode()
        elif expected.type == KINDS.STRINGS:
            found = [each.decode() for each in found]
        assert value == (found if isinstance(found, (int, float, str)) else list(found))


def compare_arrays(found, expected):
    array = numpy_helper.to_array(expected)
    if isinstance(found, ort.Value):
        found = found.numpy()
    assert found.shape == array.shape
    if found.dtype == object:
        assert [*map(str, found.ravel())] == [
            each.decode() if isinstance(each, bytes) else str(each) for each in array.ravel()
        ]
    elif found.dtype == array.dtype:
        assert found.tobytes() == array.tobytes()


def compare_type(value, expected):
    if not expected.WhichOneof("value"):
        assert value.type is None
    elif expected.HasField("tensor_type"):
        name = onnx.TensorProto.DataType.Name(expected.tensor_type.elem_type)
        assert value.element_type.name == name
        if not expected.tensor_type.HasField("shape"):
            assert value.shape is None
            return
        dimensions = expected.tensor_type.shape.dim
        assert value.shape == tuple(
            each.dim_value if each.HasField("dim_value") else each.dim_param or None
            for each in dimensions
        )
    else:
        kind = expected.WhichOneof("value").removesuffix("_type")
        assert value.type.kind.name == {"sparse_tensor": "SPARSE"}.get(kind, kind.upper())


def compare(model, expected):
    compare_graph(model.graph, expected.graph)
    assert model.ir_version == expected.ir_version
    assert model.opsets == {
        "" if each.domain == "ai.onnx" else each.domain: each.version
        for each in expected.opset_import
    }
    assert model.metadata.producer_name == expected.producer_name
    for function, other in zip(model.functions, expected.functions, strict=True):
        assert (function.domain, function.name) == (other.domain, other.name)
        defaults = [each.name for each in other.attribute_proto]
        assert function.attributes == (*other.attribute, *defaults)
        compare_nodes(function.graph.nodes, other.node)


def test_every_model_in_the_files_of_onnx_is_read_as_onnx_reads_it():
    assert len(FILES) > 100
    for path in FILES:
        with ort.Model.load(path) as model:
            compare(model, onnx.load(path))


def graph_with(nodes=(), inputs=(), outputs=(), tensors=()):
    """What is read of a graph that the package onnx makes."""
    graph = helper.make_graph(nodes, "g", inputs, outputs, tensors)
    return ort.Model.load(helper.make_model(graph, ir_version=10).SerializeToString()).graph


BODY = """g (float[2] x, bool[2] c) => (float[2] w) { y, z = my.F(x, c) w = Softmax(y) }
<domain: "my", opset_import: ["ai.onnx": 11, "other": 3]> F (a, c) => (b, d) {
    b = Softmax(a)
    d = If(c) <then_branch = one () => (float b) { b = Softmax(a) },
        else_branch = two () => (float b) { b = Softmax(a) }>
}"""


def test_the_body_of_a_function_has_the_operators_of_its_own_versions():
    model = ort.Model.load(parsed(BODY, '"": 21, "my": 1', 10))
    (body,) = model.functions
    first, inner = body.graph.nodes[0], body.graph.nodes[1].attributes["then_branch"]
    assert body.opsets == body.graph.opsets == inner.opsets == {"": 11, "other": 3}
    assert (first.since_version, inner.nodes[0].since_version) == (11, 11)
    assert model.graph.opsets == {"": 21, "my": 1}
    assert [node.since_version for node in model.graph.nodes] == [None, 13]


def test_initializers_of_few_bits_are_unpacked():
    quarter = helper.make_tensor("q", onnx.TensorProto.UINT4, [3], [1, 15, 3])
    node = helper.make_node("Constant", [], ["c"], value=quarter)
    outputs = [helper.make_tensor_value_info("c", onnx.TensorProto.UINT4, [3])]
    read = graph_with([node], [], outputs, [quarter])
    for array in (read.initializers["q"], read.nodes[0].attributes["value"]):
        assert array.tolist() == [1, 15, 3]
        assert not array.flags.writeable


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
@pytest.mark.parametrize("raw", [True, False])
def test_weights_of_complex_numbers_are_read(dtype, raw):
    weights = np.array([1 + 2j, 3 - 4j], dtype)
    tensor = onnx.numpy_helper.from_array(weights, "w")
    if not raw:
        numbers = [1, 2, 3, -4]
        field = "float_data" if dtype is np.complex64 else "double_data"
        tensor = onnx.TensorProto(
            name="w", data_type=tensor.data_type, dims=[2], **{field: numbers}
        )
    read = graph_with(tensors=[tensor]).initializers["w"]
    assert (read.dtype, read.tolist()) == (dtype, weights.tolist())


@pytest.mark.parametrize("shape", [(0, 1 << 62, 1 << 62), (1,) * 70], ids=["large", "deep"])
def test_a_tensor_that_is_no_array_is_a_value(shape):
    tensor = onnx.TensorProto(
        name="w", data_type=1, dims=shape, raw_data=b"\0" * 4 * (0 not in shape)
    )
    assert graph_with(tensors=[tensor]).initializers["w"].shape == shape


def test_functions_keep_the_model():
    with ort.Model.load(parsed(CALLS, '"": 17, "l": 1')) as model:
        (function,) = model.functions
    assert repr(function) == "<ModelFunction l.f>"
    assert [node.op_type for node in function.graph.nodes] == ["Add"]


CALLS = """g (float[2] x) => (float[2] y) { y = l.f(x) }
<domain: "l", opset_import: ["": 17]> f (a) => (b) { b = Add(a, a) }"""


def test_attributes_of_all_kinds_and_lengths_are_read():
    words = ["", "a" * 300, "b"]
    given = {"one": -1, "many": [*range(-2, 98)], "half": 0.5, "halves": [0.5] * 90}
    node = helper.make_node("Op", [], ["y"], domain="my", word=words[1], words=words, **given)
    node.attribute.append(helper.make_attribute("bytes", b"\xff\0"))
    node.attribute.append(helper.make_attribute("mixed", [b"\xff", b"a"]))
    node.attribute.append(helper.make_attribute("none", [], attr_type=KINDS.INTS))
    node.attribute.append(helper.make_attribute("kind", helper.make_tensor_type_proto(1, [2])))
    graph = helper.make_graph([node], "g", [], [helper.make_tensor_value_info("y", 1, [2])])
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("my", 1)], ir_version=10)

    (found,) = ort.Model.load(made.SerializeToString()).graph.nodes
    other = {"bytes": b"\xff", "mixed": [b"\xff", "a"], "none": [], "kind": None}
    assert found.attributes == {"word": words[1], "words": words, **given, **other}


def test_a_type_that_the_api_does_not_have_is_unknown():
    value = onnx.ValueInfoProto(name="x")
    opaque = b"\x3a\x06\x0a\x01d\x12\x01n"  # opaque(d, n), which releases of onnx may lack
    for content in (b"", opaque):
        value.type.Clear()
        value.type.MergeFromString(content)
        node = helper.make_node("Identity", ["x"], ["y"])
        outputs = [helper.make_tensor_value_info("y", 1, [])]
        (found,) = graph_with([node], [value], outputs).inputs
        assert (found.type, found.element_type, found.shape) == (None, None, None)
        assert repr(found) == "<ModelValue x: unknown>"


def test_every_operator_of_onnx_is_read_as_onnx_reads_it():
    count = 0
    for path, expected in of_each_kind(node_models()):
        count += 1
        with ort.Model.load(path) as model:
            compare(model, expected)
    assert count > 500
