# SPDX-License-Identifier: MIT
"""Python objects that C calls back, by number.

A library keeps what it is given as the first argument of a callback for as long as it likes, also
longer than the Python object lives. So it is given a number, not an address: a number whose object
has gone is looked up in vain, where an address would be read.
"""

from itertools import count
from typing import TYPE_CHECKING, Any

from ortcffi._native import ffi

if TYPE_CHECKING:
    from ortcffi._ort import Cdata

__all__ = ["Context", "find", "forget", "remember"]

_numbers = count(1)  # 0 is NULL, which libraries take for nothing
_subjects: dict[int, Any] = {}


def remember(subject: object) -> int:
    """Give an object a number, by which `find` finds it until `forget`."""
    number = next(_numbers)
    _subjects[number] = subject
    return number


def forget(number: int) -> Any:
    """Take a number back and return its object, or None."""
    return _subjects.pop(number, None)


def find(pointer: "Cdata") -> Any:
    """The object behind what C hands back, or None if it has gone."""
    return _subjects.get(int(ffi.cast("uintptr_t", pointer)))


class Context:
    """An object's number for as long as this lives. The object must not refer to its context.

    Parameters
    ----------
    subject : object
        What C is to call.
    """

    __slots__ = ("number",)

    def __init__(self, subject: object) -> None:
        self.number = remember(subject)

    def __del__(self, subjects: dict[int, Any] = _subjects) -> None:
        subjects.pop(self.number, None)

    @property
    def pointer(self) -> "Cdata":
        """The number as C takes it."""
        return ffi.cast("void*", self.number)
