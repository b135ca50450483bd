# SPDX-License-Identifier: MIT
"""The calls that ``ortcffi bench`` measures, of this package and of onnxruntime."""

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from types import ModuleType
from typing import Any

import numpy as np

from ortcffi._table import default_api
from ortcffi.callbacks.logs import LogSeverity
from ortcffi.custom_ops.domain import CustomOpDomain
from ortcffi.errors import OrtError
from ortcffi.kernels.op_sets import custom_op_library
from ortcffi.kernels.python_op import PythonOp, custom_op
from ortcffi.models.graph import Graph
from ortcffi.options.session_options import SessionOptions
from ortcffi.session.session import Session
from ortcffi.table.api import Api
from ortcffi.values.value import Value

from .turns import Turn, awaits, calls

__all__ = ["Row", "Sessions", "package_rows", "run_rows", "small_model"]

OPS = "ortcffi.bench"  # the domain, and the set, of the ops that are measured
CPU = ["CPUExecutionProvider"]
IMAGE = (1, 3, 224, 224)


@dataclass(frozen=True)
class Row:
    """A call that is measured.

    Attributes
    ----------
    name, title : str
        For programs, and for people.
    sentence : str
        What begins a sentence of the summary about it; empty where there is none.
    ours : callable
        The turn of this package.
    theirs : callable or None
        That of onnxruntime; None where it is not installed, or has no such call.
    than : str
        How that sentence names the call of onnxruntime.
    """

    name: str
    title: str
    sentence: str
    ours: Turn
    theirs: Turn | None
    than: str = "by onnxruntime"


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


# --- runs of a model ------------------------------------------------------------------------------


def run_rows(sessions: Sessions, feed: dict[str, Any], stack: ExitStack) -> Iterator[Row]:
    """Yield the rows of a model's runs; what they use is closed with the stack."""
    from ortcffi import compat

    ours, official = sessions.ours, sessions.official
    drop_in = sessions.made_by(compat)
    theirs = None if official is None else calls(partial(official.run, None, feed))
    yield Row("run", "run", "A run of this model", calls(partial(ours.run, feed)), theirs)
    yield Row(
        "drop-in",
        "run by a program of onnxruntime, unchanged",
        "",
        calls(partial(drop_in.run, None, feed)),
        theirs,
    )
    if bound := _bound(ours, feed):
        yield Row(
            "bound",
            "run with arrays that are bound once",
            "A run with bound arrays",
            bound,
            None if official is None else _officially_bound(official, feed),
        )
    yield Row(
        "awaited",
        "run that is awaited",
        "An awaited run",
        awaits(partial(ours.run_async, feed)),
        None if official is None else _officially_awaited(official, feed, stack),
    )


def _bound(session: Session, feed: dict[str, Any]) -> Turn | None:
    try:
        return calls(session.bind(feed).run)
    except (OrtError, TypeError, ValueError):  # an input that no array can be bound to
        return None


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


# --- what needs no model --------------------------------------------------------------------------


def package_rows(official: ModuleType | None, real: Api) -> Iterator[Row]:
    """Yield the rows of errors, memory, values and custom ops.

    Parameters
    ----------
    official : module or None
        The package onnxruntime, where it is installed.
    real : Api
        The library that runs models.
    """
    allocator, image = default_api().default_allocator, np.zeros(IMAGE, np.float32)
    values = None if official is None else official.OrtValue
    yield Row(
        "status",
        "call that fails, its error caught",
        "",
        calls(_failing),
        None if official is None else calls(partial(_officially_failing, official)),
    )
    yield Row(
        "block",
        "1 KB allocated, as an array, and freed",
        "",
        calls(partial(allocator.empty, 256, np.float32)),
        values and calls(partial(values.ortvalue_from_shape_and_type, [256], np.float32, "cpu", 0)),
    )
    yield Row(
        "tensor",
        "tensor made of an array of 600 KB",
        "",
        calls(partial(Value.from_numpy, image)),
        values and calls(partial(values.ortvalue_from_numpy, image)),
    )
    yield from _op_rows(official, real)


def _failing() -> None:
    try:
        default_api().memory_info("NoSuchDevice")
    except OrtError:
        return


def _officially_failing(official: Any) -> None:
    kinds = official.OrtAllocatorType.ORT_DEVICE_ALLOCATOR, 0, official.OrtMemType.DEFAULT
    try:
        official.OrtMemoryInfo("NoSuchDevice", *kinds)
    except RuntimeError:
        return


def _op_rows(official: ModuleType | None, real: Api) -> Iterator[Row]:
    op = custom_op(OPS, inputs=[np.float32], outputs=[np.float32], name="Double", op_set=OPS)(
        _double
    )
    x = np.ones(4, np.float32)
    ours, theirs = _sessions_of_op(op, official, real)
    official_run = None if theirs is None else calls(partial(theirs.run, None, {"x": x}))
    yield Row(
        "kernel",
        "kernel of an op in Python; onnxruntime: in a session",
        "The kernel of a custom op, called without a model,",
        calls(partial(op.kernel(), x)),
        official_run,
        "in a session of onnxruntime",
    )
    yield Row(
        "op", "run of a model with that op", "", calls(partial(ours.run, {"x": x})), official_run
    )


def _double(x: Any) -> Any:
    return x + x


def _sessions_of_op(op: PythonOp, official: Any, real: Api) -> tuple[Session, Any]:
    """Return sessions of a model with one op, which onnxruntime gets as a library of custom ops."""
    graph = Graph({"": 21, op.domain: 1})
    x = graph.input("x", "f4", [4])
    [y] = graph.node(op.name, [x], ["y"], domain=op.domain)
    graph.output(y, "f4", [4])
    with CustomOpDomain(op.domain, real) as domain, SessionOptions(real) as options:
        domain.add(op)
        options.add_custom_op_domain(domain)
        options.intra_op_threads = 1
        model = graph.to_bytes()
        ours = Session(model, options)
    if official is None:
        return ours, None
    chosen = official.SessionOptions()
    chosen.intra_op_num_threads = 1
    chosen.register_custom_ops_library(custom_op_library(OPS))
    return ours, official.InferenceSession(model, chosen, providers=CPU)
