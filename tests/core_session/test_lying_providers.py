# SPDX-License-Identifier: MIT
"""Execution providers that lie to a session of the core, or each of whose calls fails once."""

import ctypes
import gc
import itertools
from contextlib import contextmanager

import numpy as np
import pytest
from support import eps, models
from support.graphs import graph_of
from support.models import fields
from support.sessions import options_with
from support.threads import run_threads

import ortcffi as ort
from ortcffi import core_api

SHAPE = [3]
_numbers = itertools.count()
X = np.array([1, 2, 3], np.float32)


def chain(count=3):
    """y = x + x, and so on: as many nodes, one behind the other."""
    names = ["x", *(f"v{i}" for i in range(1, count)), "y"]
    nodes = [models.node("Add", f"{a} {a}", b) for a, b in itertools.pairwise(names)]
    inner = fields(13, (models.value(name, shape=SHAPE) for name in names[1:-1]))
    ports = [models.value("x", shape=SHAPE)], [models.value("y", shape=SHAPE)]
    return models.model(nodes, *ports, inner=inner)


def devices_of(env, words):
    return env.register_ep(eps.built(eps.LYING), f"{words} {next(_numbers)}").devices


def session_of(*words, **settings):
    """A session on the provider that lies so, or on one for each of the words."""
    env = ort.Env("lies", core_api())
    devices = [device for each in words for device in devices_of(env, each)]
    options = ort.SessionOptions(core_api(), **settings)
    return ort.Session(chain(), options, api=core_api(), providers=devices, env=env)


def count_of(name):
    """A count of the library: LyingStates or LyingEnds."""
    return ctypes.c_int.in_dll(ctypes.CDLL(str(eps.built(eps.LYING))), name)


@pytest.mark.parametrize("words", ["honest", "twice", "arguments", "state no-release"])
def test_a_provider_that_is_honest_or_lies_harmlessly_computes(words):
    """It claims a node twice, writes to the arguments of Compile, or releases no state."""
    with session_of(words) as session:
        assert session.run({"x": X})[0].tolist() == [8, 16, 24]


REFUSED = {
    "arguments one-context": "gave one EPContext node for two nodes",
    "arguments given-context": "gave a node of a graph as the EPContext node",
    "arguments own-context": "gave a node of a graph as the EPContext node",
    "arguments one-context more-context": "more EPContext nodes than there are nodes: arguments",
    "no-infos": "left a node without an info",
    "one-info": "left a node without an info",
    "more-infos": "gave more infos than there are nodes: more-infos",
    "each-infos": "gave more infos than there are nodes: each-infos",
    "no-state": "an info without CreateState or Compute for the node",
    "state no-compute": "an info without CreateState or Compute for the node",
    "around": "no execution provider and no custom op",
    "no-claims": "it does not know what it takes",
    "two-factories": "a factory is listed twice",
}


@pytest.mark.parametrize("words", REFUSED)
def test_a_provider_that_lies_is_refused_and_its_infos_are_released(words):
    infos = count_of("LyingInfos")
    with pytest.raises(ort.OrtError, match=REFUSED[words]):
        session_of(words)
    assert infos.value == 0


@pytest.mark.parametrize(
    ("words", "what"),
    [("no-output", "output"), ("no-start", "it does not begin"), ("no-end", "it does not end")],
)
def test_a_run_that_fails_leaves_nothing(words, what):
    with session_of(words) as session:
        for _ in range(3):
            with pytest.raises(ort.OrtError, match=what):
                session.run({"x": X})


def test_the_run_ends_for_all_providers_though_one_throws():
    ends = count_of("LyingEnds")
    with session_of("one-node ends", "throws-end") as session:
        before = ends.value
        with pytest.raises(ort.errors.RuntimeException, match="an exception left the execution"):
            session.run({"x": X})
        assert ends.value == before + 2


def test_an_exception_while_a_provider_synchronizes_is_a_status():
    with session_of("ends throws-sync") as session, session.bind({"x": X}) as bound:
        bound.run()
        with pytest.raises(ort.errors.RuntimeException, match="an exception left the execution"):
            bound.synchronize_outputs()


@pytest.mark.parametrize("lie", ["throws-state", "state no-session"])
def test_a_node_that_cannot_begin_leaves_nothing(lie):
    states = count_of("LyingStates")
    with (
        ort.Env("lies", core_api()) as env,
        ort.Ep(devices_of(env, lie)) as ep,
    ):
        claims = ep.capability(ort.Model.load(chain()))
        with pytest.raises(ort.OrtError, match=r"left the execution|does not like"):
            [node(X) for node in ep.compile(claims)]
    assert states.value == 0


@contextmanager
def session_that_calls(words, function):
    """A session on the provider that lies so; after its node, an op calls the function with the
    session and what the node made."""
    sessions = []

    @ort.custom_op("again", name="Again", inputs=[np.float32], outputs=[np.float32], op_set=None)
    def again(x):
        return function(sessions[0], x)

    options = options_with("again", again, api=core_api())
    nodes = [models.node("Add", "x x", "h"), models.node("Again", "h", "y", "again")]
    ports = [models.value("x", shape=SHAPE)], [models.value("y", shape=SHAPE)]
    model = models.model(nodes, *ports, domains={"again": 1})
    with (
        ort.Env("again", core_api()) as env,
        ort.Session(
            model, options, api=core_api(), providers=devices_of(env, words), env=env
        ) as session,
    ):
        sessions.append(session)
        yield session
        sessions.clear()


def run_again(session, x):
    return session.run({"x": x})[0] if x[0] < 4 else x


def test_a_node_that_runs_its_own_session_which_runs_alone_gets_an_error():
    with session_that_calls("alone", run_again) as session:
        with pytest.raises(ort.OrtError, match="runs the session again"):
            session.run({"x": X})
        assert session.run({"x": X + 2})[0].tolist() == [6, 8, 10]


def test_a_run_that_waits_for_one_that_waits_for_it_can_be_ended():
    ended = []

    def wait_for_thread(session, x):
        def run():
            with pytest.raises(TimeoutError) as caught:
                session.run({"x": x}, timeout=0.1)
            ended.append(caught.value)

        run_threads(run)
        return x

    with session_that_calls("alone", wait_for_thread) as session:
        assert session.run({"x": X})[0].tolist() == [2, 4, 6]
        assert len(ended) == 1
        assert session.run({"x": X + 2})[0].tolist() == [6, 8, 10]


# --- what is passed on ----------------------------------------------------------------------------


def test_a_session_tells_who_runs_which_nodes_and_a_provider_receives_dynamic_options():
    config = {"session.record_ep_graph_assignment_info": "1"}
    with session_of("honest", config=config) as session:
        ((name, operators),) = session.assignment.items()
        assert name.startswith("honest")
        assert list(operators) == ["Add"] * 3
        session.set_ep_options({"known": "1"})
        with pytest.raises(ort.errors.InvalidArgument, match="what it says"):
            session.set_ep_options({"other": "what it says"})
    with session_of("honest") as session, pytest.raises(ort.OrtError, match="must be set to"):
        session.assignment  # noqa: B018


# --- each call that the core makes of a provider fails once ---------------------------------------


INPUT = np.arange(1, 13, dtype=np.float32).reshape(1, 3, 2, 2)
FACTOR = INPUT + 1
# What goes wrong with a profile is logged.
LOGGED = {"CreateProfiler", "StartProfiling", "StartEvent", "StopEvent", "EndProfiling"}
REASONS = "fails as planned", "an exception left the execution provider", "out of memory"
MODES = ["first", "late", "throw"]
NUMBERS = itertools.count()


@ort.custom_op("failing.calls", name="Twice", inputs=[np.float32], outputs=[np.float32])
def twice(x):
    return x * 2


def made_model():
    """The provider's nodes, with one of the CPU between them, so that a value is copied."""
    nodes = "a = Mul x w; b = GlobalAveragePool a; c = failing.calls.Twice a; y = Mul c w"
    outputs = "a f4[1,3,2,2], b f4[1,3,1,1], y f4[1,3,2,2]"
    return graph_of("x f4[1,3,2,2]", nodes, outputs, {"": 21, "failing.calls": 1}, w=FACTOR)


MODEL = made_model().to_bytes()
EXPECTED = INPUT * FACTOR, (INPUT * FACTOR).mean((2, 3), keepdims=True), INPUT * FACTOR * 2 * FACTOR


class Failing:
    """The library, in which the call with a number fails."""

    def __init__(self, mode):
        self.path = eps.built(eps.ON_A_DEVICE)
        self.library = ctypes.CDLL(str(self.path))
        self.number("Mode").value = MODES.index(mode)

    def number(self, name):
        return ctypes.c_int.in_dll(self.library, f"FailingEp{name}")

    def each(self):
        """Once for each call, and once without one that fails; then what is left is counted."""
        for at in itertools.count(1):
            self.number("At").value, self.number("Calls").value = at, 0
            yield
            gc.collect()
            assert self.number("Alive").value == 0, self.failed()
            if self.number("Calls").value < at:
                return

    def failed(self):
        return ctypes.c_char_p.in_dll(self.library, "FailingEpCall").value.decode()

    def has_failed(self):
        return self.number("Calls").value >= self.number("At").value


@pytest.fixture(params=MODES)
def failing(request):
    found = Failing(request.param)
    yield found
    found.number("At").value = 0


def reasons(call):
    """The message of a call that fails, in a list."""
    try:
        call()
    except ort.OrtError as error:
        return [error.message]
    return []


def check_run(session):
    for value, expected in zip(session.run({"x": INPUT}), EXPECTED, strict=True):
        np.testing.assert_allclose(value, expected, rtol=1e-6)


def run_session(env, device, folder):
    """What goes wrong while a session runs twice, and ends its profile."""
    with ort.SessionOptions(env.api, profiling=folder / "profile") as options:
        options.add_devices([device])
        with ort.CustomOpDomain("failing.calls", env.api) as domain:
            domain.add(twice)
            options.add_custom_op_domain(domain)
        with ort.Session(MODEL, options, api=env.api, env=env) as session:
            calls = [lambda: check_run(session)] * 2 + [session.end_profiling]
            return [each for call in calls for each in reasons(call)]


def check_node(node):
    np.testing.assert_array_equal(node(INPUT)[0], INPUT * FACTOR)


def run_node(_env, device, _folder):
    """What goes wrong while a compiled node runs twice."""
    with ort.Ep([device]) as ep, ort.Model.load(MULTIPLYING) as model:
        with ep.capability(model) as claims:
            (node,) = ep.compile(claims)
        return [each for _ in range(2) for each in reasons(lambda: check_node(node))]


MULTIPLYING = eps.multiplying(FACTOR, INPUT.shape).to_bytes()


@pytest.mark.parametrize("run", [run_session, run_node])
def test_each_call_may_fail(core_api, failing, tmp_path, run):
    seen = set()
    for _ in failing.each():
        with ort.Env("failing", core_api, severity=4) as env:
            found = []

            def use(env=env, found=found):
                name = f"every-call memory streams {next(NUMBERS)}"
                with env.register_ep(failing.path, name) as registered:
                    found += run(env, registered.devices[0], tmp_path)

            found += reasons(use)
        if failing.has_failed():
            seen.add(failing.failed())
            assert len(found) == (failing.failed() not in LOGGED), (failing.failed(), found)
        assert all(any(each in text for each in REASONS) for text in found), found
    assert seen >= {"Alloc", "CopyTensors", "CreateNotification", "CreateState", "Compute"}
    assert seen >= (LOGGED if run is run_session else {"OnRunStart", "OnRunEnd"})
