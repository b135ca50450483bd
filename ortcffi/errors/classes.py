# SPDX-License-Identifier: MIT
"""The codes and the exceptions, one class for each; `ortcffi.errors` hands them on.

They have the names that the official package uses, and each also inherits a fitting built-in
exception. They have no ``__init__``: code, message and function are in ``args``, so that the
exceptions are cheap to make, compare by value, and can be pickled.
"""

import builtins
import re
from enum import IntEnum
from errno import ENOENT

from ortcffi._native import lib
from ortcffi._public import printable

__all__ = [
    "Cancelled",
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
    "Overloaded",
    "QueueTimeout",
    "RuntimeException",
    "code_of",
]


_MOST = 4096  # characters of a message in tracebacks, as in messages of the core


class ErrorCode(IntEnum):
    """The codes of a status (``OrtErrorCode``, without its prefix).

    Any other number is a code as well, with a name such as ``UNKNOWN_99``.
    """

    OK = lib.ORT_OK
    FAIL = lib.ORT_FAIL
    INVALID_ARGUMENT = lib.ORT_INVALID_ARGUMENT
    NO_SUCHFILE = lib.ORT_NO_SUCHFILE
    NO_MODEL = lib.ORT_NO_MODEL
    ENGINE_ERROR = lib.ORT_ENGINE_ERROR
    RUNTIME_EXCEPTION = lib.ORT_RUNTIME_EXCEPTION
    INVALID_PROTOBUF = lib.ORT_INVALID_PROTOBUF
    MODEL_LOADED = lib.ORT_MODEL_LOADED
    NOT_IMPLEMENTED = lib.ORT_NOT_IMPLEMENTED
    INVALID_GRAPH = lib.ORT_INVALID_GRAPH
    EP_FAIL = lib.ORT_EP_FAIL
    MODEL_LOAD_CANCELED = lib.ORT_MODEL_LOAD_CANCELED
    MODEL_REQUIRES_COMPILATION = lib.ORT_MODEL_REQUIRES_COMPILATION
    NOT_FOUND = lib.ORT_NOT_FOUND
    DEVICE_RESET = lib.ORT_DEVICE_RESET

    @classmethod
    def _missing_(cls, value: object) -> "ErrorCode | None":
        if type(value) is not int:
            return None
        code = int.__new__(cls, value)
        code._name_, code._value_ = f"UNKNOWN_{value}", value
        return code


class OrtError(Exception):
    """The base of the exceptions for functions of the ONNX Runtime C API that fail.

    Raised itself only for a code that has no class of its own.
    """

    @property
    def code(self) -> ErrorCode:
        """The status's code."""
        return ErrorCode(self.args[2]) if len(self.args) > 2 else ErrorCode.FAIL

    @property
    def message(self) -> str:
        """The status's message."""
        try:
            return self.args[0]  # type: ignore[no-any-return]
        except IndexError:
            return ""

    @property
    def function(self) -> str | None:
        """The API function that failed."""
        return self.args[1] if len(self.args) > 1 else None

    def __str__(self) -> str:
        # Names of a model are in messages of any library; what breaks a line may be meant.
        text, more = str(self.message)[:_MOST], len(str(self.message)) - _MOST
        end = f"... and {more:,} more characters" if more > 0 else ""
        return "\n".join(map(printable, text.split("\n"))) + end

    def __repr__(self) -> str:
        name = type(self).__name__
        return f"{name}({self.message!r}, function={self.function!r}, code={int(self.code)})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, OrtError):
            return builtins.NotImplemented  # type: ignore[no-any-return]
        return type(self) is type(other) and self.args == other.args

    def __hash__(self) -> int:
        return hash((type(self), self.args))


class Fail(OrtError, RuntimeError):
    """A failure of no particular kind (``ORT_FAIL``)."""

    code = ErrorCode.FAIL


class Cancelled(Fail):
    """A run was ended by `Session.cancel`. Made here: for the library it is ``ORT_FAIL``."""


class InvalidArgument(OrtError, ValueError):
    """An argument has a value that the function cannot work with (``ORT_INVALID_ARGUMENT``)."""

    code = ErrorCode.INVALID_ARGUMENT


class NoSuchFile(OrtError, FileNotFoundError):
    """A file does not exist (``ORT_NO_SUCHFILE``)."""

    code = ErrorCode.NO_SUCHFILE
    # OSError would take these from args, which have another meaning here.
    errno = ENOENT
    filename = None

    @property
    def strerror(self) -> str:
        """The status's message."""
        return self.message

    @strerror.setter
    def strerror(self, text: object) -> None:
        """Ignore what tblib, which Dask uses, sets when it unpickles; the message is in `args`."""


class NoModel(OrtError, LookupError):
    """There is no model (``ORT_NO_MODEL``)."""

    code = ErrorCode.NO_MODEL


class EngineError(OrtError, RuntimeError):
    """The engine that runs a model failed (``ORT_ENGINE_ERROR``)."""

    code = ErrorCode.ENGINE_ERROR


class RuntimeException(OrtError, RuntimeError):
    """A C++ exception ended the function (``ORT_RUNTIME_EXCEPTION``)."""

    code = ErrorCode.RUNTIME_EXCEPTION


class OutOfMemory(RuntimeException, MemoryError):
    """There is no memory.

    The C API has no code for that. An ``ORT_RUNTIME_EXCEPTION`` becomes one if its message contains
    "out of memory", "bad_alloc", "Failed to allocate memory" or "Available memory of"; an
    ``ORT_FAIL`` for the last two, which the arenas of ONNX Runtime say. The words of an exception
    that Python code raised during the call count only if it is a `MemoryError`. `code` is the
    status's.
    """


class InvalidProtobuf(OrtError, ValueError):
    """A model or a tensor does not parse (``ORT_INVALID_PROTOBUF``)."""

    code = ErrorCode.INVALID_PROTOBUF


class ModelLoaded(OrtError, RuntimeError):
    """The model is loaded already (``ORT_MODEL_LOADED``)."""

    code = ErrorCode.MODEL_LOADED


class NotImplemented(OrtError, NotImplementedError):
    """The function, or what it was asked for, is not implemented (``ORT_NOT_IMPLEMENTED``)."""

    code = ErrorCode.NOT_IMPLEMENTED


class InvalidGraph(OrtError, ValueError):
    """A model's graph breaks a rule (``ORT_INVALID_GRAPH``)."""

    code = ErrorCode.INVALID_GRAPH


class EPFail(OrtError, RuntimeError):
    """An execution provider failed (``ORT_EP_FAIL``)."""

    code = ErrorCode.EP_FAIL


class ModelLoadCanceled(OrtError, RuntimeError):
    """Loading a model was canceled (``ORT_MODEL_LOAD_CANCELED``)."""

    code = ErrorCode.MODEL_LOAD_CANCELED


class ModelRequiresCompilation(OrtError, RuntimeError):
    """The model has to be compiled first (``ORT_MODEL_REQUIRES_COMPILATION``)."""

    code = ErrorCode.MODEL_REQUIRES_COMPILATION


class NotFound(OrtError, LookupError):
    """What was asked for does not exist (``ORT_NOT_FOUND``)."""

    code = ErrorCode.NOT_FOUND


class DeviceReset(OrtError, RuntimeError):
    """The device was reset and lost its state (``ORT_DEVICE_RESET``)."""

    code = ErrorCode.DEVICE_RESET


class QueueTimeout(TimeoutError):
    """An awaited run did not begin within its ``timeout``. This is no `OrtError`.

    The library was not called: nothing was computed, and no output was written.
    """


class Overloaded(RuntimeError):
    """As many runs or calls as ``max_waiting`` allows were waiting. This is no `OrtError`.

    It is raised at once: nothing was queued.
    """


def code_and_message(error: BaseException) -> tuple[int, str] | None:
    """Return the status that an official exception was made of, or None."""
    form = r"\[ONNXRuntimeError\] : (\d+) : [A-Z_]+ : (.*)"
    found = re.search(form, str(error), re.DOTALL)
    return None if found is None else (int(found[1]), found[2])


def code_of(error: BaseException) -> ErrorCode | None:
    """Return the code of an official exception, whose message begins with it, or None."""
    if isinstance(error, OrtError):
        return error.code
    found = code_and_message(error)
    return None if found is None else ErrorCode(found[0])


for _name in __all__:  # so that pickles, tracebacks and help() name what users import
    globals()[_name].__module__ = "ortcffi.errors"
