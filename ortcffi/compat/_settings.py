# SPDX-License-Identifier: MIT
"""Attributes of options that stand for settings of ortcffi's."""

import warnings
from typing import Any

from ortcffi.errors import OrtError

__all__ = ["Ignored", "Setting"]


class Setting:
    """An attribute that is one of ortcffi's options."""

    def __init__(self, name: str, kind: type, doc: str) -> None:
        self.name, self.kind, self.__doc__ = name, kind, doc

    def __get__(self, options: Any, owner: type) -> Any:
        return self if options is None else self.kind(getattr(options._options, self.name))

    def __set__(self, options: Any, value: Any) -> None:
        if not isinstance(value, self.kind) and not _converts(value, self.kind):
            expected = self.kind.__name__
            raise TypeError(f"incompatible function arguments: {value!r} is no {expected}")
        try:
            setattr(options._options, self.name, self.kind(value))
        except (OrtError, ValueError) as error:
            raise RuntimeError(str(error)) from None


def _converts(value: Any, kind: type) -> bool:
    """Whether the official package takes a value for one of another type."""
    if kind is bool:
        return value is None or hasattr(type(value), "__bool__")
    return kind is int and hasattr(type(value), "__index__")


class Ignored:
    """An attribute that the C API has no function for: it keeps what it is set to."""

    def __init__(self, default: Any, doc: str) -> None:
        self.default, self.__doc__ = default, doc

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, options: Any, owner: type) -> Any:
        return self if options is None else options._ignored.get(self.name, self.default)

    def __set__(self, options: Any, value: Any) -> None:
        if value != self.default:
            told = f"{self.name} has no effect: the C API has no function for it"
            warnings.warn(told, UserWarning, stacklevel=2)
        options._ignored[self.name] = type(self.default)(value)
