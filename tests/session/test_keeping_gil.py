# SPDX-License-Identifier: MIT
"""Runs that keep the GIL, since the last ones were quick and they call no Python."""

import os
import signal
import sys
import threading
import time
from contextlib import contextmanager

import numpy as np
import pytest
from support import models
from support.processes import fork
from support.threads import join, run_threads, start, wait_until

import ortcffi as ort
from ortcffi._native import lib
from ortcffi.session.creation import may_keep_gil

QUICK = np.array([1])
LONG = np.array([4_000_000])  # zeros, of which one sine takes ten milliseconds or more


@pytest.fixture
def sines(opened, real_api):
    """Make a session with runs of tens of milliseconds or more, after many quick ones."""
    options = ort.SessionOptions(real_api, intra_op_threads=1, log_severity=ort.LogSeverity.FATAL)
    session = opened(models.sines(8), options)
    repeat(session.run, 200)
    return session


def repeat(run, count):
    for _ in range(count):
        assert run(x=QUICK)[0].tolist() == [1]


@contextmanager
def counting():
    """Count in another thread, which asks for the GIL all the time; gives the list it adds to."""
    told, ended = [], threading.Event()

    def tell():
        while not ended.is_set():
            told.append(None)
            time.sleep(0)

    threads = start(tell)
    try:
        wait_until(lambda: told)
        yield told
    finally:
        ended.set()
        join(*threads)


def counts_beside(work, be_quick):
    """Whether another thread counts meanwhile; tried again, since a busy machine may not let it."""
    for _ in range(10):
        be_quick()
        with counting() as told:
            before = len(told)
            work()
            if len(told) - before > 100:
                return True
    return False


@pytest.fixture
def rare_switches():
    """Let a thread that computes have the GIL for as long as it wants."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(60)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("rare_switches")
def test_quick_runs_keep_the_gil(opened, real_api):
    def all_keep_it():
        options = ort.SessionOptions(real_api, intra_op_threads=1)
        session = opened(models.sines(1), options)
        with counting() as told:
            repeat(session.run, 20)
            runs, before = lib.ortcffi_kept_runs(), len(told)
            repeat(session.run, 100)
            counted, kept = len(told) - before, lib.ortcffi_kept_runs() - runs
        assert counted == 0 or kept < 100
        return kept == 100

    # More than once, since a run takes long where the system lets other processes run meanwhile.
    assert any(all_keep_it() for _ in range(50))


def test_a_run_that_turns_out_to_be_long_releases_the_gil(sines):
    def work():
        assert sines.run(x=LONG)[0].tolist() == [4_000_000]

    assert counts_beside(work, lambda: repeat(sines.run, 200))


def test_a_bound_run_that_turns_out_to_be_long_releases_the_gil(sines):
    size, out = QUICK.copy(), np.zeros(1, np.int64)
    with sines.bind(x=size, y=out) as bound:

        def be_quick():
            size[:] = QUICK
            for _ in range(20):
                bound.run()
            size[:] = LONG

        assert counts_beside(bound.run, be_quick)
    assert out.tolist() == [4_000_000]


@pytest.fixture
def negated(opened, real_api):
    """Make a session that reads `n` before what may take long."""
    options = ort.SessionOptions(real_api, intra_op_threads=1, log_severity=ort.LogSeverity.FATAL)
    return opened(models.negated_and_sines(8), options)


def check_that_each_run_negates(run, size, n):
    for _ in range(200):
        run()
    size[:] = LONG
    run()
    assert n.tolist() == [-5], "a run that wrote to its input began anew"


def test_a_run_that_writes_to_its_input_does_not_begin_anew(negated):
    size, n = QUICK.copy(), np.array([5])
    check_that_each_run_negates(lambda: negated.run(x=size, n=n, out={"m": n}), size, n)


def test_a_bound_run_that_writes_to_its_input_does_not_begin_anew(negated):
    size, n = QUICK.copy(), np.array([5])
    with negated.bind(x=size, n=n, m=n, y=None) as bound:
        check_that_each_run_negates(bound.run, size, n)


def test_a_bound_run_that_reads_what_another_run_made_does_not_begin_anew(negated):
    size = QUICK.copy()
    with negated.bind(x=size, n=np.array([5])) as bound:
        bound.run()  # makes the output that it writes to from now on
        n = bound.outputs["m"]
        n[:] = 5
        bound.bind(n=n)
        check_that_each_run_negates(bound.run, size, n)


def test_a_keyboard_interrupt_ends_a_run_that_turns_out_to_be_long(sines):
    def interrupt():
        wait_until(lambda: sines.running)
        os.kill(os.getpid(), signal.SIGINT)

    size = np.zeros(1, np.int64)
    thread = start(interrupt)
    with pytest.raises(KeyboardInterrupt):
        sines.run(x=np.array([20_000_000]), out={"y": size})
    join(*thread)
    assert size.tolist() == [0], "the run has come to its end"


def test_the_child_of_a_fork_ends_long_runs_too(sines):
    def work():
        return counts_beside(lambda: sines.run(x=LONG), lambda: repeat(sines.run, 20))

    assert fork(work) == 0


def test_quick_and_long_runs_of_many_threads_give_what_they_should(sines):
    def quick():
        repeat(sines.run, 2000)

    def long():
        for size in (1, 1_000_000, 1, 500_000):
            assert sines.run(x=np.array([size]))[0].tolist() == [size]

    run_threads(quick, long, quick, long)


# --- which sessions may ---------------------------------------------------------------------------


def may(real_api, options=None, **keywords):
    with ort.Env(api=real_api, **keywords) as env:
        return may_keep_gil(env, options)


def test_a_session_that_calls_no_python_may_keep_the_gil(real_api):
    assert may(real_api)
    options = ort.SessionOptions(real_api, intra_op_threads=1, config={"session.a": "1"})
    options.add_initializer("w", ort.Value.from_numpy(np.ones(3, np.float32), api=real_api))
    assert may(real_api, options)


@pytest.mark.parametrize("name", ["CPUExecutionProvider", "XNNPACK"])
def test_only_the_execution_provider_of_the_cpu_is_known_to_call_no_python(real_api, name):
    options = ort.SessionOptions(real_api)
    options._values["providers"] = [(name, {})]  # which of them a library has differs
    assert may(real_api, options) == (name == "CPUExecutionProvider")


def test_a_session_that_may_call_python_may_not_keep_the_gil(real_api):
    functions = ort.ThreadFunctions(print, print)
    for name, value in {
        "logger": print,
        "thread_functions": functions,
        "per_session_threads": False,
    }.items():
        options = ort.SessionOptions(real_api)
        setattr(options, name, value)
        assert not may(real_api, options), name


def test_a_session_with_custom_ops_may_not_keep_the_gil(real_api):
    options = ort.SessionOptions(real_api)
    with ort.CustomOpDomain("test", real_api) as domain:
        options.add_custom_op_domain(domain)
        assert not may(real_api, options)


def test_a_session_beside_a_logger_or_an_allocator_in_python_may_not_keep_the_gil(real_api):
    assert not may(real_api, logger=print)
    with ort.Env(api=real_api) as env:
        env.register_allocator(ort.Tracking(real_api.default_allocator))
        assert not may_keep_gil(env, None)
