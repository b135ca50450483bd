# SPDX-License-Identifier: MIT
"""Numbers for Python objects that C calls back.

A library may keep the context argument of a callback longer than the Python object lives. So the
context is a number, not an address: the number of a deleted object is not found, while an address
of freed memory would be read.

Nothing here takes a lock, so a fork or a destructor at any point does no harm.
"""

from itertools import count
from typing import TYPE_CHECKING, Any
from weakref import ReferenceType, ref

from ortcffi._native import address_of, ffi

if TYPE_CHECKING:
    from ortcffi._ort import Cdata

__all__ = ["Context", "find", "forget", "remember"]

_numbers = count(1)  # 0 would be NULL
_subjects: dict[int, Any] = {}
_contexts: "dict[int, ReferenceType[Context]]" = {}


def remember(subject: object) -> int:
    """Assign a number to an object; `find` finds it until `forget`."""
    number = next(_numbers)
    _subjects[number] = subject
    return number


def forget(number: int) -> Any:
    """Release a number and return its object, or None."""
    return _subjects.pop(number, None)


def find(pointer: "Cdata") -> Any:
    """The object of a context argument, or None if it was deleted."""
    number = address_of(pointer)
    if (reference := _contexts.get(number)) is None:
        return _subjects.get(number)
    context = reference()
    return None if context is None else context.subject


class Context:
    """The number of an object, as long as this lives.

    Parameters
    ----------
    subject : object
        The object that C calls back. It may refer to what keeps this: the collector sees the cycle.
    """

    __slots__ = ("__weakref__", "number", "subject")

    def __init__(self, subject: object) -> None:
        self.subject = subject
        self.number = next(_numbers)  # before it is known: an interrupt may come between
        _contexts[self.number] = ref(self)

    def __del__(self, contexts: "dict[int, ReferenceType[Context]]" = _contexts) -> None:
        contexts.pop(getattr(self, "number", 0), None)

    @property
    def pointer(self) -> "Cdata":
        """The number as the context argument for C."""
        return ffi.cast("void*", self.number)
