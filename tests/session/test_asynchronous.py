# SPDX-License-Identifier: MIT
"""Runs that are awaited."""

import asyncio
import gc
import os
import threading
import weakref

import numpy as np
import pytest
from support import models
from support.processes import TIME_LIMIT
from support.sessions import options_with
from support.threads import run_async, threads_of_process, wait_until

import ortcffi as ort
from ortcffi._native import lib
from ortcffi.errors import Cancelled, InvalidArgument
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
    node = models.node("Reshape", "x shape", "y")
    ports = [models.value("x", shape=["n"]), models.value("shape", "int64", [1])]
    session = opened(models.model([node], ports, [models.value("y", shape=["m"])]), options)
    feed = {"x": np.ones(4, np.float32), "shape": np.array([3])}

    async def main():
        with pytest.raises(ort.OrtError):
            await session.run_async(feed)

    run_async(main())
    assert isinstance(session.run_future(feed).exception(TIME_LIMIT), ort.OrtError)


def test_a_timeout_and_cancel_end_an_awaited_run(endless):
    async def main():
        with pytest.raises(TimeoutError):
            await endless.run_async({"x": BIG}, timeout=0.02)
        future = endless.run_async({"x": BIG})
        endless.cancel()
        with pytest.raises(Cancelled):
            await future

    run_async(main())


def test_a_run_is_a_coroutine_for_tasks_and_task_groups(session, x):
    async def main():
        task = asyncio.create_task(session.run_async({"x": x}), name="run")
        done, _ = await asyncio.wait({task}, timeout=TIME_LIMIT)
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(session.run_async({"x": x + n})) for n in range(50)]
        assert done == {task}
        return [int((await each)[0][0, 0]) for each in (task, *tasks)]

    assert run_async(main()) == [2, *(2 + 2 * n for n in range(50))]


@pytest.mark.parametrize("begun", [False, True])
def test_to_cancel_the_task_of_a_run_ends_the_run(endless, begun):
    async def main():
        task = asyncio.create_task(endless.run_async({"x": BIG}))
        if begun:
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    run_async(main())
    wait_until(lambda: not endless.running)


def test_a_task_group_ends_its_runs_when_another_task_fails(endless):
    async def fail():
        raise ValueError("a reason")

    async def main():
        async with asyncio.TaskGroup() as group:
            group.create_task(endless.run_async({"x": BIG}))
            group.create_task(fail())

    with pytest.raises(ExceptionGroup) as caught:
        run_async(main())
    assert [str(error) for error in caught.value.exceptions] == ["a reason"]
    wait_until(lambda: not endless.running)


def test_a_run_that_is_closed_as_a_coroutine_ends(endless):
    async def main():
        run = endless.run_async({"x": BIG})
        run.close()
        assert run.cancelled()
        with pytest.raises(ValueError, match="a reason"):
            endless.run_async({"x": BIG}).throw(ValueError("a reason"))

    run_async(main())
    wait_until(lambda: not endless.running)


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


def test_to_cancel_a_future_of_threads_ends_the_run(endless, session, x):
    future = endless.run_future({"x": BIG})
    assert future.cancel()
    assert isinstance(future.exception(TIME_LIMIT), Cancelled)
    assert not future.cancel()
    assert session.run_future({"x": x}).result(TIME_LIMIT)


def test_arrays_stay_until_the_run_has_ended(session):
    async def main():
        futures = [session.run_async({"x": np.full((1, 4), n, np.float32)}) for n in range(50)]
        gc.collect()
        return [int((await f)[0][0, 0]) for f in futures]

    assert run_async(main()) == [2 * n for n in range(50)]


def test_a_session_can_be_closed_before_its_runs_have_ended(x, options):
    before = lib.ortcffi_live_sessions()

    async def main():
        session = ort.Session(models.add(), options)
        futures = [session.run_async({"x": x}) for _ in range(20)]
        session.close()
        return await asyncio.gather(*futures)

    assert len(run_async(main())) == 20
    gc.collect()
    assert lib.ortcffi_live_sessions() == before


@pytest.mark.parametrize("threads", [1, 2])
def test_an_op_waits_for_runs_of_its_own_session(opened, real_api, threads):
    @ort.custom_op("test", inputs=[np.float32], outputs=[np.float32], op_set=None)
    def counts_down(x):
        return x if x[0, 0] <= 0 else outer.run_future(x=x - 1).result(TIME_LIMIT)[0]

    options = options_with("test", counts_down, api=real_api, intra_op_threads=threads)
    ports = [models.value("x", shape=[1, 4])], [models.value("y", shape=[1, 4])]
    node = models.node("counts_down", "x", "y", domain="test")
    outer = opened(models.model([node], *ports, domains={"test": 1}), options)
    count = (os.cpu_count() or 1) + 3  # deeper than there are threads for it
    (y,) = outer.run_future(x=np.full((1, 4), count, np.float32)).result(TIME_LIMIT)
    assert y.tolist() == [[0, 0, 0, 0]]


def test_a_callback_waits_for_another_run(session, x):
    answers = []
    is_called = threading.Event()

    def run_again(_):
        answers.append(session.run_future({"x": x}).result(TIME_LIMIT))
        is_called.set()

    for _ in range(3):
        session.run_future({"x": x}).add_done_callback(run_again)
        assert is_called.wait(TIME_LIMIT)
        is_called.clear()
    assert len(answers) == 3


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


def test_a_callback_is_not_called_on_a_thread_that_runs_models(opened, real_api):
    before = threads_of_process()
    options = ort.SessionOptions(real_api, intra_op_threads=2)
    session = opened(models.loop(10**12, 32), options)
    of_library = threads_of_process() - before
    called, future = [], session.run_future({"x": BIG})
    future.add_done_callback(lambda _: called.append(threading.get_native_id()))
    future.cancel()
    wait_until(lambda: called)
    assert of_library
    assert called[0] not in of_library


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
