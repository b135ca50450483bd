# SPDX-License-Identifier: MIT
"""Profiles of single runs."""

import os
import pickle
import tempfile

import pytest
from support import eps, models
from support.releases import needs_release

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


def test_one_run_is_profiled_and_leaves_no_file(session, x, monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    session.run({"x": x})
    [y], profile = session.run_profiled({"x": x})
    session.run({"x": x})
    assert y.tolist() == [[2, 4, 6, 8]]
    assert sum(event.name == "model_run" for event in profile.events) == 1
    assert [time.count for time in profile.by_operator().values()] == [1]
    assert os.listdir(tmp_path) == []


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
