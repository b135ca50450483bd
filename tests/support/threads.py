# SPDX-License-Identifier: MIT
"""How tests start threads and wait for them, each time with a limit."""

import asyncio
import sys
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from support.processes import TIME_LIMIT


def join(*threads: threading.Thread) -> None:
    """Wait for the end of threads; a thread that does not end fails the test."""
    end = time.monotonic() + TIME_LIMIT
    for thread in threads:
        thread.join(max(0.0, end - time.monotonic()))
        assert not thread.is_alive(), f"{thread.name} has not ended in {TIME_LIMIT} seconds"


def start(*works: Callable[[], object]) -> list[threading.Thread]:
    """Start a thread for each function; a thread that hangs does not keep the process alive."""
    threads = [threading.Thread(target=work, daemon=True) for work in works]
    for thread in threads:
        thread.start()
    return threads


def run_threads(*works: Callable[[], object]) -> None:
    """Run functions at the same time, each in a thread of its own, until all have ended."""
    join(*start(*works))


@contextmanager
def switching_often() -> Iterator[None]:
    """Within the block, threads switch often."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


def race(times: int, *works: Callable[[int], object]) -> None:
    """Call functions with 0, 1, 2 and so on, each in a thread of its own; threads switch often.

    What one of them raises fails the test.
    """

    def repeat(work: Callable[[int], object]) -> None:
        for i in range(times):
            work(i)

    with switching_often():
        run_threads(*[partial(repeat, work) for work in works])


def wait_until(
    condition: Callable[[], object], limit: float = TIME_LIMIT, pause: float = 0.0005
) -> None:
    """Wait until a function returns something true; a wait that takes too long fails the test."""
    end = time.monotonic() + limit
    while not condition():
        assert time.monotonic() < end, f"{condition} was not true within {limit} seconds"
        time.sleep(pause)


def run_async(main: Coroutine[Any, Any, Any]) -> Any:
    """`asyncio.run`, with a limit."""
    return asyncio.run(asyncio.wait_for(main, TIME_LIMIT))
