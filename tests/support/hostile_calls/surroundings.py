# SPDX-License-Identifier: MIT
"""Calls from where they are rarely made: other threads, tasks, forks, the collector."""

import asyncio
import contextvars
import faulthandler
import gc
import signal
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress
from types import CodeType, FrameType
from typing import Any, ClassVar

from support import processes
from support.hostile_calls.calls import Caller, end
from support.recursion import call_near_limit
from support.threads import run_async

LONGEST = 60  # seconds for what is begun beside the thread
LONGEST_RUN = 2 * 3600
forking = threading.Lock()


def watch() -> None:
    """Tell of a process that has not ended, and end it."""
    faulthandler.dump_traceback_later(LONGEST_RUN, exit=True, file=2)


class Surroundings(Caller):
    """A `Caller` that makes some of its calls elsewhere."""

    may_fork: ClassVar[bool] = True
    striking = False  # whether the signal handler is to raise

    def collect(self) -> None:
        gc.collect(self.chance.choice([0, 1, 2]))

    def collect_with_calls(self) -> None:
        """A collection whose callbacks make calls."""
        act = lambda *_: self.act()  # noqa: E731
        gc.callbacks.append(act)
        try:
            gc.collect()
        finally:
            gc.callbacks.remove(act)

    def on_thread(self) -> None:
        """Calls on a new thread, now and then in a copy of this context, while this one waits."""
        work: Callable[[], Any] = self.one
        if self.chance.random() < 0.5:
            context = contextvars.copy_context()
            work = lambda: context.run(self.one)  # noqa: E731
        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        thread.join(LONGEST)
        if thread.is_alive():
            faulthandler.dump_traceback(2)
            end("a thread is in a call that does not end")

    def in_tasks(self) -> None:
        """Calls in tasks, each of which has a copy of the context; awaits what can be awaited."""
        if self.is_in_loop():
            return

        async def task() -> None:
            for _ in range(3):
                self.one()
                await asyncio.sleep(0)
            thing = self.known()
            if isinstance(thing, Awaitable):
                await asyncio.wait_for(thing, 1)

        async def main() -> None:
            await asyncio.gather(task(), task(), return_exceptions=True)

        run_async(main())

    @staticmethod
    def is_in_loop() -> bool:
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return False
        return True

    def deep(self) -> None:
        """A call close to the limit of recursion."""
        with suppress(RecursionError):
            call_near_limit(self.chance.randrange(10, 60), self.one)

    def interrupt(self) -> None:
        """A call in which a signal handler raises, at any point."""
        if threading.current_thread() is not threading.main_thread() or self.depth > 1:
            return
        try:
            self.striking = True
            signal.setitimer(signal.ITIMER_REAL, self.chance.random() * 0.001 + 1e-6)
            try:
                self.call_method()
            finally:
                self.striking = False
        except KeyboardInterrupt:
            pass
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)

    def is_spared(self, code: CodeType) -> bool:
        """Whether Python would not survive it: an interrupted import leaves its lock locked."""
        return code.co_filename.startswith("<frozen importlib")

    def strike(self, _signal: int, frame: FrameType | None) -> None:
        """Raise, but not where NumPy asks for `__array_wrap__`: it crashes on an error then."""
        while frame is not None and not self.is_spared(frame.f_code):
            frame = frame.f_back
        if self.striking and frame is None and self.numpys is None:
            self.striking = False
            raise KeyboardInterrupt

    def fork(self) -> None:
        """Calls in the child of a fork, which must end."""
        if not self.may_fork or self.depth > 1 or self.is_in_loop():
            return
        with forking:
            faulthandler.cancel_dump_traceback_later()  # the child could neither use nor cancel it
            status = processes.fork(self.in_child, LONGEST)
            watch()
        if status:
            end(f"the child of a fork ended with {status}")

    def in_child(self) -> bool:
        type(self).may_fork = False
        faulthandler.dump_traceback_later(LONGEST / 2, exit=True, file=2)
        for _ in range(5):
            self.one()
        self.pool.clear()
        self.shared.clear()
        gc.collect()
        return True

    kinds: ClassVar[dict[Callable[[Any], None], float]] = {
        **Caller.kinds,
        collect: 2,
        collect_with_calls: 0.2,
        on_thread: 0.5,
        in_tasks: 0.3,
        deep: 0.3,
        interrupt: 1,
        fork: 0.02,
    }
