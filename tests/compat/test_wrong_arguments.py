# SPDX-License-Identifier: MIT
"""Arguments of wrong types and out of range: refused at once, by the same kinds of errors."""

import numpy as np
import pytest
from support import models
from support.numpy_2 import needs_numpy_2

ONE = np.ones((3, 2), np.float32)
CPU = ["CPUExecutionProvider"]


# --- options --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["enable_profiling", "use_per_session_threads"])
def test_a_text_is_no_switch(onnxruntime, name):
    with pytest.raises(TypeError):
        setattr(onnxruntime.SessionOptions(), name, "no")


def test_a_number_of_threads_that_c_does_not_hold_is_a_type_error(onnxruntime):
    with pytest.raises(TypeError):
        onnxruntime.SessionOptions().intra_op_num_threads = 2**40


def test_an_error_of_an_option_has_the_official_name():
    from ortcffi import compat

    with pytest.raises(TypeError, match="intra_op_num_threads must be from"):
        compat.SessionOptions().intra_op_num_threads = 2**40
    with pytest.raises(RuntimeError, match="logid must not contain a null character"):
        compat.RunOptions().logid = "a\0b"


@pytest.mark.parametrize(
    ("method", "arguments"),
    [
        ("set_provider_selection_policy", (5,)),
        ("set_provider_selection_policy_delegate", (5,)),
        ("add_provider_for_devices", ([5], {})),
    ],
)
def test_options_refuse_what_does_not_choose_devices(onnxruntime, method, arguments):
    with pytest.raises(TypeError):
        getattr(onnxruntime.SessionOptions(), method)(*arguments)


def test_an_adapter_of_runs_has_to_be_one(onnxruntime):
    with pytest.raises(TypeError):
        onnxruntime.RunOptions().add_active_adapter(5)


# --- devices and arenas ---------------------------------------------------------------------------


@pytest.mark.parametrize("number", ["a", 1.5, 40000, -40000])
def test_the_number_of_a_device_is_an_int_of_16_bits(onnxruntime, number):
    with pytest.raises(TypeError):
        onnxruntime.OrtDevice.make("cpu", number)


@pytest.mark.parametrize("facts", [(999, 0, 0), (0, 128, 0), ("a", 0, 0), (0, 0, 2**32, 0)])
def test_the_facts_of_a_device_are_small_numbers(state, facts):
    with pytest.raises(TypeError):
        state.OrtDevice(*facts)


@pytest.mark.parametrize("measures", [(-1, 0, 0, 0), (0, "a", 0, 0), (0, 2**40, 0, 0)])
def test_a_measure_of_an_arena_that_c_does_not_hold_is_a_type_error(onnxruntime, measures):
    with pytest.raises(TypeError):
        onnxruntime.OrtArenaCfg(*measures)


@pytest.mark.parametrize("most", [-1, 2**70, 5.5, "x", None])
def test_such_a_measure_in_a_dict_is_a_runtime_error(onnxruntime, most):
    with pytest.raises(RuntimeError):
        onnxruntime.OrtArenaCfg({"max_mem": most})


def test_a_measure_that_is_set_later_is_checked_too(onnxruntime):
    cfg = onnxruntime.OrtArenaCfg(0, -1, -1, -1)
    with pytest.raises(TypeError):
        cfg.max_mem = -1
    assert cfg.max_mem == 0


def test_an_arena_that_cannot_be_made_is_a_runtime_error(onnxruntime):
    kind, use = onnxruntime.OrtAllocatorType.ORT_ARENA_ALLOCATOR, onnxruntime.OrtMemType.DEFAULT
    info = onnxruntime.OrtMemoryInfo("Cuda", kind, 0, use)
    with pytest.raises(RuntimeError, match="Only CPU devices are supported"):
        onnxruntime.create_and_register_allocator(info, None)
    with pytest.raises(RuntimeError, match="Nobody"):
        onnxruntime.create_and_register_allocator_v2("Nobody", info, {}, None)


def test_a_queue_for_the_cpu_is_a_runtime_error(onnxruntime):
    if not hasattr(onnxruntime, "get_ep_devices"):
        pytest.skip("this release lists no devices")
    with pytest.raises(RuntimeError, match="non-CPU device"):
        onnxruntime.get_ep_devices()[0].create_sync_stream()


def test_compatibility_is_asked_of_devices(state):
    if not hasattr(state, "get_model_compatibility_for_ep_devices"):
        pytest.skip("this release cannot tell")
    with pytest.raises(TypeError):
        state.get_model_compatibility_for_ep_devices([5], "info")


class Lying(list):
    """A list that says that it is longer than it is."""

    def __len__(self):
        return 1000


def test_a_list_of_devices_is_read_once_whatever_length_it_tells():
    from ortcffi.compat.capi.onnxruntime_pybind11_state import (
        OrtCompiledModelCompatibility,
        get_ep_devices,
        get_model_compatibility_for_ep_devices,
    )

    found = get_model_compatibility_for_ep_devices(Lying(get_ep_devices()[:1]), "info")
    assert isinstance(found, OrtCompiledModelCompatibility)


# --- runs -----------------------------------------------------------------------------------------


def test_a_null_character_does_not_end_the_name_of_an_output(session, state):
    with pytest.raises(state.InvalidArgument):
        session.run(["Y\0"], {"X": ONE})


def test_a_name_that_is_no_utf_8_is_a_type_error(session):
    with pytest.raises(TypeError):
        session.run(["\ud800"], {"X": ONE})


@pytest.mark.parametrize("shape", [["a"], [2**70], [2.5]])
def test_a_shape_of_bound_memory_has_ints_of_64_bits(session, shape):
    with pytest.raises(TypeError):
        session.io_binding().bind_input("X", "cpu", 0, np.float32, shape, ONE.ctypes.data)


@pytest.mark.parametrize("shape", [[3, -2], [2**40, 2**40]])
def test_a_shape_of_bound_memory_can_be_counted(session, shape):
    with pytest.raises(RuntimeError):
        session.io_binding().bind_input("X", "cpu", 0, np.float32, shape, ONE.ctypes.data)


@pytest.mark.parametrize("address", ["a", 2**70])
def test_an_address_of_bound_memory_is_one(session, address):
    with pytest.raises(TypeError):
        session.io_binding().bind_input("X", "cpu", 0, np.float32, [3, 2], address)


def test_bound_memory_has_elements_of_a_type_that_tensors_have(session):
    with pytest.raises(RuntimeError):
        session.io_binding().bind_input("X", "cpu", 0, np.complex64, [3, 2], ONE.ctypes.data)


def test_runs_with_vectors_refuse_lists(onnxruntime, session):
    with pytest.raises(TypeError):
        session.run_with_ortvaluevector(onnxruntime.RunOptions(), ["X"], [], ["Y"], [], [])


@pytest.mark.usefixtures("real_library")
def test_a_list_of_outputs_is_read_once_whatever_length_it_tells(squares):
    from ortcffi import compat

    session = compat.InferenceSession(squares, providers=CPU)._sess
    (y,) = session.run(Lying(["Y"]), {"X": ONE})
    np.testing.assert_array_equal(y, ONE)


@pytest.mark.usefixtures("real_library")
def test_lists_of_tensors_are_read_once_whatever_length_they_tell():
    from ortcffi.compat import OrtValue
    from ortcffi.compat.capi.onnxruntime_pybind11_state import copy_tensors

    value = OrtValue.ortvalue_from_numpy(ONE)._ortvalue
    with pytest.raises(RuntimeError, match="Data transfer"):  # of which the CPU has none
        copy_tensors(Lying([value]), Lying([value]), None)


@pytest.mark.parametrize("x", [{"a": 1.0}, {0: 1.0}])
def test_a_map_for_a_tensor_is_refused_by_the_library(session, state, x):
    with pytest.raises(state.InvalidArgument, match="Unexpected input data type"):
        session.run(None, {"X": x})


@pytest.mark.parametrize(("results", "strict"), [(None, False), ((), True), ({}, True), ([], "a")])
def test_tuning_results_are_a_list(session, results, strict):
    session.set_tuning_results([])
    with pytest.raises(TypeError):
        session.set_tuning_results(results, error_on_invalid=strict)


# --- models that are compiled, adapters -----------------------------------------------------------


@pytest.mark.parametrize(
    "settings",
    [
        {"flags": "a"},
        {"external_initializers_size_threshold": "a"},
        {"graph_optimization_level": "a"},
        {"embed_compiled_data_into_model": "a"},
    ],
)
def test_a_compiler_refuses_texts_for_numbers(onnxruntime, squares, settings):
    with pytest.raises(TypeError):
        onnxruntime.ModelCompiler(onnxruntime.SessionOptions(), squares, **settings)


def test_a_compiled_model_is_written_by_a_function(onnxruntime, squares):
    compiler = onnxruntime.ModelCompiler(onnxruntime.SessionOptions(), squares)
    with pytest.raises(TypeError):
        compiler.compile_to_stream(5)


@pytest.mark.parametrize("path", [0, 5, [], b"out.onnx"])
def test_a_compiled_model_is_written_to_a_path(onnxruntime, squares, path):
    compiler = onnxruntime.ModelCompiler(onnxruntime.SessionOptions(), squares)
    with pytest.raises(TypeError):
        compiler.compile_to_file(path)


def test_a_compiled_model_is_not_written_to_an_empty_path(onnxruntime, state, squares):
    compiler = onnxruntime.ModelCompiler(onnxruntime.SessionOptions(), squares)
    with pytest.raises(state.InvalidArgument, match="must not be empty"):
        compiler.compile_to_file("")


@pytest.mark.parametrize("method", ["set_adapter_version", "set_model_version"])
def test_the_versions_of_an_adapter_are_ints(onnxruntime, method):
    with pytest.raises(TypeError):
        getattr(onnxruntime.AdapterFormat(), method)("1")


def test_an_adapter_that_cannot_be_written_is_a_runtime_error(onnxruntime, tmp_path):
    with pytest.raises(RuntimeError, match="adapter"):
        onnxruntime.AdapterFormat().export_adapter(str(tmp_path / "none" / "adapter"))


@pytest.mark.usefixtures("real_library")
@pytest.mark.parametrize("dtype", ["i8", "U1"])
def test_a_value_of_the_core_of_a_wrong_type_is_refused_by_the_engine(squares, dtype):
    from ortcffi import Value, compat, core_api

    session = compat.InferenceSession(squares, providers=CPU)
    value = Value.from_numpy(np.ones((3, 2), dtype), api=core_api())
    with pytest.raises(compat.capi.onnxruntime_pybind11_state.InvalidArgument, match="data type"):
        session.run(None, {"X": value})


# --- inputs ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dtype", "given"),
    [
        ("float32", [[1], [2, 3]]),
        ("float32", ["a"]),
        ("float32", [{}]),
        pytest.param("int8", [300], marks=needs_numpy_2("wraps it around")),
    ],
    ids=str,
)
def test_a_list_that_is_no_array_is_a_runtime_error(onnxruntime, dtype, given):
    session = onnxruntime.InferenceSession(models.identity(dtype, ["n"]), providers=CPU)
    with pytest.raises(RuntimeError, match="Could not create tensor from given input list"):
        session.run(None, {"x": given})


@pytest.mark.parametrize("number", ["a", 1.5, "1", 2**40])
def test_the_number_of_a_memory_info_is_an_int(onnxruntime, number):
    kind, purpose = onnxruntime.OrtAllocatorType, onnxruntime.OrtMemType
    with pytest.raises(TypeError):
        onnxruntime.OrtMemoryInfo("Cpu", kind.ORT_DEVICE_ALLOCATOR, number, purpose.DEFAULT)


@pytest.mark.parametrize("numbers", [("1", 1), (1, "1"), (1.5, 1), (1, -1), (2**63, 1)])
def test_where_an_initializer_is_kept_are_ints(onnxruntime, numbers):
    with pytest.raises(TypeError):
        onnxruntime.OrtExternalInitializerInfo("file", *numbers)


def test_places_in_a_sparse_tensor_are_numbers(onnxruntime):
    cpu, ones = onnxruntime.OrtDevice.make("cpu", 0), np.ones(1, np.float32)
    make = onnxruntime.SparseTensor.sparse_coo_from_numpy
    with pytest.raises(TypeError):
        make(np.array([3, 3]), ones, "a", cpu)
