# SPDX-License-Identifier: MIT
"""A run runs once, and keeps the GIL only where the caller asks for it."""

import sys
import threading
import time
from contextlib import contextmanager

import numpy as np
import pytest
from support import models
from support.threads import join, start, wait_until

import ortcffi as ort
from ortcffi import ffi
from ortcffi._native import lib
from ortcffi.errors import check
from ortcffi.session.creation import calls_of_python

QUICK = np.array([1])
LONG = np.array([4_000_000])  # zeros, of which one sine takes ten milliseconds or more


def drawn_by_the_library(session, sizes):
    """What calls of Run give, one after the other."""
    names = [ffi.new("char[]", name) for name in (b"x", b"r")]
    drawn = []
    for size in sizes:
        x, out = ort.Value.from_numpy(size, api=session.api), ffi.new("OrtValue**")
        inputs, outputs = ffi.new("char*[]", names[:1]), ffi.new("char*[]", names[1:])
        given = ffi.new("OrtValue*[]", [x.handle])
        handle = session.handle
        check(
            session.api.pointer,
            lib.Run(session.api.pointer, handle, ffi.NULL, inputs, given, 1, outputs, 1, out),
        )
        drawn.append(ort.Value.from_handle(session.api, out[0]).numpy().tolist())
    return drawn


@pytest.mark.parametrize("is_bound", [False, True])
def test_seeded_draws_are_the_librarys_own_whatever_a_run_takes(real_api, opened, is_bound, capfd):
    options = ort.SessionOptions(real_api, intra_op_threads=1)
    sessions = [opened(models.draws_and_sines(2), options) for _ in range(2)]
    sizes = [QUICK] * 350 + [LONG] + [QUICK] * 49
    size, session = QUICK.copy(), sessions[0]
    with session.bind(x=size) as bound:

        def draw(x):
            if not is_bound:
                return session.run(x=x)[0].tolist()
            size[:] = x
            bound.run()
            return bound.outputs["r"].tolist()

        assert [draw(x) for x in sizes] == drawn_by_the_library(sessions[1], sizes)
    assert capfd.readouterr().err == ""


def test_an_op_with_state_acts_once_in_each_run(real_api, opened):
    calls = []

    @ort.custom_op("test", inputs=[np.float32], outputs=[np.float32], op_set=None)
    def count(x):
        calls.append(None)
        if len(calls) == 150:
            time.sleep(0.05)
        return x

    options = ort.SessionOptions(real_api, intra_op_threads=1)
    with ort.CustomOpDomain("test", real_api) as domain:
        domain.add(count)
        options.add_custom_op_domain(domain)
    node = models.node("count", "x", "y", domain="test")
    ports = [models.value("x", shape=[2])], [models.value("y", shape=[2])]
    model = models.model([node], *ports, domains={"test": 1})
    session = opened(model, options)
    for _ in range(200):
        session.run(x=np.ones(2, np.float32))
    assert len(calls) == 200


# --- runs that keep the GIL -----------------------------------------------------------------------


@contextmanager
def counting():
    """Count in another thread, which asks for the GIL all the time; gives the list it adds to."""
    counted, ended = [], threading.Event()

    def count():
        while not ended.is_set():
            counted.append(None)
            time.sleep(0)

    threads = start(count)
    try:
        wait_until(lambda: counted)
        yield counted
    finally:
        ended.set()
        join(*threads)


@pytest.fixture
def rare_switches():
    """Let a thread that computes have the GIL for as long as it wants."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(60)
    yield
    sys.setswitchinterval(before)


def counted_beside(run):
    """How much another thread counts during 5 long runs."""
    with counting() as counted:
        before = len(counted)
        for _ in range(5):
            run()
        return len(counted) - before


@pytest.mark.usefixtures("rare_switches")
@pytest.mark.parametrize("hold_gil", [False, True])
def test_other_threads_stand_still_only_if_the_caller_asks_for_it(real_api, opened, hold_gil):
    options = ort.SessionOptions(real_api, intra_op_threads=1)
    session, size = opened(models.sines(2), options, hold_gil=hold_gil), np.array([500_000])
    bound = opened(models.sines(2), options).bind(x=size, hold_gil=hold_gil)
    for run in (lambda: session.run(x=size), bound.run, session.bind(x=size).run):
        if hold_gil:
            assert counted_beside(run) == 0
        else:  # others may have the CPUs
            wait_until(lambda run=run: counted_beside(run))


def test_a_run_that_keeps_the_gil_gives_what_others_give(real_api, opened, x):
    session = opened(models.add(), api=real_api, hold_gil=True)
    assert session.run({"x": x})[0].tolist() == [[2, 4, 6, 8]]
    assert session.run_values({"x": x})[0].numpy().tolist() == [[2, 4, 6, 8]]
    with pytest.raises(ort.errors.InvalidArgument):
        opened(models.loop(1), api=real_api, hold_gil=True).run()


def test_a_run_with_a_timeout_is_ended_also_where_runs_keep_the_gil(real_api, opened):
    session = opened(models.sines(200), ort.SessionOptions(real_api), hold_gil=True)
    with pytest.raises(TimeoutError):
        session.run(x=LONG, timeout=0.01)


# --- where it is refused --------------------------------------------------------------------------


def test_runs_that_may_call_python_do_not_keep_the_gil(real_api, opened):
    with ort.Env(api=real_api, logger=lambda *_: None) as env:
        with pytest.raises(ValueError, match="may: a logger or an allocator of the environment"):
            ort.Session(models.add(), env=env, hold_gil=True)
        session = opened(models.add(), env=env)
        with pytest.raises(ValueError, match="hold_gil=True needs runs that call no Python"):
            session.bind(hold_gil=True)
        session.close()


def test_a_session_that_was_made_elsewhere_does_not_keep_the_gil(real_api, opened):
    session = opened(models.add(), api=real_api)
    handle = session.handle
    with (
        ort.Session.from_handle(real_api, handle, session) as same,
        pytest.raises(ValueError, match="made elsewhere"),
    ):
        same.bind(hold_gil=True)


def calls(real_api, options=None, **keywords):
    with ort.Env(api=real_api, **keywords) as env:
        return calls_of_python(env._state, options)


def test_data_and_settings_call_no_python(real_api):
    assert calls(real_api) == ""
    options = ort.SessionOptions(real_api, intra_op_threads=1, config={"session.a": "1"})
    options.add_initializer("w", ort.Value.from_numpy(np.ones(3, np.float32), api=real_api))
    assert calls(real_api, options) == ""


@pytest.mark.parametrize("name", ["CPUExecutionProvider", "XNNPACK"])
def test_only_the_execution_provider_of_the_cpu_is_known_to_call_no_python(real_api, name):
    options = ort.SessionOptions(real_api)
    options._values["providers"] = [(name, {})]  # which of them a library has differs
    assert calls(real_api, options) == ("XNNPACK" if name == "XNNPACK" else "")


def test_functions_in_options_and_shared_threads_may_call_python(real_api):
    functions = ort.ThreadFunctions(print, print)
    for name, value, said in (
        ("logger", print, "logger"),
        ("thread_functions", functions, "thread_functions"),
        ("per_session_threads", False, "another session that shares the threads"),
    ):
        options = ort.SessionOptions(real_api)
        setattr(options, name, value)
        assert calls(real_api, options) == said


def test_custom_ops_may_call_python(real_api):
    options = ort.SessionOptions(real_api)
    with ort.CustomOpDomain("test", real_api) as domain:
        options.add_custom_op_domain(domain)
        assert calls(real_api, options) == "op_domains"


def test_a_registered_allocator_may_call_python(real_api):
    with ort.Env(api=real_api) as env:
        env.register_allocator(ort.Tracking(real_api.default_allocator))
        assert calls_of_python(env._state, None)
