# SPDX-License-Identifier: MIT
"""The exceptions of the official package: one class per code, with its texts."""

from collections.abc import Callable
from functools import wraps
from types import FunctionType
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from ortcffi.errors import CLASSES, ErrorCode, OrtError, code_and_message


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


def _official(kind: type[OrtError]) -> type[_Official]:
    name = kind.__name__
    bases = (_Official, RuntimeError) if name == "RuntimeException" else (_Official,)
    return type(name, bases, {"__doc__": kind.__doc__, "__module__": __name__})


_OFFICIAL = {int(code): _official(kind) for code, kind in CLASSES.items()}
globals().update({kind.__name__: kind for kind in _OFFICIAL.values()})
if TYPE_CHECKING:

    def __getattr__(name: str) -> type[_Official]: ...


def reraise(error: OrtError) -> NoReturn:
    """Raise the official package's exception for one of ortcffi's."""
    if isinstance(error, _Official):
        raise error
    code = error.code
    kind = _OFFICIAL.get(int(code)) or _OFFICIAL[ErrorCode.FAIL]
    official = kind(f"[ONNXRuntimeError] : {int(code)} : {code.name} : {error}")
    official.function = error.function
    raise official from error.__cause__


F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")


def _raising(fail: Callable[[OrtError], NoReturn]) -> Callable[[F], F]:
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


def _plainly(error: OrtError) -> NoReturn:
    raise RuntimeError(str(error)) from error.__cause__


translated = _raising(reraise)
as_runtime_error = _raising(_plainly)  # what the official package raises for C++ exceptions


def each_method(translate: Callable[[Any], Any]) -> Callable[[type[T]], type[T]]:
    """Have all public methods of a class, and its constructor, translated."""

    def decorate(kind: type[T]) -> type[T]:
        for name, method in list(vars(kind).items()):
            if isinstance(method, FunctionType) and (name == "__init__" or name[0] != "_"):
                setattr(kind, name, translate(method))
        return kind

    return decorate
