# SPDX-License-Identifier: MIT
"""Arrays over the memory of a host that somebody kept beyond the call that they are valid in."""

import gc
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from contextvars import copy_context
from types import TracebackType
from typing import Any

import numpy as np

from ortcffi._native import lib
from ortcffi.values.compiled import Tensor

__all__ = ["detach", "views_in"]

# Refer to nothing.
_ATOMS = frozenset({str, bytes, int, float, complex, bool, type(None), range, slice})


def views_in(
    traceback: TracebackType | None, *groups: tuple[Any, ...]
) -> list[np.ndarray[Any, Any]] | None:
    """The views of arrays, if only the frames of a traceback refer to the arrays and to them.

    Parameters
    ----------
    traceback : traceback, optional
        Of what a call of a function raised.
    *groups : tuple of object
        The arrays, among other arguments. Nothing else on this thread may refer to them.

    Returns
    -------
    list of ndarray, optional
        None where something else refers to one, or may do so.
    """
    # By their identity, since the traceback may name a frame twice.
    frames = {id(frame): frame for frame in _frames_of(traceback)}
    objects = gc.get_referents(*frames.values())
    times = Counter(map(id, objects))
    places = {id(each): place for place, each in enumerate(objects)}
    arrays = {id(each) for group in groups for each in group}
    views = [objects[i] for i in places.values() if type(objects[i]) is np.ndarray]
    views = [view for view in views if id(view.base) in arrays]
    roots = Counter(id(view.base) for view in views)
    # Each object is referred to by a frame and by the list of objects, a view also by its own list.
    for number in map(id, views):
        if _references(objects, places[number]) != 2 * times[number]:
            return None
    for group in groups:
        for i in range(len(group)):
            number = id(group[i])
            if type(group[i]) is np.ndarray and (
                _references(group, i) != 2 * times[number] + roots[number]
            ):
                return None
    return views


def _frames_of(traceback: TracebackType | None) -> Iterator[Any]:
    while traceback is not None:
        yield traceback.tb_frame
        traceback = traceback.tb_next


def _references(objects: Sequence[Any], place: int) -> int:
    """How many references there are to an element, besides that of its sequence."""
    return sys.getrefcount(objects[place]) - _FEWEST


_FEWEST = 0
_FEWEST = _references([object()], 0)


def detach(
    arrays: Iterable[np.ndarray[Any, Any]],
    subject: object,
    known: "list[np.ndarray[Any, Any]] | None" = None,
) -> None:
    """Give arrays, and the views of them that Python can reach, memory of their own.

    Memoryviews and values over them are released, and iterators over their elements begin anew.

    Parameters
    ----------
    arrays : iterable of ndarray
        They have no base and do not own their memory.
    subject : object
        What nothing else in Python may refer to, but C: the op.
    known : list of ndarray, optional
        All views, where `views_in` has found them.
    """
    kept = {id(x): x for x in arrays}
    views: dict[int, dict[int, Any]] = {number: {} for number in kept}
    others: dict[int, Any] = {}
    for each in _all_objects(subject) if known is None else known:
        if not isinstance(each, _OVER_MEMORY):
            continue
        *over, root = _owners_of(each)
        if id(root) in kept:
            for one in over:
                group = views[id(root)] if isinstance(one, np.ndarray) else others
                group[id(one)] = one
    for number, x in kept.items():
        give_memory: Any = lib.ortcffi_detach_array
        give_memory(x, x.copy(), list(views[number].values()))
    for each in others.values():
        _leave_memory(each)


_OVER_MEMORY = (np.ndarray, memoryview, Tensor, np.flatiter)


def _leave_memory(over: Any) -> None:
    """Have something use memory no more from which the arrays have gone."""
    if isinstance(over, memoryview):
        with suppress(BufferError):  # somebody reads it now
            over.release()
    elif isinstance(over, Tensor):
        Tensor.close(over)  # a subclass may have its own
    else:
        over[:0]  # it then begins at the memory that its array has now


def _all_objects(subject: object) -> Iterator[Any]:
    yield from _reachable([subject, sys.modules, copy_context(), *_frames(), *gc.get_objects()])


def _subject_of(view: memoryview) -> object:
    try:
        return view.obj
    except ValueError:  # released
        return None


def _owners_of(x: Any) -> Iterator[Any]:
    """What lies over memory, and what it lies over, down to what owns that."""
    while x is not None:
        yield x
        x = _owner_of(x)


def _owner_of(x: Any) -> Any:
    """What keeps the memory of something; None for what keeps its own."""
    if isinstance(x, (np.ndarray, np.flatiter)):
        return x.base
    if isinstance(x, memoryview):
        return _subject_of(x)
    if isinstance(x, Tensor):
        kept = gc.get_referents(x)
        lenders = [each for each in kept if isinstance(each, tuple)]  # a loan and its array
        kept += [each for lender in lenders for each in lender]
        return next((each for each in kept if isinstance(each, _OVER_MEMORY)), None)
    return None


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
