# SPDX-License-Identifier: MIT
"""Runs that end early: at a timeout, by `cancel`, for KeyboardInterrupt, or in an op."""

import functools
import os
import signal
import threading
import time
from contextlib import contextmanager
from textwrap import dedent

import numpy as np
import pytest
from support import models
from support.graphs import graph_of
from support.paths import finds_support
from support.prepared import run_program
from support.processes import TIME_LIMIT
from support.sessions import options_with
from support.threads import join, run_async, run_threads, start, wait_until

import ortcffi as ort
from ortcffi.errors import Cancelled

FOREVER = 10**12  # trips
BIG = np.eye(32, dtype=np.float32)


def quiet(**settings):
    return ort.SessionOptions(intra_op_threads=1, log_severity=ort.LogSeverity.FATAL, **settings)


@pytest.fixture(params=["plain", "with a logger in Python"])
def endless(request, opened):
    """A session whose runs end only where something ends them."""
    loggers = {} if request.param == "plain" else {"logger": print}
    return opened(models.loop(FOREVER, 32), quiet(**loggers))


def cancel_unless_it_ends(session):
    """Wait for the end of a session's runs, but not for ever."""
    try:
        wait_until(lambda: not session.running, limit=60)
    finally:
        session.cancel()


@pytest.fixture
def later():
    """``later(session, action)`` calls a function in a thread while the session is in a run.

    The function is to end the run: one that goes on fails the test.
    """
    threads = []

    def later(session, action):
        def work():
            wait_until(lambda: session.running)
            time.sleep(0.01)  # until the run is in C
            action()
            cancel_unless_it_ends(session)

        threads.extend(start(work))
        return threads[-1]

    yield later
    join(*threads)


def test_a_timeout_ends_a_run(endless, opened, tmp_path):
    with pytest.raises(TimeoutError, match="longer than its timeout"):
        endless.run({"x": BIG}, timeout=0.01)
    with endless.bind(x=BIG) as bound, pytest.raises(TimeoutError):
        bound.run(timeout=0.01)
    (tmp_path / "endless.onnx").write_bytes(models.loop(FOREVER, 32))
    session = opened(tmp_path / "endless.onnx", quiet())
    with pytest.raises(TimeoutError, match=r"run of '.*endless.onnx' .* timeout of 0.01 seconds"):
        session.run({"x": BIG}, timeout=0.01)


def test_a_timeout_that_is_long_enough_changes_nothing(opened, x):
    session = opened(models.add())
    for seconds in (60, 1e9, float("inf")):
        assert session.run({"x": x}, timeout=seconds)[0].tolist() == [[2, 4, 6, 8]]


def test_the_shorter_of_two_timeouts_counts_first(endless):
    def run(seconds, ending=TimeoutError):
        with pytest.raises(ending):
            endless.run({"x": BIG}, timeout=seconds)

    threads = start(lambda: run(1000, Cancelled))
    wait_until(lambda: endless.running == 1)
    run_threads(lambda: run(0.03), lambda: run(0.01))
    assert endless.running == 1
    endless.cancel()
    join(*threads)


def test_cancel_ends_all_runs_of_the_session_from_another_thread(endless):
    failures = []

    def run():
        try:
            endless.run({"x": BIG})
        except Cancelled as error:
            failures.append(error)

    threads = start(run, run, run)
    wait_until(lambda: endless.running == 3)
    assert endless.cancel() == 3
    join(*threads)
    assert len(failures) == 3
    assert all(error.code is ort.ErrorCode.FAIL for error in failures)
    assert endless.running == 0


def test_cancel_also_ends_runs_with_options_of_their_own(endless, later, real_api):
    with ort.RunOptions(real_api) as options:
        thread = later(endless, endless.cancel)
        with pytest.raises(Cancelled):
            endless.run({"x": BIG}, options=options)
        join(thread)
        with pytest.raises(TimeoutError):  # and not at once, for the flag
            endless.run({"x": BIG}, options=options, timeout=0.01)


@contextmanager
def waiting(api, gates):
    """A session whose two nodes wait one after the other for the event with the number x."""

    @ort.custom_op("test", name="Wait", inputs=[np.int64], outputs=[np.int64], op_set=None)
    def wait(x):
        assert gates[int(x[0])].wait(TIME_LIMIT)
        return x.copy()

    graph = graph_of("x i8[1]", "h = test.Wait x; y = test.Wait h", "y i8[1]", {"": 18, "test": 1})
    options = options_with("test", wait, api=api, log_severity=ort.LogSeverity.FATAL)
    with ort.Session(graph, options, api=api) as session:
        yield session


def test_a_cancelled_run_that_ends_leaves_others_with_its_options_cancelled(api):
    first, second = gates = [threading.Event(), threading.Event()]
    options = ort.RunOptions(api)

    def run_until_cancelled(x):
        with pytest.raises(Cancelled):
            session.run({"x": np.array([x])}, options=options)

    with waiting(api, gates) as session:
        threads = start(*(functools.partial(run_until_cancelled, x) for x in range(2)))
        wait_until(lambda: session.running == 2)
        assert session.cancel() == 2
        first.set()
        join(threads[0])
        second.set()
        join(threads[1])
        (y,) = session.run({"x": np.array([0])}, options=options)  # the flag is not set
        assert y == 0


def test_cancel_at_random_times_hits_no_other_session(opened):
    slow, other = opened(models.loop(300, 32), quiet()), opened(models.add(), quiet())
    big, small = np.eye(32, dtype=np.float32), np.ones((1, 4), np.float32)
    end, ended = threading.Event(), []

    def cancel():
        while not end.is_set():
            slow.cancel()

    def run():
        for _ in range(15):
            try:
                slow.run({"x": big})
            except ort.errors.Cancelled:
                ended.append(1)
            assert other.run({"x": small})[0].sum() == 8
        done.append(1)

    done = []
    canceller = start(cancel)
    try:
        run_threads(*[run] * 4)
    finally:
        end.set()
    join(*canceller)
    assert len(done) == 4
    assert slow.run({"x": big})[0].shape == (32, 32)


# --- KeyboardInterrupt ----------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["run", "bound"])
@pytest.mark.parametrize("before", ["nothing", "a timeout"])
def test_a_keyboard_interrupt_ends_a_run_in_the_main_thread(endless, later, how, before):
    run = endless.bind(x=BIG).run if how == "bound" else functools.partial(endless.run, {"x": BIG})
    if before == "a timeout":
        with pytest.raises(TimeoutError):
            run(timeout=0.01)
    later(endless, lambda: os.kill(os.getpid(), signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        run()


@pytest.mark.parametrize("how", ["run", "bound"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)
def test_a_handler_of_the_program_runs_when_the_run_has_ended_and_is_no_interrupt(
    endless, later, how, number
):
    run = endless.bind(x=BIG).run if how == "bound" else functools.partial(endless.run, {"x": BIG})
    seen = []

    def end_soon():
        os.kill(os.getpid(), number)
        time.sleep(0.02)  # in which an interrupt would end the run
        endless.cancel()

    old = signal.signal(number, lambda number, _: seen.append((number, endless.running)))
    try:
        thread = later(endless, end_soon)
        with pytest.raises(Cancelled):
            run()
        join(thread)
        assert seen == [(number, 0)]
    finally:
        signal.signal(number, old)


def python(code):
    """Run code in a process that may import what the tests share; what it prints."""
    done = run_program(dedent(code), env=finds_support())
    assert not done.stderr
    return done.stdout


def test_a_keyboard_interrupt_comes_once_however_late_its_run_is_ended():
    code = """
        import os, random, signal, time

        COUNT = 50
        ready, tell = os.pipe()
        parent = os.getpid()
        if (process := os.fork()) == 0:  # it interrupts once, at any time, for each byte
            os.close(tell)
            while os.read(ready, 1):
                time.sleep(random.random() * 0.001)
                os.kill(parent, signal.SIGINT)
            os._exit(0)

        import numpy as np
        import ortcffi as ort
        from support import models

        session = ort.Session(models.add(), ort.SessionOptions(intra_op_threads=1))
        feed = {"x": np.ones((1, 4), np.float32)}
        comes, more = 0, 0

        def run(seconds):
            end = time.monotonic() + seconds
            while time.monotonic() < end:
                session.run(feed)

        for _ in range(COUNT):
            try:
                os.write(tell, b"x")
                run(60)
            except KeyboardInterrupt:
                comes += 1
            try:
                run(0.002)
            except KeyboardInterrupt:
                more += 1
        os.close(tell)
        assert os.waitpid(process, 0)[1] == 0
        print(comes, more)
    """
    assert python(code) == "50 0\n"


def test_a_run_that_the_end_of_the_interpreter_ends_raises_where_somebody_waits_for_its_thread():
    code = """
        import atexit, threading, time
        import numpy as np
        answers = []
        def work():
            try:
                session.run({"x": np.eye(32, dtype=np.float32)})
            except ort.errors.Cancelled as error:
                answers.append(str(error))
        thread = threading.Thread(target=work, daemon=True)
        atexit.register(lambda: (thread.join(), print(answers)))
        import ortcffi as ort
        from support import models
        options = ort.SessionOptions(intra_op_threads=1, log_severity=ort.LogSeverity.FATAL)
        session = ort.Session(models.loop(10_000_000, 32), options)
        thread.start()
        while session.running < 1:
            time.sleep(0.001)
    """
    assert python(code) == "['the run was ended by cancel']\n"


def test_the_deadline_of_a_run_that_has_ended_ends_no_other():
    """Nobody has taken its result, since the event loop is busy."""
    with ort.Session(models.add()) as session, ort.RunOptions(session.api) as options:

        async def busy():
            x = np.ones((1, 4), np.float32)
            future = session.run_async(x=x, options=options, timeout=0.1)
            time.sleep(0.4)
            assert not options.terminated
            session.run(x=x, options=options)
            return await future

        assert len(run_async(busy())) == 1


# --- ops written in Python ------------------------------------------------------------------------


WAYS = {
    "run": lambda session, x: session.run({"x": x}),
    "values": lambda session, x: session.run_values({"x": x}),
    "bound": lambda session, x: session.bind(x=x, y=np.empty_like(x)).run(),
    "profiled": lambda session, x: session.run_profiled({"x": x}),
    "future": lambda session, x: session.run_future({"x": x}).result(TIME_LIMIT),
    "awaited": lambda session, x: run_async(awaited(session, x)),
}


async def awaited(session, x):
    return await session.run_async({"x": x})


def exits(_x):
    raise SystemExit(3)


def interrupts(x):
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(10)  # the handler of the signal ends it
    return x


@pytest.fixture
def session_of(opened, real_api):
    """``session_of(op)`` is a session whose node an op of a function above computes."""

    def session_of(op):
        options = options_with("test", op_of(op), api=real_api, log_severity=ort.LogSeverity.FATAL)
        graph = graph_of("x f4[1,4]", f"y = test.{op.__name__} x", "y f4[1,4]")
        return opened(graph, options)

    return session_of


def op_of(function):
    described = {"inputs": [np.float32], "outputs": [np.float32], "op_set": None}
    return ort.custom_op("test", **described)(function)


@pytest.mark.parametrize("way", WAYS)
def test_an_op_that_exits_ends_the_program(session_of, way, x):
    with pytest.raises(SystemExit) as caught:
        WAYS[way](session_of(exits), x)
    assert caught.value.code == 3


@pytest.mark.parametrize("way", ["run", "values", "bound", "profiled"])
def test_an_interrupt_within_an_op_stays_one(session_of, way, x):
    session = session_of(interrupts)
    for _ in range(3):
        with pytest.raises(KeyboardInterrupt):
            WAYS[way](session, x)


@pytest.mark.parametrize(
    ("function", "kind"), [(exits, SystemExit), (interrupts, KeyboardInterrupt)]
)
def test_a_kernel_raises_them_too(function, kind, x):
    for _ in range(3):
        with op_of(function).kernel() as kernel, pytest.raises(kind):
            kernel(x)
