# SPDX-License-Identifier: MIT
"""Inputs that are maps: dicts of numbers."""

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")

CPU = ["CPUExecutionProvider"]


@pytest.fixture
def session(onnxruntime):
    """Y = the values of a map X of int64 to float, in the order of the keys 0, 1 and 2."""
    helper = onnx.helper
    numbers = helper.make_tensor_type_proto(onnx.TensorProto.FLOAT, None)
    x = helper.make_value_info("X", helper.make_map_type_proto(onnx.TensorProto.INT64, numbers))
    y = helper.make_tensor_value_info("Y", onnx.TensorProto.FLOAT, [1, 3])
    node = helper.make_node(
        "DictVectorizer", ["X"], ["Y"], domain="ai.onnx.ml", int64_vocabulary=[0, 1, 2]
    )
    graph = helper.make_graph([node], "values", [x], [y])
    opsets = [helper.make_opsetid("", 13), helper.make_opsetid("ai.onnx.ml", 2)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=8)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=CPU)
    yield session
    vars(session).clear()


@pytest.mark.parametrize(
    "x",
    [
        {0: 1.0, 2: 3.0},
        {np.int32(0): np.float64(1), np.int64(2): np.float32(3)},
        {0: np.float32(1), 2: np.float32(3)},
        {0: 1, 2: 3},
        {0: np.array(1, np.float32), 2: np.array(3)},
    ],
)
def test_a_dict_of_numbers_is_a_map(session, x):
    assert session.run(None, {"X": x})[0].tolist() == [[1, 0, 3]]


@pytest.mark.parametrize(
    ("x", "message"),
    [
        ({}, "Size of dictionary is empty"),
        (
            {0: 1.0, "a": 2.0},
            r"Unexpected key type  <class 'str'>, .* C type int64_t for input 'X'",
        ),
        ({0: "one"}, r"Unexpected value type  <class 'str'>, .* for input 'X'"),
        ({0: 1.0, 1: None}, r"Unexpected value type  <class 'NoneType'>"),
        ({1.5: 1.0}, r"Unexpected key type  <class 'float'>"),
        ({None: 1.0}, r"Key type must be int or string \(not <class 'NoneType'>\) for input 'X'"),
    ],
)
def test_what_is_no_map_of_the_models_type_is_a_runtime_error(session, x, message):
    with pytest.raises(RuntimeError, match=message):
        session.run(None, {"X": x})


def session_for_maps(package, kind):
    """A session whose input is a map of str to numbers of a kind."""
    helper = onnx.helper
    numbers = helper.make_tensor_type_proto(kind, None)
    x = helper.make_value_info("X", helper.make_map_type_proto(onnx.TensorProto.STRING, numbers))
    y = helper.make_tensor_value_info("Y", kind, [1, 1])
    domain = "ai.onnx.ml"
    node = helper.make_node("DictVectorizer", ["X"], ["Y"], domain=domain, string_vocabulary=["a"])
    opsets = [helper.make_opsetid("", 13), helper.make_opsetid(domain, 2)]
    model = helper.make_model(
        helper.make_graph([node], "g", [x], [y]), opset_imports=opsets, ir_version=8
    )
    return package.InferenceSession(model.SerializeToString(), providers=CPU)


@pytest.mark.parametrize(
    ("kind", "x", "message"),
    [
        (onnx.TensorProto.INT64, {"a": "one"}, "Unexpected value type  <class 'str'>"),
        # The official package takes it for infinity.
        (onnx.TensorProto.FLOAT, {"a": 1e300}, "input 'X': one of values is too large for float32"),
        (onnx.TensorProto.FLOAT, {"\udc80": 1}, "input 'X': .*lone surrogate"),
    ],
)
def test_what_is_wrong_with_a_map_is_named(kind, x, message):
    from ortcffi import compat

    session = session_for_maps(compat, kind)
    with pytest.raises(RuntimeError, match=message):
        session.run(None, {"X": x})
    vars(session).clear()


@pytest.mark.parametrize("x", [{"a": 1.5}, {"a": np.float32(1)}, {"a": 1 << 70}, {0: 1.5}])
def test_a_map_of_other_types_than_the_models_is_refused_by_the_library(onnxruntime, state, x):
    session = session_for_maps(onnxruntime, onnx.TensorProto.INT64)
    with pytest.raises(state.InvalidArgument, match="Unexpected input data type"):
        session.run(None, {"X": x})
    vars(session).clear()


def test_the_drop_in_makes_a_map_of_the_models_types():
    from ortcffi import compat

    session = session_for_maps(compat, onnx.TensorProto.INT64)
    assert session.run(None, {"X": {"a": 1 << 40}})[0].tolist() == [[1 << 40]]
    vars(session).clear()


@pytest.mark.parametrize("onnxruntime", ["compat"], indirect=True)  # officially a kernel may crash
def test_none_is_no_map(session):
    with pytest.raises(RuntimeError, match="Unable to handle object of type <class 'NoneType'>"):
        session.run(None, {"X": None})
