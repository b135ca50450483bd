# SPDX-License-Identifier: MIT
"""What both packages refuse at once, with the same kind of error: a table of statements."""

import re

import numpy as np
import pytest
from support import models
from support.numpy_2 import needs_numpy_2

X = np.array([[1, 2], [3, 4], [5, 6]], np.float32)
CPU = ["CPUExecutionProvider"]
ITSELF: list = []
ITSELF.append(ITSELF)

# The error, or its name in the module of the official package; what its message has; a statement,
# once with each of the values behind it. Its names are those of `There`.
REFUSED = r"""
TypeError | | setattr(options, value, "no") | "enable_profiling", "use_per_session_threads"
TypeError | | options.enable_mem_pattern = value | "no", []
TypeError | | options.intra_op_num_threads = value | 2**40, 2.0, "many"
TypeError | | options.graph_optimization_level = 99
TypeError | | options.execution_order = value | "a", b"a", [], 1
TypeError | | options.enable_mem_reuse = value | "a", b"a", []
TypeError | | run_options.only_execute_path_to_fetches = value | "a", b"a", []
AttributeError | | setattr(options, value, 1) | "nothing", "intra_op_threads"
TypeError | | options.add_provider(*value) | (1, {}), (CPU[0], "a"), (CPU[0], [1])
RuntimeError | Unknown Provider Type: Nobody | options.add_provider("Nobody", {})
InvalidArgument | of type 'DmlExecutionProvider' | options.add_provider("DmlExecutionProvider", {})
RuntimeError | key is empty or | options.add_session_config_entry(value, "1") | "", "x" * 2000
RuntimeError | key is empty or | run_options.add_run_config_entry(value, "1") | "", "x" * 2000
RuntimeError | have configuration with key: NONE | options.get_session_config_entry("NONE")
RuntimeError | have configuration with key: NONE | run_options.get_run_config_entry("NONE")
TypeError | | options.set_provider_selection_policy(5)
TypeError | | options.set_provider_selection_policy_delegate(5)
TypeError | | options.add_provider_for_devices([5], {})
TypeError | | options.set_ep_context_data_read_func(3, 1)
RuntimeError | | options.set_ep_context_data_read_func(*value) | (print, 0), (None, 1)
RuntimeError | must be an OrtValue | options.add_initializer("V", X)
Fail | cannot open shared object | options.register_custom_ops_library("/nowhere/library.so")
TypeError | | run_options.add_active_adapter(5)
RuntimeError | Invalid logging severity | package.set_default_logger_severity(value) | -1, 5
TypeError | | getattr(package, value)("a") | "set_seed", "set_default_logger_verbosity"
TypeError | | package.GraphOptimizationLevel("ORT_ENABLE_ALL")
Fail | Failed to load | package.register_execution_provider_library("test", "/nowhere/library.so")
Fail | was not registered | package.unregister_execution_provider_library("test")
TypeError | | package.OrtDevice.make("cpu", value) | "a", 1.5, 40000, -40000
TypeError | | state.OrtDevice(*value) | (999, 0, 0), (0, 128, 0), ("a", 0, 0), (0, 0, 2**32, 0)
TypeError | | package.OrtArenaCfg(*value) | (-1, 0, 0, 0), (0, "a", 0, 0), (0, 2**40, 0, 0)
RuntimeError | | package.OrtArenaCfg({"max_mem": value}) | -1, 2**70, 5.5, "x", None
RuntimeError | Invalid OrtArenaCfg option: nothing | package.OrtArenaCfg({"nothing": 1})
TypeError | incompatible function arguments | package.create_and_register_allocator(5, None)
RuntimeError | Only CPU devices | package.create_and_register_allocator(info("Cuda", 0), None)
RuntimeError | Bob | package.create_and_register_allocator_v2("Bob", info("Cuda", 0), {}, None)
RuntimeError | | info("Nobody", 0)
TypeError | | info("Cpu", value) | "a", 1.5, "1", 2**40
TypeError | Unable to load from type | session_of(value) | None, 3, bytearray(b"model")
TypeError | incompatible constructor arguments | session_of(*value) | ("",), ("model.onnx", 5)
TypeError | incompatible constructor arguments | package.ModelCompiler(5, "model.onnx")
TypeError | | package.ModelCompiler(options, squares, flags="a")
TypeError | | package.ModelCompiler(options, squares, external_initializers_size_threshold="a")
TypeError | | package.ModelCompiler(options, squares, graph_optimization_level="a")
TypeError | | package.ModelCompiler(options, squares, embed_compiled_data_into_model="a")
ValueError | | package.ModelCompiler(options, value) | b"", ""
TypeError | | package.ModelCompiler(options, 3)
TypeError | | package.ModelCompiler(options, b"x", False, 3)
ValueError | | package.ModelCompiler(options, b"x", False, "f", get_initializer_location_func=print)
TypeError | | compiler.compile_to_stream(5)
TypeError | | compiler.compile_to_file(value) | 0, 5, [], b"out.onnx"
InvalidArgument | must not be empty | compiler.compile_to_file("")
TypeError | | package.OrtExternalInitializerInfo("file", *value) | ("1", 1), (1, "1"), (1.5, 1)
TypeError | | package.OrtExternalInitializerInfo("file", *value) | (1, -1), (2**63, 1)
TypeError | | package.AdapterFormat().set_adapter_version("1")
TypeError | | package.AdapterFormat().set_model_version("1")
(TypeError, AttributeError) | | adapter.set_parameters(value) | 3, {"w": X}, {"w": None}
RuntimeError | adapter | package.AdapterFormat().export_adapter(f"{tmp_path}/none/adapter")
TypeError | | session.set_tuning_results(value) | None
TypeError | | session.set_tuning_results(value, error_on_invalid=True) | (), {}
TypeError | | session.set_tuning_results([], error_on_invalid="a")
InvalidArgument | | session.run(["Y\0"], {"X": X})
TypeError | | session.run(["\ud800"], {"X": X})
InvalidArgument | Invalid output name: ?Q | session.run([value], {"X": X}) | "Q", b"Q"
InvalidArgument | Invalid input name: Q | session.run(None, {"X": X, value: X}) | "Q", b"Q"
TypeError | | session.run("Y", {"X": X})
TypeError | | session.run(None, {"X": X}, 3)
AttributeError | | session.run(None, [X])
ValueError | \(\['X'\]\) are missing from input feed \(\['Z'\]\) | session.run(None, {"Z": X})
RuntimeError | | session.run(None, {"X": value}) | 3.0, "text"
RuntimeError | Numpy_type 14 can't be | session.run(None, {"X": X.astype("c8")})
InvalidArgument | Actual: \(tensor\(double | session.run(None, {"X": X.astype("f8")})
InvalidArgument | Actual: \(tensor\(int32 | session.run(None, {"X": X.astype("i4")})
InvalidArgument | Got invalid dimensions for input: X | session.run(None, {"X": X[:2]})
InvalidArgument | Invalid rank for input: X Got: 1 Expected: 2 | session.run(None, {"X": X[0]})
RuntimeError | Numpy_type 21 can't be | session.run(None, {"X": X.astype("M8[s]")})
RuntimeError | Numpy_type 22 can't be | session.run(None, {"X": X.astype("m8[s]")})
RuntimeError | Numpy_type 13 can't be | session.run(None, {"X": X.astype(np.longdouble)})
InvalidArgument | Unexpected input data | session.run(None, {"X": value}) | {"a": 1.0}, {0: 1.0}
RuntimeError | Could not create | floats.run(None, {"x": value}) | [[1], [2, 3]], ["a"], [{}]
(RuntimeError, ValueError) | | floats.run(None, {"x": value}) | [1.0, [2.0]], ITSELF
(RuntimeError, OverflowError) | | integers.run(None, {"x": [2**63]})
TypeError | | session.run_with_ortvaluevector(run_options, ["X"], [], ["Y"], [], [])
TypeError | incompatible function arguments | session.run_async(None, {"X": X}, 5, None)
TypeError | | bind(np.float32, value, X.ctypes.data) | ["a"], [2**70], [2.5]
RuntimeError | | bind(np.float32, value, X.ctypes.data) | [3, -2], [2**40, 2**40]
TypeError | | bind(np.float32, [3, 2], value) | "a", 2**70
RuntimeError | | bind(np.complex64, [3, 2], X.ctypes.data)
RuntimeError | Pointer to data mem | binding.bind_output("Y", "cpu", 0, np.float32, [3, 2], 0)
TypeError | | binding.bind_ortvalue_input(5, made)
TypeError | | binding.bind_ortvalue_output(5, made)
TypeError | | binding.bind_cpu_input(5, X)
RuntimeError | Failed to find NodeArg with name: Q | binding.bind_cpu_input("Q", X)
RuntimeError | Unable to create OrtValue | binding.bind_cpu_input("X", [1])
RuntimeError | | binding.bind_cpu_input("X", X.astype("f8")); session.run_with_iobinding(binding)
ValueError | element_type | binding.bind_output("Y", buffer_ptr=X.ctypes.data)
ValueError | session that created it | session.run_with_iobinding(another.io_binding())
RuntimeError | non-string numpy | make(value) | np.array(["a"]), [1.0], 3, None
RuntimeError | Numpy_type 14 can't be | make(X.astype("c8"))
RuntimeError | Numpy_type 13 can't be | make(X.astype(np.longdouble))
RuntimeError | Can't allocate memory | make(X, *value) | ("cuda", 0), ("gpu", 0, 0x10DE)
Exception | Unsupported device type: nowhere | make(X, "nowhere", 0)
RuntimeError | | empty([-1, 3], np.float32)
MemoryError | | empty([2**40], np.float32)
RuntimeError | only supported from non-string numpy arrays | empty([2], np.str_)
RuntimeError | Items size | typed(np.zeros(3, np.uint8), 16)
TypeError | | typed([1], 1)
RuntimeError | | typed(X, value) | 0, 99
RuntimeError | does not match the size | made.update_inplace(np.zeros((3, 3), np.float32))
TypeError | must be a numpy.ndarray or an OrtValue | made.update_inplace([1])
RuntimeError | Inplace update | made.update_inplace(np.array([["a", "b"]] * 3))
RuntimeError | same data type | made.update_inplace(make(np.zeros((3, 2))))
RuntimeError | same size | made.update_inplace(make(X[:2]))
RuntimeError | Data transfer implementation | package.copy_tensors([made], [make(X.copy())])
RuntimeError | | package.OrtValue.from_dlpack(value) | np.ones(2, np.complex64), X.T
TypeError | | package.OrtValue.from_dlpack(5)
BufferError | only supports | package.OrtValue.from_dlpack(np.array(["a"]))
RuntimeError | | getattr(held, value)() | "data_ptr", "tensor_size_in_bytes", "__dlpack__"
RuntimeError | | held.__dlpack_device__()
RuntimeError | | sparse.as_csrc_view()
RuntimeError | | sparse.to_cuda(package.OrtDevice.make("cuda", 0))
RuntimeError | | coo([3, 3], X[0], np.arange(value), cpu) | 0, 1, 3
RuntimeError | | csr([3, 3], X[0], np.arange(2), np.arange(value), cpu) | 0, 1, 3
RuntimeError | contiguous | coo([3, 3], X[:, 0][:2], np.arange(2), cpu)
TypeError | | coo(np.array([3, 3]), X[0, :1], "a", cpu)
"""

BY_THE_DROP_IN = """
TypeError | intra_op_num_threads must be from | options.intra_op_num_threads = 2**40
RuntimeError | logid must not contain a null character | run_options.logid = "a\\0b"
RuntimeError | logid must not contain a null character | options.logid = "a\\0b"
RuntimeError | Pointer to data memory is not valid | bind(np.float32, [3, 2], 0)
TypeError | adapter must be of AdapterFormat, not object | package.AdapterFormat(object())
RuntimeError | has not been loaded | run_options.add_active_adapter(package.LoraAdapter())
TypeError | callback must be callable | session.run_async(None, {"X": X}, None, None)
RuntimeError | out of | coo([3, 3], X[0, :1], np.array([9]), cpu)
"""

NAMES = {  # what each stands for, by other names of them and by fixtures
    "package": "onnxruntime",
    "options": "package.SessionOptions()",
    "run_options": "package.RunOptions()",
    "make": "package.OrtValue.ortvalue_from_numpy",
    "empty": "package.OrtValue.ortvalue_from_shape_and_type",
    "typed": "package.OrtValue.ortvalue_from_numpy_with_onnx_type",
    "made": "make(X.copy())",
    "cpu": "package.OrtDevice.make('cpu', 0)",
    "coo": "package.SparseTensor.sparse_coo_from_numpy",
    "csr": "package.SparseTensor.sparse_csr_from_numpy",
    "sparse": "coo([3, 2], X[0], np.array([1, 5]), cpu)",
    "held": "package.OrtValue.ort_value_from_sparse_tensor(sparse)",
    "session_of": "package.InferenceSession",
    "another": "session_of(squares, providers=CPU)",
    "floats": "session_of(models.identity('float32', None), providers=CPU)",
    "integers": "session_of(models.identity('int64', None), providers=CPU)",
    "adapter": "package.AdapterFormat()",
    "compiler": "package.ModelCompiler(options, squares)",
    "binding": "session.io_binding()",
}


class There(dict):
    """The names of the table: each is made where a statement asks for it, once."""

    def __init__(self, request, **given):
        super().__init__(**given)
        self.request = request

    def __missing__(self, name):
        if name in NAMES:
            self[name] = eval(NAMES[name], globals(), self)
        elif name in {"session", "squares", "state", "onnxruntime", "tmp_path"}:
            self[name] = self.request.getfixturevalue(name)
        else:
            raise KeyError(name)
        return self[name]

    def refuses(self, row, value):
        kind, words, statement, *_ = row
        self["bind"], self["info"], self["value"] = self.bind, self.info, value
        kinds = self["state"] if hasattr(self["state"], kind) else None
        wanted = getattr(kinds, kind) if kinds else eval(kind)
        with pytest.raises(wanted, match=words or None):
            exec(statement, globals(), self)

    def bind(self, *memory):
        self["binding"].bind_input("X", "cpu", 0, *memory)

    def info(self, name, number):
        kind = self["package"].OrtAllocatorType.ORT_ARENA_ALLOCATOR
        use = self["package"].OrtMemType.DEFAULT
        return self["package"].OrtMemoryInfo(name, kind, number, use)


def rows(table):
    """Each row; its name is the statement."""
    found = []
    for line in table.strip().splitlines():
        row = [each.strip() for each in re.split(r" \|(?= )", line)]
        values = eval(f"[{row[3]}]") if len(row) > 3 else [None]
        found.append(pytest.param(row, values, id=row[2]))
    return found


@pytest.mark.parametrize(("row", "values"), rows(REFUSED))
def test_what_is_wrong_is_refused_by_both(request, onnxruntime, row, values):
    for value in values:
        There(request, onnxruntime=onnxruntime).refuses(row, value)


@pytest.mark.parametrize("onnxruntime", ["compat"], indirect=True)
@pytest.mark.parametrize(("row", "values"), rows(BY_THE_DROP_IN))
def test_what_is_wrong_is_named_by_the_drop_in(request, onnxruntime, row, values):
    """Officially some end the process, and others change nothing."""
    for value in values:
        There(request, onnxruntime=onnxruntime).refuses(row, value)


@needs_numpy_2("wraps it around")
@pytest.mark.parametrize(("dtype", "number"), [("int8", 300), ("int32", 2**31)])
def test_a_number_that_is_too_large_for_its_type_is_refused(onnxruntime, dtype, number):
    session = onnxruntime.InferenceSession(models.identity(dtype, ["n"]), providers=CPU)
    with pytest.raises((RuntimeError, OverflowError)):
        session.run(None, {"x": [number]})


def test_a_measure_that_is_set_later_is_checked_too(onnxruntime):
    cfg = onnxruntime.OrtArenaCfg(0, -1, -1, -1)
    with pytest.raises(TypeError):
        cfg.max_mem = -1
    assert cfg.max_mem == 0


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


@pytest.mark.parametrize("onnxruntime", ["compat"], indirect=True)
def test_a_list_is_read_once_whatever_length_it_tells(onnxruntime, state, session):
    devices = Lying(state.get_ep_devices()[:1])
    found = state.get_model_compatibility_for_ep_devices(devices, "info")
    assert isinstance(found, state.OrtCompiledModelCompatibility)
    (y,) = session._sess.run(Lying(["Y"]), {"X": X})
    np.testing.assert_array_equal(y, X * X)
    value = onnxruntime.OrtValue.ortvalue_from_numpy(X)._ortvalue
    with pytest.raises(RuntimeError, match="Data transfer"):  # of which the CPU has none
        state.copy_tensors(Lying([value]), Lying([value]), None)


@pytest.mark.usefixtures("real_library")
@pytest.mark.parametrize("dtype", ["i8", "U1"])
def test_a_value_of_the_core_of_a_wrong_type_is_refused_by_the_engine(squares, dtype):
    from ortcffi import Value, compat, core_api

    session = compat.InferenceSession(squares, providers=CPU)
    value = Value.from_numpy(np.ones((3, 2), dtype), api=core_api())
    with pytest.raises(compat.capi.onnxruntime_pybind11_state.InvalidArgument, match="data type"):
        session.run(None, {"X": value})
