# SPDX-License-Identifier: MIT
"""`Batcher`: joins awaited runs of small requests into fewer runs."""

import asyncio
import math
from collections import deque
from collections.abc import Hashable, Iterable, Mapping
from contextlib import suppress
from typing import Any, Self

import numpy as np

from ortcffi._convert import integer, of_type, optional_mapping, seconds
from ortcffi._public import public, quoted
from ortcffi.errors import InvalidArgument, Overloaded, QueueTimeout
from ortcffi.session.given import array_for
from ortcffi.session.rules import RULES
from ortcffi.session.series import BATCH_WAITS, ENDINGS, ROWS
from ortcffi.session.session import Session
from ortcffi.values.checks import element_of_array

_MOST = 2**31 - 1
# For Session._count.
_TIMEOUT, _QUEUE_TIMEOUT, _OVERLOADED = (
    -ENDINGS.index(each) for each in ("TIMEOUT", "QUEUE_TIMEOUT", "OVERLOADED")
)


class _Call:
    """A call of `Batcher.run` that waits for its part of a run."""

    def __init__(self, feed: dict[str, Any], loop: asyncio.AbstractEventLoop) -> None:
        self.feed = feed
        self.rows = _rows_of(feed)
        self.began = loop.time()
        self.has_run = False  # whether its run has begun
        self.result: asyncio.Future[list[Any]] = loop.create_future()

    def expire(self, session: Session, timeout: float) -> None:
        """Fail, because the time is over."""
        if self.result.done():
            return
        session._count(_TIMEOUT if self.has_run else _QUEUE_TIMEOUT, 0)
        if self.has_run:
            text = f"the joined run took longer than the timeout of {timeout:g} seconds"
            self.result.set_exception(TimeoutError(text))
        else:
            text = f"the call was in no run within its timeout of {timeout:g} seconds"
            self.result.set_exception(QueueTimeout(text))


class _Queue:
    """Calls that fit together, and the task that runs them."""

    def __init__(self, outputs: tuple[str, ...] | None) -> None:
        self.outputs = outputs
        self.calls: deque[_Call] = deque()
        self.rows = 0  # of the calls
        self.is_full = asyncio.Event()
        self.task: asyncio.Task[None] | None = None


@public
class Batcher:
    """Joins awaited runs along the first dimension: a run for what has come since the last one.

    For models whose inputs and outputs all have the batch as their first dimension, and where a row
    of the output depends on no other row. Calls are joined whose inputs have equal dtypes and
    dimensions beside the first, and that want the same outputs. All calls are of one event loop.

    Parameters
    ----------
    session : Session
        What runs. It stays open.
    max_batch : int, optional
        Rows of a run at most. A call that has more is run alone.
    max_wait : float, optional
        Seconds that a call waits at most for others to fill its batch. By default a run begins as
        soon as the last one has ended.
    max_waiting : int, optional
        How many calls may wait for a run. A further one is refused at once, with `Overloaded`.

    Raises
    ------
    TypeError, ValueError
        An argument has a wrong type or is out of range.

    Examples
    --------
    >>> async def main():
    ...     async with ort.Batcher(session, max_batch=64) as batcher:
    ...         return await asyncio.gather(*(batcher.run(x=x) for x in rows))
    """

    def __init__(
        self,
        session: Session,
        *,
        max_batch: int = 32,
        max_wait: float = 0,
        max_waiting: int | None = None,
    ) -> None:
        self._session = of_type("session", session, Session)
        self._specs = {
            spec.name: spec for spec in (*session.inputs, *session.overridable_initializers)
        }
        self._known = [spec.name for spec in session.outputs]
        self._max_batch = integer("max_batch", max_batch, (1, _MOST))
        self._max_wait = seconds("max_wait", max_wait)
        if self._max_wait == math.inf:
            raise ValueError("max_wait must be finite, or a call might wait for ever")
        most = _MOST if max_waiting is None else max_waiting
        self._max_waiting = integer("max_waiting", most, (1, _MOST))
        self._queues: dict[Hashable, _Queue] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._is_closed = False

    async def run(
        self,
        feed: Mapping[str, Any] | None = None,
        outputs: Iterable[str] | None = None,
        *,
        timeout: float | None = None,
        **inputs: Any,
    ) -> list[Any]:
        """Run the model on some rows; return the part of the outputs that is theirs.

        Parameters
        ----------
        feed : mapping of str to array-like, optional
            The inputs by name, all with the same first dimension.
        outputs : iterable of str, optional
            The outputs wanted; by default all.
        timeout : float, optional
            Seconds after which the call fails. A joined run goes on for its other calls, and is
            ended when it has none.
        **inputs
            Inputs whose names are identifiers.

        Returns
        -------
        list
            Of each output a part of what the joined run returned: for arrays a view.

        Raises
        ------
        InvalidArgument
            The inputs do not fit the model, or have different first dimensions.
        ValueError
            The batcher is closed; or an output has not as many rows as the inputs, so that the
            model cannot be batched.
        RuntimeError
            Another event loop uses the batcher.
        Overloaded
            As many calls as `max_waiting` are waiting.
        QueueTimeout, TimeoutError
            The time is over: before a run with these rows began, or while it is under way.
        OrtError
            The joined run failed, for all its calls.
        """
        if self._is_closed:
            raise ValueError("this Batcher is closed")
        names = None if outputs is None else self._outputs(outputs)
        limit = None if timeout is None else seconds("timeout", timeout)
        arrays = {name: self._array(name, x) for name, x in self._feed(feed, inputs).items()}
        loop = self._own_loop()
        waiting = (call.result for queue in self._queues.values() for call in queue.calls)
        most = self._max_waiting
        if most < _MOST and sum(not result.done() for result in waiting) >= most:
            self._session._count(_OVERLOADED, 0)
            raise Overloaded(f"the call was not queued: {most} calls were waiting")
        call = _Call(arrays, loop)
        kinds = sorted((name, x.dtype, x.shape[1:]) for name, x in arrays.items())
        key = names, tuple(kinds)
        queue = self._queues.get(key)
        if queue is None:
            queue = self._queues[key] = _Queue(names)
            queue.task = asyncio.ensure_future(self._empty(key, queue))
        queue.calls.append(call)
        queue.rows += call.rows
        if queue.rows >= self._max_batch:
            queue.is_full.set()
        if limit is None or limit == math.inf:
            return await call.result
        timer = loop.call_later(limit, call.expire, self._session, limit)
        try:
            return await call.result
        finally:
            timer.cancel()

    async def close(self) -> None:
        """Take no more calls, run those that wait for others, and wait for all that have begun."""
        self._is_closed = True
        for queue in self._queues.values():
            queue.is_full.set()
        tasks = [queue.task for queue in self._queues.values() if queue.task is not None]
        await asyncio.gather(*tasks, return_exceptions=True)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()

    def _feed(self, feed: Mapping[str, Any] | None, inputs: dict[str, Any]) -> dict[str, Any]:
        found = optional_mapping("feed", feed)
        for name, x in inputs.items():
            if name in found:
                RULES.refuse(self._session, "twice", name)
            found[name] = x
        return found

    def _array(self, name: str, x: Any) -> "np.ndarray[Any, Any]":
        spec = self._specs.get(name)
        if spec is None:
            RULES.refuse(self._session, "input", name)
        subject = f"input {quoted(name)}"
        if isinstance(x, np.ndarray):
            element_of_array(x, subject)  # refuses what would fail a joined run
        return np.asarray(x) if hasattr(x, "__array__") else array_for(subject, spec, x)

    def _outputs(self, outputs: Iterable[str]) -> tuple[str, ...]:
        names = RULES.outputs(self._session, outputs)
        for name in names:
            if name not in self._known:
                RULES.refuse(self._session, "output", name)
        return names

    def _own_loop(self) -> asyncio.AbstractEventLoop:
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            if self._loop is not None and not self._loop.is_closed() and self._queues:
                raise RuntimeError("another event loop uses this Batcher")
            self._loop, self._queues = loop, {}
        return loop

    async def _empty(self, key: Hashable, queue: _Queue) -> None:
        try:
            while queue.calls:
                if self._max_wait:
                    await self._wait(queue)
                batch = self._take(queue)
                if batch:
                    await self._run(queue.outputs, batch)
        finally:
            if self._queues.get(key) is queue:
                del self._queues[key]
            for call in queue.calls:  # the task was cancelled
                call.result.cancel()

    async def _wait(self, queue: _Queue) -> None:
        """Wait until there are enough rows for a run, or the first call has waited long enough."""
        left = queue.calls[0].began + self._max_wait - asyncio.get_running_loop().time()
        if left > 0 and queue.rows < self._max_batch and not self._is_closed:
            queue.is_full.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(queue.is_full.wait(), left)

    def _take(self, queue: _Queue) -> list[_Call]:
        """Return the calls for the next run, without those that were cancelled or have expired."""
        batch: list[_Call] = []
        rows = 0
        while queue.calls:
            call = queue.calls[0]
            if not call.result.done():
                rows += call.rows
                if batch and rows > self._max_batch:
                    break
                batch.append(call)
                call.has_run = True
            queue.calls.popleft()
            queue.rows -= call.rows
        return batch

    async def _run(self, outputs: tuple[str, ...] | None, batch: list[_Call]) -> None:
        now = asyncio.get_running_loop().time()
        for call in batch:
            self._session._count(BATCH_WAITS, now - call.began)
        rows = sum(call.rows for call in batch)
        self._session._count(ROWS, (rows - 0.5) * 1024e-9)  # as C counts rows
        feeds = [call.feed for call in batch]
        feed = feeds[0]
        try:
            if len(feeds) > 1:
                feed = {name: np.concatenate([each[name] for each in feeds]) for name in feed}
            run = self._session.run_async(feed, outputs)

            def end_unwanted(_: Any) -> None:
                if all(call.result.done() for call in batch):  # cancelled, or expired
                    run.cancel()

            for call in batch:
                call.result.add_done_callback(end_unwanted)
            _hand_out(await run, batch)
        except asyncio.CancelledError:
            if all(call.result.done() for call in batch):  # it was ended since nobody wants it
                return
            for call in batch:
                call.result.cancel()
            raise
        except Exception as error:  # noqa: BLE001  # whatever it is, the callers get it
            for call in batch:
                if not call.result.done():
                    call.result.set_exception(error)


def _rows_of(arrays: dict[str, Any]) -> int:
    shapes = {name: x.shape for name, x in arrays.items()}
    counts = {shape[:1] for shape in shapes.values()}
    if len(counts) != 1 or counts == {()}:
        raise InvalidArgument(
            "the inputs of a batch need the same first dimension, the number of rows; their shapes "
            f"are {shapes}",
            "Run",
        )
    return int(counts.pop()[0])


def _hand_out(results: list[Any], batch: list[_Call]) -> None:
    """Give each call its rows of the results."""
    total = sum(call.rows for call in batch)
    for place, y in enumerate(results):
        rows = len(y) if np.ndim(y) or isinstance(y, list) else None
        if rows != total:
            raise ValueError(
                f"output {place} has {rows} rows for the {total} of the inputs: the model cannot "
                "be batched"
            )
    begin = 0
    for call in batch:
        end = begin + call.rows
        if not call.result.done():
            call.result.set_result([y[begin:end] for y in results])
        begin = end
