# SPDX-License-Identifier: MIT
"""Attributes of options that stand for settings of ortcffi's."""

import warnings
from collections.abc import Callable
from typing import Any

from ortcffi.compat._arguments import instance, number, switch
from ortcffi.errors import OrtError

__all__ = ["Ignored", "Setting"]


class Setting:
    """An attribute that is one of ortcffi's options."""

    def __init__(self, name: str, kind: type, doc: str) -> None:
        self.name, self.kind, self.__doc__ = name, kind, doc

    def __set_name__(self, owner: type, name: str) -> None:
        self.official = name

    def __get__(self, options: Any, owner: type) -> Any:
        return self if options is None else self.kind(getattr(options._options, self.name))

    def __set__(self, options: Any, value: Any) -> None:
        converted = _CONVERSIONS.get(self.kind, self._same)(self.official, value)
        try:
            setattr(options._options, self.name, converted)
        except (OrtError, ValueError) as error:
            raise RuntimeError(str(error).replace(self.name, self.official, 1)) from None

    def _same(self, name: str, value: Any) -> Any:
        return instance(name, value, self.kind)


_CONVERSIONS: dict[type, Callable[[str, Any], Any]] = {bool: switch, int: number}


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
