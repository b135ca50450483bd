# SPDX-License-Identifier: MIT
"""What the package keeps until the process ends, and how a run takes it back to count the rest."""

import gc
import sys
import weakref
from contextlib import suppress
from typing import Any

import numpy as np

from ortcffi import compat, errors
from ortcffi.compat import _environment
from ortcffi.ep.installed import PYTHON_EPS
from ortcffi.kernels import op_sets
from ortcffi.session import creation, pickling


class Changed:
    """What the calls changed by hand: the attributes of objects, the elements of arrays.

    The cyclic collector does not see what an array, a value or a block keeps: a cycle through one
    of them, made by such a change, stays until the change is undone.
    """

    def __init__(self) -> None:
        self._names: dict[int, set[str]] = {}
        self._references: dict[int, Any] = {}

    def add(self, thing: Any, name: str = "") -> None:
        """Remember an object that can have a weak reference, and which attribute was set."""
        key = id(thing)
        if key not in self._references:
            with suppress(TypeError):
                self._references[key] = weakref.ref(thing, lambda _gone: self._forget(key))
        if key in self._references:
            self._names.setdefault(key, set()).add(name)

    def _forget(self, key: int) -> None:
        del self._references[key], self._names[key]

    def undo(self) -> None:
        """Delete the attributes that were set, and the elements of arrays of objects."""
        for key, reference in list(self._references.items()):
            thing, names = reference(), self._names.get(key, set())
            if isinstance(thing, np.ndarray) and thing.dtype == object:
                with suppress(ValueError):  # it is read only
                    thing.fill(None)
            for name in filter(None, names):
                with suppress(Exception):  # a property, or an object that refuses it
                    delattr(thing, name)


def take_back() -> None:
    """Let go of shared allocators and arenas, sessions of pickles, what `compat` has and ops.

    Nothing may use them any more.
    """
    pickling.kept.clear()
    gc.collect()  # what goes may give up shared allocators by itself
    if attaching := sys.modules.get("ortcffi.official.attach"):
        env = attaching.attach().env
        for each in env._registered():
            try:
                env.unregister_allocator(each.translated.info)
            except errors.InvalidArgument:  # interrupted before the library had it
                env._state.remove([each])
        env._state._past.clear()
    for env in creation.limited.values():
        env.close()
    creation.limited.clear()
    compat.set_default_logger_callback(None)
    _environment.close_environment()
    for each in op_sets._sets.values():
        for op in {id(op): op for op in each}.values():  # one may be there under two names
            each.remove(op)
    PYTHON_EPS.clear()
