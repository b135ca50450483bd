# SPDX-License-Identifier: MIT
"""Statuses become exceptions here, and exceptions become statuses; nowhere else.

A function of the C API answers with a status: NULL for success, or an object with a code and a
message. For a status that is not NULL, `fail` reads the code and the message, releases the status,
and raises the exception class of that code. Python calls ``check(api, lib.Slot(api, ...))``; C
functions that are called often call the same `fail`.

Some functions call back into Python. An exception cannot pass through C, so it takes another way:

1. C calls a Python callback, from any thread; CFFI takes the GIL.
2. The callback calls a Python object, which raises.
3. `keep` stores the exception here, with a text to recognise it by: its class and message, or the
   fixed text that the library reports for any failing callback.
4. The callback answers what its C signature allows: a status that `status_for` makes, with a
   fitting code and that text; or NULL where it cannot answer a status.
5. The library fails for that reason, and the outer call from Python gets the library's status.
6. `error_for` makes an exception from that status, and looks for the stored one: by its text in the
   message, or, if memory could not be allocated, the last one of this thread, or else the last one
   of a thread that Python did not start. The stored exception becomes the ``__cause__``; one that
   is no `Exception`, such as KeyboardInterrupt and SystemExit, is raised itself.

Only the last 16 exceptions are stored.
"""

import sys
from _thread import get_ident
from collections import deque
from typing import TYPE_CHECKING, Any

from ortcffi._forks import fork_safe_lock
from ortcffi._native import address_of, compiled, lib, main_thread
from ortcffi.errors import classes
from ortcffi.errors.classes import *  # noqa: F403  # their names are listed there alone
from ortcffi.errors.classes import Fail, OrtError, OutOfMemory, RuntimeException
from ortcffi.errors.classes import code_and_message as code_and_message  # handed on

if TYPE_CHECKING:
    from ortcffi._ort import OrtApi, OrtStatus
    from ortcffi.errors.codes import ErrorCode as ErrorCode  # see __getattr__

__all__ = ["ErrorCode", "check"]
__all__ += classes.__all__

# Stored exceptions: the thread, or 0 for one that Python did not start; the text; the exception.
_kept: deque[tuple[int, str, BaseException]] = deque(maxlen=16)
# Held while _kept changes. Reentrant, because a destructor may run in between and fail.
_guard = fork_safe_lock()

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        """Import `ErrorCode` where a program wants it, which a session does not."""
        if name != "ErrorCode":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from ortcffi.errors.codes import ErrorCode

        return ErrorCode


# What the arenas of ONNX Runtime say.
REFUSALS_OF_ARENAS = ("Failed to allocate memory", "Available memory of ")

CLASSES: dict[int, type[OrtError]] = {
    vars(kind)["code"].number: kind for kind in OrtError.__subclasses__()
}


def error_for(code: int, message: str, function: str | None) -> BaseException:
    """Make the exception for a status's code and message, or find the one to raise instead."""
    kind = CLASSES.get(code)
    if kind is None:
        error = OrtError(message, function, code)
    elif kind is RuntimeException and says_out_of_memory(message):
        error = OutOfMemory(message, function)
    elif kind is Fail and _is_refusal_of_arena(message):
        error = OutOfMemory(message, function)
        error.code = Fail.code
    else:
        error = kind(message, function)
    return _with_cause(error)


def _with_cause(error: BaseException) -> BaseException:
    """The exception with the stored one as its cause; that one itself if it is no `Exception`."""
    cause = _cause_of(error) if _kept else None
    if cause is None:
        return error
    if not isinstance(cause, Exception):
        return cause
    error.__cause__ = cause
    return error


def says_out_of_memory(message: str) -> bool:
    """Whether a message has the words of the core and CUDA, of C++, or of ONNX Runtime's arenas."""
    return "out of memory" in message or "bad_alloc" in message or _is_refusal_of_arena(message)


def _is_refusal_of_arena(message: str) -> bool:
    return any(words in message for words in REFUSALS_OF_ARENAS)


_DIRECT: dict[int, type[OrtError]] = {
    code: kind for code, kind in CLASSES.items() if kind is not RuntimeException
}
compiled.set_errors(_DIRECT, error_for)


def check(api: "OrtApi", status: "OrtStatus", function: str | None = None) -> None:
    """Raise the exception for a failing status; do nothing for NULL.

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

    Notes
    -----
    API functions: ``GetErrorCode``, ``GetErrorMessage``, ``ReleaseStatus``.

    A KeyboardInterrupt between the function of ``lib`` and this one loses the status: 100 bytes or
    so, until the process ends.
    """
    if status:
        compiled.fail(address_of(api), address_of(status), function)


def keep(error: BaseException, sign: str | None = None) -> str:
    """Store an exception for the outer call; return the text that it is recognised by.

    By default that is its class and message; `sign` is the text that the library reports instead
    where a callback cannot answer a status.
    """
    text = sign or _text_of(error)
    thread = get_ident()
    with _guard:
        _kept.append((thread if _is_pythons(thread) else 0, text, error))
        # While anything is stored, `error_for` makes every exception.
        compiled.set_errors({}, error_for)
    return text


def _text_of(error: BaseException) -> str:
    """The text of an exception, as a C string can carry it both ways unchanged."""
    name = type(error).__name__
    try:
        text = error.message if isinstance(error, OrtError) else f"{name}: {error}"
    except Exception:  # noqa: BLE001  # its own __str__ fails
        text = name
    return text.replace("\0", "?").encode(errors="replace").decode()


def _is_pythons(thread: int) -> bool:
    if "threading" not in sys.modules:  # so that Python's threads are none but the main one
        return thread == main_thread()
    import threading

    dummy = threading._DummyThread  # the class for threads that Python did not start
    return any(t.ident == thread and not isinstance(t, dummy) for t in threading.enumerate())


def _discard(entry: tuple[int, str, BaseException]) -> None:
    with _guard:
        for place, other in enumerate(_kept.copy()):
            if other is entry:  # by identity: exceptions may define ==
                del _kept[place]
                break
        if not _kept:
            compiled.set_errors(_DIRECT, error_for)


def forget() -> None:
    """Discard what this thread stored: a callback succeeded, so no call will fail for it."""
    if not _kept:
        return
    thread = get_ident()
    thread = thread if _is_pythons(thread) else 0
    for entry in _kept.copy():
        if entry[0] == thread:
            _discard(entry)


def _cause_of(error: BaseException) -> BaseException | None:
    entries = list(_kept.copy())[::-1]
    message = error.message if isinstance(error, OrtError) else ""
    found = [entry for entry in entries if entry[1] and entry[1] in message]
    if isinstance(error, MemoryError):
        found += [entry for entry in entries if entry[0] == get_ident()]
        found += [entry for entry in entries if entry[0] == 0]
    if not found:
        return None
    _discard(found[0])
    if isinstance(error, MemoryError):  # the library may have tried several times
        forget()
    return found[0][2]


def add_cause(error: MemoryError) -> None:
    """Set the stored exception as the cause of a `MemoryError` that was raised elsewhere.

    One that is no `Exception` is raised.
    """
    if error.__cause__ is None and (found := _with_cause(error)) is not error:
        raise found


def out_of_memory(message: str, function: str) -> BaseException:
    """Make the exception for an allocation that failed without a status, as `error_for` does."""
    return _with_cause(OutOfMemory(message, function))


_CODES = (
    (FileNotFoundError, lib.ORT_NO_SUCHFILE),
    (NotImplementedError, lib.ORT_NOT_IMPLEMENTED),
    (MemoryError, lib.ORT_RUNTIME_EXCEPTION),
    (ValueError, lib.ORT_INVALID_ARGUMENT),
)


def status_for(error: BaseException, api: "OrtApi | None" = None) -> "OrtStatus":
    """Make a status for an exception, and store the exception. The caller releases the status.

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
    """The code and the message of the status for an exception, which is kept."""
    text = keep(error)
    if isinstance(error, MemoryError) and not says_out_of_memory(text):
        text = f"out of memory: {text}"
    if isinstance(error, OrtError):
        code = int(error.code)
    else:
        kinds = (code for kind, code in _CODES if isinstance(error, kind))
        code = next(kinds, lib.ORT_RUNTIME_EXCEPTION)
    return code, text.encode(errors="replace")
