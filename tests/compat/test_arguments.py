# SPDX-License-Identifier: MIT
"""Arguments that the official package takes or refuses, where a `Session` would not do the same."""

import numpy as np
import pytest
from support.graphs import graph_of

X = np.array([[1, 2], [3, 4], [5, 6]], np.float32)
CPU = ["CPUExecutionProvider"]


# --- arrays ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "x",
    [np.ma.array(X, mask=X > 3), X.view(np.recarray), X.view(np.matrix)],
    ids=["masked", "records", "matrix"],
)
def test_other_kinds_of_arrays_are_their_memory(session, x):
    np.testing.assert_array_equal(session.run(None, {"X": x})[0], X * X)


@pytest.mark.parametrize("make", ["ortvalue_from_numpy", "ortvalue_from_numpy_with_onnx_type"])
def test_a_value_of_an_array_without_dimensions_has_none(onnxruntime, make):
    arguments = (np.array(5, np.int64), *([7] if make.endswith("type") else []))
    value = getattr(onnxruntime.OrtValue, make)(*arguments)
    assert value.shape() == []
    assert value.numpy().shape == ()
    assert value.numpy() == 5
    value.name = "mine"  # programs give values attributes
    assert value.name == "mine"


# --- options --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("given", "expected"), [(1, True), (0, False), (None, False), (2.5, True)])
def test_what_is_true_or_false_sets_a_switch(onnxruntime, given, expected):
    options = onnxruntime.SessionOptions()
    options.enable_mem_pattern = given
    assert options.enable_mem_pattern is expected


def test_the_cpu_has_no_options(onnxruntime, squares):
    session = onnxruntime.InferenceSession(squares, providers=[(CPU[0], {"key": "value"})])
    assert session.get_provider_options() == {CPU[0]: {}}


@pytest.mark.parametrize(("switch", "threads"), [("0", 0), ("1", 2)])
def test_options_in_a_model_count_where_the_environment_says_so(
    onnxruntime, squares, monkeypatch, switch, threads
):
    onnx = pytest.importorskip("onnx")
    model = onnx.load_model_from_string(squares)
    config = '{"session_options": {"intra_op_num_threads": 2}}'
    onnx.helper.set_model_props(model, {"ort_config": config})
    monkeypatch.setenv("ORT_LOAD_CONFIG_FROM_MODEL", switch)
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), read_config_from_model=1, providers=CPU
    )
    assert session.get_session_options().intra_op_num_threads == threads


def test_elements_that_share_bytes_in_a_tensor_are_copied():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    from ortcffi import compat

    graph = graph_of("X int4[3]", "Y = Cast(to=1) X", "Y f4[3]")
    session = compat.InferenceSession(graph.to_bytes(), providers=CPU)
    x = np.array([1, -2, 7], ml_dtypes.int4)
    assert session.run(None, {"X": x})[0].tolist() == [1, -2, 7]
    options = compat.RunOptions()
    assert session._sess.run(["Y"], {"X": x}, options)[0].tolist() == [1, -2, 7]


# --- names ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [b"Y", bytearray(b"Y")])
def test_the_name_of_an_output_may_be_bytes(onnxruntime, session, name):
    np.testing.assert_array_equal(session.run([name], {"X": X})[0], X * X)
    value = onnxruntime.OrtValue.ortvalue_from_numpy(X)
    (y,) = session.run_with_ort_values([name], {"X": value})
    np.testing.assert_array_equal(y.numpy(), X * X)


def test_names_of_inputs_and_of_what_is_bound_may_be_bytes(session):
    (y,) = session._sess.run([b"Y"], {b"X": X}, None)
    np.testing.assert_array_equal(y, X * X)
    binding = session.io_binding()
    binding.bind_cpu_input(b"X", X)
    binding.bind_output(b"Y")
    session.run_with_iobinding(binding)
    np.testing.assert_array_equal(binding.copy_outputs_to_cpu()[0], X * X)


# --- enums ----------------------------------------------------------------------------------------


def test_members_of_enums_are_true_and_have_their_names(onnxruntime):
    level, flags = onnxruntime.GraphOptimizationLevel, onnxruntime.OrtCompileApiFlags
    assert level.ORT_DISABLE_ALL
    assert flags.NONE
    assert f"{flags.ERROR_IF_NO_NODES_COMPILED}" == "OrtCompileApiFlags.ERROR_IF_NO_NODES_COMPILED"
    assert level(0) == level.ORT_DISABLE_ALL


def test_any_number_is_a_member_without_a_name(onnxruntime):
    flags = onnxruntime.OrtCompileApiFlags
    both = flags.ERROR_IF_NO_NODES_COMPILED | flags.ERROR_IF_OUTPUT_FILE_EXISTS
    assert (int(flags(both)), flags(both).name, str(flags(both))) == (
        3,
        "???",
        "OrtCompileApiFlags.???",
    )


# --- bindings -------------------------------------------------------------------------------------


def test_in_the_next_run_values_of_outputs_change_and_copies_do_not(session):
    binding, copies, values = session.io_binding(), [], []
    binding.bind_output("Y")
    for x in (X, 2 * X):
        binding.bind_cpu_input("X", x)
        session.run_with_iobinding(binding)
        copies += binding.copy_outputs_to_cpu()
        values = [*values, *binding.get_outputs()]
    np.testing.assert_array_equal(copies[0], X * X)
    np.testing.assert_array_equal(copies[1], 4 * X * X)
    np.testing.assert_array_equal(values[0].numpy(), 4 * X * X)


def test_the_metadata_of_a_session_does_not_change_with_what_was_asked_for(session):
    session.get_modelmeta().custom_metadata_map["key"] = "value"
    assert session.get_modelmeta().custom_metadata_map == {}
