# SPDX-License-Identifier: MIT
"""Inputs that are maps: dicts of numbers."""

import numpy as np
import pytest
from support.graphs import parsed

pytest.importorskip("onnx")

OPSETS = '"": 13, "ai.onnx.ml": 2'
CPU = ["CPUExecutionProvider"]


@pytest.fixture
def session(onnxruntime):
    """Y = the values of a map X of int64 to float, in the order of the keys 0, 1 and 2."""
    vectorizer = "ai.onnx.ml.DictVectorizer <int64_vocabulary = [0, 1, 2]>"
    graph = f"values (map(int64, float) X) => (float[1, 3] Y) {{ Y = {vectorizer} (X) }}"
    session = onnxruntime.InferenceSession(parsed(graph, OPSETS), providers=CPU)
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
    vectorizer = 'ai.onnx.ml.DictVectorizer <string_vocabulary = ["a"]>'
    graph = f"g (map(string, {kind}) X) => ({kind}[1, 1] Y) {{ Y = {vectorizer} (X) }}"
    return package.InferenceSession(parsed(graph, OPSETS), providers=CPU)


@pytest.mark.parametrize(
    ("kind", "x", "message"),
    [
        ("int64", {"a": "one"}, "Unexpected value type  <class 'str'>"),
        # The official package takes it for infinity.
        ("float", {"a": 1e300}, "input 'X': one of values is too large for float32"),
        ("float", {"\udc80": 1}, "input 'X': .*lone surrogate"),
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
    session = session_for_maps(onnxruntime, "int64")
    with pytest.raises(state.InvalidArgument, match="Unexpected input data type"):
        session.run(None, {"X": x})
    vars(session).clear()


def test_the_drop_in_makes_a_map_of_the_models_types():
    from ortcffi import compat

    session = session_for_maps(compat, "int64")
    assert session.run(None, {"X": {"a": 1 << 40}})[0].tolist() == [[1 << 40]]
    vars(session).clear()


@pytest.mark.parametrize("onnxruntime", ["compat"], indirect=True)  # officially a kernel may crash
def test_none_is_no_map(session):
    with pytest.raises(RuntimeError, match="Unable to handle object of type <class 'NoneType'>"):
        session.run(None, {"X": None})
