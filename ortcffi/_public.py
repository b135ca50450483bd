# SPDX-License-Identifier: MIT
"""Decorators for what users see: where it is imported from, and its description."""

from collections.abc import Callable
from typing import Any, TypeVar

__all__ = ["described_by", "public"]

T = TypeVar("T")


def public(thing: T) -> T:
    """Name `ortcffi` as the module, so that pickles, tracebacks and help() name what users import.

    Base classes that help() shows get it too, though they cannot be imported from there.
    """
    thing.__module__ = "ortcffi"
    return thing


def described_by(worker: Callable[..., Any]) -> Callable[[T], T]:
    """Give a method the docstring of the function that does its work."""

    def describe(method: T) -> T:
        method.__doc__ = worker.__doc__
        return method

    return describe
