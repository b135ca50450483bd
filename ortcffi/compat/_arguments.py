# SPDX-License-Identifier: MIT
"""Checks of arguments as the official package makes them: what is of a wrong type is a TypeError.

So is a number that its C type does not hold. The errors name the argument.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from ortcffi._convert import INT32, integer

T = TypeVar("T")

INT8, INT16, INT64 = ((-(2**bits), 2**bits - 1) for bits in (7, 15, 63))
ADDRESS = SIZE = (0, 2**64 - 1)

_WRONG = "incompatible function arguments"


def number(argument: str, given: Any, limits: tuple[int, int] = INT32) -> int:
    """Return an argument that is an int within limits."""
    try:
        return integer(argument, given, limits)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{_WRONG}: {error}") from None


def switch(argument: str, given: Any) -> bool:
    """Return an argument that is true or false, as None and numbers are, too."""
    if given is not None and not hasattr(type(given), "__bool__"):
        raise TypeError(f"{_WRONG}: {argument} must be a bool, not {type(given).__name__}")
    return bool(given)


def instance(argument: str, given: Any, kind: type[T]) -> T:
    """Return an argument that is an object of a class."""
    if not isinstance(given, kind):
        found = type(given).__name__
        raise TypeError(f"{_WRONG}: {argument} must be of {kind.__name__}, not {found}")
    return given


def string(argument: str, given: Any) -> str:
    """Return an argument that is text; bytes are UTF-8."""
    if isinstance(given, (bytes, bytearray)):
        return given.decode()
    return instance(argument, given, str)


def mapping(argument: str, given: Any) -> Mapping[Any, Any]:
    """Return an argument that is a dict or None, or another mapping."""
    return {} if given is None else instance(argument, given, Mapping)  # type: ignore[type-abstract]


def function(argument: str, given: Any) -> Callable[..., Any]:
    """Return an argument that is called."""
    if not callable(given):
        raise TypeError(f"{_WRONG}: {argument} must be callable, not {type(given).__name__}")
    return given  # type: ignore[no-any-return]


def not_made(thing: object) -> None:
    """Refuse to make an object: the constructor of a class that officially has none."""
    raise TypeError(f"{type(thing).__name__}: No constructor defined!")


def lengths(shape: Sequence[int]) -> list[int]:
    """Return a shape whose dimensions are known."""
    found = [number(f"shape[{i}]", length, INT64) for i, length in enumerate(shape)]
    for i, length in enumerate(found):
        if length < 0:
            raise RuntimeError(f"shape[{i}] must be 0 or more, but is {length}")
    return found
