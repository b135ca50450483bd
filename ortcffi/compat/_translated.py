# SPDX-License-Identifier: MIT
"""Functions that raise the official package's exceptions, which are made when one is raised."""

from collections.abc import Callable
from functools import wraps
from typing import Any, NoReturn, TypeVar

from ortcffi.errors import OrtError

__all__ = ["reraise", "translated", "translated_by"]

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


def reraise(error: OrtError) -> NoReturn:
    """Raise the official package's exception for one of ortcffi's."""
    from ortcffi.compat import _errors

    _errors.reraise(error)


translated = translated_by(reraise)
