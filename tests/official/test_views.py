# SPDX-License-Identifier: MIT
"""What Session and SessionOptions can do on official objects, and how these are read."""

import ctypes
import gc
import random
import weakref

import numpy as np
import pytest
from support import models
from support.graphs import graph_of
from support.official import onnxruntime
from support.releases import needs_release

import ortcffi as ort
from ortcffi._native import ffi, lib
from ortcffi.official import layout

X = np.ones((1, 4), np.float32)
NEEDS_DLPACK = pytest.mark.skipif(
    not hasattr(onnxruntime.OrtValue, "__dlpack__"),
    reason="this release of onnxruntime has no OrtValue.__dlpack__",
)
NEEDS_OBJECTS = needs_release(21, "objects whose contents are reached")


@pytest.fixture(scope="module")
def official():
    return ort.attach()


@pytest.fixture
def session():
    return onnxruntime.InferenceSession(models.add(), providers=["CPUExecutionProvider"])


# --- sessions -------------------------------------------------------------------------------------


@needs_release(25, "profiles of single runs")
def test_a_run_is_profiled(official, session):
    _, profile = official.session(session).run_profiled({"x": X})
    assert "Add" in {event.arguments.get("op_name") for event in profile.events}


def test_the_profile_of_an_official_session_is_read(official, tmp_path):
    options = onnxruntime.SessionOptions()
    options.enable_profiling = True
    options.profile_file_prefix = str(tmp_path / "official")
    session = onnxruntime.InferenceSession(models.add(), options)
    session.run(None, {"x": X})
    profile = official.session(session).end_profiling()
    assert "model_run" in {event.name for event in profile.events}


# --- options --------------------------------------------------------------------------------------


@NEEDS_OBJECTS
def test_an_initializer_over_our_memory_replaces_that_of_the_model(official):
    weights = np.full((1, 4), 7, np.float32)
    options = onnxruntime.SessionOptions()
    official.options(options).add_initializer("w", ort.Value.from_numpy(weights, api=official))
    graph = graph_of("x f4[1,4]", "y = Mul x w", "y f4[1,4]", w=X)
    session = onnxruntime.InferenceSession(graph.to_bytes(), options)
    del weights, options
    gc.collect()
    assert session.run(None, {"x": X})[0].tolist() == [[7, 7, 7, 7]]


# --- what views keep ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "view",
    [
        pytest.param("value", marks=NEEDS_OBJECTS),
        pytest.param("from_dlpack", marks=NEEDS_DLPACK),
    ],
)
def test_a_view_keeps_the_array_that_the_official_value_was_made_of(official, view):
    array = np.full(1000, 7, np.float32)
    lives = weakref.ref(array)
    theirs = onnxruntime.OrtValue.ortvalue_from_numpy(array)
    ours = official.value(theirs) if view == "value" else ort.Value.from_dlpack(theirs)
    del array, theirs
    gc.collect()
    assert lives() is not None, "the memory of the value is gone"
    assert ours.numpy()[0] == 7
    ours.close()
    del ours
    gc.collect()
    assert lives() is None


def test_a_view_keeps_the_session_that_was_replaced(official, session):
    replaced = weakref.ref(session._sess)
    view = official.session(session)
    session.set_providers(["CPUExecutionProvider"])
    gc.collect()
    assert replaced() is not None, "the session of the view is gone"
    assert view.run({"x": X})[0].tolist() == [[2, 2, 2, 2]]


# --- how they are read ----------------------------------------------------------------------------


def read(address: int, size: int = 8) -> bytes | None:
    out = ffi.new("char[]", size)
    return bytes(ffi.buffer(out)) if lib.ortcffi_read_memory(address, out, size) else None


@pytest.mark.parametrize("address", [0, 8, 4096, 2**47, 2**63 - 8, 2**64 - 8])
def test_only_memory_that_is_there_is_read(address):
    text = ctypes.create_string_buffer(b"readable")
    assert read(ctypes.addressof(text)) == b"readable"
    assert read(address) is None


@pytest.mark.parametrize("seed", range(5))
def test_random_words_point_to_no_session(seed):
    chance = random.Random(seed)
    words = [chance.getrandbits(chance.choice([8, 48, 64])) for _ in range(64)]
    memory = (ctypes.c_uint64 * 64)(*words)
    assert layout._type_name(ctypes.addressof(memory)) == b""
    assert [layout._type_name(word) for word in words] == [b""] * 64


def test_an_object_whose_type_lies_about_its_module_is_refused():
    fake = type(
        "InferenceSession", (), {"__module__": "onnxruntime.capi.onnxruntime_pybind11_state"}
    )
    with pytest.raises(layout.UnknownLayoutError, match="holds no C"):
        layout.session_pointer(fake(), "1.32.0")


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (5, layout.UnknownLayoutError),
        (LookupError, layout.UnknownLayoutError),
        (KeyboardInterrupt, KeyboardInterrupt),
    ],
)
def test_an_object_whose_conduit_lies_or_raises_is_refused(answer, expected):
    class Liar:
        def _pybind11_conduit_v1_(self, *_arguments):
            if answer == 5:
                return answer
            raise answer

    with pytest.raises(expected):
        layout.pointer_of(Liar(), layout.VALUE)


@pytest.mark.parametrize("release", ["1.23.2", "1.20.1", "1.33.0", "2.0", "unknown"])
def test_a_binding_without_a_session_or_of_an_unknown_release_is_refused(monkeypatch, release):
    words = (ctypes.c_uint64 * 16)()
    monkeypatch.setattr(layout, "pointer_of", lambda *_: ctypes.addressof(words))
    reason = "does not point to a session" if release == "1.23.2" else "is not known"
    with pytest.raises(layout.UnknownLayoutError, match=reason):
        layout.session_pointer(object(), release)


def test_a_session_at_another_place_is_refused(session):
    binding, release = session._sess, onnxruntime.__version__
    if not hasattr(binding, "_pybind11_conduit_v1_"):
        pytest.skip("objects of this release are not reached")
    other = "1.22.0" if layout._place_in(release) == layout._place_in("1.32.0") else "1.32.0"
    with pytest.raises(layout.UnknownLayoutError, match="does not point to a session"):
        layout.session_pointer(binding, other)
