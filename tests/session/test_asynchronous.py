# SPDX-License-Identifier: MIT
"""Runs that are awaited, and those that wait for a thread."""

import asyncio
import functools
import gc
import os
import threading
import time
import weakref

import numpy as np
import pytest
from support import models
from support.graphs import graph_of
from support.prepared import printed_by
from support.processes import TIME_LIMIT
from support.sessions import options_with
from support.threads import run_async, wait_until

import ortcffi as ort
from ortcffi.errors import Cancelled, InvalidArgument, Overloaded, QueueTimeout
from ortcffi.testing.live_objects import left_alive, live_objects

BIG = np.eye(32, dtype=np.float32)


@pytest.fixture
def session(opened, options):
    return opened(models.add(), options)


def test_a_run_is_awaited(session, x):
    async def main():
        (y,) = await session.run_async({"x": x})
        (z,) = await session.run_async(x=x, outputs=["y"], values=True)
        return y, z

    y, z = run_async(main())
    assert y.tolist() == [[2, 4, 6, 8]]
    assert z.numpy().tolist() == [[2, 4, 6, 8]]


@pytest.mark.parametrize("name", ["self", "session"])
def test_inputs_may_have_the_names_of_parameters(opened, options, x, name):
    nodes = [models.node("Identity", name, "y")]
    session = opened(models.model(nodes, [models.value(name)], [models.value("y")]), options)

    async def main():
        return await session.run_async(**{name: x})

    bound = session.bind(**{name: np.zeros_like(x)})
    bound.bind(**{name: x})
    bound.run()
    answers = [run_async(main()), session.run_future(**{name: x}).result(TIME_LIMIT)]
    answers += [session.run_profiled(**{name: x})[0], session.run(**{name: x})]
    assert [y.tolist() for (y,) in [*answers, bound.outputs.values()]] == [x.tolist()] * 5


def test_errors_of_arguments_are_raised_at_once(session):
    async def main():
        with pytest.raises(InvalidArgument, match="input 'x' is missing"):
            session.run_async({})

    run_async(main())
    with pytest.raises(
        RuntimeError, match="needs a running event loop: call it in an async function"
    ):
        session.run_async({})


def test_errors_of_a_run_are_raised_where_it_is_awaited(opened, options):
    session = opened(graph_of("x f4[n], shape i8[1]", "y = Reshape x shape", "y f4[m]"), options)
    feed = {"x": np.ones(4, np.float32), "shape": np.array([3])}

    async def main():
        with pytest.raises(ort.OrtError):
            await session.run_async(feed)

    run_async(main())
    assert isinstance(session.run_future(feed).exception(TIME_LIMIT), ort.OrtError)


async def cancel_task(run, wait=0.0):
    task = asyncio.create_task(run)
    await asyncio.sleep(wait)
    task.cancel()
    await task


def close(run):
    run.close()
    assert run.cancelled()
    raise Cancelled


ENDS = {  # how an awaited run ends early, and with what
    "a timeout": (lambda _, run: run(timeout=0.02), TimeoutError),
    "cancel of the session": (lambda session, run: (run(), session.cancel())[0], Cancelled),
    "cancel of its task": (lambda _, run: cancel_task(run()), asyncio.CancelledError),
    "cancel of its task later": (lambda _, run: cancel_task(run(), 0.01), asyncio.CancelledError),
    "its end as a coroutine": (lambda _, run: close(run()), Cancelled),
    "an exception thrown into it": (lambda _, run: run().throw(OSError("a reason")), OSError),
}


@pytest.mark.parametrize("how", ENDS)
def test_an_awaited_run_ends_by(endless, how):
    end, error = ENDS[how]

    async def main():
        with pytest.raises(error):
            await end(endless, functools.partial(endless.run_async, {"x": BIG}))

    run_async(main())
    wait_until(lambda: not endless.running)


def test_a_run_is_a_coroutine_for_tasks_and_task_groups(session, x):
    async def main():
        task = asyncio.create_task(session.run_async({"x": x}), name="run")
        done, _ = await asyncio.wait({task}, timeout=TIME_LIMIT)
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(session.run_async({"x": x + n})) for n in range(50)]
        assert done == {task}
        return [int((await each)[0][0, 0]) for each in (task, *tasks)]

    assert run_async(main()) == [2, *(2 + 2 * n for n in range(50))]


def test_a_run_ends_once_as_a_coroutine(session, x):
    async def main():
        run = session.run_async({"x": x})
        await run
        with pytest.raises(StopIteration):
            run.send(None)
        for again in (lambda: run.send(None), lambda: run.throw(ValueError("a reason"))):
            with pytest.raises(RuntimeError, match="can be awaited as a coroutine once"):
                again()

    run_async(main())


@pytest.mark.parametrize("threads", [1, 2])
def test_an_op_waits_for_runs_of_its_own_session(opened, real_api, threads):
    @ort.custom_op("test", inputs=[np.float32], outputs=[np.float32], op_set=None)
    def counts_down(x):
        return x if x[0, 0] <= 0 else outer.run_future(x=x - 1).result(TIME_LIMIT)[0]

    options = options_with("test", counts_down, api=real_api, intra_op_threads=threads)
    outer = opened(graph_of("x f4[1,4]", "y = test.counts_down x", "y f4[1,4]"), options)
    count = (os.cpu_count() or 1) + 3  # deeper than there are threads for it
    (y,) = outer.run_future(x=np.full((1, 4), count, np.float32)).result(TIME_LIMIT)
    assert y.tolist() == [[0, 0, 0, 0]]


def test_callbacks_that_block_do_not_delay_other_runs(endless, session, x):
    release, blocked = threading.Event(), []

    def block(_):
        blocked.append(threading.get_ident())
        release.wait(TIME_LIMIT)

    try:
        for count in (1, 2, 3):
            future = endless.run_future({"x": BIG})
            future.add_done_callback(block)
            future.cancel()
            wait_until(lambda n=count: len(blocked) == n)
            assert session.run_future({"x": x}).result(TIME_LIMIT)
    finally:
        release.set()
    assert len(set(blocked)) == 3, "each on a thread of its own"


def test_a_loop_that_closes_early_loses_no_memory(endless):
    before = live_objects()

    async def main():
        endless.run_async({"x": BIG})

    run_async(main())
    gc.collect()
    assert endless.cancel() == 1
    wait_until(lambda: gc.collect() >= 0 and not endless.running and not left_alive(before))


def test_a_session_that_ends_on_a_thread_of_its_own_is_released_by_another(real_api):
    def log(_message):
        pass

    options = ort.SessionOptions(
        real_api, intra_op_threads=2, log_severity=ort.LogSeverity.FATAL, logger=log
    )
    session = ort.Session(models.loop(10**12, 32), options)
    future = session.run_future({"x": BIG})
    session.close()  # while the run is under way, so that it is released with it
    kept = weakref.ref(log)
    del session, options, log
    future.cancel()
    assert isinstance(future.exception(TIME_LIMIT), Cancelled)
    del future
    wait_until(lambda: gc.collect() >= 0 and kept() is None)


# --- runs that wait -------------------------------------------------------------------------------


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


FORK = """
child = os.fork()
if child == 0:
    for future in futures:
        future.cancel()
    mine = session.run_future({"x": x})
    more = [session.run_future({"x": x}, timeout=0.02) for _ in range(50)]
    errors = {type(each.exception(60)).__name__ for each in more}
    mine.cancel()
    assert type(mine.exception(60)).__name__ == "Cancelled"
    os._exit(0 if errors in ({"QueueTimeout"}, {"QueueTimeout", "TimeoutError"}) else 1)
session.cancel()
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
PROGRAMS = {"ends": ("print('end')", "end"), "forks": (FORK, "0")}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks")
@pytest.mark.parametrize("how", PROGRAMS)
def test_a_process_with_runs_that_wait(tmp_path, how):
    """The child of a fork has no run that waits."""
    (tmp_path / "endless.onnx").write_bytes(models.loop(10**12, 32))
    end, expected = PROGRAMS[how]
    assert printed_by(PROGRAM + end, tmp_path / "endless.onnx") == expected
