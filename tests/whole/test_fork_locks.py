# SPDX-License-Identifier: MIT
"""Locks of this package at a fork."""

import os
import threading

import pytest
from support.processes import fork
from support.threads import join

from ortcffi._forks import fork_safe_lock

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks here")
LIMIT = 20  # seconds


def test_a_lock_that_is_made_while_a_fork_waits_is_not_released_by_it():
    first, is_locked, made = fork_safe_lock(), threading.Event(), []

    def hold():
        with first:
            is_locked.set()
            threading.Event().wait(0.05)
            made.append(fork_safe_lock())

    holder = threading.Thread(target=hold)
    holder.start()
    assert is_locked.wait(LIMIT)
    assert fork(lambda: made[0].acquire(timeout=LIMIT), LIMIT) == 0  # an error would be a warning
    join(holder)
