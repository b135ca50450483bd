# SPDX-License-Identifier: MIT
"""Kernels called from Python, compared with the official package's session of a one-node model."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ortcffi.custom_ops.domain import CustomOpDomain
from ortcffi.graph.graph import Graph
from ortcffi.kernels.op_sets import custom_op_library
from ortcffi.kernels.python_op import PythonOp, custom_op
from ortcffi.options.session import SessionOptions

from .value_tasks import _Repeated

FLOAT = np.float32
X = np.zeros(4, FLOAT)
SET = "ortcffi.bench"


def _op(name: str, compute: Callable[[Any], Any]) -> PythonOp:
    define = custom_op("bench", inputs=[FLOAT], outputs=[FLOAT], name=name, op_set=SET)
    return define(compute)


class RunOp(_Repeated):
    """An op written in Python, run once: by its kernel, or by a session of the official package."""

    name = "Same"

    def compute(self, x: Any) -> Any:
        """What the op does: nothing."""
        return x

    def make_call(self) -> Callable[[], object]:
        """Run it on four numbers."""
        op = _op(self.name, self.compute)
        if not self.is_real or self.official is None:
            return partial(op.kernel(), X)
        from onnxruntime import InferenceSession
        from onnxruntime import SessionOptions as OfficialOptions

        options = OfficialOptions()
        options.register_custom_ops_library(custom_op_library(SET))
        return partial(InferenceSession(self._model(op), options).run, None, {"x": X})

    def _model(self, op: PythonOp) -> bytes:
        graph = Graph({"": 21, op.domain: 1})
        x = graph.input("x", FLOAT, [4])
        [y] = graph.node(op.name, [x], ["y"], domain=op.domain)
        graph.output(y, FLOAT, [4])
        with CustomOpDomain(op.domain, self.api) as domain, SessionOptions(self.api) as options:
            domain.add(op)
            options.add_custom_op_domain(domain)
            return graph.to_bytes(options=options, api=self.api)


class RunMultiply(RunOp):
    """The same for an op that multiplies with NumPy."""

    name = "Multiply"

    def compute(self, x: Any) -> Any:
        """Multiply by two."""
        return np.multiply(x, FLOAT(2))
