# SPDX-License-Identifier: MIT
"""Runs of models through `Session`, compared with the official package on the same library.

The column of the core has this package's sessions, since the core has no kernels of its own.
"""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from itertools import repeat
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any

import numpy as np

from ortcffi import _bench
from ortcffi._native import ffi
from ortcffi.models.graph import Graph
from ortcffi.options.session import SessionOptions
from ortcffi.session.batcher import Batcher
from ortcffi.session.metrics import count_runs
from ortcffi.session.session import Session
from ortcffi.values.value import Value

from .tasks import Counted, repeated

if TYPE_CHECKING:
    from .subjects import Subject

BURST = 200


def _model(op: str, *inputs: tuple[str, str, tuple[int, ...]]) -> bytes:
    graph = Graph()
    for name, dtype, shape in inputs:
        graph.input(name, dtype, list(shape))
    graph.node(op, [name for name, _, _ in inputs] * (2 if op == "Add" else 1), ["y"])
    graph.output("y", inputs[0][1], list(inputs[0][2]))
    return graph.to_bytes()


def _add() -> tuple[bytes, dict[str, Any]]:
    return _model("Add", ("x", "f4", (1, 4))), {"x": np.ones((1, 4), np.float32)}


def _strings() -> tuple[bytes, dict[str, Any]]:
    return _model("Identity", ("x", "str", (4,))), {"x": np.array(["a", "b", "c", "d"], object)}


def _texts() -> tuple[bytes, dict[str, Any]]:
    model, feed = _strings()
    return model, {"x": feed["x"].astype("U1")}


def _matmul(rows: int | str = 1, size: int = 256) -> tuple[bytes, dict[str, Any]]:
    graph = Graph()
    graph.input("x", "f4", [rows, size])
    graph.initializer("w", np.ones((size, size), np.float32))
    graph.node("MatMul", ["x", "w"], ["y"])
    graph.output("y", "f4", [rows, size])
    return graph.to_bytes(), {"x": np.ones((1, size), np.float32)}


class Runs(Counted):
    """A task on one session of either package, with one thread."""

    make = staticmethod(_add)
    threads = 1
    hold_gil = False  # which the official package cannot

    def __init__(self, subject: "Subject") -> None:
        model, self.feed = self.make()
        self.is_official = subject.name == "real"
        if self.is_official:
            import onnxruntime

            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads = self.threads
            self.session: Any = onnxruntime.InferenceSession(model, options)
        else:
            with SessionOptions(intra_op_threads=self.threads) as ours:
                self.session = Session(model, ours, hold_gil=self.hold_gil)
        self.call = self.make_call()

    def make_call(self) -> Callable[[], object]:
        """What to call."""
        if self.is_official:
            return partial(self.session.run, None, self.feed)
        return partial(self.session.run, self.feed)

    def run(self, count: int) -> float:
        """Call `count` times; the nanoseconds that passed."""
        return repeated(self.call, count)

    def close(self) -> None:
        """Let go of the session."""
        del self.session, self.call


class RunAdd(Runs):
    """A run of one addition of four numbers: the overhead of a run."""


class RunStrings(Runs):
    """A run with four strings in and out."""

    make = staticmethod(_strings)


class RunTexts(Runs):
    """A run with four strings in and out, given as an array of NumPy's str."""

    make = staticmethod(_texts)


class RunMatMul(Runs):
    """A run of a small matrix product."""

    make = staticmethod(_matmul)


class RunBound(Runs):
    """The addition, its arrays bound once."""

    def make_call(self) -> Callable[[], object]:
        """Bind input and output."""
        x, y = self.feed["x"], np.empty((1, 4), np.float32)
        if not self.is_official:
            return self.session.bind(x=x, y=y).run  # type: ignore[no-any-return]
        from onnxruntime import OrtValue

        binding = self.session.io_binding()
        self.kept = [OrtValue.ortvalue_from_numpy(array) for array in (x, y)]
        binding.bind_ortvalue_input("x", self.kept[0])
        binding.bind_ortvalue_output("y", self.kept[1])
        return partial(self.session.run_with_iobinding, binding)


class RunHeld(Runs):
    """The addition, with the GIL kept."""

    hold_gil = True


class RunBoundHeld(RunBound):
    """The addition, its arrays bound once, with the GIL kept."""

    hold_gil = True


class _BesideC(Runs):
    """Runs of this package's sessions, in the real library's column by a loop in C."""

    def __init__(self, subject: "Subject") -> None:
        model, self.feed = self.make()
        self.is_official = False
        self.in_c = subject.name == "real"
        with SessionOptions(intra_op_threads=1) as ours:
            self.session = Session(model, ours)
        self.call = self.make_call()
        self.x = Value.from_numpy(self.feed["x"], api=self.session.api)

    def run(self, count: int) -> float:
        """Run `count` times; the nanoseconds that passed."""
        if not self.in_c:
            return super().run(count)
        with self.binding() as binding:
            names = [ffi.new("char[]", name) for name in (b"x", b"y")]
            handles = self.session.handle, self.x.handle
            members = {
                "api": self.session.api.pointer,
                "session": handles[0],
                "input": names[0],
                "output": names[1],
                "x": handles[1],
                "binding": binding,
                "count": count,
            }
            runs = _bench.ffi.new("ortcffi_bench_runs*", members)
            taken: int = _bench.lib.ortcffi_bench_run_session(runs)
        if taken < 0:
            raise RuntimeError("a run failed")
        return taken

    def binding(self) -> AbstractContextManager[Any]:
        """What the loop runs with; NULL for the value."""
        return nullcontext(ffi.NULL)

    def close(self) -> None:
        """Let go of the session."""
        super().close()
        del self.x


class RunBesideC(_BesideC):
    """The addition, beside C."""


class RunBoundBesideC(_BesideC):
    """The addition, its arrays bound once, beside C."""

    def make_call(self) -> Callable[[], object]:
        """Bind input and output."""
        self.bound = self.session.bind(x=self.feed["x"], y=np.empty((1, 4), np.float32))
        return self.bound.run  # type: ignore[no-any-return]

    def binding(self) -> AbstractContextManager[Any]:
        """The binding."""
        return self.bound._handle()  # type: ignore[no-any-return]

    def close(self) -> None:
        """Let go of the binding, too."""
        super().close()
        del self.bound


class _BesideOurselves(Runs):
    """Runs of this package's sessions in both columns, in the real library's without something."""

    def __init__(self, subject: "Subject") -> None:
        self.is_without = subject.name == "real"
        model, self.feed = self.make()
        self.is_official = False
        with SessionOptions(intra_op_threads=self.threads) as ours:
            self.session = Session(model, ours, hold_gil=self.hold_gil)
        self.call = self.make_call()


class RunCounted(_BesideOurselves, RunBound):
    """The addition, its arrays bound once; in the real library's column without being counted."""

    def run(self, count: int) -> float:
        """Run `count` times; the nanoseconds that passed."""
        count_runs(not self.is_without)
        try:
            return super().run(count)
        finally:
            count_runs(True)


class RunCountedHeld(RunCounted):
    """The same, with the GIL kept."""

    hold_gil = True


class RunBusy(Runs):
    """The addition while another thread runs Python all the time: a mean of `SPAN` nanoseconds."""

    SPAN = 200_000_000  # by chance, a run waits for the GIL for 5 ms

    def run(self, count: int) -> float:
        """The nanoseconds that `count` calls take."""
        end = threading.Event()

        def spin() -> None:
            while not end.is_set():
                sum(range(100))

        (thread := threading.Thread(target=spin)).start()
        taken, calls = 0.0, 0
        try:
            while taken < self.SPAN:
                taken += super().run(10)
                calls += 10
        finally:
            end.set()
            thread.join()
        return taken * count / calls


class RunBusyHeld(RunBusy):
    """The same, with the GIL kept during each run."""

    hold_gil = True


class _Awaited(Runs):
    """Runs that are awaited; for the official package on a thread pool."""

    threads = 2

    def make_call(self) -> Callable[[], object]:
        """Start one run, and return what is awaited."""
        if not self.is_official:
            return partial(self.session.run_async, self.feed)
        self.pool = ThreadPoolExecutor(2)
        run = partial(self.session.run, None, self.feed)
        return lambda: asyncio.get_running_loop().run_in_executor(self.pool, run)

    def run(self, count: int) -> float:
        """Await `count` runs; the nanoseconds that passed."""
        return asyncio.run(self.wait(count))

    async def wait(self, count: int) -> float:
        """Await each run, one after the other."""
        call: Any = self.call
        start = perf_counter_ns()
        for _ in repeat(None, count):
            await call()
        return perf_counter_ns() - start

    def close(self) -> None:
        """End the threads, too."""
        if self.is_official:
            self.pool.shutdown()
        super().close()


class Awaited(_Awaited):
    """Runs awaited one at a time."""


class AwaitedBurst(_Awaited):
    """Runs awaited 200 at a time; the time of each."""

    async def wait(self, count: int) -> float:
        """Await bursts, of as many runs in all."""
        call: Any = self.call
        bursts = max(1, count // BURST)
        start = perf_counter_ns()
        for _ in range(bursts):
            await asyncio.gather(*[call() for _ in range(BURST)])
        return (perf_counter_ns() - start) * count / (bursts * BURST)


class BatchedBurst(_BesideOurselves, AwaitedBurst):
    """200 awaited rows times a matrix of 4 MB; for the real library without a `Batcher`."""

    make = staticmethod(partial(_matmul, "n", 1024))

    async def wait(self, count: int) -> float:
        """Await bursts, of as many runs in all."""
        if self.is_without:
            return await super().wait(count)
        async with Batcher(self.session, max_batch=64) as batcher:
            self.call = partial(batcher.run, self.feed)
            return await super().wait(count)

    def make_call(self) -> Callable[[], object]:
        """Start one run."""
        return partial(self.session.run_async, self.feed)
