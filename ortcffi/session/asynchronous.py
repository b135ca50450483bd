# SPDX-License-Identifier: MIT
"""Runs that nobody waits for, as futures of asyncio and of `concurrent.futures`.

The library's thread that ends a run puts the job into the mailbox of its event loop, without the
GIL, and wakes the loop for the first one: the loop then has the results of all that have ended.
"""

import asyncio
import os
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any
from weakref import ReferenceType, WeakKeyDictionary, finalize, ref

from ortcffi.session.compiled import Job, Mailbox

if TYPE_CHECKING:
    from ortcffi.options.run import RunOptions
    from ortcffi.session.session import Session

__all__ = ["run_async", "run_future"]


class _RunFuture(asyncio.Future[list[Any]]):
    """The result of a run: to cancel it ends the run."""

    _job: Job | None = None

    def cancel(self, msg: Any = None) -> bool:
        """End the run."""
        if self._job is not None:
            self._job.cancel()
        return super().cancel(msg)


class _Loop:
    """What an event loop has of ours: a mailbox, and a file descriptor that wakes it.

    Only the loop itself keeps it, as the callback of a reader, so that it ends when the loop is
    closed: futures, which runs keep, keep their loop.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.reader, self.writer = os.pipe()
        for end in (self.reader, self.writer):
            os.set_blocking(end, False)
        self.mailbox = Mailbox(self.writer)
        loop.add_reader(self.reader, self.deliver)
        finalize(self, _close, self.mailbox, self.reader, self.writer)

    def deliver(self) -> None:
        """Give futures the results of the jobs that have ended."""
        os.read(self.reader, 4096)
        for job in self.mailbox.drain():
            _settle(job, job.take_owner())


def _close(mailbox: Mailbox, *ends: int) -> None:
    mailbox.close()
    for end in ends:
        os.close(end)


def _settle(job: Job, future: "asyncio.Future[list[Any]]") -> None:
    try:
        result = job.result()
    except BaseException as error:  # noqa: BLE001  # whoever awaits the future gets it
        if not future.done():
            future.set_exception(error)
    else:
        if not future.done():
            future.set_result(result)


_loops: "WeakKeyDictionary[asyncio.AbstractEventLoop, ReferenceType[_Loop]]"
_loops = WeakKeyDictionary()


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
    otherwise, and in an op written in Python, ``Run`` on a thread of this package, of which there
    are as many as processors, and more for runs that ops start.
    """
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        raise RuntimeError(
            "run_async needs a running event loop: call it in an async function, as in "
            "'return await session.run_async(...)', or use run_future"
        ) from None
    future = _RunFuture(loop=loop)
    reference = _loops.get(loop)
    ours = None if reference is None else reference()
    if ours is None:
        ours = _Loop(loop)
        _loops[loop] = ref(ours)
    wanted: Any = {"options": options, "out": out, "timeout": timeout}
    future._job = session._submit(ours.mailbox, future, values, feed, outputs, **wanted, **inputs)
    return future


class _ThreadFuture(Future[list[Any]]):
    """The result of a run: to cancel it ends the run, whose error the future then has."""

    _job: Job | None = None

    def cancel(self) -> bool:
        """End the run, unless it has ended."""
        return self._job is not None and self._job.cancel()


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
) -> Future[list[Any]]:
    """Start a run and return a `concurrent.futures.Future` of its outputs. Otherwise `run_async`.

    To cancel the future ends the run; its `Cancelled` is then the future's exception. Callbacks of
    the future are called on a thread of this package, which is none of the session's: they may wait
    for other runs.
    """
    future = _ThreadFuture()
    future.set_running_or_notify_cancel()
    wanted: Any = {"options": options, "out": out, "timeout": timeout}
    future._job = session._submit(_notify, future, values, feed, outputs, **wanted, **inputs)
    return future


def _notify(job: Job) -> None:
    """Give a future the result of a run, on a thread of this package."""
    future = job.take_owner()
    try:
        result = job.result()
    except BaseException as error:  # noqa: BLE001  # whoever asks the future gets it
        future.set_exception(error)
    else:
        future.set_result(result)
