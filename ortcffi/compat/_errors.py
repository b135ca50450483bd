# SPDX-License-Identifier: MIT
"""The exceptions of the official package: one class per code, with its texts."""

from collections.abc import Callable
from functools import wraps
from typing import Any, NoReturn, TypeVar

from ortcffi import errors
from ortcffi.errors import ErrorCode, OrtError, code_and_message

__all__ = [
    "DeviceReset",
    "EPFail",
    "EngineError",
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
    "RuntimeException",
    "reraise",
    "translated",
    "translated_by",
]


class _Official(OrtError):
    """An `OrtError` of the official package's text, which begins with the code, and no more.

    The official classes derive from `Exception` alone, so that ``except ValueError`` does not catch
    them; these do not derive from built-in classes either, save `RuntimeException`: what the
    official package raises for a C++ exception is sometimes that and sometimes a `RuntimeError`,
    and the C API has one code for both.
    """

    function: str | None = None

    @property
    def code(self) -> ErrorCode:
        """The status's code."""
        found = code_and_message(self)
        return ErrorCode.FAIL if found is None else ErrorCode(found[0])

    @property
    def message(self) -> str:
        """The status's message."""
        found = code_and_message(self)
        return str(self) if found is None else found[1]

    __str__ = Exception.__str__
    __repr__ = Exception.__repr__


class Fail(_Official):
    """A failure of no particular kind."""


class InvalidArgument(_Official):
    """An argument has a value that the function cannot work with."""


class NoSuchFile(_Official):
    """A file does not exist."""


class NoModel(_Official):
    """There is no model."""


class EngineError(_Official):
    """The engine that runs a model failed."""


class RuntimeException(_Official, RuntimeError):
    """A C++ exception ended the function."""


class InvalidProtobuf(_Official):
    """A model or a tensor does not parse."""


class ModelLoaded(_Official):
    """The model is loaded already."""


class NotImplemented(_Official):
    """The function, or what it was asked for, is not implemented."""


class InvalidGraph(_Official):
    """A model's graph breaks a rule."""


class EPFail(_Official):
    """An execution provider failed."""


class ModelLoadCanceled(_Official):
    """Loading a model was canceled."""


class ModelRequiresCompilation(_Official):
    """The model has to be compiled first."""


class NotFound(_Official):
    """What was asked for does not exist."""


class DeviceReset(_Official):
    """The device was reset and lost its state."""


_CLASSES = {int(vars(errors)[kind.__name__].code): kind for kind in _Official.__subclasses__()}


def reraise(error: OrtError) -> NoReturn:
    """Raise the official package's exception for one of ortcffi's."""
    if isinstance(error, _Official):
        raise error
    code = error.code
    kind = _CLASSES.get(int(code), Fail)
    official = kind(f"[ONNXRuntimeError] : {int(code)} : {code.name} : {error}")
    official.function = error.function
    raise official from error.__cause__


F = TypeVar("F", bound=Callable[..., Any])


def translated_by(fail: Callable[[OrtError], NoReturn]) -> Callable[[F], F]:
    """Have a function raise what `fail` raises for one of ortcffi's exceptions."""

    def translate(function: F) -> F:
        @wraps(function)
        def call(*arguments: Any, **options: Any) -> Any:
            try:
                return function(*arguments, **options)
            except OrtError as error:
                fail(error)

        return call  # type: ignore[return-value]

    return translate


translated = translated_by(reraise)
