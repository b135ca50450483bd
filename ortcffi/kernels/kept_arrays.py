# SPDX-License-Identifier: MIT
"""Arrays over the memory of a host that somebody kept beyond the call that they are valid in."""

import gc
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from contextvars import copy_context
from typing import Any

import numpy as np

from ortcffi._native import lib

__all__ = ["detach"]

# Refer to nothing.
_ATOMS = frozenset({str, bytes, int, float, complex, bool, type(None), range, slice})


def detach(arrays: Iterable[np.ndarray[Any, Any]], subject: object) -> None:
    """Give arrays, and the views of them that Python can reach, memory of their own.

    Memoryviews of them are released.

    Parameters
    ----------
    arrays : iterable of ndarray
        They have no base and do not own their memory.
    subject : object
        What nothing else in Python may refer to, but C: the op.
    """
    kept = {id(x): x for x in arrays}
    views: dict[int, dict[int, Any]] = {number: {} for number in kept}
    for each in _reachable([subject, sys.modules, copy_context(), *_frames(), *gc.get_objects()]):
        if isinstance(each, memoryview):
            if _root_of(_subject_of(each)) in kept:
                with suppress(BufferError):  # somebody reads it now
                    each.release()
        elif isinstance(each, np.ndarray) and id(each) not in kept and _root_of(each) in kept:
            views[_root_of(each)][id(each)] = each
    for number, x in kept.items():
        give_memory: Any = lib.ortcffi_detach_array
        give_memory(x, x.copy(), list(views[number].values()))


def _subject_of(view: memoryview) -> object:
    try:
        return view.obj
    except ValueError:  # released
        return None


def _root_of(x: Any) -> int:
    """The `id` of the array to whose memory one is a view."""
    while isinstance(x, np.ndarray) and x.base is not None:
        x = x.base
    return id(x)


def _frames() -> Iterator[Any]:
    """The frames of all threads. None of them refers to its caller, for the collector."""
    for innermost in sys._current_frames().values():
        frame: Any = innermost
        while frame is not None:
            yield frame
            frame = frame.f_back


def _reachable(roots: list[Any]) -> Iterator[Any]:
    """All objects that can be reached from some, each once.

    The collector's own list lacks what `gc.freeze` has hidden, and the tuples and dicts that hold
    nothing but arrays.
    """
    seen: set[int] = {id(roots)}
    batch = roots
    while batch:
        fresh = []
        for each in batch:
            if type(each) not in _ATOMS and id(each) not in seen:
                seen.add(id(each))
                fresh.append(each)
                yield each
        batch = gc.get_referents(*fresh)
        for each in fresh:
            if isinstance(each, np.ndarray) and each.dtype == object:
                batch.extend(each.ravel().tolist())  # of which the collector does not know
