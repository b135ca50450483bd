# SPDX-License-Identifier: MIT
"""Threads of a library that Python makes for it."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from ortcffi._callback import called_from_c, keep_exception, report_exception
from ortcffi._contexts import Context, find, forget, remember
from ortcffi._native import ffi
from ortcffi._public import public

if TYPE_CHECKING:
    from ortcffi._ort import Cdata

__all__ = ["ThreadFunctions", "thread_functions"]


@public
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


@called_from_c("ortcffi_python_create_thread", keep_exception("custom_create_thread_fn"))
def _create(context: "Cdata", worker: "Cdata", argument: "Cdata") -> "Cdata":
    functions = find(context)
    if functions is None:
        raise RuntimeError("the options with the function that makes threads have gone")
    thread = functions.create(lambda: worker(argument))
    number = remember(_Thread(thread, functions.join))
    return ffi.cast("OrtCustomThreadHandle", number)


@called_from_c("ortcffi_python_join_thread", report_exception("a function that joins threads"))
def _join(handle: "Cdata") -> None:
    made = forget(int(ffi.cast("uintptr_t", handle)))
    if made is not None:
        made.join(made.thread)
