# SPDX-License-Identifier: MIT
"""Awaited runs that are joined along the first dimension."""

import asyncio

import numpy as np
import pytest
from support import models
from support.graphs import graph_of
from support.releases import needs_release
from support.threads import run_async, wait_until

import ortcffi as ort
from ortcffi.errors import InvalidArgument, Overloaded, QueueTimeout

pytestmark = pytest.mark.usefixtures("real_api")


@pytest.fixture
def session(opened):
    return opened(models.add(["n", "m"]))


def rows(count, first=0.0, width=2):
    return np.full((count, width), first, np.float32)


def together(session, *calls, **settings):
    """The results or errors of calls at the same time, each a tuple of arguments."""

    async def main():
        async with ort.Batcher(session, **settings) as batcher:
            runs = [batcher.run(*call) for call in calls]
            return await asyncio.gather(*runs, return_exceptions=True)

    return run_async(main())


def test_calls_at_the_same_time_are_joined(session, metrics_of):
    found = together(session, *(({"x": rows(1, i)},) for i in range(100)), max_batch=16)
    assert [y.tolist() for (y,) in found] == [[[2 * i, 2 * i]] for i in range(100)]
    assert metrics_of(session).runs == 7


def test_each_call_gets_its_own_rows(session, metrics_of):
    counts = [3, 1, 0, 25, 5]
    found = together(session, *(({"x": rows(n, n)}, ["y"]) for n in counts), max_batch=10)
    assert [len(y) for (y,) in found] == counts
    assert all((y == 2 * len(y)).all() for (y,) in found)
    assert metrics_of(session).runs == 3


def test_rows_of_other_widths_are_not_joined(session, metrics_of):
    found = together(session, *(({"x": rows(1, width=w)},) for w in (2, 3, 2)))
    assert [y.shape for (y,) in found] == [(1, 2), (1, 3), (1, 2)]
    assert metrics_of(session).runs == 2


def test_a_batch_waits_for_others_only_so_long(session, metrics_of):
    async def main():
        batcher = ort.Batcher(session, max_batch=2, max_wait=30)
        first = asyncio.ensure_future(batcher.run(x=rows(1)))
        await asyncio.sleep(0.01)
        await asyncio.gather(first, batcher.run(x=rows(1)))
        await ort.Batcher(session, max_wait=0.01).run(x=rows(1))

    run_async(main())
    assert metrics_of(session).runs == 2


@pytest.mark.parametrize(
    ("wrong", "outputs", "error", "says"),
    [
        ({"x": np.ma.masked_array(rows(1), [[True, False]])}, None, TypeError, ""),
        ({"x": rows(1).astype("M8[s]")}, None, TypeError, ""),
        ({"x": rows(1).astype("c16")}, None, InvalidArgument, ""),
        ({"x": 1.0}, None, InvalidArgument, "the number of rows; their shapes are {'x': ()}"),
        ({"z": rows(1)}, None, InvalidArgument, "there is no input 'z'"),
        ({}, None, InvalidArgument, ""),
        ({"x": [[1], [1, 2]]}, None, InvalidArgument, "input 'x' cannot be made an array"),
        ({"x": None}, None, TypeError, "input 'x' must be an array"),
        ({"x": [[1, 2]]}, "y", TypeError, "outputs must be a list of names, not a str"),
        ({"x": [[1, 2]]}, [[]], TypeError, "the name of an output must be a str"),
        ({"x": [[1, 2]]}, ["z"], InvalidArgument, "there is no output 'z'"),
    ],
)
def test_what_does_not_fit_fails_its_own_call(session, wrong, outputs, error, says):
    calls = ({"x": rows(1, 1)},), (wrong, outputs), ({"x": rows(1, 2)},)
    (first,), failure, (last,) = together(session, *calls)
    assert isinstance(failure, error)
    assert says in str(failure)
    assert [first.tolist(), last.tolist()] == [[[2, 2]], [[4, 4]]]


@needs_release(26, "numbers of 4 bits as inputs of Cast")
def test_dtypes_of_ml_dtypes_are_not_joined(opened):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    graph = graph_of("x int4[n]", "y = Cast(to=1) x", "y f4[n]", {"": 21})
    wide, narrow = np.array([1], ml_dtypes.int4), np.array([1], ml_dtypes.int2)
    calls = [({"x": x},) for x in (wide, narrow, wide)]
    (first,), failure, (last,) = together(opened(graph.to_bytes()), *calls)
    assert isinstance(failure, InvalidArgument)
    assert first.tolist() == last.tolist() == [1]


def test_a_call_that_is_cancelled_disturbs_no_other(session):
    async def main():
        batcher = ort.Batcher(session, max_wait=0.02)
        gone, stays = (asyncio.ensure_future(batcher.run(x=rows(1, i))) for i in (1, 2))
        await asyncio.sleep(0)
        gone.cancel()
        return await asyncio.gather(gone, stays, return_exceptions=True)

    gone, stays = run_async(main())
    assert isinstance(gone, asyncio.CancelledError)
    assert stays[0].tolist() == [[4, 4]]


@pytest.fixture
def endless(opened):
    return opened(models.loop(10**12, 32, "n"))


def test_a_call_that_waits_too_long_is_in_no_run(session, metrics_of):
    async def main():
        async with ort.Batcher(session, max_batch=2, max_wait=600) as batcher:
            with pytest.raises(QueueTimeout, match=r"in no run within its timeout of 0.01 seconds"):
                await batcher.run(x=rows(1, 5), timeout=0.01)
            calls = [batcher.run(x=rows(1, i), timeout=600) for i in (1, 2)]
            return await asyncio.gather(*calls)

    assert [y.tolist() for (y,) in run_async(main())] == [[[2, 2]], [[4, 4]]]
    assert metrics_of(session).runs == 1


def test_a_joined_run_ends_when_all_its_calls_have_expired(endless, metrics_of):
    x = np.eye(32, dtype=np.float32)

    async def main():
        batcher = ort.Batcher(endless, max_batch=64)
        calls = [batcher.run(x=x, timeout=t) for t in (0.01, 0.02)]
        errors = await asyncio.gather(*calls, return_exceptions=True)
        await batcher.close()
        return [type(error) for error in errors]

    assert run_async(main()) == [TimeoutError] * 2
    # A run is counted after it has left the list of those under way.
    wait_until(lambda: metrics_of(endless).errors == {"TIMEOUT": 2, "CANCELLED": 1})


def test_closing_completes_what_has_begun_and_refuses_the_rest(session):
    async def main():
        batcher = ort.Batcher(session, max_wait=600)
        call = asyncio.ensure_future(batcher.run(x=rows(1, 1)))
        await asyncio.sleep(0)
        await batcher.close()
        with pytest.raises(ValueError, match="this Batcher is closed"):
            await batcher.run(x=rows(1))
        assert call.done()
        return await call

    assert run_async(main())[0].tolist() == [[2, 2]]


def test_a_model_that_gives_other_rows_cannot_be_batched(opened):
    session = opened(graph_of("x f4[n,2]", "y = ReduceSum(keepdims=0) x", "y f4"))

    async def main():
        await ort.Batcher(session).run(x=rows(2))

    with pytest.raises(ValueError, match=r"output 0 has None rows for the 2 of the inputs"):
        run_async(main())


def test_a_batcher_serves_one_loop_after_another(session):
    batcher = ort.Batcher(session)

    async def main():
        return await batcher.run(x=rows(1, 1))

    assert run_async(main())[0].tolist() == run_async(main())[0].tolist() == [[2, 2]]


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ({"max_batch": 0}, ValueError, "max_batch must be from 1"),
        ({"max_wait": -1}, ValueError, "max_wait must be 0 or more seconds"),
        ({"max_wait": "1"}, TypeError, "max_wait must be a number of seconds"),
        ({"max_wait": float("inf")}, ValueError, "max_wait must be finite"),
    ],
)
def test_wrong_arguments_are_named(session, arguments, error, says):
    with pytest.raises(error, match=says):
        ort.Batcher(session, **arguments)
    with pytest.raises(TypeError, match="session must be a Session"):
        ort.Batcher(None)


def test_a_call_is_refused_at_once_where_too_many_wait(session, metrics_of):
    found = together(session, *[({"x": rows(1)},)] * 5, max_batch=2, max_waiting=3)
    assert [type(each) for each in found] == [*3 * [list], *2 * [Overloaded]]
    assert metrics_of(session).errors == {"OVERLOADED": 2}
