# SPDX-License-Identifier: MIT
"""Where the weights of compiled models go: to the model, to a file, or to a function."""

import numpy as np
import pytest
from support.graphs import graph_of, parsed
from support.releases import needs_release

import ortcffi as ort

pytestmark = needs_release(31, "functions for the data of compiled models")


PARTS = ("; ", "y{x} = Mul x {x}"), (", ", "y{x} f4[25]")


@pytest.mark.parametrize(
    ("settings", "multiples"),
    [
        ({}, (1, 1)),
        ({"external_alignment": 0}, (1, 1)),
        ({"external_alignment": 64}, (64, 64)),
        ({"external_alignment": 64, "external_alignment_threshold": 100}, (1, 64)),
        ({"external_alignment": 16384}, (16384, 16384)),
    ],
)
@pytest.mark.parametrize("as_file", [True, False])
def test_external_initializers_are_packed_or_aligned(api, tmp_path, settings, multiples, as_file):
    weights = {x: np.arange(25 if x in "ac" else 1, dtype=np.float32) for x in "abcd"}
    nodes, outputs = (sep.join(each.format(x=x) for x in "abcd") for sep, each in PARTS)
    graph = graph_of("x f4[25]", nodes, outputs, **weights)
    target, taken = tmp_path / "out.onnx", []
    where = {"external_initializers": "w.bin", "external_threshold": 0, **settings}
    if not as_file:
        where["external_output"] = taken.append
    ort.compile_model(graph.to_bytes(), target, api=api, **where)
    if not as_file:
        (tmp_path / "w.bin").write_bytes(taken[0])
    size, end = (tmp_path / "w.bin").stat().st_size, 0
    onnx = pytest.importorskip("onnx")
    written = onnx.load(target, load_external_data=False).graph.initializer
    places = [{each.key: each.value for each in tensor.external_data} for tensor in written]
    for offset, length in sorted((int(each["offset"]), int(each["length"])) for each in places):
        multiple = multiples[length >= 100]
        end += -end % multiple
        assert offset == end
        end += length
    assert size == end
    with ort.Model.load(target) as read:
        assert read.graph.initializers["c"][24] == 24


NUMBERS = {  # element types that are stored in each of the fields
    "FLOAT": np.float32,
    "DOUBLE": np.float64,
    "INT64": np.int64,
    "UINT64": np.uint64,
    "FLOAT16": np.float16,
    "BOOL": np.bool_,
}


def test_numbers_in_fields_of_their_types_go_to_the_file_as_well(api, tmp_path):
    onnx = pytest.importorskip("onnx")
    tensors = [onnx.helper.make_tensor("texts", onnx.TensorProto.STRING, [2], [b"a", b"b"])]
    for name in NUMBERS:
        kind = getattr(onnx.TensorProto, name)
        tensors.append(onnx.helper.make_tensor(name, kind, [200], [n % 2 for n in range(200)]))
    graph = identities(onnx, tensors)
    target = tmp_path / "out.onnx"
    ort.compile_model(graph, target, external_initializers="w.bin", external_threshold=200, api=api)
    written = onnx.load(target, load_external_data=False).graph.initializer
    assert {each.name for each in written if each.external_data} == set(NUMBERS)
    assert all(each.ByteSize() < 200 for each in written)
    with ort.Model.load(target) as read:
        for name, dtype in NUMBERS.items():
            found = read.graph.initializers[name]
            assert found.dtype == dtype
            assert found.tolist() == [n % 2 for n in range(200)]


def test_empty_tensors_need_no_file(api, real_api, tmp_path):
    onnx = pytest.importorskip("onnx")
    empty = onnx.numpy_helper.from_array(np.zeros(0, np.float32), "raw")
    typed = onnx.helper.make_tensor("typed", onnx.TensorProto.FLOAT, [0], [])
    graph = identities(onnx, [empty, typed])
    target = tmp_path / "out.onnx"
    ort.compile_model(graph, target, external_initializers="w.bin", external_threshold=0, api=api)
    assert [path.name for path in tmp_path.iterdir()] == ["out.onnx"]
    with ort.Session(target, api=real_api) as session:
        assert [output.tolist() for output in session.run({})] == [[], []]


def identities(onnx, tensors) -> bytes:
    """A model whose outputs are its initializers."""
    helper = onnx.helper
    nodes = [helper.make_node("Identity", [each.name], [f"y_{each.name}"]) for each in tensors]
    outputs = [
        helper.make_tensor_value_info(f"y_{each.name}", each.data_type, each.dims)
        for each in tensors
    ]
    graph = helper.make_graph(nodes, "graph", [], outputs, tensors)
    opsets = [helper.make_opsetid("", 21)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=10).SerializeToString()


SCATTERED = """scattered (float[3] x, bool which) => (float[3] y)
<float[3] w = {5, 6, 7}, float[3] listed = {1, 2, 3}> {
    a = Add(x, w)
    k = Constant <value = float[3] {3, 3, 3}> ()
    b = Mul(a, k)
    c = Add(b, listed)
    d = If(which) <
        then_branch = yes () => (float[3] t) <float[3] yes = {10, 10, 10}> { t = Add(x, yes) },
        else_branch = no () => (float[3] t) <float[3] no = {20, 20, 20}> { t = Add(x, no) }
    >
    y = Add(c, d)
}"""


@pytest.fixture
def scattered(tmp_path):
    """A model with weights in a file, in fields of numbers, in a node Constant and in subgraphs."""
    onnx = pytest.importorskip("onnx")
    model = onnx.load_from_string(parsed(SCATTERED, '"": 20', 10))
    w = model.graph.initializer[0]
    w.raw_data = onnx.numpy_helper.to_array(w).tobytes()
    w.ClearField("float_data")
    (tmp_path / "in.bin").write_bytes(bytes(4) + w.raw_data)
    onnx.external_data_helper.set_external_data(w, "in.bin", 4, 12)
    w.ClearField("raw_data")
    path = tmp_path / "in.onnx"
    path.write_bytes(model.SerializeToString())
    return path


def test_a_function_stores_weights_wherever_they_are(api, real_api, scattered, tmp_path):
    seen = {}

    def store(name, value, where):
        assert (value.shape, value.readonly) == ((3,), True)
        seen[name] = (value.numpy().tolist(), where)
        if name == "yes":
            return where
        with open(tmp_path / "out.bin", "ab") as file:
            offset = file.tell()
            file.write(value.numpy().tobytes())
        return ort.StoredAt("out.bin", offset, value.nbytes)

    target = tmp_path / "out.onnx"
    ort.compile_model(scattered, target, external_initializers=store, api=api)
    assert seen == {
        "w": ([5, 6, 7], ort.StoredAt("in.bin", 4, 12)),
        "k": ([3, 3, 3], None),
        "listed": ([1, 2, 3], None),
        "yes": ([10, 10, 10], None),
        "no": ([20, 20, 20], None),
    }
    assert (tmp_path / "out.bin").stat().st_size == 4 * 12
    (tmp_path / "in.bin").unlink()
    with ort.Session(target, api=real_api) as session:
        given = {"x": np.zeros(3, np.float32), "which": np.array(False)}
        assert session.run(given)[0].tolist() == [36, 40, 44]


def test_the_function_is_not_asked_for_strings(core_api):
    """On the core: ONNX Runtime asks, and writes a model that it does not open."""
    graph = graph_of("", "y = Identity words", "y str[2]", words=np.array(["one", "two"]))
    made = ort.compile_model(graph.to_bytes(), external_initializers=pytest.fail, api=core_api)
    with ort.Model.load(made) as read:
        assert read.graph.initializers["words"].tolist() == ["one", "two"]


def test_the_function_may_leave_weights_where_they_are(api, scattered, tmp_path):
    onnx = pytest.importorskip("onnx")
    target = tmp_path / "out.onnx"
    ort.compile_model(
        scattered, target, external_initializers=lambda _name, _value, where: where, api=api
    )
    written = {each.name: each for each in onnx.load(target).graph.initializer}
    assert onnx.numpy_helper.to_array(written["w"]).tolist() == [5, 6, 7]
    assert (tmp_path / "in.bin").exists()
    ort.compile_model(scattered, target, external_initializers=lambda *_: None, api=api)
    (tmp_path / "in.bin").unlink()
    written = {each.name: each for each in onnx.load(target).graph.initializer}
    assert onnx.numpy_helper.to_array(written["w"]).tolist() == [5, 6, 7]
