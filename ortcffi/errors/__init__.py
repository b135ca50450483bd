# SPDX-License-Identifier: MIT
"""Statuses become exceptions, and exceptions become statuses.

A function of the C API answers with a status: NULL for success, or an object with a code and a
message. For a status that is not NULL, `fail` (``boundary/status/fail.c``) reads the code and the
message, releases the status, and raises the exception class of that code, which is here. Python
calls ``check(api, lib.Slot(api, ...))``; C functions that are called often call the same `fail`,
and a failed run adds advice (``session/rules.py``).

Some functions call back into Python. An exception cannot pass through C, so it takes another way:

1. C calls a Python callback; CFFI takes the GIL. The Python object that it calls raises.
2. `code_and_text` leaves the exception with the call into the library that is under way on this
   thread (``boundary/status/calls.h``), and the callback answers a status with its text, or NULL
   where it cannot answer a status.
3. The library fails for that reason, and the outer call from Python gets the library's status.
4. The exception that `check` raises has the other one as its ``__cause__``. One that is no
   `Exception`, such as KeyboardInterrupt and SystemExit, is raised itself.

On a thread of the library there is no such call: the status has the text, and where there is no
status the exception goes to ``sys.unraisablehook``.
"""

from typing import TYPE_CHECKING, Any

import ortcffi._forks  # noqa: F401  # its hook comes before any object
from ortcffi._native import address_of, compiled, lib
from ortcffi.errors import classes
from ortcffi.errors.classes import *  # noqa: F403  # their names are listed there alone
from ortcffi.errors.classes import Fail, OrtError, OutOfMemory
from ortcffi.errors.classes import code_and_message as code_and_message  # handed on

if TYPE_CHECKING:
    from collections.abc import Callable

    from ortcffi._ort import OrtApi, OrtStatus

__all__ = ["check"]
__all__ += classes.__all__

CLASSES: dict[int, type[OrtError]] = {vars(k)["code"]: k for k in OrtError.__subclasses__()}


def error_for(code: int, message: str, function: str | None) -> OrtError:
    """Make the exception for a status's code and message."""
    kind = CLASSES.get(code)
    if kind is None:
        return OrtError(message, function, code)
    if not lib.ortcffi_says_no_memory(code, message.encode()):
        return kind(message, function)
    error = OutOfMemory(message, function)
    if kind is Fail:
        error.code = Fail.code
    return error


def check(api: "OrtApi", status: "OrtStatus", function: str | None = None) -> None:
    """Raise the exception for a failing status; do nothing for NULL.

    API functions: ``GetErrorCode``, ``GetErrorMessage``, ``ReleaseStatus``.

    A KeyboardInterrupt between the function of ``lib`` and this one loses the status: 100 bytes or
    so, until the process ends.

    Parameters
    ----------
    api : cdata of ``OrtApi *``
        The table that the status came from.
    status : cdata of ``OrtStatus *``
        The answer of a function. It is released.
    function : str, optional
        The name of the function; by default the one of ``lib`` that answered.

    Raises
    ------
    OrtError
        Of the subclass for the status's code; an `OrtError` itself for an unknown code.
    """
    if status:
        compiled.fail(address_of(api), address_of(status), function)


def call(api: "OrtApi", name: str, function: "Callable[..., Any]", *arguments: Any) -> None:
    """Call a function that is not in ``lib`` or is not one of a table; check its status.

    Parameters
    ----------
    api : cdata of ``OrtApi *``
        A table of the library that the status comes from.
    name : str
        The name of the function, for the exception.
    function : callable
        Answers a status.
    *arguments
        What it is called with.
    """
    check(api, compiled.call(function, arguments), name)


def out_of_memory(message: str, function: str) -> BaseException:
    """Make the exception for an allocation that failed without a status.

    Called after the function of the library, on the same thread.
    """
    error = OutOfMemory(message, function)
    add_cause(error)
    return error


def add_cause(error: MemoryError) -> None:
    """Give an exception for no memory the cause that the last call of this thread has left.

    One that is no `Exception` is raised.
    """
    cause = compiled.take_cause()
    if cause is not None and not isinstance(cause, Exception):
        raise cause
    if cause is not None and error.__cause__ is None:
        error.__cause__ = cause


def _text_of(error: BaseException) -> str:
    """Return the text of an exception, as a C string can carry it both ways unchanged."""
    name = type(error).__name__
    try:
        text = error.message if isinstance(error, OrtError) else f"{name}: {error}"
    except Exception:  # noqa: BLE001  # its own __str__ fails
        text = name
    return text.replace("\0", "?").encode(errors="replace").decode()


_CODES = (
    (FileNotFoundError, lib.ORT_NO_SUCHFILE),
    (NotImplementedError, lib.ORT_NOT_IMPLEMENTED),
    (MemoryError, lib.ORT_RUNTIME_EXCEPTION),
    (ValueError, lib.ORT_INVALID_ARGUMENT),
)


def status_for(error: BaseException, api: "OrtApi | None" = None) -> "OrtStatus":
    """Make a status for an exception of a callback. The caller releases the status.

    The status belongs to the core, or to `api` if that table will release it.

    An `OrtError` has its own code. `FileNotFoundError` becomes ``NO_SUCHFILE``,
    `NotImplementedError` ``NOT_IMPLEMENTED``, `ValueError` ``INVALID_ARGUMENT``; anything else
    ``RUNTIME_EXCEPTION``, with "out of memory" in front for a `MemoryError`.
    """
    code, text = code_and_text(error)
    if api is None:
        api = lib.ortcffi_core_api_base().GetApi(lib.ORTCFFI_API_VERSION)
    return lib.CreateStatus(api, code, text)


def code_and_text(error: BaseException) -> tuple[int, bytes]:
    """Get the code and the message of the status for an exception, which the current call keeps."""
    compiled.keep(error)
    text = _text_of(error)
    if isinstance(error, OrtError):
        code = int(error.code)
    else:
        kinds = (code for kind, code in _CODES if isinstance(error, kind))
        code = next(kinds, lib.ORT_RUNTIME_EXCEPTION)
    if isinstance(error, MemoryError) and not lib.ortcffi_says_no_memory(code, text.encode()):
        text = f"out of memory: {text}"
    return code, text.encode(errors="replace")


compiled.set_errors(CLASSES, error_for, code_and_text)
