# SPDX-License-Identifier: MIT
"""What tests of sessions share: a conftest.py imports these fixtures."""

import gc
from collections.abc import Callable, Iterator
from typing import Any

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


def options_with(
    domain: str, *ops: Any, api: ort.Api | None = None, **settings: Any
) -> ort.SessionOptions:
    """Options with custom ops of a domain, and other settings."""
    options = ort.SessionOptions(api, **settings)
    with ort.CustomOpDomain(domain, options.api) as made:
        for op in ops:
            made.add(op)
        options.add_custom_op_domain(made)
    return options
