# SPDX-License-Identifier: MIT
"""Runs that wait for a thread: timeouts, cancelling, and whom they wait for."""

import asyncio
import os
import time

import numpy as np
import pytest
from support import models
from support.prepared import printed_by
from support.processes import TIME_LIMIT
from support.threads import run_async

import ortcffi as ort
from ortcffi.errors import Cancelled, Overloaded, QueueTimeout

pytestmark = pytest.mark.usefixtures("real_api")

BIG = np.eye(32, dtype=np.float32)
MOST = os.cpu_count() or 1
"""How many runs of a session are under way at most."""


@pytest.fixture
def busy(endless):
    """A session whose runs are all under way, and never end."""
    futures = [endless.run_future({"x": BIG}, timeout=1e6) for _ in range(MOST)]
    return endless, futures


def test_a_run_that_waits_too_long_is_not_made(busy, metrics_of):
    session, others = busy
    out = np.zeros_like(BIG)
    future = session.run_future({"x": BIG}, out={"y": out}, timeout=0.02)
    error = future.exception(TIME_LIMIT)
    assert type(error) is QueueTimeout
    assert isinstance(error, TimeoutError)
    assert "did not begin within its timeout of 0.02 seconds" in str(error)
    assert not out.any()
    assert not any(other.done() for other in others)
    assert metrics_of(session).errors == {"QUEUE_TIMEOUT": 1}


def test_an_awaited_run_that_waits_too_long_is_not_made(busy):
    session, _ = busy

    async def main():
        began = time.monotonic()
        runs = [session.run_async({"x": BIG}, timeout=t) for t in (0.01, 0, 0.02)]
        errors = await asyncio.gather(*runs, return_exceptions=True)
        return [type(error) for error in errors], time.monotonic() - began

    errors, seconds = run_async(main())
    assert errors == [QueueTimeout] * 3
    assert seconds < TIME_LIMIT


def test_to_cancel_a_run_that_waits_ends_it_at_once(busy):
    session, others = busy
    future = session.run_future({"x": BIG}, timeout=1e6)
    assert future.cancel()
    assert isinstance(future.exception(TIME_LIMIT), Cancelled)
    assert not any(other.done() for other in others)


def test_runs_begin_in_their_order_when_others_have_ended(busy):
    session, others = busy
    waiting = [session.run_future({"x": BIG}, timeout=1e6) for _ in range(4)]
    waiting[1].cancel()
    others[0].cancel()
    assert isinstance(others[0].exception(TIME_LIMIT), Cancelled)
    expired = session.run_future({"x": BIG}, timeout=0.02)
    assert type(expired.exception(TIME_LIMIT)) is QueueTimeout
    waiting[3].cancel()
    others[-1].cancel()
    session.cancel()
    errors = [type(each.exception(TIME_LIMIT)) for each in (*others, *waiting)]
    assert errors == [Cancelled] * len(errors)


def test_options_of_a_run_that_was_not_made_end_no_other(opened, busy):
    session, _ = busy
    with ort.RunOptions(session.api) as options:
        other = opened(models.loop(10**12, 32), ort.SessionOptions(session.api, intra_op_threads=1))
        run = other.run_future({"x": BIG}, options=options)
        late = session.run_future({"x": BIG}, options=options, timeout=0.02)
        assert type(late.exception(TIME_LIMIT)) is QueueTimeout
        assert not run.done()
        assert not options.terminated
        run.cancel()
        assert isinstance(run.exception(TIME_LIMIT), Cancelled)


def test_no_session_waits_for_the_runs_of_another(busy, opened, x):
    other = opened(models.add(), ort.SessionOptions(busy[0].api, intra_op_threads=1))
    futures = [other.run_future({"x": x}, timeout=TIME_LIMIT) for _ in range(20)]
    assert all(future.result(TIME_LIMIT) for future in futures)


def test_many_runs_expire_at_the_same_time(busy):
    session, _ = busy
    futures = [session.run_future({"x": BIG}, timeout=0.02) for _ in range(300)]
    began = time.monotonic()
    assert {type(each.exception(TIME_LIMIT)) for each in futures} == {QueueTimeout}
    assert time.monotonic() - began < TIME_LIMIT


def test_a_run_is_refused_at_once_where_too_many_wait(busy, metrics_of):
    session, _ = busy
    with pytest.raises(Overloaded, match="0 runs were waiting"):
        session.run_future({"x": BIG}, max_waiting=0)
    waiting = session.run_future({"x": BIG}, max_waiting=1)

    async def main():
        with pytest.raises(Overloaded, match="1 runs were waiting"):
            session.run_async({"x": BIG}, max_waiting=1)

    run_async(main())
    waiting.cancel()
    assert isinstance(waiting.exception(TIME_LIMIT), Cancelled)
    assert metrics_of(session).errors["OVERLOADED"] == 2
    with pytest.raises(ValueError, match="max_waiting"):
        session.run_future({"x": BIG}, max_waiting=-1)


@pytest.fixture
def endless_model(tmp_path):
    path = tmp_path / "endless.onnx"
    path.write_bytes(models.loop(10**12, 32))
    return path


PROGRAM = """
import os, sys
import numpy as np
import ortcffi as ort
# Without an arena, whose lock the child might have inherited.
options = ort.SessionOptions(intra_op_threads=1, cpu_arena=False)
session = ort.Session(sys.argv[1], options)
x = np.eye(32, dtype=np.float32)
futures = [session.run_future({"x": x}, timeout=60) for _ in range(50)]
"""


def test_the_interpreter_ends_with_runs_that_wait(endless_model):
    assert printed_by(PROGRAM + "print('end')", endless_model) == "end"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks")
def test_the_child_of_a_fork_has_no_run_that_waits(endless_model):
    ends = """
child = os.fork()
if child == 0:
    for future in futures:
        future.cancel()
    mine = session.run_future({"x": x}, timeout=0.02)
    more = [session.run_future({"x": x}, timeout=0.02) for _ in range(50)]
    errors = [type(each.exception(60)).__name__ for each in (mine, *more)]
    os._exit(0 if errors[0] == "TimeoutError" and "QueueTimeout" in errors else 1)
session.cancel()
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    assert printed_by(PROGRAM + ends, endless_model) == "0"
