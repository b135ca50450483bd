# SPDX-License-Identifier: MIT
"""The runs that ``ortcffi bench`` measures, of this package and of onnxruntime."""

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ortcffi.callbacks.logs import LogSeverity
from ortcffi.errors import OrtError
from ortcffi.models.graph import Graph
from ortcffi.session.session import Session

from .turns import Turn, awaits, calls


class Row(NamedTuple):
    """A call that is measured: its turns of this package, and of onnxruntime where that has one."""

    name: str  # for programs
    title: str  # for people
    ours: Turn
    theirs: Turn | None


def session_of(package: Any, model: str | bytes, threads: int) -> Any:
    """Make a session by a package with the names of onnxruntime; 0: the library has its threads."""
    options = package.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = LogSeverity.FATAL
    return package.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def small_model() -> bytes:
    """Return a model whose run is next to nothing but the call: y = x + w, of four numbers."""
    graph = Graph()
    graph.input("x", "f4", [1, 4])
    graph.initializer("w", np.ones((1, 4), np.float32))
    graph.node("Add", ["x", "w"], ["y"])
    graph.output("y", "f4", [1, 4])
    return graph.to_bytes()


def run_rows(
    ours: Session, unchanged: Any, official: Any, feed: dict[str, Any], stack: ExitStack
) -> Iterator[Row]:
    """Yield the rows of a model's runs: of this package's session, the drop-in's, onnxruntime's."""
    drop_in = calls(partial(unchanged.run, None, feed))
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
