# SPDX-License-Identifier: MIT
"""What the tests of sessions share."""

import gc
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from support.threads import wait_until

import ortcffi as ort
from ortcffi._native import lib


@pytest.fixture(autouse=True)
def leaves_no_session() -> Iterator[None]:
    """Each test leaves as many sessions alive as there were before."""
    before = lib.ortcffi_live_sessions()
    yield
    if lib.ortcffi_live_sessions() != before:
        # A thread of the library may still have to give back the session of a run that has ended.
        wait_until(lambda: gc.collect() < 0 or lib.ortcffi_live_sessions() == before, limit=60)
    assert lib.ortcffi_live_sessions() == before, "sessions are left alive"


@pytest.fixture
def opened() -> Iterator[Callable[..., ort.Session]]:
    """``opened(model, ...)`` makes a session that is closed after the test."""
    sessions: list[ort.Session] = []

    def make(*arguments: Any, **keywords: Any) -> ort.Session:
        sessions.append(ort.Session(*arguments, **keywords))
        return sessions[-1]

    yield make
    while sessions:
        sessions.pop().close()


@pytest.fixture(params=[1, 2])
def options(request: pytest.FixtureRequest) -> Iterator[ort.SessionOptions]:
    """Of sessions whose runs are the library's own, and of such as need a thread of ours."""
    severity = ort.LogSeverity.FATAL
    with ort.SessionOptions(intra_op_threads=request.param, log_severity=severity) as options:
        yield options


@pytest.fixture
def x() -> Any:
    """The input of the small models."""
    return np.array([[1, 2, 3, 4]], np.float32)


@pytest.fixture
def metrics_of() -> Callable[[ort.Session], ort.SessionMetrics]:
    """``metrics_of(session)`` are the metrics of that session."""

    def find(session: ort.Session) -> ort.SessionMetrics:
        return ort.metrics().sessions[[id(each) for each in ort.sessions()].index(id(session))]

    return find
