# SPDX-License-Identifier: MIT
"""Each call that the core makes of an execution provider fails once: tests/c/provider,
which computes in memory of its own and brings streams, notifications and a profiler."""

import ctypes
import gc
import itertools

import numpy as np
import pytest
from support import eps

import ortcffi as ort

X = np.arange(1, 13, dtype=np.float32).reshape(1, 3, 2, 2)
W = X + 1
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
    graph = ort.Graph({"": 21, "failing.calls": 1})
    graph.input("x", "f4", X.shape)
    graph.initializer("w", W)
    graph.node("Mul", ["x", "w"], ["a"])
    graph.node("GlobalAveragePool", ["a"], ["b"])
    graph.node("Twice", ["a"], ["c"], domain="failing.calls")
    graph.node("Mul", ["c", "w"], ["y"])
    for name, shape in ("a", X.shape), ("b", [1, 3, 1, 1]), ("y", X.shape):
        graph.output(name, "f4", shape)
    return graph.to_bytes()


MODEL = made_model()
EXPECTED = X * W, (X * W).mean((2, 3), keepdims=True), X * W * 2 * W


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
    for value, expected in zip(session.run({"x": X}), EXPECTED, strict=True):
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
    np.testing.assert_array_equal(node(X)[0], X * W)


def run_node(_env, device, _folder):
    """What goes wrong while a compiled node runs twice."""
    with ort.Ep([device]) as ep, ort.Model.load(MULTIPLYING) as model:
        with ep.capability(model) as claims:
            (node,) = ep.compile(claims)
        return [each for _ in range(2) for each in reasons(lambda: check_node(node))]


MULTIPLYING = eps.multiplying(W, X.shape).to_bytes()


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
