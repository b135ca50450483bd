# SPDX-License-Identifier: MIT
"""Arguments that the official package takes or refuses, where a `Session` would not do the same."""

import numpy as np
import pytest

import ortcffi as ort

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


@pytest.mark.parametrize("dtype", ["c8", "M8[s]", "m8[s]", np.longdouble])
def test_a_dtype_that_no_tensor_has_is_a_runtime_error(session, dtype):
    number = np.dtype(dtype).num
    with pytest.raises(RuntimeError, match=f"Numpy_type {number} can't be converted"):
        session.run(None, {"X": X.astype(dtype)})


@pytest.mark.parametrize("dtype", ["c8", np.longdouble])
def test_a_value_of_such_a_dtype_is_a_runtime_error(onnxruntime, dtype):
    number = np.dtype(dtype).num
    with pytest.raises(RuntimeError, match=f"Numpy_type {number} can't be converted"):
        onnxruntime.OrtValue.ortvalue_from_numpy(X.astype(dtype))


@pytest.mark.parametrize("make", ["ortvalue_from_numpy", "ortvalue_from_numpy_with_onnx_type"])
def test_a_value_of_an_array_without_dimensions_has_none(onnxruntime, make):
    arguments = (np.array(5, np.int64), *([7] if make.endswith("type") else []))
    value = getattr(onnxruntime.OrtValue, make)(*arguments)
    assert value.shape() == []
    assert value.numpy().shape == ()
    assert value.numpy() == 5


@pytest.mark.parametrize(("x", "kind"), [(X.T, RuntimeError), (5, TypeError)])
def test_what_has_no_capsule_of_a_plain_array_is_refused(onnxruntime, x, kind):
    with pytest.raises(kind):
        onnxruntime.OrtValue.from_dlpack(x)


def test_strings_are_not_allocated(onnxruntime):
    with pytest.raises(RuntimeError, match="only supported from non-string numpy arrays"):
        onnxruntime.OrtValue.ortvalue_from_shape_and_type([2], np.str_)


# --- options --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("given", "expected"), [(1, True), (0, False), (None, False), (2.5, True)])
def test_what_is_true_or_false_sets_a_switch(onnxruntime, given, expected):
    options = onnxruntime.SessionOptions()
    options.enable_mem_pattern = given
    assert options.enable_mem_pattern is expected


@pytest.mark.parametrize(
    ("name", "value"),
    [("enable_mem_pattern", "no"), ("enable_mem_pattern", []), ("intra_op_num_threads", 2.0)],
)
def test_an_option_of_a_wrong_type_is_a_type_error(onnxruntime, name, value):
    with pytest.raises(TypeError):
        setattr(onnxruntime.SessionOptions(), name, value)


@pytest.mark.parametrize("key", ["", "x" * 2000])
def test_a_wrong_key_is_a_runtime_error(onnxruntime, key):
    with pytest.raises(RuntimeError, match="Config key is empty or longer"):
        onnxruntime.SessionOptions().add_session_config_entry(key, "1")
    with pytest.raises(RuntimeError, match="Config key is empty or longer"):
        onnxruntime.RunOptions().add_run_config_entry(key, "1")


def test_a_provider_of_another_build_is_an_invalid_argument(onnxruntime, state):
    missing = "DmlExecutionProvider"
    with pytest.raises(state.InvalidArgument, match=f"Failed to add provider of type '{missing}'"):
        onnxruntime.SessionOptions().add_provider(missing, {})


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

    graph = ort.Graph()
    graph.input("X", ort.ElementType.INT4, [3])
    graph.node("Cast", ["X"], ["Y"], attributes={"to": int(ort.ElementType.FLOAT)})
    graph.output("Y", "f4", [3])
    session = compat.InferenceSession(graph.to_bytes(), providers=CPU)
    x = np.array([1, -2, 7], ml_dtypes.int4)
    assert session.run(None, {"X": x})[0].tolist() == [1, -2, 7]
    options = compat.RunOptions()
    assert session._sess.run(["Y"], {"X": x}, options)[0].tolist() == [1, -2, 7]


# --- others ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("arguments", [("",), ("model.onnx", 5)])
def test_a_session_of_wrong_arguments_is_a_type_error(onnxruntime, arguments):
    with pytest.raises(TypeError, match="incompatible constructor arguments"):
        onnxruntime.InferenceSession(*arguments)


def test_a_compiler_of_wrong_arguments_is_a_type_error(onnxruntime):
    with pytest.raises(TypeError, match="incompatible constructor arguments"):
        onnxruntime.ModelCompiler(5, "model.onnx")


@pytest.mark.parametrize("name", ["set_seed", "set_default_logger_verbosity"])
def test_a_number_must_be_one(onnxruntime, name):
    with pytest.raises(TypeError):
        getattr(onnxruntime, name)("a")


def test_an_arena_is_registered_for_a_description_of_memory_only(onnxruntime):
    with pytest.raises(TypeError, match="incompatible function arguments"):
        onnxruntime.create_and_register_allocator(5, None)


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


def test_bytes_that_are_no_name_are_an_invalid_argument(session, state):
    with pytest.raises(state.InvalidArgument, match=r"Invalid output name: ?Q"):
        session.run([b"Q"], {"X": X})
    with pytest.raises(state.InvalidArgument, match="Invalid input name: Q"):
        session.run(None, {"X": X, b"Q": X})


@pytest.mark.parametrize("bind", ["bind_cpu_input", "bind_ortvalue_input", "bind_ortvalue_output"])
def test_what_is_bound_has_a_name(onnxruntime, session, bind):
    value = X if bind == "bind_cpu_input" else onnxruntime.OrtValue.ortvalue_from_numpy(X)
    with pytest.raises(TypeError):
        getattr(session.io_binding(), bind)(5, value)


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
    with pytest.raises(TypeError):
        onnxruntime.GraphOptimizationLevel("ORT_ENABLE_ALL")
