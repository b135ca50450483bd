# SPDX-License-Identifier: MIT
"""The log's level and its receiver, for the whole process, with the official package's names."""

import contextlib
import os
import threading
from collections.abc import Callable
from operator import index
from typing import Any

from ortcffi.callbacks.logs import LogMessage, as_line
from ortcffi.compat import _environment
from ortcffi.compat._arguments import number

Callback = Callable[[int, str, str, str, str], object]


class _Forwarding(threading.local):
    """The logger of an environment: passes messages to the function that was set last.

    It is the platform's logger, too: for messages while no function is set, for those that a
    function causes itself, and for those at which it raises.
    """

    callback: Callback | None = None  # of the class, so that all threads have the same
    is_called = False

    def __call__(self, message: LogMessage) -> None:
        severity, *texts = message
        callback = _Forwarding.callback
        if callback is None or self.is_called:
            _print(message)
            return
        self.is_called = True
        try:
            callback(int(severity), *texts)
        except BaseException:
            _print(message)
            raise  # `Env` reports it
        finally:
            self.is_called = False


def _print(message: LogMessage) -> None:
    """Write a message to stderr, as ONNX Runtime's own logger does."""
    with contextlib.suppress(OSError):
        os.write(2, as_line(message).encode(errors="replace"))


_forwarding = _Forwarding()


def _checked(severity: Any) -> int:
    if not 0 <= index(severity) <= 4:
        raise RuntimeError(
            "Invalid logging severity. 0:Verbose, 1:Info, 2:Warning, 3:Error, 4:Fatal"
        )
    return index(severity)


def set_default_logger_severity(severity: int, /) -> None:
    _environment.env().severity = _checked(severity)


def set_default_logger_verbosity(verbosity: int, /) -> None:
    """Set how much is logged at severity 0: not by the C API, so this does nothing but check it."""
    number("verbosity", verbosity)


def set_default_logger_callback(callback: Callback | None, severity: int = 2) -> None:
    """Have a function get what the environment logs, or with None the platform's logger again.

    It is called with the severity, the category, the name of the logger, the place in the library's
    source and the message, by the thread that logs, and gets the messages of later sessions, too.
    The first function must be set before sessions or values use the environment, because the C API
    has no function to change the logger of one.
    """
    least = _checked(severity)
    if callback is not None and not callable(callback):
        raise RuntimeError("callback must be a callable")
    if callback is not None:
        if _environment.state.chosen.get("logger") is not _forwarding:
            _environment.choose("logger", logger=_forwarding)
        _environment.env().severity = least
    _Forwarding.callback = callback
