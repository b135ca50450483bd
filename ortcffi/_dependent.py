# SPDX-License-Identifier: MIT
"""Objects of a library that need other objects for as long as they live."""

from collections.abc import Callable
from typing import Any

__all__ = ["Dependent"]


class Dependent:
    """An object of a library that is released before what it needs, also by the collector.

    The collector calls all ``__del__`` of what it destroys before it takes any of it apart, whereas
    destructors of cdata run in any order. The object goes with the last reference to this: a call
    keeps one while it lasts.

    Parameters
    ----------
    handle : cdata
        The object.
    release : callable
        Called with it.
    *needs : object
        What must live longer.
    """

    __slots__ = ("__weakref__", "_needs", "_release", "handle")

    def __init__(self, handle: Any, release: Callable[[Any], Any], *needs: object) -> None:
        self.handle = handle
        self._release: Callable[[Any], Any] | None = release
        self._needs = needs

    def hand_over(self) -> Any:
        """The object, which somebody else releases from now on."""
        self._release = None
        return self.handle

    def __del__(self) -> None:
        if self._release is not None:
            self._release(self.handle)
