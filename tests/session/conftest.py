# SPDX-License-Identifier: MIT
"""What the tests of sessions share."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from support import models
from support.sessions import leaves_no_session, opened  # noqa: F401  # fixtures
from support.threads import wait_until

import ortcffi as ort
from ortcffi.session import series


@pytest.fixture(params=[1, 2])
def options(request: pytest.FixtureRequest) -> Iterator[ort.SessionOptions]:
    """Of sessions whose runs are the library's own, and of such as need a thread of ours."""
    severity = ort.LogSeverity.FATAL
    with ort.SessionOptions(intra_op_threads=request.param, log_severity=severity) as options:
        yield options


@pytest.fixture
def endless(
    opened: Callable[..., ort.Session],  # noqa: F811  # the fixture
    options: ort.SessionOptions,
) -> Iterator[ort.Session]:
    """A session whose runs end only where something ends them."""
    session = opened(models.loop(10**12, 32), options)
    yield session
    session.cancel()
    wait_until(lambda: not session.running)


@pytest.fixture
def x() -> Any:
    """The input of the small models."""
    return np.array([[1, 2, 3, 4]], np.float32)


@pytest.fixture
def no_models_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    """Models of earlier tests, of which only so many are told apart, are not counted any more."""
    monkeypatch.setattr(series, "_buffers", {})


@pytest.fixture
def metrics_of() -> Callable[[ort.Session], ort.SessionMetrics]:
    """``metrics_of(session)`` are the metrics of that session."""

    def find(session: ort.Session) -> ort.SessionMetrics:
        return ort.metrics().sessions[[id(each) for each in ort.sessions()].index(id(session))]

    return find
