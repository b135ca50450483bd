# SPDX-License-Identifier: MIT
"""Blocks of awaited runs belong to the scopes and the line that began the run (1 s)."""

import asyncio
import gc

import numpy as np
import pytest
from support import models
from support.processes import TIME_LIMIT
from support.threads import run_async

import ortcffi as ort
from ortcffi.memory import scopes

X = np.ones(1000, np.float32)
OWNERS = ["process", "thread", "context"]


@pytest.fixture
def pool(real_api):
    """An allocator from which sessions take their memory."""
    with (
        ort.Tracking(ort.core_api().default_allocator) as pool,
        ort.Env(api=real_api) as env,
    ):
        env.register_allocator(pool)
        yield pool
        env.unregister_allocator(pool)
    gc.collect()
    assert scopes._handed_over == {}


@pytest.fixture
def session(pool, real_api):  # noqa: ARG001  # while the pool is registered
    options = ort.SessionOptions(real_api, shared_arena=True, intra_op_threads=2)
    with ort.Session(models.add(["n"]), options) as session:
        yield session


@pytest.mark.parametrize("belongs_to", OWNERS)
def test_an_awaited_run_counts_in_the_scope_that_awaits_it(session, pool, belongs_to):
    async def main():
        with pool.scope(belongs_to=belongs_to) as scope:
            kept = await session.run_async(x=X, values=True)
        return scope, kept

    scope, kept = run_async(main())
    (leak,) = scope.leaks
    assert (scope.peak, scope.live, leak.size) == (4000, 4000, 4000)
    assert "test_scopes_of_awaited_runs.py" in leak.place
    assert leak.place.endswith(" in main")
    del kept


@pytest.mark.parametrize("belongs_to", OWNERS)
def test_the_run_of_a_future_counts_in_the_scope_that_began_it(session, pool, belongs_to):
    with pool.scope(belongs_to=belongs_to) as scope:
        kept = session.run_future(x=X, values=True).result(TIME_LIMIT)
    assert scope.live == 4000
    assert scope.leaks[0].place.endswith(
        f" in {test_the_run_of_a_future_counts_in_the_scope_that_began_it.__name__}"
    )
    del kept


def test_each_task_has_its_own_runs(session, pool):
    async def work(n):
        with pool.scope(belongs_to="context") as scope:
            kept = [await session.run_async(x=np.ones(n, np.float32), values=True) for _ in "ab"]
        return scope.live, kept

    async def main():
        return await asyncio.gather(*(work(n) for n in (100, 200, 300)))

    found = run_async(main())
    assert [live for live, _ in found] == [800, 1600, 2400]


def test_runs_without_a_scope_count_in_none(session, pool):
    with pool.scope(belongs_to="thread") as scope:
        pass
    kept = session.run_future(x=X, values=True).result(TIME_LIMIT)
    assert scope.live == 0
    assert pool.bytes_allocated >= 4000
    del kept
