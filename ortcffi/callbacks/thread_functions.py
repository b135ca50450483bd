# SPDX-License-Identifier: MIT
"""Functions in Python that create and join the threads of a library."""

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
    """Functions with which a library creates and joins its threads.

    Both are called on any thread of the library. If `create` raises, the call that needs the thread
    fails, and the exception is the ``__cause__`` of what that call raises. Exceptions of `join` go
    to ``sys.unraisablehook``.

    The interpreter waits for threads that are not daemons before it ends. Those of a library end
    with its session or environment: close that first, or make daemons.

    Attributes
    ----------
    create : callable
        ``create(work)`` starts a thread that calls ``work()``, and returns an object for it.
        ``work()`` returns when the library no longer needs the thread.
    join : callable
        ``join(thread)`` waits for a thread to end; it gets the object that `create` returned.

    Examples
    --------
    >>> import threading
    >>> def create(work):
    ...     thread = threading.Thread(target=work, daemon=True)
    ...     thread.start()
    ...     return thread
    >>> functions = ThreadFunctions(create, threading.Thread.join)
    """

    create: Callable[[Callable[[], None]], object]
    join: Callable[[Any], object]


def thread_functions(argument: str, pair: Any) -> ThreadFunctions | None:
    """Check a pair of callables; None stays None. Errors name the argument."""
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
    """The number of the functions for C."""
    return Context(functions)


class _Thread(NamedTuple):
    """A thread that C knows by a number, and the function that joins it."""

    thread: object
    join: Callable[[Any], object]


@called_from_c("ortcffi_python_create_thread", keep_exception("custom_create_thread_fn"))
def _create(context: "Cdata", worker: "Cdata", argument: "Cdata") -> "Cdata":
    functions = find(context)
    if functions is None:
        raise RuntimeError("the options with the function that creates threads were deleted")
    thread = functions.create(lambda: worker(argument))
    number = remember(_Thread(thread, functions.join))
    return ffi.cast("OrtCustomThreadHandle", number)


@called_from_c("ortcffi_python_join_thread", report_exception("a function that joins threads"))
def _join(handle: "Cdata") -> None:
    made = forget(int(ffi.cast("uintptr_t", handle)))
    if made is not None:
        made.join(made.thread)
