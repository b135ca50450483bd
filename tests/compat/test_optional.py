# SPDX-License-Identifier: MIT
"""Optionals and sequences, in the official package, the drop-in, and a session itself."""

import numpy as np
import pytest
from support import models
from support.graphs import parsed
from support.paths import finds_support
from support.prepared import printed_by

onnx = pytest.importorskip("onnx")
CPU = ["CPUExecutionProvider"]
X = [np.array([1, 2, 3], np.float32)]


@pytest.fixture
def model() -> bytes:
    """Y = X, an optional sequence of float [3]."""
    kind = "optional(seq(float[3]))"
    return parsed(f"g ({kind} X) => ({kind} Y) {{ Y = Identity(X) }}")


def test_an_optional_sequence_goes_in_and_comes_out_or_is_left_out(onnxruntime, model):
    session = onnxruntime.InferenceSession(model, providers=CPU)
    assert session.get_inputs()[0].type == "optional(seq(tensor(float)))"
    ((found,),) = session.run(["Y"], {"X": X})
    np.testing.assert_array_equal(found, X[0])
    assert session.run(None, {}) == [None]
    (value,) = session.run_with_ort_values(None, {})
    assert not value.has_value()


def test_an_optional_tensor_has_a_shape(onnxruntime):
    kind = models.optional_type(models.tensor_type("float32", ["n", 3]))
    node = models.node("OptionalHasElement", "x", "y")
    ports = [models.value_info("x", kind)], [models.value("y", "bool", [])]
    session = onnxruntime.InferenceSession(models.model([node], *ports), providers=CPU)
    assert session.get_inputs()[0].shape == ["n", 3]


def test_a_run_of_plain_outputs_takes_an_empty_sequence(onnxruntime):
    kind = models.sequence_type(models.tensor_type("float32"))
    node = models.node("SequenceLength", "X", "Y")
    ports = [models.value_info("X", kind)], [models.value("Y", "int64", [])]
    session = onnxruntime.InferenceSession(models.model([node], *ports), providers=CPU)
    assert session.run(None, {"X": []}) == [0]


@pytest.fixture
def sequence(onnxruntime):
    """A sequence of tensors, as a value."""
    kind = models.sequence_type(models.tensor_type("float32"))
    node = models.node("SequenceConstruct", "x x", "y")
    ports = [models.value("x", shape=["n"])], [models.value_info("y", kind)]
    session = onnxruntime.InferenceSession(models.model([node], *ports), providers=CPU)
    x = onnxruntime.OrtValue.ortvalue_from_numpy(X[0])
    return session.run_with_ort_values(None, {"x": x})[0]


def test_a_sequence_has_the_element_type_of_its_tensors_and_no_memory_of_its_own(sequence):
    assert sequence.element_type() == onnx.TensorProto.FLOAT
    for method in ("device_name", "data_ptr", "tensor_size_in_bytes", "shape"):
        with pytest.raises(RuntimeError):
            getattr(sequence, method)()


@pytest.mark.parametrize("given", [None, X[0]])
def test_an_input_without_a_name_takes_nothing(onnxruntime, given):
    x, nothing, y = (models.value(name, shape=[3]) for name in ("X", "", "Y"))
    clip = models.node("Clip", ["X", ""], "Y")
    model = models.model([clip], [x, nothing], [y], opset=18)
    session = onnxruntime.InferenceSession(model, providers=CPU)
    (y,) = session.run(None, {"X": X[0], "": given})
    np.testing.assert_array_equal(y, X[0])


# In a process, because what custom_op_library registers stays. Takes a second.
FAILING = '''
import numpy as np, ortcffi as ort, ortcffi.compat as compat
from support.graphs import parsed

calls = []


@ort.custom_op("of.test", inputs=["f4"], outputs=["f4"])
def fails(x):
    calls.append(x)
    raise ValueError("always")


model = parsed("""g (float[n] x, optional(float[n]) o) => (float[n] y, bool has)
    { y = of.test.fails(x) has = OptionalHasElement(o) }""", '"": 18, "of.test": 1')
options = compat.SessionOptions()
options.register_custom_ops_library(ort.custom_op_library())
session = compat.InferenceSession(model, options)
feed = {"x": np.ones(2, np.float32), "o": None}
for run_options in (None, compat.RunOptions()):
    try:
        session.run(None, feed, run_options)
    except compat.capi.onnxruntime_pybind11_state.InvalidArgument as error:
        print("always" in str(error), len(calls))
'''


def test_a_run_that_fails_after_none_for_an_optional_input_is_not_repeated():
    assert printed_by(FAILING, **finds_support()).splitlines() == ["True 1", "True 2"]
