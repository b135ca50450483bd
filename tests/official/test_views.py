# SPDX-License-Identifier: MIT
"""What `Session` and `SessionOptions` can do, on objects of the official package."""

import gc
import weakref

import numpy as np
import pytest
from support import models
from support.official import onnxruntime
from support.processes import TIME_LIMIT
from support.releases import needs_release

import ortcffi as ort

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


def test_a_bound_run_writes_into_the_array(official, session):
    out = np.zeros_like(X)
    bound = official.session(session).bind({"x": X}, {"y": out})
    bound.run()
    assert out.tolist() == [[2, 2, 2, 2]]


def test_a_view_runs_without_waiting(official, session):
    future = official.session(session).run_future({"x": X})
    assert future.result(timeout=TIME_LIMIT)[0].tolist() == [[2, 2, 2, 2]]


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


def test_the_metadata_is_that_of_the_official_session(official):
    model = models.model(
        [models.node("Identity", "x", "y")],
        [models.value("x", shape=(1, 4))],
        [models.value("y", shape=(1, 4))],
        metadata={"author": "somebody"},
    )
    session = onnxruntime.InferenceSession(model)
    assert dict(official.session(session).metadata.custom) == {"author": "somebody"}
    assert session.get_modelmeta().custom_metadata_map == {"author": "somebody"}


def test_a_view_in_a_cycle_is_collected_with_its_session(official):
    session = onnxruntime.InferenceSession(models.add())
    cycle = [official.session(session)]
    cycle.append(cycle)
    session.kept = cycle
    del session, cycle
    assert gc.collect() > 0


# --- options --------------------------------------------------------------------------------------


@NEEDS_OBJECTS
def test_an_initializer_over_our_memory_replaces_that_of_the_model(official):
    weights = np.full((1, 4), 7, np.float32)
    options = onnxruntime.SessionOptions()
    official.options(options).add_initializer("w", ort.Value.from_numpy(weights, api=official))
    only_x = [models.value("x", shape=(1, 4))], [models.value("y", shape=(1, 4))]
    ones = models.tensor("w", X)
    model = models.model([models.node("Mul", "x w", "y")], *only_x, [ones])
    session = onnxruntime.InferenceSession(model, options)
    del weights, options
    gc.collect()
    assert session.run(None, {"x": X})[0].tolist() == [[7, 7, 7, 7]]


# --- the official exceptions ----------------------------------------------------------------------


def test_a_view_raises_ours_without_a_block(official, session):
    with pytest.raises(ort.errors.InvalidArgument, match="x"):
        official.session(session).run({"x": np.ones(3, np.float32)})


def test_a_closed_view_says_so(official, session):
    view = official.session(session)
    view.close()
    with pytest.raises(ValueError, match="closed"):
        view.run({"x": X})


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
