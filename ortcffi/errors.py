# SPDX-License-Identifier: MIT
"""The only place where a status becomes an exception, and an exception a status.

A function of the C API answers with a status: NULL for success, or an object with a code and a
message. Every call in this package looks at it at once; for one that is not NULL, `fail` reads the
code and the message, releases the status, and raises the exception of that code's class.

Some functions call back. An exception cannot pass through C, so it goes around:

1. C calls a callback of Python (`ortcffi._callback`) from whatever thread; CFFI takes the GIL.
2. That function calls the Python object behind its context, which raises.
3. `keep` keeps the exception here, with a text that it can be known by: its class and message, or
   what the library says where it can only say that a callback failed.
4. C gets what its function can answer: `status_for` makes a status with the code that fits and that
   text; where the function has no status, the answer is NULL.
5. The library fails for that reason, and the outer call from Python gets the library's status.
6. `error_for` makes an exception of that status as of any other, and looks for the one that was
   kept: by its text in the message, or, where memory was not to be had, the last one of this
   thread, or else the last one of a thread that Python did not start, which has no other call to
   give it to. It becomes the ``__cause__``.

What nobody asks for is forgotten after a few more.
"""

import threading
from collections import deque
from threading import get_ident
from typing import TYPE_CHECKING, Any

from ortcffi._exceptions import (
    DeviceReset,
    EngineError,
    EPFail,
    ErrorCode,
    Fail,
    InvalidArgument,
    InvalidGraph,
    InvalidProtobuf,
    ModelLoadCanceled,
    ModelLoaded,
    ModelRequiresCompilation,
    NoModel,
    NoSuchFile,
    NotFound,
    NotImplemented,
    OrtError,
    OutOfMemory,
    RuntimeException,
)
from ortcffi._native import lib

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn

    from ortcffi._ort import OrtApi, OrtStatus

__all__ = [
    "DeviceReset",
    "EPFail",
    "EngineError",
    "ErrorCode",
    "Fail",
    "InvalidArgument",
    "InvalidGraph",
    "InvalidProtobuf",
    "ModelLoadCanceled",
    "ModelLoaded",
    "ModelRequiresCompilation",
    "NoModel",
    "NoSuchFile",
    "NotFound",
    "NotImplemented",
    "OrtError",
    "OutOfMemory",
    "RuntimeException",
    "check",
    "fail",
]

# Exceptions on their way around C: the thread, or 0 for one that Python did not start; the text;
# the exception.
_kept: deque[tuple[int, str, BaseException]] = deque(maxlen=16)
# Held while they change. A destructor may fail and come here in the middle of that.
_guard = threading.RLock()

CLASSES = {int(vars(kind)["code"]): kind for kind in OrtError.__subclasses__()}


def error_for(code: int, message: str, function: str | None) -> OrtError:
    """The exception for what a status says."""
    kind = CLASSES.get(code)
    if kind is None:
        error = OrtError(message, function, code)
    elif kind is RuntimeException and says_out_of_memory(message):
        error = OutOfMemory(message, function)
    else:
        error = kind(message, function)
    if _kept:
        error.__cause__ = _cause_of(error)
    return error


def says_out_of_memory(message: str) -> bool:
    """Whether a message has the words of the core and CUDA, of C++, or of ONNX Runtime's arenas."""
    return (
        "out of memory" in message
        or "bad_alloc" in message
        or "Failed to allocate memory" in message
    )


# fail(api, status, function), where a status is not NULL: a failure whatever its code says, because
# a success is NULL. The status is released. It is compiled, since a failure should not be slow.
fail: "Callable[[OrtApi, OrtStatus, str | None], NoReturn]" = lib.ortcffi_fail


def _route(classes: "dict[int, type[OrtError]]") -> None:
    set_errors: Any = lib.ortcffi_set_errors
    set_errors(classes, error_for)


_DIRECT: dict[int, type[OrtError]] = {
    code: kind for code, kind in CLASSES.items() if kind is not RuntimeException
}
_route(_DIRECT)


def check(api: "OrtApi", status: "OrtStatus", function: str | None) -> None:
    """Raise the exception for a failing status; do nothing for NULL.

    Parameters
    ----------
    api : cdata of ``OrtApi *``
        The table that the status came from.
    status : cdata of ``OrtStatus *``
        What a function answered. It is released.
    function : str or None
        The name of the function.

    Raises
    ------
    OrtError
        Of the subclass for the status's code; an `OrtError` itself for an unknown code.

    Notes
    -----
    API functions: ``GetErrorCode``, ``GetErrorMessage``, ``ReleaseStatus``.
    """
    if status:
        fail(api, status, function)


def keep(error: BaseException, sign: str | None = None) -> str:
    """Keep an exception for the outer call; returns the text that it is known by.

    That is its own, or a sign: what the library says where it can only say that a callback failed.
    """
    text = sign or _text_of(error)
    thread = get_ident()
    with _guard:
        _kept.append((thread if _is_pythons(thread) else 0, text, error))
        # As long as anything is kept, each failure is looked at here.
        _route({})
    return text


def _text_of(error: BaseException) -> str:
    """What a C string carries there and back unchanged."""
    name = type(error).__name__
    try:
        text = error.message if isinstance(error, OrtError) else f"{name}: {error}"
    except Exception:  # noqa: BLE001  # its own __str__ fails
        text = name
    return text.replace("\0", "?").encode(errors="replace").decode()


def _is_pythons(thread: int) -> bool:
    dummy = threading._DummyThread  # what stands for any other thread
    return any(t.ident == thread and not isinstance(t, dummy) for t in threading.enumerate())


def _let_go(entry: tuple[int, str, BaseException]) -> None:
    with _guard:
        for place, other in enumerate(_kept.copy()):
            if other is entry:  # by identity: an exception may compare as it likes
                del _kept[place]
                break
        if not _kept:
            _route(_DIRECT)


def forget() -> None:
    """Forget what this thread kept: a callback succeeded, so nobody will ask for it."""
    if not _kept:
        return
    thread = get_ident()
    thread = thread if _is_pythons(thread) else 0
    for entry in _kept.copy():
        if entry[0] == thread:
            _let_go(entry)


def _cause_of(error: BaseException) -> BaseException | None:
    entries = list(_kept.copy())[::-1]
    message = error.message if isinstance(error, OrtError) else ""
    found = [entry for entry in entries if entry[1] and entry[1] in message]
    if isinstance(error, MemoryError):
        found += [entry for entry in entries if entry[0] == get_ident()]
        found += [entry for entry in entries if entry[0] == 0]
    if not found:
        return None
    _let_go(found[0])
    if isinstance(error, MemoryError):  # for which the library may have asked several times
        forget()
    return found[0][2]


def add_cause(error: MemoryError) -> None:
    """Give an exception of somebody else's the cause that was kept for it."""
    if error.__cause__ is None and _kept:
        error.__cause__ = _cause_of(error)


def out_of_memory(message: str, function: str) -> OutOfMemory:
    """The exception where there is no block and no status that says why."""
    error = OutOfMemory(message, function)
    if _kept:
        error.__cause__ = _cause_of(error)
    return error


_CODES = (
    (FileNotFoundError, ErrorCode.NO_SUCHFILE),
    (NotImplementedError, ErrorCode.NOT_IMPLEMENTED),
    (MemoryError, ErrorCode.RUNTIME_EXCEPTION),
    (ValueError, ErrorCode.INVALID_ARGUMENT),
)


def status_for(error: BaseException, api: "OrtApi | None" = None) -> "OrtStatus":
    """A status for an exception, which is kept. Whoever gets it releases it.

    It is one of the core, or of another table that is to release it.

    An `OrtError` has its own code. `FileNotFoundError` becomes ``NO_SUCHFILE``,
    `NotImplementedError` ``NOT_IMPLEMENTED``, `ValueError` ``INVALID_ARGUMENT``; anything else
    ``RUNTIME_EXCEPTION``, with "out of memory" in front for a `MemoryError`.
    """
    text = keep(error)
    if isinstance(error, MemoryError) and not says_out_of_memory(text):
        text = f"out of memory: {text}"
    if isinstance(error, OrtError):
        code = error.code
    else:
        kinds = (code for kind, code in _CODES if isinstance(error, kind))
        code = next(kinds, ErrorCode.RUNTIME_EXCEPTION)
    if api is None:
        api = lib.ortcffi_core_api_base().GetApi(lib.ORTCFFI_API_VERSION)
    return lib.CreateStatus(api, code, text.encode(errors="replace"))
