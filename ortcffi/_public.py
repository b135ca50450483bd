# SPDX-License-Identifier: MIT
"""For all public classes: their module's name, their descriptions, what errors suggest."""

import sys
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, TypeVar

__all__ = ["Suggests", "described_by", "level_of_caller", "meant", "public", "refuse_pickle"]

T = TypeVar("T")


def public(thing: T) -> T:
    """Name `ortcffi` as the module, so that pickles, tracebacks and help() name what users import.

    Base classes that help() shows get it too, though they cannot be imported from there.
    """
    thing.__module__ = "ortcffi"
    return thing


def refuse_pickle(thing: object) -> NoReturn:
    """Raise an error that names the class: the ``__reduce__`` of what belongs to one process."""
    kind = type(thing).__name__
    article = "an" if kind[0] in "AEIOU" else "a"
    raise TypeError(f"cannot pickle {article} {kind}, which belongs to one process")


def described_by(worker: Callable[..., Any]) -> Callable[[T], T]:
    """Give a method the docstring of the function that does its work."""

    def describe(method: T) -> T:
        method.__doc__ = worker.__doc__
        return method

    return describe


def meant(name: str, known: Iterable[str], likeness: float = 0.6) -> str:
    """The end of an error about an unknown name: the name that may be meant, or nothing."""
    from difflib import get_close_matches

    close = get_close_matches(name, [each for each in known if each], 1, likeness)
    return f": did you mean {close[0]!r}?" if close else ""


_OURS = ("ortcffi.", "collections.abc")  # whose MutableMapping has the method update


def level_of_caller() -> int:
    """The `stacklevel` with which a warning names the line that called this package."""
    frame, level = sys._getframe(1), 1
    while frame.f_back and frame.f_globals.get("__name__", "").startswith(_OURS):
        frame, level = frame.f_back, level + 1
    return level


@public
class Suggests:
    """An object whose `AttributeError` names the attribute that may be meant."""

    __slots__ = ()
    _elsewhere: ClassVar[Mapping[str, str]] = {}  # names of the official package, and ours

    if not TYPE_CHECKING:  # a type checker would take every name for one that is there

        def __getattr__(self, name: str) -> NoReturn:
            if hasattr(type(self), name):
                object.__getattribute__(self, name)  # a property raised this: it says why
            raise AttributeError(self._missing(name))

    def __setattr__(self, name: str, value: object) -> None:
        try:
            object.__setattr__(self, name, value)
        except AttributeError:
            if hasattr(type(self), name):
                raise
            raise AttributeError(self._missing(name)) from None

    def _missing(self, name: str) -> str:
        ours = self._elsewhere.get(name)
        known = (each for each in dir(type(self)) if not each.startswith("_"))
        hint = meant(name, known) if ours is None else f": did you mean {ours!r}?"
        return f"{type(self).__name__!r} object has no attribute {name!r}{hint}"
