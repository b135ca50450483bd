# SPDX-License-Identifier: MIT
"""Asynchronous runs as futures of asyncio and of `concurrent.futures`.

The thread that has made a run puts the job into the mailbox of its event loop, without the
GIL, and wakes the loop for the first one: the loop then has the results of all that have ended.
"""

import asyncio
import os
import sys
from collections.abc import Coroutine, Generator
from concurrent.futures import Future
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from weakref import ReferenceType, WeakKeyDictionary, finalize, ref

from ortcffi.session.compiled import Job, Mailbox

if TYPE_CHECKING:
    from ortcffi.session.session import Session


class RunFuture(asyncio.Future[list[Any]], Coroutine[Any, Any, list[Any]]):
    """The result of a run: to cancel it ends the run.

    `await` and `asyncio.gather` take it as a future, without a task. `asyncio.create_task` and
    task groups take it as a coroutine, whose steps are those of the future's iterator.
    """

    _job: Job | None = None
    _steps: Generator[Any, None, list[Any]] | None = None
    _has_ended = False

    def cancel(self, msg: Any = None) -> bool:
        """End the run."""
        if self._job is not None:
            self._job.cancel()
        return super().cancel(msg)

    def send(self, value: Any) -> Any:
        """Begin to wait, or go on, as a task does with its coroutine."""
        return self._step("send", value)

    def throw(self, *error: Any) -> Any:
        """Raise an exception where a task waits; a run that has not ended is ended."""
        self.close()
        return self._step("throw", *error)

    def _step(self, name: str, *arguments: Any) -> Any:
        if self._has_ended:  # CPython's iterator would raise SystemError
            raise RuntimeError("a run can be awaited as a coroutine once; await it as a future")
        if self._steps is None:
            self._steps = self.__await__()
        try:
            return getattr(self._steps, name)(*arguments)
        except BaseException:
            self._has_ended = True
            raise

    def close(self) -> None:
        """End the run, for which nobody waits any more."""
        if not self.done():
            self.cancel()


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


def _settle(job: Job, future: "asyncio.Future[list[Any]] | Future[list[Any]]") -> None:
    """Give a future the result of a run, unless it was cancelled."""
    try:
        result = job.result()
    except BaseException as error:  # noqa: BLE001  # raised where the future is awaited
        if not future.done():
            future.set_exception(error)
    else:
        if not future.done():
            future.set_result(result)


_loops: "WeakKeyDictionary[asyncio.AbstractEventLoop, ReferenceType[_Loop]]"
_loops = WeakKeyDictionary()


def future_of_loop(session: "Session", /, *arguments: Any, **keywords: Any) -> RunFuture:
    """Start a run, and return a future of the event loop that runs on this thread."""
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        raise RuntimeError(
            "run_async needs a running event loop: call it in an async function, as in "
            "'return await session.run_async(...)', or use run_future"
        ) from None
    future = RunFuture(loop=loop)
    if sys.platform == "win32":  # whose loops read no pipe
        future._job = session._submit(_notify_loop, future, *arguments, **keywords)
        return future
    reference = _loops.get(loop)
    ours = None if reference is None else reference()
    if ours is None:
        ours = _Loop(loop)
        _loops[loop] = ref(ours)
    future._job = session._submit(ours.mailbox, future, *arguments, **keywords)
    return future


def _notify_loop(job: Job) -> None:
    """Have the loop of a future give the future the result of a run."""
    future = job.take_owner()
    with suppress(RuntimeError):  # the loop is closed
        future.get_loop().call_soon_threadsafe(_settle, job, future)


class _ThreadFuture(Future[list[Any]]):
    """The result of a run: to cancel it ends the run, whose error the future then has."""

    _job: Job | None = None

    def cancel(self) -> bool:
        """End the run, unless it has ended."""
        return self._job is not None and self._job.cancel()


def future_of_threads(session: "Session", /, *arguments: Any, **keywords: Any) -> Future[list[Any]]:
    """Start a run, and return a future that any thread may wait for."""
    future = _ThreadFuture()
    future.set_running_or_notify_cancel()
    future._job = session._submit(_notify, future, *arguments, **keywords)
    return future


def _notify(job: Job) -> None:
    """Settle a future on a thread of this package."""
    _settle(job, job.take_owner())
