# SPDX-License-Identifier: MIT
"""Threads of a library that Python makes for it."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from ortcffi._native import ffi
from ortcffi.contexts import Context, forget, remember

if TYPE_CHECKING:
    from ortcffi._ort import Cdata

__all__ = ["ThreadFunctions", "thread_functions"]


class ThreadFunctions(NamedTuple):
    """How a library is to make its threads and to wait for their end.

    Both are called on whatever thread the library is at work. An exception in `create` makes what
    the library is doing fail, and is the ``__cause__`` of what that call raises; one in `join` goes
    to ``sys.unraisablehook``.

    Attributes
    ----------
    create : callable
        ``create(work)`` starts a thread that calls ``work()``, which returns when the library has
        no more use for the thread, and returns any object.
    join : callable
        ``join(thread)`` waits for the end of a thread that `create` returned.

    Examples
    --------
    >>> import threading
    >>> def create(work):
    ...     thread = threading.Thread(target=work)
    ...     thread.start()
    ...     return thread
    >>> functions = ThreadFunctions(create, threading.Thread.join)
    """

    create: Callable[[Callable[[], None]], object]
    join: Callable[[Any], object]


def thread_functions(argument: str, pair: Any) -> ThreadFunctions | None:
    """A pair of callables as `ThreadFunctions`; None is None. Errors name the argument."""
    if pair is None:
        return None
    try:
        create, join = pair
    except (TypeError, ValueError):
        create = join = None
    if not callable(create) or not callable(join):
        raise TypeError(f"{argument} must be a pair of callables, create and join, not {pair!r}")
    return ThreadFunctions(create, join)


def thread_context(functions: ThreadFunctions) -> Context:
    """What C gets for the functions."""
    return Context(functions)


class _Thread(NamedTuple):
    """What the number that C has for a thread stands for."""

    thread: object
    join: Callable[[Any], object]


def create(functions: ThreadFunctions | None, worker: "Cdata", argument: "Cdata") -> "Cdata":
    """Make a thread; ``ortcffi.callbacks`` calls it. The result is a handle for `join`."""
    if functions is None:
        raise RuntimeError("the options with the function that makes threads have gone")
    thread = functions.create(lambda: worker(argument))
    number = remember(_Thread(thread, functions.join))
    return ffi.cast("OrtCustomThreadHandle", number)


def join(handle: "Cdata") -> None:
    """Wait for a thread; ``ortcffi.callbacks`` calls it."""
    made = forget(int(ffi.cast("uintptr_t", handle)))
    if made is not None:
        made.join(made.thread)
