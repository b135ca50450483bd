# SPDX-License-Identifier: MIT
"""Runs of a `Session` for which other modules do the work: bound, awaited, profiled, of tables.

Each of those is imported at its first use, since importing asyncio or json takes longer than all
else here. An import statement in each awaited run would take as long as to make its future.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ortcffi._convert import integer

if TYPE_CHECKING:
    from collections.abc import Iterable
    from concurrent.futures import Future

    from ortcffi.options.run_options import RunOptions
    from ortcffi.session.binding import Binding
    from ortcffi.session.futures import RunFuture
    from ortcffi.session.profile import Profile
    from ortcffi.session.session import Session

_futures: Any = None


def _imported() -> Any:
    global _futures  # noqa: PLW0603  # once
    from ortcffi.session import futures

    _futures = futures
    return futures


def _most(max_waiting: int | None) -> int | None:
    return None if max_waiting is None else integer("max_waiting", max_waiting, (0, 2**31 - 1))


def run_async(  # noqa: PLR0913  # as many as `run` has
    session: "Session",
    /,
    feed: Mapping[str, Any] | None = None,
    outputs: Sequence[str] | None = None,
    *,
    options: "RunOptions | None" = None,
    out: Mapping[str, Any] | None = None,
    timeout: float | None = None,
    max_waiting: int | None = None,
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
    max_waiting : int, optional
        Refuse the run at once, with `Overloaded`, if so many runs of the session already wait for
        a thread: 0 for a run that is to begin now or not at all.
    values : bool, optional
        Whether outputs are `Value`s, as of `run_values`.

    Raises
    ------
    RuntimeError
        No event loop is running on this thread.
    QueueTimeout
        Where it is awaited: the run did not begin within `timeout`.
    """
    start = (_futures or _imported()).future_of_loop
    given = session, values, _most(max_waiting), feed, outputs
    return start(*given, options=options, out=out, timeout=timeout, **inputs)  # type: ignore[no-any-return]


def run_future(  # noqa: PLR0913  # as many as `run` has
    session: "Session",
    /,
    feed: Mapping[str, Any] | None = None,
    outputs: Sequence[str] | None = None,
    *,
    options: "RunOptions | None" = None,
    out: Mapping[str, Any] | None = None,
    timeout: float | None = None,
    max_waiting: int | None = None,
    values: bool = False,
    **inputs: Any,
) -> "Future[list[Any]]":
    """Start a run and return a `concurrent.futures.Future` of its outputs. Otherwise `run_async`.

    To cancel the future ends the run; its `Cancelled` is then the future's exception. Callbacks of
    the future are called on a thread of this package, and may block or wait for other runs.
    """
    start = (_futures or _imported()).future_of_threads
    given = session, values, _most(max_waiting), feed, outputs
    return start(*given, options=options, out=out, timeout=timeout, **inputs)  # type: ignore[no-any-return]


def bind(
    session: "Session",
    /,
    inputs: Mapping[str, Any] | None = None,
    outputs: "Mapping[str, Any] | Iterable[str] | None" = None,
    *,
    copy: bool = False,
    **io: Any,
) -> "Binding":
    """Bind inputs and outputs once, to run often with less work for each run.

    Parameters
    ----------
    inputs : mapping of str to array-like or Value, optional
        Inputs by name, as for `Binding.bind_input`.
    outputs : mapping, or iterable of str, optional
        The outputs wanted by name, as for `Binding.bind_output`; of an iterable each is
        allocated in memory of the CPU. By default all outputs.
    copy : bool, optional
        Whether arrays of inputs are bound by a copy of what they hold now. Otherwise later runs
        see what is written to them, and an array that cannot be borrowed, such as one that is
        not C-contiguous, is refused.

    Examples
    --------
    ``bound = session.bind(x=x, y=out)``, then ``bound.run()`` as often as `x` has new content.
    """
    from ortcffi.session.binding import bound

    return bound(session, inputs, outputs, io, copy)


def predict(
    session: "Session",
    table: Any,
    *,
    options: "RunOptions | None" = None,
    timeout: float | None = None,
) -> Any:
    """Run the model on a table, and return its outputs as a table.

    Parameters
    ----------
    table : DataFrame of pandas or polars, or Table of pyarrow
        Each column is the input of that name; one input of two dimensions that has another
        name takes all columns. `run` takes such a table as well.

    Returns
    -------
    DataFrame or Table
        As the one that was given, with its index. An output with one value for each row is one
        column. Another has a column for each of its columns, or for each class of a
        classifier: ``probabilities_0``, ``probabilities_1``.
    """
    from ortcffi.session.frames import predict

    return predict(session, table, options=options, timeout=timeout)


def run_profiled(
    session: "Session",
    /,
    feed: Mapping[str, Any] | None = None,
    outputs: Sequence[str] | None = None,
    *,
    out: Mapping[str, Any] | None = None,
    timeout: float | None = None,
    **inputs: Any,
) -> "tuple[list[Any], Profile]":
    """Run the model once and return its outputs and the profile of this run.

    Takes what `run` takes but options. API functions: ``Run``, ``RunOptionsEnableProfiling``,
    since version 25.
    """
    from ortcffi.session.profile import profiled_run

    return profiled_run(session, feed, outputs, out=out, timeout=timeout, **inputs)
