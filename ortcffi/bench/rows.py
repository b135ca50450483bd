# SPDX-License-Identifier: MIT
"""The runs that ``ortcffi bench`` measures, of this package and of onnxruntime."""

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from functools import partial
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from ortcffi.callbacks.logs import LogSeverity
from ortcffi.errors import OrtError
from ortcffi.models.graph import Graph
from ortcffi.options.session_options import SessionOptions
from ortcffi.session.session import Session

from .turns import Turn, awaits, calls

CPU = ["CPUExecutionProvider"]


class Row(NamedTuple):
    """A call that is measured: its turns of this package, and of onnxruntime where that has one."""

    name: str  # for programs
    title: str  # for people
    ours: Turn
    theirs: Turn | None


class Sessions:
    """One model as sessions of this package, of the drop-in and of onnxruntime.

    Parameters
    ----------
    model : str or bytes
        A path, or what a file has.
    threads : int
        Of each session; with 0 the library chooses.
    official : module or None
        The package onnxruntime, where it is installed.
    """

    def __init__(self, model: str | bytes, threads: int, official: ModuleType | None) -> None:
        self.model, self.threads = model, threads
        with SessionOptions(intra_op_threads=threads, log_severity=LogSeverity.FATAL) as options:
            self.ours = Session(model, options)
        self.official = None if official is None else self.made_by(official)

    def made_by(self, package: Any) -> Any:
        """Make a session by a package with the names of onnxruntime."""
        options = package.SessionOptions()
        options.intra_op_num_threads = self.threads
        options.log_severity_level = LogSeverity.FATAL
        return package.InferenceSession(self.model, options, providers=CPU)


def small_model() -> bytes:
    """Return a model whose run is next to nothing but the call: y = x + w, of four numbers."""
    graph = Graph()
    graph.input("x", "f4", [1, 4])
    graph.initializer("w", np.ones((1, 4), np.float32))
    graph.node("Add", ["x", "w"], ["y"])
    graph.output("y", "f4", [1, 4])
    return graph.to_bytes()


def run_rows(sessions: Sessions, feed: dict[str, Any], stack: ExitStack) -> Iterator[Row]:
    """Yield the rows of a model's runs; what they use is closed with the stack."""
    from ortcffi import compat

    ours, official = sessions.ours, sessions.official
    drop_in = calls(partial(sessions.made_by(compat).run, None, feed))
    theirs = official and calls(partial(official.run, None, feed))
    yield Row("run", "run", calls(partial(ours.run, feed)), theirs)
    yield Row("drop-in", "run by a program of onnxruntime, unchanged", drop_in, theirs)
    with suppress(OrtError, TypeError, ValueError):  # an input that no array can be bound to
        bound = calls(ours.bind(feed).run)
        theirs = official and _officially_bound(official, feed)
        title = "run with arrays that are bound once"
        yield Row("bound", title, bound, theirs)
    awaited = awaits(partial(ours.run_async, feed))
    theirs = official and _officially_awaited(official, feed, stack)
    yield Row("awaited", "run that is awaited", awaited, theirs)


def _officially_bound(session: Any, feed: dict[str, Any]) -> Turn | None:
    binding = session.io_binding()
    try:
        for name, array in feed.items():
            binding.bind_cpu_input(name, array)
    except (RuntimeError, TypeError, ValueError):
        return None
    for output in session.get_outputs():
        binding.bind_output(output.name)
    return calls(partial(session.run_with_iobinding, binding))


def _officially_awaited(session: Any, feed: dict[str, Any], stack: ExitStack) -> Turn:
    """Await runs on a pool of threads, as a program of onnxruntime does."""
    pool = stack.enter_context(ThreadPoolExecutor(2))
    run = partial(session.run, None, feed)
    return awaits(lambda: asyncio.get_running_loop().run_in_executor(pool, run))
