# SPDX-License-Identifier: MIT
"""What a fork does in this package: one hook, and its lists.

A child has one thread. So no other thread may hold a lock at the time of the fork, and what belongs
to the parent's threads is made anew.
"""

import os
from _thread import RLock
from collections.abc import Callable

from ortcffi._native import compiled

_forking = RLock()  # held during a fork, so that there is one at a time
_locks: list[RLock] = []
_held: list[RLock] = []
_functions: list[Callable[[], object]] = [compiled.new_process]


def fork_safe_lock() -> RLock:
    """Return a new lock that a fork takes before, so that it is free in the child.

    While one is held, no lock may be taken that was made after it.
    """
    lock = RLock()
    _locks.append(lock)
    return lock


def after_fork(function: Callable[[], object]) -> None:
    """Have a function called in each child of a fork, after those that were registered before."""
    _functions.append(function)


def _take_locks() -> None:
    for lock in (_forking, *reversed(_locks)):
        lock.acquire()
        _held.append(lock)


def _release_locks() -> None:
    held = _held[:]  # before the last release another fork begins to fill the list
    _held.clear()
    for lock in reversed(held):
        lock.release()


def _begin_child() -> None:
    _release_locks()
    for function in _functions:
        function()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_take_locks, after_in_parent=_release_locks, after_in_child=_begin_child
    )
