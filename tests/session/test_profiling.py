# SPDX-License-Identifier: MIT
"""Profiles of the runs in a with block."""

import asyncio
import gc
import os
import pickle
import tempfile
import weakref

import numpy as np
import pytest
from support import eps, models
from support.releases import needs_release
from support.threads import run_async, run_threads

import ortcffi as ort
from ortcffi.session.profile import Profile, ProfileEvent

pytestmark = needs_release(25, "profiles of single runs")


@pytest.fixture(params=["real", "core"])
def session(opened, request):
    if request.param == "real":
        yield opened(models.add())
    else:
        yield opened(models.add(), api=ort.core_api(), providers=eps.adding_devices())
    # pytest keeps what it gives a test, also a value that a session has cached, beyond the test.
    request.node.funcargs.clear()


def runs(profile):
    return sum(event.name == "model_run" for event in profile.events)


def test_each_run_of_a_block_is_profiled(session, x):
    session.run({"x": x})
    with session.profiling() as profile:
        results = [session.run({"x": x})[0].tolist() for _ in range(20)]
        assert profile.events == []
    session.run({"x": x})
    assert results == [[[2, 4, 6, 8]]] * 20
    assert runs(profile) == 20
    assert [time.count for time in profile.by_operator().values()] == [20]


def test_the_time_of_an_operator_has_a_count_and_a_share():
    def event(op, duration):
        name, more = f"{op}_1_kernel_time", {"op_name": op}
        return ProfileEvent(name, "Node", 0, duration, 1, more)

    other = ProfileEvent("model_run", "Session", 0, 100, 1, {})
    profile = Profile("p.json", [event("Add", 10), event("Conv", 60), event("Add", 10), other])
    times = profile.by_operator()
    assert times == {"Conv": 60, "Add": 20}
    assert [(time.count, time.share) for time in times.values()] == [(1, 0.75), (2, 0.25)]
    assert pickle.loads(pickle.dumps(times["Add"])).share == 0.25
    assert repr(profile) == "<Profile 4 events, Conv 75%, Add 25%: p.json>"
    assert Profile("", []).by_operator() == {}


def test_bound_and_awaited_runs_and_those_of_all_threads_are_profiled(session, x):
    async def wait():
        await asyncio.gather(*[session.run_async({"x": x}) for _ in range(5)])

    with session.bind(x=x) as bound, session.profiling() as profile:
        bound.run()
        run_async(wait())
        run_threads(*[lambda: [session.run({"x": x}) for _ in range(5)]] * 4)
    assert runs(profile) == 26


def test_a_run_with_options_of_its_own_is_left_out(session, x):
    with session.profiling() as profile, ort.RunOptions(session.api) as options:
        session.run({"x": x}, options=options)
    assert profile.events == []


def test_another_block_waits_its_turn(session, x):
    with (
        session.profiling(),
        pytest.raises(RuntimeError, match="another block profiles this Session"),
        session.profiling(),
    ):
        pass
    with session.profiling() as profile:
        session.run({"x": x})
    assert runs(profile) == 1


def test_an_error_in_the_block_ends_the_profile(session, x):
    def fail():
        session.run({"x": x})
        raise KeyError

    with pytest.raises(KeyError), session.profiling() as profile:
        fail()
    assert runs(profile) == 1
    session.run({"x": x})
    assert runs(profile) == 1


def test_a_session_may_be_closed_in_the_block(x):
    with ort.Session(models.add()) as session, session.profiling() as profile:
        session.run({"x": x})
        session.close()
    assert runs(profile) == 1


def test_runs_beside_blocks_that_begin_and_end_are_runs(session, x):
    def profile():
        for _ in range(10):
            with session.profiling():
                session.run({"x": x})

    def run():
        for _ in range(200):
            assert session.run({"x": x})[0].tolist() == [[2, 4, 6, 8]]

    run_threads(profile, run, run)


def test_no_file_is_left(session, x, monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with session.profiling():
        session.run({"x": x})
        assert len(os.listdir(tmp_path)) == 1
    assert os.listdir(tmp_path) == []


def test_a_block_that_never_ends_is_collected():
    session = ort.Session(models.add())
    block = session.profiling()
    block.__enter__()
    gone = weakref.ref(session)
    session.run({"x": np.ones((1, 4), np.float32)})
    del session, block
    gc.collect()
    assert gone() is None
