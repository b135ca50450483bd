# SPDX-License-Identifier: MIT
"""The copy of ONNX Runtime inside the official package: its table, its objects, its sessions."""

import gc
import json
import weakref

import numpy as np
import pytest
from support import models
from support.official import MODEL, SHAPE, python
from support.releases import needs_release

import ortcffi as ort

onnxruntime = pytest.importorskip("onnxruntime")


@pytest.fixture(scope="module")
def official():
    return ort.attach()


@pytest.fixture
def session():
    return onnxruntime.InferenceSession(MODEL, providers=["CPUExecutionProvider"])


# --- the table ------------------------------------------------------------------------------------


def test_the_table_is_that_of_the_package_and_says_so(official):
    assert not official.is_core
    assert official.version_string == onnxruntime.__version__
    assert official.path == onnxruntime.capi.onnxruntime_pybind11_state.__file__
    assert "of the official package" in repr(official)


def test_a_release_that_is_too_old_is_refused(official, monkeypatch):
    monkeypatch.setattr("ortcffi.official.attach.decode", lambda _text: "1.19.2")
    with pytest.raises(ort.LoadError, match=r"too old: its version is '1\.19\.2', and 1\.20 is"):
        ort.Official(official.base, official.module)


def test_the_package_need_not_be_imported_first():
    code = """
        for name in [name for name in sys.modules if name.startswith("onnxruntime")]:
            del sys.modules[name]
        print(ort.attach().version_string == onnxruntime.__version__)
    """
    assert python(code) == "True\n"


def test_to_attach_registers_no_op():
    code = """
        from ortcffi.testing.live_objects import live_objects

        decorate = ort.custom_op("my.domain", inputs=[np.float32], outputs=[np.float32])
        op = decorate(lambda x: x)
        ort.attach()
        ort.op_set().remove(op)
        del op
        gc.collect()
        print(live_objects()["op written in Python"])
    """
    assert python(code) == "0\n"


def test_a_table_is_that_of_one_copy_of_the_library(official, real_api):
    assert ort.attach() is official
    assert not official.same_library(real_api)


def test_what_it_cannot_use_is_refused_in_a_process_that_never_attached():
    code = """
        import json

        def refusal():
            try:
                ort.attach()
            except ort.LoadError as error:
                return str(error)

        class Options:
            def register_custom_ops_library(self, path): raise RuntimeError("built without it")

        official, onnxruntime.SessionOptions = onnxruntime.SessionOptions, Options
        without_the_way = refusal()
        Options.register_custom_ops_library = lambda self, path: None
        without_a_base = refusal()
        for name in [name for name in sys.modules if name.startswith("onnxruntime")]:
            del sys.modules[name]
        sys.modules["onnxruntime"] = None
        print(json.dumps([without_the_way, without_a_base, refusal()]))
    """
    without_the_way, without_a_base, missing = json.loads(python(code))
    assert "does not load libraries of custom ops: built without it" in without_the_way
    assert "gave no OrtApiBase to a library of custom ops" in without_a_base
    assert "pip install onnxruntime" in missing


# --- values ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["f4", "f8", "i8", "u1", "?", "f2"])
def test_a_value_is_seen_without_a_copy(official, dtype):
    theirs = onnxruntime.OrtValue.ortvalue_from_numpy(np.ones(3, dtype))
    ours = official.value(theirs)
    assert ours.numpy().dtype == np.dtype(dtype)
    assert ours.numpy().ctypes.data == theirs.data_ptr()


@pytest.mark.parametrize("dtype", ["f4", "f8", "i8", "u1", "?", "f2"])
def test_a_tensor_becomes_an_official_value_over_its_memory(official, dtype):
    value = ort.Value.from_numpy(np.ones(3, dtype))
    theirs = official.ortvalue(value)
    assert theirs.data_ptr() == value.numpy().ctypes.data
    assert theirs.numpy().dtype == np.dtype(dtype)
    for wrong in (ort.Value.from_strings(["a"]), 5):
        with pytest.raises(TypeError):
            official.ortvalue(wrong)


@pytest.mark.parametrize("what", [5, None, np.zeros(3), onnxruntime.RunOptions()])
@pytest.mark.parametrize("take", ["value", "session"])
def test_what_is_no_official_object_is_refused(official, take, what):
    with pytest.raises(
        TypeError, match=r"holds no C\+\+ object of the type \S*(OrtValue|InferenceSession)(,|$)"
    ):
        getattr(official, take)(what)


# --- options --------------------------------------------------------------------------------------


def test_options_are_set_in_the_official_object(official):
    theirs = onnxruntime.SessionOptions()
    official.options(theirs).intra_op_threads = 3
    official.options(theirs).config["session.x"] = "1"
    assert theirs.intra_op_num_threads == 3
    assert theirs.get_session_config_entry("session.x") == "1"
    of_runs = onnxruntime.RunOptions()
    official.run_options(of_runs).tag = "request 7"
    assert of_runs.logid == "request 7"


def test_memory_infos_are_read(official):
    kind = onnxruntime.OrtAllocatorType.ORT_ARENA_ALLOCATOR
    theirs = onnxruntime.OrtMemoryInfo("Cpu", kind, 0, onnxruntime.OrtMemType.DEFAULT)
    assert official.info(theirs).name == "Cpu"


def test_official_options_are_made_with_our_settings(official):
    options = official.session_options(intra_op_threads=2, config={"session.x": "1"})
    assert isinstance(options, onnxruntime.SessionOptions)
    assert options.intra_op_num_threads == 2


@needs_release(21, "objects whose contents are reached")
def test_an_unknown_setting_names_those_that_there_are(official):
    with pytest.raises(TypeError, match="no option 'threads'"):
        official.session_options(threads=2)


def test_a_logger_lives_as_long_as_the_session_and_no_longer(official):
    def log(message):
        del message

    alive = weakref.ref(log)
    session = onnxruntime.InferenceSession(MODEL, official.session_options(logger=log))
    del log
    gc.collect()
    assert alive() is not None
    del session
    gc.collect()
    assert alive() is None


@pytest.mark.parametrize("later", [None, print])
def test_a_session_keeps_the_logger_that_its_options_had(official, later):
    messages = []
    options = official.session_options(logger=messages.append)
    ports = [models.value("x", shape=["n"]), models.value("i", "int64", ["m"])]
    gather = models.model([models.node("Gather", "x i", "y")], ports, [models.value("y")])
    session = onnxruntime.InferenceSession(gather, options)
    official.options(options).logger = later
    gc.collect()
    with pytest.raises(Exception, match="out of data bounds"):
        session.run(None, {"x": np.zeros(3, np.float32), "i": np.array([99])})
    assert "out of data bounds" in messages[-1].text


# --- sessions -------------------------------------------------------------------------------------


def test_an_official_session_is_seen_as_ours(official, session):
    ours = official.session(session)
    x = np.random.default_rng(7).random(SHAPE, np.float32)
    assert np.array_equal(ours.run({"x": x})[0], session.run(None, {"x": x})[0])
    assert [each.name for each in (*ours.inputs, *ours.outputs)] == ["x", "y"]
    assert ours.allocator().stats.max_memory > 0


def test_closing_our_view_leaves_the_official_session(official, session):
    official.session(session).close()
    assert session.run(None, {"x": np.zeros(SHAPE, np.float32)})[0][0, 0, 0] == 0.5


def test_a_value_of_the_other_copy_is_refused_by_a_run(official, session, real_api):
    stranger = ort.Value.from_numpy(np.array(["a"]), api=real_api)
    with pytest.raises((TypeError, ValueError)):
        official.session(session).run({"x": stranger})


# --- errors ---------------------------------------------------------------------------------------


def test_official_errors_become_ours_and_others_pass(official, session):
    with (
        pytest.raises(ort.errors.InvalidArgument) as caught,
        official.errors(),
    ):
        session.run(None, {"x": np.ones(3, np.float32)})
    cause = caught.value.__cause__
    assert type(cause).__name__ == "InvalidArgument"
    code = ort.ErrorCode.INVALID_ARGUMENT
    assert caught.value.code is ort.errors.code_of(cause) is code
    assert ort.errors.code_of(KeyError("x")) is None
    with pytest.raises(KeyError), official.errors():
        raise KeyError("mine")
