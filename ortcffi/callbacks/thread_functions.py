# SPDX-License-Identifier: MIT
"""Functions in Python that create and join the threads of a library."""

import sys
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from ortcffi._convert import decode
from ortcffi._handle import owner_of
from ortcffi._native import address_of, ffi, lib
from ortcffi._public import public
from ortcffi.callbacks.from_c import (
    Context,
    called_from_c,
    find,
    forget,
    keep_exception,
    remember,
    report_exception,
)

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

    Parameters
    ----------
    create : callable
        ``create(work)`` starts a thread that calls ``work()``, and returns an object for it.
        ``work()`` returns when the library no longer needs the thread. If it is called only after
        `join` returned, it does nothing. If it is still at work then, the library waits for it.
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


def _perform(work: Any) -> None:
    text = ffi.new("char[]", 512)
    if not lib.ortcffi_perform_work(work, text, len(text)):
        raise RuntimeError(f"the library's work ended with an exception of C++: {decode(text)}")


@called_from_c("ortcffi_python_create_thread", keep_exception("a function that creates threads"))
def _create(context: "Cdata", work: "Cdata") -> "Cdata":
    owner = owner_of("ortcffi_work*", None, lib.ortcffi_release_work)
    owner._adopt_handle(address_of(work))
    owned = owner.handle
    functions = find(context)
    if functions is None:
        raise RuntimeError("the options with the function that creates threads were deleted")
    thread = functions.create(partial(_perform, owned))
    return ffi.cast("void*", remember(_Thread(thread, functions.join)))


@called_from_c("ortcffi_python_join_thread", report_exception("a function that joins threads", 0))
def _join(number: "Cdata") -> int:
    made = forget(address_of(number))
    if made is not None:
        made.join(made.thread)
    return sys.is_finalizing()
