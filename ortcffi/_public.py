# SPDX-License-Identifier: MIT
"""What users see of classes: where they are imported from, descriptions, what pickles say."""

from collections.abc import Callable
from typing import Any, NoReturn, TypeVar

__all__ = ["described_by", "public", "refuse_pickle"]

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
