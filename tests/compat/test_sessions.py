# SPDX-License-Identifier: MIT
"""Sessions of the official package and of the drop-in."""

import gc
import json
import os
import threading
import warnings
from copy import copy
from pathlib import Path
from weakref import ref

import numpy as np
import pytest
from support import models
from support.graphs import graph_of
from support.paths import finds_support
from support.prepared import printed_by
from support.processes import TIME_LIMIT

import ortcffi as ort

X = np.array([[1, 2], [3, 4], [5, 6]], np.float32)
CPU = ["CPUExecutionProvider"]


# --- loading --------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [str, Path, os.fsencode])
def test_a_model_comes_from_a_path_or_bytes(onnxruntime, squares, tmp_path, kind):
    path = tmp_path / "model.onnx"
    path.write_bytes(squares)
    given = squares if kind is os.fsencode else kind(path)
    session = onnxruntime.InferenceSession(given, providers=CPU)
    np.testing.assert_array_equal(session.run(None, {"X": X})[0], X * X)


@pytest.mark.parametrize(
    ("model", "kind", "text"),
    [
        ("/nowhere/model.onnx", "NoSuchFile", "[ONNXRuntimeError] : 3 : NO_SUCHFILE : "),
        (b"123", "InvalidProtobuf", "[ONNXRuntimeError] : 7 : INVALID_PROTOBUF : "),
        (b"", "InvalidArgument", "[ONNXRuntimeError] : 2 : INVALID_ARGUMENT : "),
    ],
)
def test_a_model_that_cannot_be_loaded_has_the_official_error(
    onnxruntime, state, model, kind, text
):
    with pytest.raises(getattr(state, kind)) as caught:
        onnxruntime.InferenceSession(model, providers=CPU)
    assert str(caught.value).startswith(text)
    assert repr(caught.value) == f"{kind}({str(caught.value)!r})"


def test_an_unknown_provider_warns_and_falls_back_unless_that_is_refused(
    onnxruntime, squares, capsys
):
    with pytest.warns(UserWarning, match="'Nobody' is not in available provider names"):
        session = onnxruntime.InferenceSession(squares, providers=["Nobody"])
    assert "Falling back to ['CPUExecutionProvider']" in capsys.readouterr().out
    assert session.get_providers() == CPU
    with (
        pytest.warns(UserWarning, match="Nobody"),
        pytest.raises(RuntimeError, match="Unknown Provider Type: Nobody"),
    ):
        onnxruntime.InferenceSession(squares, providers=["Nobody"], enable_fallback=0)


def test_a_provider_that_this_build_does_not_have_is_left_out(onnxruntime, squares):
    with pytest.warns(UserWarning, match="CUDAExecutionProvider"):
        session = onnxruntime.InferenceSession(squares, providers=["CUDAExecutionProvider", *CPU])
    assert session.get_providers() == CPU


def test_all_available_providers_can_be_used(onnxruntime, squares):
    session = onnxruntime.InferenceSession(squares, providers=onnxruntime.get_available_providers())
    assert session.get_providers() == onnxruntime.get_available_providers()
    assert set(session.get_provider_options()) == set(session.get_providers())


def test_providers_are_set_anew(session):
    session.set_providers(CPU)
    np.testing.assert_array_equal(session.run(None, {"X": X})[0], X * X)
    with (
        pytest.warns(UserWarning, match="Nobody"),
        pytest.raises(RuntimeError, match="Unknown Provider Type"),
    ):
        session.set_providers(["Nobody"])


def test_providers_beside_those_of_the_options_warn(onnxruntime, squares):
    options = onnxruntime.SessionOptions()
    assert not options.has_providers()
    options.add_provider("CPUExecutionProvider", {})
    assert options.has_providers()
    with pytest.warns(UserWarning, match="already been configured with providers"):
        onnxruntime.InferenceSession(squares, options, providers=CPU)


@pytest.mark.parametrize(
    ("providers", "options"),
    [
        ([3], None),
        ([["a", {}]], None),
        (["a"], 3),
        (["a"], ["x"]),
        (["a", "b"], [{}]),
        ([("a", {})], [{}]),
    ],
)
def test_wrong_providers_are_value_errors(onnxruntime, squares, providers, options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(ValueError, match="provider"):
            onnxruntime.InferenceSession(squares, None, providers, options, enable_fallback=0)


# --- what there is --------------------------------------------------------------------------------


def test_inputs_and_outputs_are_named(session):
    (x,), (y,) = session.get_inputs(), session.get_outputs()
    assert (x.name, x.type, x.shape) == ("X", "tensor(float)", [3, 2])
    assert (y.name, y.type, y.shape) == ("Y", "tensor(float)", [3, 2])
    assert str(x) == "NodeArg(name='X', type='tensor(float)', shape=[3, 2])"
    with pytest.raises(AttributeError):
        x.name = "Y"
    assert ref(x)() is x
    with pytest.raises(TypeError, match="pickle"):
        copy(x)
    assert list(session.get_overridable_initializers()) == []
    assert session.get_inputs() is session.get_inputs()
    assert session.get_outputs() is session.get_outputs()


def test_free_dimensions_have_their_names_and_are_fixed_by_these(onnxruntime):
    graph = graph_of("X f4[batch,2]", "Y = Neg X", "Y f4[batch,2]")
    options = onnxruntime.SessionOptions()
    for shape in (["batch", 2], [4, 2]):
        session = onnxruntime.InferenceSession(graph.to_bytes(), options, providers=CPU)
        assert session.get_inputs()[0].shape == shape
        options.add_free_dimension_override_by_name("batch", 4)


def test_the_places_of_inputs_and_outputs_are_read(session):
    for infos in (session.get_input_memory_infos(), session.get_output_memory_infos()):
        (info,) = infos
        assert (info.name, info.device_id, info.device_vendor_id) == ("Cpu", 0, 0)
    assert len(session.get_input_epdevices()) == 1


def test_the_options_of_a_session_are_read(onnxruntime, squares):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 2
    session = onnxruntime.InferenceSession(squares, options, providers=CPU)
    options.intra_op_num_threads = 3  # of sessions that follow
    assert session.get_session_options().intra_op_num_threads == 2
    assert onnxruntime.InferenceSession(squares).get_session_options().intra_op_num_threads == 0


def test_programs_read_the_attributes_that_the_functions_return(session):
    meta = session.get_modelmeta()
    assert (meta.producer_name, meta.domain, meta.description) == ("", "", "")
    assert meta.custom_metadata_map == {}
    assert isinstance(meta.version, int)
    assert session._model_meta.graph_name == meta.graph_name
    assert session._inputs_meta[0].name == "X"
    assert session._outputs_meta[0].shape == [3, 2]
    assert session._overridable_initializers == []
    assert session._providers == session.get_providers()
    assert session._provider_options == session.get_provider_options()
    assert not session._sess_options.enable_profiling


def test_which_provider_runs_which_node_is_known_where_it_was_asked_for(
    onnxruntime, squares, session, state
):
    with pytest.raises(state.Fail, match="record_ep_graph_assignment_info"):
        session.get_provider_graph_assignment_info()
    options = onnxruntime.SessionOptions()
    options.add_session_config_entry("session.record_ep_graph_assignment_info", "1")
    recording = onnxruntime.InferenceSession(squares, options, providers=CPU)
    (graph,) = recording.get_provider_graph_assignment_info()
    (node,) = graph.get_nodes()
    assert (graph.ep_name, node.op_type, node.domain) == ("CPUExecutionProvider", "Mul", "")


# --- runs -----------------------------------------------------------------------------------------


def test_the_compiled_session_is_made_in_two_steps(state, squares):
    session = state.InferenceSession(state.get_default_session_options(), squares, False, False)
    assert session.session_options.intra_op_num_threads == 0
    with pytest.raises(state.Fail, match=r"^\[ONNXRuntimeError\] : 1 : FAIL : Session not init"):
        session.run(["Y"], {"X": X}, None)
    with pytest.raises(Exception, match=r"(?i)session"):
        state.SessionIOBinding(session)
    for wrong in ((), ("CPUExecutionProvider", [{}])):
        with pytest.raises(TypeError):
            session.initialize_session(*wrong)
    session.initialize_session([], [], set())
    np.testing.assert_array_equal(session.run(["Y"], {"X": X}, None)[0], X * X)


@pytest.mark.parametrize("names", [None, [], ["Y"], ("Y",)])
def test_outputs_come_by_name_or_all(session, names):
    (y,) = session.run(names, {"X": X})
    np.testing.assert_array_equal(y, X * X)


@pytest.mark.parametrize("x", [X.tolist(), [[1, 2], [3, 4], [5, 6]], X[::-1], np.asfortranarray(X)])
def test_lists_and_strided_arrays_are_inputs(session, x):
    np.testing.assert_array_equal(session.run(None, {"X": x})[0], np.array(x) ** 2)


def test_an_input_is_missing_also_where_no_wanted_output_needs_it(onnxruntime):
    nodes = "a_out = Neg a; b_out = Neg b"
    graph = graph_of("a f4[2], b f4[2]", nodes, "a_out f4[2], b_out f4[2]")
    session = onnxruntime.InferenceSession(graph.to_bytes(), providers=CPU)
    with pytest.raises(ValueError, match=r"Required inputs \(\['b'\]\) are missing"):
        session.run(["a_out"], {"a": X[0]})


@pytest.mark.parametrize(
    "x",
    [
        np.array([["this", "is"], ["é", "你好"]]),
        np.array([["this", "is"], ["é", ""]], object),
        [["this", "is"], ["identity", "test"]],
    ],
)
def test_strings_go_in_and_come_out(onnxruntime, strings, x):
    session = onnxruntime.InferenceSession(strings, providers=CPU)
    assert session.get_inputs()[0].type == "tensor(string)"
    np.testing.assert_equal(session.run(None, {"X": x})[0], np.array(x, object))


@pytest.mark.parametrize("given", [np.array([b"a", "b"], object), [b"a", "b"]])
def test_bytes_among_objects_are_the_text_that_python_has_for_them(onnxruntime, given):
    session = onnxruntime.InferenceSession(models.identity("str", None), providers=CPU)
    assert session.run(None, {"x": given})[0].tolist() == ["b'a'", "b"]


def test_none_for_a_name_that_the_model_does_not_have_is_no_input(onnxruntime, state):
    session = onnxruntime.InferenceSession(models.add(), providers=CPU)
    x = np.ones((1, 4), np.float32)
    for options in (None, onnxruntime.RunOptions()):
        (y,) = session.run(["y"], {"other": None, "x": x}, options)
        assert y.tolist() == [[2] * 4]
        with pytest.raises(state.InvalidArgument, match="Invalid input name: other"):
            session.run(["y"], {"other": x, "x": x}, options)


def test_a_run_without_an_input_that_fails_is_made_once(onnxruntime, state):
    calls = []

    @ort.custom_op("test", inputs=["f4"], outputs=["f4"], op_set="counted")
    def counted(z):
        calls.append(z)
        return z

    graph = ort.Graph()
    x, z = (graph.input(name, "f4", ["n"]) for name in ("x", "z"))
    graph.node("counted", [z], ["w"], domain="test")
    graph.node("Add", [x, "w"], ["y"])
    graph.output("y", "f4", ["n"])
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.register_custom_ops_library(ort.custom_op_library("counted"))
    session = onnxruntime.InferenceSession(graph.to_bytes(), options, providers=CPU)
    with pytest.raises(state.Fail):
        session.run(None, {"x": None, "z": np.ones(2, np.float32)})
    assert len(calls) == 1


def test_an_output_is_not_the_memory_of_an_input(onnxruntime):
    graph = graph_of("X f4[2]", "Y = Neg X", "Y f4[2], X f4[2]")
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(graph.to_bytes(), options, providers=CPU)
    kept = []
    for i in range(5):
        x = np.full(2, i, np.float32)
        outputs = session.run(None, {"X": x})
        assert not np.shares_memory(outputs[1], x)
        kept.append(outputs)
        del x
    gc.collect()
    assert [outputs[1].tolist() for outputs in kept] == [[i, i] for i in range(5)]


def test_run_options_count(onnxruntime, session, state):
    options = onnxruntime.RunOptions()
    options.logid = "run"
    options.add_run_config_entry("memory.enable_memory_arena_shrinkage", "cpu:0")
    assert options.get_run_config_entry("memory.enable_memory_arena_shrinkage") == "cpu:0"
    np.testing.assert_array_equal(session.run(None, {"X": X}, options)[0], X * X)
    options.terminate = True
    with pytest.raises(state.Fail, match="terminate"):
        session.run(None, {"X": X}, options)


def test_an_asynchronous_run_calls_back(onnxruntime, squares):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 2
    session = onnxruntime.InferenceSession(squares, options, providers=CPU)
    done, reported = threading.Event(), []

    def callback(results, data, error):
        reported.append(([each.copy() for each in results], data, error))
        done.set()

    x = X.copy()
    session.run_async(["Y"], {"X": x}, callback, "data")
    assert done.wait(TIME_LIMIT)
    ((results, data, error),) = reported
    assert (data, error) == ("data", "")
    np.testing.assert_array_equal(results[0], X * X)


OP_THAT_EXITS = """
import threading

import numpy as np
import ortcffi as ort
from ortcffi import compat
from support.graphs import graph_of

@ort.custom_op("test", name="Exits", inputs=[np.float32], outputs=[np.float32])
def exits(_x):
    raise SystemExit

graph = graph_of("X f4[2]", "Y = test.Exits X", "Y f4[2]", {"": 18, "test": 1})
options = compat.SessionOptions()
options.log_severity_level = 4
options.register_custom_ops_library(ort.custom_op_library())
session = compat.InferenceSession(graph.to_bytes(), options, providers=["CPUExecutionProvider"])
done = threading.Event()

def callback(results, _data, error):
    print(results, error)
    done.set()

session.run_async(["Y"], {"X": np.ones(2, np.float32)}, callback, None)
assert done.wait(60)
"""


@pytest.mark.usefixtures("real_library")
def test_the_callback_of_an_asynchronous_run_is_called_where_an_op_exits():
    assert printed_by(OP_THAT_EXITS, **finds_support()) == "[] SystemExit"


def test_values_go_in_and_come_out(onnxruntime, session, state):
    value = onnxruntime.OrtValue.ortvalue_from_numpy(X)
    (y,) = session.run_with_ort_values(None, {"X": value})
    assert isinstance(y, onnxruntime.OrtValue)
    np.testing.assert_array_equal(y.numpy(), X * X)
    np.testing.assert_array_equal(session.run(["Y"], {"X": value})[0], X * X)
    feed = {"X": value._get_c_value()}
    vector = session._sess.run_with_ort_values(feed, ["Y"], state.RunOptions())
    assert isinstance(vector, state.OrtValueVector)
    np.testing.assert_array_equal(vector[0].numpy(), X * X)


def test_a_profile_is_written(onnxruntime, squares, tmp_path):
    options = onnxruntime.SessionOptions()
    options.profile_file_prefix = str(tmp_path / "profile")
    options.enable_profiling = True
    session = onnxruntime.InferenceSession(squares, options, providers=CPU)
    session.run(None, {"X": X})
    assert session.get_profiling_start_time_ns() > 0
    path = Path(session.end_profiling())
    assert path.name.startswith("profile")
    assert len(json.loads(path.read_text())) > 1
