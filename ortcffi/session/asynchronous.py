# SPDX-License-Identifier: MIT
"""`Session.run_async` and `Session.run_future`: runs that nobody waits for.

What makes the futures is imported at their first use: asyncio takes longer than all else here.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import asyncio
    from concurrent.futures import Future

    from ortcffi.options.run import RunOptions
    from ortcffi.session.session import Session

__all__ = ["run_async", "run_future"]


def run_async(  # noqa: PLR0913  # as many as `run` has
    session: "Session",
    /,
    feed: Mapping[str, Any] | None = None,
    outputs: Sequence[str] | None = None,
    *,
    options: "RunOptions | None" = None,
    out: Mapping[str, Any] | None = None,
    timeout: float | None = None,
    values: bool = False,
    **inputs: Any,
) -> "asyncio.Future[list[Any]]":
    """Start a run and return a future of its outputs, to be awaited in the running event loop.

    Takes what `run` takes. Errors in the arguments are raised at once, those of the run where it is
    awaited. To cancel the future, or the task that awaits it, ends the run. Arrays must not change
    before it has ended.

    Parameters
    ----------
    feed, outputs, options, out, timeout, **inputs
        As of `run`.
    values : bool, optional
        Whether outputs are `Value`s, as of `run_values`.

    Returns
    -------
    asyncio.Future

    Raises
    ------
    RuntimeError
        No event loop is running on this thread.

    Notes
    -----
    API functions: ``RunAsync``, since version 16, where the session has two threads or more;
    otherwise, in an op written in Python, and while a `Scope` is open, to whose line and scope the
    blocks then belong, ``Run`` on a thread of this package, of which there are as many as
    processors, and more for runs that ops start.
    """
    from ortcffi.session.futures import future_of_loop

    wanted: Any = {"options": options, "out": out, "timeout": timeout}
    return future_of_loop(session, values, feed, outputs, **wanted, **inputs)


def run_future(  # noqa: PLR0913  # as many as `run` has
    session: "Session",
    /,
    feed: Mapping[str, Any] | None = None,
    outputs: Sequence[str] | None = None,
    *,
    options: "RunOptions | None" = None,
    out: Mapping[str, Any] | None = None,
    timeout: float | None = None,
    values: bool = False,
    **inputs: Any,
) -> "Future[list[Any]]":
    """Start a run and return a `concurrent.futures.Future` of its outputs. Otherwise `run_async`.

    To cancel the future ends the run; its `Cancelled` is then the future's exception. Callbacks of
    the future are called on a thread of this package, which is none of the session's: they may wait
    for other runs.
    """
    from ortcffi.session.futures import future_of_threads

    wanted: Any = {"options": options, "out": out, "timeout": timeout}
    return future_of_threads(session, values, feed, outputs, **wanted, **inputs)
