# SPDX-License-Identifier: MIT
"""Kernels called from Python, compared with the official package's session of a one-node model."""

import importlib.util
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ortcffi.custom_ops.domain import CustomOpDomain
from ortcffi.kernels.library import CustomOpLibrary
from ortcffi.kernels.op_sets import custom_op_library
from ortcffi.kernels.python_op import PythonOp, custom_op
from ortcffi.models.graph import Graph
from ortcffi.options.session import SessionOptions

from .value_tasks import _Repeated

FLOAT = np.float32
X = np.zeros(4, FLOAT)
SET = "ortcffi.bench"


def _op(name: str, compute: Callable[[Any], Any], borrow: bool) -> PythonOp:
    define = custom_op(
        "bench", inputs=[FLOAT], outputs=[FLOAT], name=name, op_set=SET, borrow=borrow
    )
    return define(compute)


class RunOp(_Repeated):
    """An op written in Python, run once: by its kernel, or by a session of the official package."""

    name, x, borrow = "Same", X, False

    def compute(self, x: Any) -> Any:
        """What the op does: nothing."""
        return x

    def make_call(self) -> Callable[[], object]:
        """Run it on `x`."""
        op = _op(self.name, self.compute, self.borrow)
        if not self.is_real or self.official is None:
            return partial(op.kernel(), self.x)
        from onnxruntime import InferenceSession
        from onnxruntime import SessionOptions as OfficialOptions

        options = OfficialOptions()
        options.register_custom_ops_library(custom_op_library(SET))
        return partial(InferenceSession(self._model(op), options).run, None, {"x": self.x})

    def _model(self, op: PythonOp) -> bytes:
        graph = Graph({"": 21, op.domain: 1})
        x = graph.input("x", FLOAT, [None])
        [y] = graph.node(op.name, [x], ["y"], domain=op.domain)
        graph.output(y, FLOAT, [None])
        with CustomOpDomain(op.domain, self.api) as domain, SessionOptions(self.api) as options:
            domain.add(op)
            options.add_custom_op_domain(domain)
            return graph.to_bytes()


class RunMultiply(RunOp):
    """The same for an op that multiplies with NumPy."""

    name = "Multiply"

    def compute(self, x: Any) -> Any:
        """Multiply by two."""
        return np.multiply(x, FLOAT(2))


class RunLarge(RunOp):
    """The same for 256 K numbers, of which the op takes one."""

    name, x = "First", np.zeros(1 << 18, FLOAT)

    def compute(self, x: Any) -> Any:
        """The first number."""
        return x[:1]


class RunLargeBorrowing(RunLarge):
    """The same for an op that borrows."""

    name, borrow = "FirstBorrowed", True


class RunExtension(_Repeated):
    """An op of onnxruntime-extensions, written in C++, with four numbers, run in both ways."""

    op, x = "NegPos", X
    types: tuple[Any, Any] = (FLOAT, FLOAT)
    outputs = 2

    def make_call(self) -> Callable[[], object]:
        """Run it."""
        path = _extensions()
        if not self.is_real or self.official is None:
            # The library was loaded for the other column, or will be, so this is a copy of it.
            op = CustomOpLibrary(path)["ai.onnx.contrib", self.op]
            return partial(op.kernel(), self.x)
        from onnxruntime import InferenceSession
        from onnxruntime import SessionOptions as OfficialOptions

        options = OfficialOptions()
        options.register_custom_ops_library(path)
        return partial(InferenceSession(self._model(path), options).run, None, {"x": self.x})

    def _model(self, path: str) -> bytes:
        graph = Graph({"": 21, "ai.onnx.contrib": 1})
        taken, given = self.types
        x = graph.input("x", taken, [None])
        names = [f"y{i}" for i in range(self.outputs)]
        for y in graph.node(self.op, [x], names, domain="ai.onnx.contrib"):
            graph.output(y, given, [None])
        with SessionOptions(self.api) as options:
            options.register_custom_ops(path)
            return graph.to_bytes()


class RunStringUpper(RunExtension):
    """The same for 1000 strings."""

    op, outputs, types = "StringUpper", 1, (str, str)
    x = np.array([f"word {i}" for i in range(1000)], object)


def _extensions() -> str:
    spec = importlib.util.find_spec("onnxruntime_extensions")
    if spec is None or spec.origin is None:
        raise ValueError("the package onnxruntime-extensions is not installed")
    [path] = Path(spec.origin).parent.glob("_extensions_pydll*.so")
    return str(path)
