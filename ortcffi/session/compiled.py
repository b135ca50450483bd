# SPDX-License-Identifier: MIT
"""The compiled types that sessions are built on, from ``ortcffi/boundary/session``.

They know Python's main thread, whose runs end early for KeyboardInterrupt. In the child of a fork
that is another one, and at the end of the interpreter runs that are under way are ended first.
"""

import atexit
from _weakref import ref
from functools import partial
from itertools import count
from typing import Any

import ortcffi.values.lifecycle  # noqa: F401  # its types come first
from ortcffi._forks import after_fork
from ortcffi._native import compiled, lib, main_thread
from ortcffi._public import public

_SECONDS_AT_EXIT = 5.0

Binder = compiled.Binder
Engine = compiled.Engine
Job = compiled.Job
Mailbox = compiled.Mailbox

public(Engine)
public(Binder)

_numbers = count(1)
_made: dict[int, ref[Any]] = {}  # the sessions that this package made, by number


def _forget(number: int, _gone: Any) -> None:
    del _made[number]


def note_made(session: Any) -> None:
    """Give a session that this package has made its number."""
    while True:
        number = next(_numbers)  # without the GIL, CPython 3.13 may give one twice
        made = ref(session, partial(_forget, number))
        if _made.setdefault(number, made) is made:
            break
    session._number = number


def open_sessions() -> list[Any]:
    """Return the open sessions that this package made, oldest first."""
    found = [each() for each in list(_made.values())]
    return [session for session in found if session is not None and not session.closed]


lib.ortcffi_supervise_init(main_thread())
after_fork(compiled.runs_after_fork)
atexit.register(compiled.end_runs, _SECONDS_AT_EXIT)
