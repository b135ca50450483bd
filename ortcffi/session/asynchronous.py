# SPDX-License-Identifier: MIT
"""`Session.run_async` and `Session.run_future`: asynchronous runs.

The module that makes the futures is imported at the first use, because importing asyncio takes
longer than importing all else here. An import statement in each run would take as long as to make
the future.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from concurrent.futures import Future

    from ortcffi.options.run_options import RunOptions
    from ortcffi.session.futures import RunFuture
    from ortcffi.session.session import Session

__all__ = ["run_async", "run_future"]

_futures: Any = None


def _imported() -> Any:
    global _futures  # noqa: PLW0603  # once
    from ortcffi.session import futures

    _futures = futures
    return futures


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
) -> "RunFuture":
    """Start a run and return a future of its outputs, to be awaited in the running event loop.

    Takes what `run` takes. Errors in the arguments are raised at once, those of the run where it is
    awaited. To cancel the future, or the task that awaits it, ends the run. Arrays must not change
    before it has ended.

    The future is a coroutine, too, for `asyncio.create_task` and task groups. So `asyncio.wait`
    refuses it, as it does all coroutines: give it a task. API function: ``Run``, on a thread of
    this package. For each session there are as many such threads as processors, and more for runs
    that ops in Python start. Blocks of memory belong to the `Scope` that is open at the call.

    Parameters
    ----------
    timeout : float, optional
        Seconds from this call on. A run that has begun by then is ended, with `TimeoutError`; one
        that still waits for a thread is not made, and the error is `QueueTimeout` at once.
    values : bool, optional
        Whether outputs are `Value`s, as of `run_values`.
    """
    start = (_futures or _imported()).future_of_loop
    return start(  # type: ignore[no-any-return]
        session, values, feed, outputs, options=options, out=out, timeout=timeout, **inputs
    )


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
    the future are called on a thread of this package, and may block or wait for other runs.
    """
    start = (_futures or _imported()).future_of_threads
    return start(  # type: ignore[no-any-return]
        session, values, feed, outputs, options=options, out=out, timeout=timeout, **inputs
    )
