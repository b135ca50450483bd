# SPDX-License-Identifier: MIT
"""Options, bindings, compiling and adapters of the official package and of the drop-in."""

import sys
from contextlib import suppress
from copy import copy
from random import Random

import numpy as np
import pytest
from support.graphs import graph_of

from ortcffi import compat

X = np.array([[1, 2], [3, 4], [5, 6]], np.float32)
CPU = ["CPUExecutionProvider"]
SETTINGS = {
    "enable_cpu_mem_arena": False,
    "enable_mem_pattern": False,
    "inter_op_num_threads": 2,
    "intra_op_num_threads": 3,
    "log_severity_level": 3,
    "log_verbosity_level": 1,
    "logid": "name",
    "optimized_model_filepath": "model.onnx",
    "profile_file_prefix": "profile",
    "use_deterministic_compute": True,
    "use_per_session_threads": False,
}


@pytest.mark.parametrize("name", SETTINGS)
def test_options_keep_what_they_are_set_to(onnxruntime, name):
    official = pytest.importorskip("onnxruntime")
    options = onnxruntime.SessionOptions()
    assert getattr(options, name) == getattr(official.SessionOptions(), name)
    setattr(options, name, SETTINGS[name])
    assert getattr(options, name) == SETTINGS[name]


def test_options_take_members_of_enums_only_and_are_not_copied(onnxruntime):
    options = onnxruntime.SessionOptions()
    level, mode = onnxruntime.GraphOptimizationLevel, onnxruntime.ExecutionMode
    assert options.graph_optimization_level == level.ORT_ENABLE_ALL
    options.graph_optimization_level = level.ORT_ENABLE_EXTENDED
    assert options.graph_optimization_level == level.ORT_ENABLE_EXTENDED
    options.execution_mode = mode.ORT_PARALLEL
    assert options.execution_mode == mode.ORT_PARALLEL
    for each in (options, onnxruntime.RunOptions()):
        with pytest.raises(TypeError, match="pickle"):
            copy(each)


@pytest.mark.parametrize("kind", ["SessionOptions", "RunOptions"])
def test_names_and_entries_may_be_bytes_of_utf_8(onnxruntime, kind):
    options = getattr(onnxruntime, kind)()
    entry = "session_config_entry" if kind == "SessionOptions" else "run_config_entry"
    options.logid = "run é".encode()
    assert options.logid == "run é"
    getattr(options, f"add_{entry}")(b"key", b"value")
    assert getattr(options, f"get_{entry}")(b"key") == "value"
    with pytest.raises(UnicodeDecodeError):  # officially when it is read
        setattr(options, "logid", b"\xff") or options.logid
    with pytest.raises(TypeError):
        options.logid = 1
    with pytest.raises(TypeError):
        getattr(options, f"get_{entry}")(1)


def test_an_initializer_takes_the_place_of_the_models(onnxruntime):
    graph = graph_of("X f4[3,2]", "Y = Mul X W", "Y f4[3,2]", W=np.zeros((3, 2), np.float32))
    options = onnxruntime.SessionOptions()
    value = onnxruntime.OrtValue.ortvalue_from_numpy(X)
    options.add_initializer("W", value)
    session = onnxruntime.InferenceSession(graph.to_bytes(), options, providers=CPU)
    np.testing.assert_array_equal(session.run(None, {"X": X})[0], X * X)


def test_an_arena_is_shared_and_the_optimized_model_is_written(onnxruntime, squares, tmp_path):
    info = onnxruntime.OrtMemoryInfo(
        "Cpu", onnxruntime.OrtAllocatorType.ORT_ARENA_ALLOCATOR, 0, onnxruntime.OrtMemType.DEFAULT
    )
    onnxruntime.create_and_register_allocator(info, None)
    options = onnxruntime.SessionOptions()
    options.optimized_model_filepath = str(tmp_path / "optimized.onnx")
    options.add_session_config_entry("session.use_env_allocators", "1")
    session = onnxruntime.InferenceSession(squares, options, providers=CPU)
    np.testing.assert_array_equal(session.run(None, {"X": X})[0], X * X)
    assert (tmp_path / "optimized.onnx").stat().st_size > 0


@pytest.mark.parametrize(
    "given", [(8, 0, 4, 2), ({"max_mem": 16, "max_power_of_two_extend_bytes": 17},)]
)
def test_the_measures_of_an_arena_are_shown(onnxruntime, given):
    official = pytest.importorskip("onnxruntime")
    names = [name for name in dir(official.OrtArenaCfg) if not name.startswith("_")]
    ours, theirs = onnxruntime.OrtArenaCfg(*given), official.OrtArenaCfg(*given)
    assert [getattr(ours, name) for name in names] == [getattr(theirs, name) for name in names]


# --- bindings -------------------------------------------------------------------------------------


def test_arrays_are_bound_until_the_binding_is_cleared(session):
    binding = session.io_binding()
    binding.bind_cpu_input("X", X)
    binding.bind_output("Y")
    binding.synchronize_inputs()
    session.run_with_iobinding(binding)
    binding.synchronize_outputs()
    np.testing.assert_array_equal(binding.copy_outputs_to_cpu()[0], X * X)
    (value,) = binding.get_outputs()
    np.testing.assert_array_equal(value.numpy(), X * X)
    assert len(binding.get_outputs_as_ortvaluevector()) == 1
    binding.clear_binding_inputs()
    binding.clear_binding_outputs()
    assert binding.get_outputs() == []


def test_memory_is_bound_by_its_address(session):
    out = np.zeros((3, 2), np.float32)
    binding = session.io_binding()
    binding.bind_input("X", "cpu", 0, np.float32, [3, 2], X.ctypes.data)
    binding.bind_output("Y", "cpu", 0, 1, [3, 2], out.ctypes.data)
    session.run_with_iobinding(binding)
    np.testing.assert_array_equal(out, X * X)


def test_values_are_bound_and_bound_anew(onnxruntime, session):
    make = onnxruntime.OrtValue.ortvalue_from_numpy
    x, y = make(X), onnxruntime.OrtValue.ortvalue_from_shape_and_type([3, 2], np.float32)
    binding = session.io_binding()
    binding.bind_ortvalue_input("X", x)
    binding.bind_ortvalue_output("Y", y)
    session.run_with_iobinding(binding)
    np.testing.assert_array_equal(y.numpy(), X * X)
    binding.bind_ortvalue_input("X", make(-X - 1))
    session.run_with_iobinding(binding)
    np.testing.assert_array_equal(y.numpy(), (X + 1) ** 2)


@pytest.mark.parametrize(
    "dtype", ["f4", "f8", "f2", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "?"]
)
def test_every_type_is_bound_in_the_compiled_session(onnxruntime, state, dtype):
    x = np.arange(8).reshape(4, 2).astype(dtype)
    kind = "bool" if dtype == "?" else dtype
    graph = graph_of(f"X {kind}[4,2]", "Y = Identity X", f"Y {kind}[4,2]")
    session = onnxruntime.InferenceSession(graph.to_bytes(), providers=CPU)
    device = state.OrtDevice(state.OrtDevice.cpu(), state.OrtDevice.default_memory(), 0)
    binding = state.SessionIOBinding(session._sess)
    binding.bind_ortvalue_input("X", state.OrtValue.ortvalue_from_numpy(x, device))
    binding.bind_output("Y", device)
    session._sess.run_with_iobinding(binding, None)
    np.testing.assert_array_equal(binding.get_outputs()[0].numpy(), x)


# --- compiling ------------------------------------------------------------------------------------


def test_a_model_is_compiled_to_a_file_bytes_and_a_stream(onnxruntime, squares, tmp_path):
    compiler = onnxruntime.ModelCompiler(onnxruntime.SessionOptions(), squares)
    compiler.compile_to_file(str(tmp_path / "out.onnx"))
    parts = []
    compiler.compile_to_stream(parts.append)
    content = compiler.compile_to_bytes()
    assert b"".join(parts) == content == (tmp_path / "out.onnx").read_bytes()
    session = onnxruntime.InferenceSession(content, providers=CPU)
    np.testing.assert_array_equal(session.run(None, {"X": X})[0], X * X)


def test_the_compiled_model_has_a_name_by_itself(squares, tmp_path):
    (tmp_path / "model.onnx").write_bytes(squares)
    options = compat.SessionOptions()
    compat.ModelCompiler(options, str(tmp_path / "model.onnx")).compile_to_file()
    assert (tmp_path / "model_ctx.onnx").exists()


def test_flags_of_the_compiler_count(onnxruntime, state, squares, tmp_path):
    flags, target = onnxruntime.OrtCompileApiFlags, str(tmp_path / "out.onnx")
    options = onnxruntime.SessionOptions()
    strict = onnxruntime.ModelCompiler(options, squares, flags=flags.ERROR_IF_NO_NODES_COMPILED)
    with pytest.raises(state.Fail, match="Unable to compile any nodes"):
        strict.compile_to_file(target)
    once = onnxruntime.ModelCompiler(options, squares, flags=flags.ERROR_IF_OUTPUT_FILE_EXISTS)
    once.compile_to_file(target)
    with pytest.raises(state.Fail, match="exists already"):
        once.compile_to_file(target)


def test_a_function_decides_where_initializers_go(onnxruntime, tmp_path):
    graph = graph_of("X f4[64]", "Y = Add X W", "Y f4[64]", W=np.arange(64, dtype=np.float32))
    weights = tmp_path / "weights.bin"

    def locate(name, value, info):
        assert (name, value.shape(), info) == ("W", [64], None)
        weights.write_bytes(value.numpy().tobytes())
        size = value.tensor_size_in_bytes()
        return onnxruntime.OrtExternalInitializerInfo("weights.bin", 0, size)

    compiler = onnxruntime.ModelCompiler(
        onnxruntime.SessionOptions(), graph.to_bytes(), get_initializer_location_func=locate
    )
    compiler.compile_to_file(str(tmp_path / "out.onnx"))
    session = onnxruntime.InferenceSession(str(tmp_path / "out.onnx"), providers=CPU)
    x = np.ones(64, np.float32)
    np.testing.assert_array_equal(session.run(None, {"X": x})[0], x + np.arange(64))


# --- adapters -------------------------------------------------------------------------------------


def written(package, path):
    make = package.OrtValue.ortvalue_from_numpy_with_onnx_type
    adapter = package.AdapterFormat()
    adapter.set_adapter_version(3)
    adapter.set_model_version(5)
    arrays = {"one": (np.arange(10, dtype=np.float32).reshape(5, 2), 1), "two": (np.arange(7), 7)}
    adapter.set_parameters({name: make(x, number) for name, (x, number) in arrays.items()})
    adapter.export_adapter(str(path))
    return {name: x for name, (x, _) in arrays.items()}


@pytest.mark.parametrize("writer", ["onnxruntime", "ortcffi.compat"])
def test_adapters_are_read_whoever_wrote_them(onnxruntime, tmp_path, writer):
    import importlib

    arrays = written(importlib.import_module(writer), tmp_path / "adapter")
    adapter = onnxruntime.AdapterFormat.read_adapter(str(tmp_path / "adapter"))
    versions = (adapter.get_format_version(), adapter.get_adapter_version())
    assert (*versions, adapter.get_model_version()) == (1, 3, 5)
    found = adapter.get_parameters()
    assert found.keys() == arrays.keys()
    for name, x in arrays.items():
        np.testing.assert_array_equal(found[name].numpy(), x)
        assert found[name].shape() == list(x.shape)
        assert found[name].numpy().flags.writeable


def test_an_adapter_changes_a_run(onnxruntime, tmp_path):
    graph = graph_of("X f4[3,2], W f4[3,2]", "Y = Mul X W", "Y f4[3,2]")
    parameters = {"W": onnxruntime.OrtValue.ortvalue_from_numpy(X)}
    file = onnxruntime.AdapterFormat()
    file.set_parameters(parameters)
    file.export_adapter(str(tmp_path / "adapter"))
    adapter = onnxruntime.LoraAdapter()
    adapter.Load(str(tmp_path / "adapter"))
    options = onnxruntime.RunOptions()
    options.add_active_adapter(adapter)
    session = onnxruntime.InferenceSession(graph.to_bytes(), providers=CPU)
    values = session.run_with_ort_values(
        None, {"X": parameters["W"], "W": parameters["W"]}, options
    )
    np.testing.assert_array_equal(values[0].numpy(), X * X)


@pytest.mark.parametrize("content", [b"", b"TORT", b"\x08\0\0\0TORT", b"\xff\xff\xff\x7fTORT" * 9])
def test_what_is_no_adapter_is_a_runtime_error(onnxruntime, tmp_path, content):
    (tmp_path / "adapter").write_bytes(content)
    if onnxruntime.__name__ == "onnxruntime" and not content:
        pytest.xfail("the official package maps an empty file, which the system refuses")
    with pytest.raises(RuntimeError):
        onnxruntime.AdapterFormat.read_adapter(str(tmp_path / "adapter"))


def test_an_adapter_that_is_damaged_is_read_or_a_runtime_error(tmp_path):
    path, random = tmp_path / "adapter", Random(0)
    written(compat, path)
    content = path.read_bytes()
    for _ in range(80):
        damaged = bytearray(content)
        place = random.randrange(len(content) - 4)
        damaged[place : place + 4] = random.choice([0, 255, random.getrandbits(32)]).to_bytes(
            4, "little"
        )
        path.write_bytes(damaged)
        with suppress(RuntimeError):
            compat.AdapterFormat.read_adapter(str(path))


def test_adapters_without_flatbuffers_say_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "flatbuffers", None)
    with pytest.raises(ImportError, match=r"pip install 'ortcffi\[adapters\]'"):
        compat.AdapterFormat().export_adapter(str(tmp_path / "adapter"))


def test_an_adapter_has_no_strings(onnxruntime, tmp_path):
    model = graph_of("", "y = Identity w", "y str[1]", w=np.array(["a"])).to_bytes()
    session = onnxruntime.InferenceSession(model)
    adapter = onnxruntime.AdapterFormat()
    adapter.set_parameters({"w": session.run_with_ort_values(["y"], {})[0]})
    with pytest.raises(RuntimeError, match="'w' has element type STRING"):
        adapter.export_adapter(str(tmp_path / "adapter"))
