# SPDX-License-Identifier: MIT
"""Profiles of sessions with an execution provider, whose profiler adds events of its own."""

import ctypes
import itertools
import json
import threading
from pathlib import Path

import numpy as np
import pytest
from support import eps
from support.graphs import graph_of
from support.python_eps import takes
from support.releases import needs_release
from support.threads import run_threads

import ortcffi as ort

pytestmark = needs_release(25, "profilers of execution providers")
X = np.array([1, 2, 3], np.float32)
IN_A_RUN = ["add_kernel_time", "add_kernel_time", "SequentialExecutor::Execute", "model_run"]
_numbers = itertools.count()


@pytest.fixture(scope="module")
def model() -> bytes:
    """y = x + w + x, of which the second node has no name."""
    graph = graph_of(
        "x f4[3]", "first: h = Add x w; y = Add h x", "y f4[3]", w=np.ones(3, np.float32)
    )
    return graph.to_bytes()


@pytest.fixture
def make(model, opened, tmp_path):
    """``make(api, words, **settings)`` is a session whose provider does as the words say."""

    def session(api, words="", **settings):
        env = ort.Env("profiles", api)
        devices = env.register_ep(eps.built(eps.PROFILING), f"add-{words}-{next(_numbers)}").devices
        settings.setdefault("profiling", str(tmp_path / "profile"))
        options = ort.SessionOptions(api, **settings)
        said()  # forget what came before
        return opened(model, options, api=api, providers=devices, env=env)

    return session


def said() -> list[str]:
    """What the profiler was asked since the last time; the nodes by one name."""
    library = ctypes.CDLL(str(eps.built(eps.PROFILING)))
    library.AskedEpEvents.restype = ctypes.c_char_p
    words = library.AskedEpEvents().decode().split()
    return ["add_kernel_time" if "kernel_time" in word else word for word in words]


def names_in(events):
    return [
        "add_kernel_time" if event.name.endswith("_kernel_time") else event.name for event in events
    ]


def test_a_profile_tells_of_the_session_its_runs_their_nodes_and_the_device(api, make):
    session = make(api)
    session.run({"x": X})
    profile = session.end_profiling()
    theirs = [event for event in profile.events if event.category == "Kernel"]
    assert theirs[0].arguments["parent"] == "session_initialization"
    assert theirs[0].arguments["sizes"] == ("[1, 2]" if api.is_core else [1, 2])
    assert len(theirs) == 5
    facts = {(event.name, event.thread, event.duration) for event in theirs}
    assert facts == {("on the device", 8, 1)}
    own = [event for event in profile.events if event.category != "Kernel"]
    assert names_in(own) == ["model_loading_array", "session_initialization", *IN_A_RUN]
    assert [event.category for event in own] == [*["Session"] * 2, *["Node"] * 2, *["Session"] * 2]
    first, second, execution, run = own[2:]
    wanted = {
        "parameter_size": "12",
        "activation_size": "12",
        "output_size": "12",
        "node_index": "2",
        "input_type_shape": [{"float": [3]}, {"float": [3]}],
        "output_type_shape": [{"float": [3]}],
    }
    assert {key: first.arguments[key] for key in wanted} == wanted
    assert second.arguments["parameter_size"] == "0"
    assert second.arguments["activation_size"] == "24"
    assert first.arguments["provider"] in first.name
    assert first.arguments["op_name"] in first.name
    assert run.start <= execution.start <= first.start <= second.start
    assert second.start + second.duration <= run.start + run.duration


def test_a_profile_has_all_shapes_of_a_node_with_many_inputs():
    names = [f"x{i}" for i in range(30)]
    graph = graph_of(", ".join(f"{x} f4[2,3]" for x in names), f"y = Sum {' '.join(names)}", "y f4")
    with ort.Session(graph, providers=[takes(Sum=lambda *xs: sum(xs))]) as session:
        _, profile = session.run_profiled(dict.fromkeys(names, np.ones((2, 3), np.float32)))
    (shapes,) = [
        event.arguments["input_type_shape"]
        for event in profile.events
        if "input_type_shape" in event.arguments
    ]
    assert shapes == [{"float": [2, 3]}] * 30


def test_a_profiler_is_called_in_order(api, make):
    session = make(api)
    assert said() == ["profiler", "start", "+", "session_initialization"]
    session.run({"x": X})
    assert said() == ["+", "+", "+", *IN_A_RUN[:1], "+", *IN_A_RUN[1:]]
    session.end_profiling()
    assert said() == ["end"]
    session.run({"x": X})
    assert said() == []
    session.close()
    assert said() == ["~profiler"]


def test_a_run_has_a_profiler_of_its_own(api, make):
    session = make(api, profiling=None)
    said()
    _, profile = session.run_profiled({"x": X})
    calls = ["profiler", "start", "+", "+", "+", *IN_A_RUN[:1], "+", *IN_A_RUN[1:]]
    assert said() == [*calls, "end", "~profiler"]
    assert names_in(profile.events) == [*IN_A_RUN, *["on the device"] * 4]


def test_a_session_that_has_a_profile_writes_none_of_a_run(api, make, tmp_path):
    session = make(api)
    with ort.RunOptions(api, profiling=str(tmp_path / "run")) as options:
        session.run({"x": X}, options=options)
    assert list(tmp_path.glob("run*")) == []
    assert "model_run" in names_in(session.end_profiling().events)


@pytest.mark.parametrize(
    ("words", "events"),
    [("silent", 0), ("nothing", 0), ("no-profiler", 0), ("no-event", 5), ("no-finish", 0)],
)
def test_a_profiler_that_fails_or_says_nothing_spoils_nothing(api, make, words, events):
    session = make(api, words)
    assert session.run({"x": X})[0].tolist() == [3, 5, 7]
    found = session.end_profiling().events
    assert len([event for event in found if event.category == "Kernel"]) == events
    assert names_in(found[:6])[2:] == IN_A_RUN


def test_a_session_that_ends_closes_its_profile_whose_name_has_the_local_time(api, make, tmp_path):
    session = make(api)
    assert session.profiling_start > 1_600_000_000_000_000_000
    session.run({"x": X})
    session.close()
    (path,) = tmp_path.glob("profile_*.json")
    assert len(json.loads(path.read_text())) == 11
    assert len(path.name) == len("profile_2026-01-31_23-59-59_123.json")


def test_profiles_that_begin_at_once_have_files_of_their_own(core_api, make, tmp_path):
    """Those of ONNX Runtime go to one file if they begin within a millisecond."""
    session = make(core_api, profiling=None)
    with ort.RunOptions(core_api, profiling=str(tmp_path / "run")) as options:

        def work():
            for _ in range(25):
                session.run({"x": X}, options=options)

        run_threads(*[work] * 2)
    paths = list(tmp_path.glob("run_*.json"))
    assert len(paths) == 50
    for path in paths:
        assert "model_run" in path.read_text()
        json.loads(path.read_text())


def test_odd_texts_are_valid_json(core_api, make):
    """ONNX Runtime writes them as they are, which readers then refuse."""
    session = make(core_api, 'odd "quoted"')
    session.run({"x": X})
    event = session.end_profiling().events[-1]
    assert event.name == '"device"'
    assert event.arguments['made "so"'] == "[\\]\n"


def test_a_session_whose_profile_cannot_be_written_is_an_error(core_api, make, tmp_path):
    """ONNX Runtime goes on, and the profile is lost."""
    with pytest.raises(ort.OrtError, match=r"the profile '.*' cannot be created"):
        make(core_api, profiling=str(tmp_path / "no/folder"))


def test_a_full_disk_is_reported_at_the_end(core_api, make):
    resource = pytest.importorskip("resource")
    session = make(core_api)
    session.run({"x": X})
    _, most = before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, most))
    try:
        with pytest.raises(ort.OrtError, match="the profile cannot be written"):
            session.end_profiling()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert session._end_profile() == ""


def test_runs_of_threads_are_in_one_profile_which_may_end_meanwhile(core_api, make):
    session = make(core_api, "silent")
    some = threading.Event()
    paths = []

    def run():
        for _ in range(200):
            session.run({"x": X})
            some.set()

    def end():
        assert some.wait(60)
        paths.append(session._end_profile())

    run_threads(run, run, end)
    events = json.loads(Path(paths[0]).read_text())
    assert {event["name"] for event in events} > {"model_loading_array", "model_run"}
    assert len({event["tid"] for event in events}) > 1
