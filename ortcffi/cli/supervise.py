# SPDX-License-Identifier: MIT
"""A program under supervision, which is served as by the first process of a container."""

import os
import signal
from collections.abc import Mapping

_PASSED = ("HUP", "INT", "QUIT", "USR1", "USR2", "TERM", "WINCH", "TTIN", "TTOU")  # as gunicorn has
_OF_TERMINALS = ("SIGINT", "SIGQUIT", "SIGWINCH", "SIGTTIN", "SIGTTOU")
_IGNORED_BY_PYTHON = ("SIGPIPE", "SIGXFSZ")


def start(words: list[str], environment: Mapping[str, str]) -> int:
    """Start a command; return the number of its process.

    From now on this process blocks the signals that are passed on, so that what is to be done after
    the end of the command is done. No thread may have begun before that does not block them.
    """
    signal.signal(signal.SIGCHLD, lambda *_: None)  # which may be ignored, and then is no signal
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _signals())
    default = [getattr(signal, name) for name in _IGNORED_BY_PYTHON]
    try:
        return os.posix_spawnp(words[0], words, environment, setsigmask=before, setsigdef=default)
    except OSError:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        raise


def wait_for(process: int) -> int:
    """Pass signals on to the process of a command until it ends, and reap those that it leaves.

    Returns
    -------
    int
        The exit status of the command; 128 and the number of a signal that ended it, as of shells.
    """
    while (code := _reap(process)) is None:
        number, is_of_terminal = _next_signal()
        if number != signal.SIGCHLD and not is_of_terminal:
            os.kill(process, number)
    return code if code >= 0 else 128 - code


def _signals() -> set[signal.Signals]:
    return {signal.SIGCHLD, *(getattr(signal, f"SIG{name}") for name in _PASSED)}


def _reap(child: int) -> int | None:
    """Reap all processes that have ended; return the exit code of the child if it is one."""
    code = None
    while True:
        try:
            process, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return code
        if process == child:
            code = os.waitstatus_to_exitcode(status)
        elif process == 0:
            return code


def _next_signal() -> tuple[int, bool]:
    """Wait for a signal; also whether a terminal sent it, which sent it to the command as well."""
    if hasattr(signal, "sigwaitinfo"):
        found = signal.sigwaitinfo(_signals())
        is_of_terminal = signal.Signals(found.si_signo).name in _OF_TERMINALS
        return found.si_signo, is_of_terminal and found.si_code > 0
    number = signal.sigwait(_signals())
    return number, signal.Signals(number).name in _OF_TERMINALS and _is_in_foreground()


def _is_in_foreground() -> bool:
    try:
        with open("/dev/tty", "rb") as terminal:
            return os.tcgetpgrp(terminal.fileno()) == os.getpgrp()
    except OSError:
        return False
