# SPDX-License-Identifier: MIT
"""Libraries of execution providers behind a table that counts, notes and makes calls fail."""

import gc
import json

import numpy as np
import pytest
from support import eps
from support.paths import CHECKOUT, finds_support
from support.prepared import run_program
from support.processes import fork
from support.python_eps import takes
from support.threads import run_threads

import ortcffi as ort
from ortcffi.ep import watched as watched_eps

X = np.ones(3, np.float32)


@pytest.fixture
def adding_ep(c_compiler):
    return eps.build(c_compiler, eps.ADDING)


@pytest.fixture
def watched(env, adding_ep):
    """The guide's provider, watched, on each table."""
    with env.register_ep(adding_ep, "watched add", watch=True) as registered:
        yield registered


def test_calls_are_counted_by_slot_of_both_tables(env, watched, adding_ep):
    assert watched.watched.calls["CreateEpDevice"] == 1
    assert watched.watched.calls["GetEpApi"] == 1
    assert watched.watched.wanted_version == 23
    with env.register_ep(adding_ep, "plain add") as registered:
        assert registered.watched is None


def test_an_older_host_lacks_what_came_later(env, adding_ep):
    with env.register_ep(adding_ep, "old add", as_host=24, watch=True) as registered:
        assert registered.watched.wanted_version == 23
        assert registered.devices
    with pytest.raises(ort.OrtError, match="add_ep needs API version 23"):
        env.register_ep(adding_ep, "older add", as_host=22)


def test_a_library_without_factories_says_which_version_it_wanted(env, asked_ep, tmp_path):
    with pytest.raises(ort.OrtError, match=r"no factory was made; .* asked for API version 63"):
        env.register_ep(asked_ep, "newer", watch=True)
    with pytest.raises(ort.OrtError, match=r"no_such\.so"):
        env.register_ep(tmp_path / "no_such.so", "none", watch=True)


def test_what_cannot_be_watched_says_why(env, adding_ep, c_compiler):
    other = eps.build(c_compiler, CHECKOUT / "tests/c/clients/custom_ops.c")
    with pytest.raises(ort.OrtError, match=r"the library exports no execution provider: .*\.so"):
        env.register_ep(other, "other", watch=True)
    with (
        ort.Env(api=ort.core_api()) as core,
        pytest.raises(ort.OrtError, match=r"the host is older than as_host: its version is 1\.24"),
    ):
        core.register_ep(adding_ep, "older host", host=ort.emulate(24), as_host=25)


def test_the_first_call_fails_and_the_registration_with_it(env, adding_ep):
    with pytest.raises(ort.OrtError, match="CreateEpDevice was made to fail"):
        env.register_ep(adding_ep, "failing add", faults={"CreateEpDevice": 1})
    with env.register_ep(adding_ep, "failing add", faults={"CreateEpDevice": 2}) as registered:
        assert registered.devices


@pytest.mark.parametrize(
    ("faults", "text"),
    [
        ({"CreateStatus": 1}, "'CreateStatus' can never fail"),
        ({"NodeGetName": 1}, "is no slot.*Node_GetName"),
        ({"Node_GetName": -1}, "faults"),
    ],
)
def test_what_cannot_fail_is_refused(adding_ep, faults, text):
    with pytest.raises(ValueError, match=text):
        ort.WatchedEp(adding_ep, faults=faults)


def test_a_name_stands_for_one_library(adding_ep):
    with ort.WatchedEp(adding_ep, "one"), pytest.raises(ort.OrtError, match="under the name one"):
        ort.WatchedEp(adding_ep, "one")
    ort.WatchedEp(adding_ep, "one").close()


def test_left_objects_are_counted_by_slot_and_stay_known_after_the_end(env, asked_ep):
    registered = env.register_ep(asked_ep, "memory", watch=True)
    assert registered.watched.left_alive() == {"CreateMemoryInfo_V2": 3}
    figures = registered.watched
    registered.close()
    del registered
    gc.collect()
    assert figures.left_alive() == {}  # the library releases it with its factory


def test_calls_fail_inside_a_real_session(real_api, adding_ep):
    model = eps.added().to_bytes()
    with (
        ort.Env(api=real_api) as env,
        env.register_ep(adding_ep, "session add", watch=True) as registered,
    ):
        options = ort.SessionOptions(real_api)
        options.add_devices(registered.devices)
        before = sum(registered.watched.calls.values())
        with ort.Session(model, options) as session:
            np.testing.assert_array_equal(session.run({"x": X})[0], [1, 2, 3])
        assert registered.watched.calls["EpGraphSupportInfo_AddNodesToFuse"] == 1
        assert sum(registered.watched.calls.values()) > before
        registered.watched.fail({"EpGraphSupportInfo_AddNodesToFuse": 0})
        with ort.Session(model, options) as session:  # the CPU takes the node
            np.testing.assert_array_equal(session.run({"x": X})[0], [1, 2, 3])
        registered.watched.fail({"KernelContext_GetInput": 2})
        with ort.Session(model, options) as session:
            registered.watched.fail({"KernelContext_GetInput": 1})
            with pytest.raises(ort.OrtError, match="KernelContext_GetInput was made to fail"):
                session.run({"x": X})
            np.testing.assert_array_equal(session.run({"x": X})[0], [1, 2, 3])
        assert registered.watched.left_alive() == {}


OFFICIAL = """
import json
import numpy as np
import onnxruntime
import ortcffi as ort
from support import eps

watched = ort.WatchedEp(eps.built(eps.ADDING), "mine")
onnxruntime.register_execution_provider_library(watched.name, watched.library)
devices = [each for each in onnxruntime.get_ep_devices() if each.ep_name == "mine"]
options = onnxruntime.SessionOptions()
options.add_provider_for_devices(devices, {})
session = onnxruntime.InferenceSession(eps.added().to_bytes(), options)
found = session.run(None, {"x": np.ones(3, np.float32)})[0].tolist()
calls = watched.calls
del session, devices, options
onnxruntime.unregister_execution_provider_library(watched.name)
print(json.dumps([found, calls["EpGraphSupportInfo_AddNodesToFuse"], watched.left_alive()]))
"""


@pytest.mark.usefixtures("real_api", "adding_ep")
def test_the_official_package_registers_a_watched_provider():
    done = run_program(OFFICIAL, env=finds_support())
    assert json.loads(done.stdout) == [[1, 2, 3], 1, {}]


# --- statuses -------------------------------------------------------------------------------------


def on_the_core(path, **more):
    return ort.Env(api=ort.core_api()).register_ep(path, watch=True, **more)


def leave_status(rule, library):
    """Have a library do what leaves a status."""
    with ort.Ep(library.devices) as ep:
        if rule == "leaves-a-status-of-a-failure":
            library.watched.fail({"Graph_GetNumNodes": 1})
            with pytest.raises(ort.OrtError, match="the reason stays alive"):
                ep.capability(eps.added())
        else:
            ep.compile(ep.capability(eps.added()))[0](x=X)


@pytest.mark.parametrize(
    ("rule", "left"),
    [
        ("leaves-nothing", ("CreateStatus", ort.ErrorCode.FAIL, "nobody releases this")),
        (
            "leaves-a-status-of-a-guard",
            ("GetTypeInfo", ort.ErrorCode.INVALID_ARGUMENT, "GetTypeInfo: value must not be NULL"),
        ),
        (
            "leaves-a-status-of-a-failure",
            ("Graph_GetNumNodes", ort.ErrorCode.FAIL, "Graph_GetNumNodes was made to fail"),
        ),
    ],
)
def test_a_status_that_nobody_releases_is_named(c_compiler, monkeypatch, rule, left):
    monkeypatch.setenv("BREAKS", rule)
    path = eps.build(c_compiler, CHECKOUT / "tests/c/clients/breaking_ep.c")

    def work():
        library = on_the_core(path)
        leave_status(rule, library)
        assert library.watched.left_statuses() == [left]
        assert library.watched.left_alive()[left[0]] == 1
        return True

    assert fork(work) == 0


# --- without an engine ----------------------------------------------------------------------------


def test_a_library_is_tried_without_a_session(adding_ep):
    with on_the_core(adding_ep, host=ort.emulate(30)) as library:
        with ort.Ep(library.devices, {"k": "v"}) as ep:
            claims = ep.capability(eps.added())
            (node,) = ep.compile(claims)
            np.testing.assert_array_equal(node(x=X)[0], [1, 2, 3])
            library.watched.fail({"KernelContext_GetInput": 0})
            for _ in range(3):
                with pytest.raises(ort.OrtError, match="KernelContext_GetInput was made to fail"):
                    node(x=X)
            del node, claims
        assert library.watched.wanted_version == 23
        assert library.watched.calls["KernelContext_GetInput"] >= 2
        assert library.watched.left_statuses() == []
        assert library.watched.left_alive() == {}


def test_a_library_is_served_while_a_fork_holds_the_locks():
    mine = takes(Neg=np.negative)
    env = ort.Env(api=ort.core_api())
    found = []
    with watched_eps._lock:
        run_threads(lambda: found.append(env.register_ep(mine.path, mine.name)))
    assert [each.name for each in found] == [mine.name]
    found.pop().close()
    env.close()


def test_a_provider_in_python_is_watched_each_time():
    mine = takes(Neg=np.negative)
    for _ in range(3):
        with (
            ort.Env(api=ort.core_api()) as env,
            env.register_ep(mine.path, mine.name, watch=True) as registered,
        ):
            assert registered.watched.calls
        registered.watched.close()
