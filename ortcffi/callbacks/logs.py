# SPDX-License-Identifier: MIT
"""Log messages of libraries: severities, messages, and loggers in Python."""

import re
import time
from collections.abc import Callable
from enum import IntEnum
from typing import TYPE_CHECKING, Any, NamedTuple, Union

from ortcffi._convert import decode, known
from ortcffi._native import lib
from ortcffi._public import public
from ortcffi.callbacks.from_c import Context, called_from_c, find, report_exception

if TYPE_CHECKING:
    import logging

    from ortcffi._ort import Cdata


@public
class LogSeverity(IntEnum):
    """The severity of a log message (``OrtLoggingLevel``)."""

    VERBOSE = lib.ORT_LOGGING_LEVEL_VERBOSE
    INFO = lib.ORT_LOGGING_LEVEL_INFO
    WARNING = lib.ORT_LOGGING_LEVEL_WARNING
    ERROR = lib.ORT_LOGGING_LEVEL_ERROR
    FATAL = lib.ORT_LOGGING_LEVEL_FATAL


@public
class LogMessage(NamedTuple):
    """The argument of a logger that is a plain callable.

    Attributes
    ----------
    severity : LogSeverity
        The severity; an int if the library has a severity that is not known here.
    category : str
        The category of the message, such as ``"onnxruntime"``.
    log_id : str
        The name of the library's logger: that of the environment, the session or the run.
    code_location : str
        File, line and function of the library that logged, as text.
    text : str
        The message.
    """

    severity: LogSeverity | int
    category: str
    log_id: str
    code_location: str
    text: str


Logger = Union["logging.Logger", Callable[[LogMessage], object]]

_DEBUG, _CRITICAL = 10, 50  # of the module logging, which takes milliseconds to import
_LEVELS: dict[int, int] = {
    LogSeverity.VERBOSE: _DEBUG,
    LogSeverity.INFO: 20,
    LogSeverity.WARNING: 30,
    LogSeverity.ERROR: 40,
    LogSeverity.FATAL: _CRITICAL,
}


def log_context(logger: Logger) -> Context:
    """Check a logger, and return its number for C."""
    return Context(_take(logger))


def severity_of(number: int) -> LogSeverity | int:
    """Return the severity with that number, or the number itself if it is unknown."""
    return known(LogSeverity, number)


def _take(logger: Logger) -> Callable[[LogMessage], object]:
    import logging

    if isinstance(logger, logging.Logger):
        return _Records(logger)
    if callable(logger):
        return logger
    raise TypeError(f"logger must be a logging.Logger or a callable, not {type(logger).__name__}")


def as_line(message: LogMessage) -> str:
    """Return a message as ONNX Runtime's own logger writes it."""
    severity, category, log_id, place, text = message
    seconds, rest = divmod(time.time_ns(), 10**9)
    now = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(seconds))
    letter = "VIWEF"[min(max(int(severity), 0), 4)]
    return f"{now}.{rest:09d} [{letter}:{category}:{log_id}, {place}] {text}\n"


class _Records:
    """Makes a log record of each message and passes it to a ``logging.Logger``."""

    __slots__ = ("logger",)

    def __init__(self, logger: "logging.Logger") -> None:
        self.logger = logger

    def __call__(self, message: LogMessage) -> None:
        severity = message.severity
        level = _LEVELS.get(severity, _CRITICAL if severity > 0 else _DEBUG)
        if not self.logger.isEnabledFor(level):
            return
        place = re.fullmatch(r"(.+):(\d+) (.*)", message.code_location)
        file, line, function = place.groups() if place else ("(unknown file)", 0, None)
        extra: dict[str, Any] = message._asdict()
        text = extra.pop("text")
        record = self.logger.makeRecord(
            self.logger.name, level, file, int(line), "%s", (text,), None, function, extra
        )
        self.logger.handle(record)


@called_from_c("ortcffi_python_log", report_exception("a logger"))
def _log(context: "Cdata", severity: int, *texts: "Cdata") -> None:
    """Pass a message to the logger of an environment or of session options."""
    take = find(context)
    if take is not None:
        take(LogMessage(severity_of(severity), *map(decode, texts)))
