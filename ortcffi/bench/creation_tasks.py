# SPDX-License-Identifier: MIT
"""Sessions made, compared with the official package's."""

from collections.abc import Callable
from functools import partial

import numpy as np

from ortcffi.models.graph import Graph
from ortcffi.options.session import SessionOptions
from ortcffi.session.session import Session

from .compat_tasks import Program
from .session_tasks import Runs


def _model(size: int = 512) -> bytes:
    """A model of one node, by default with weights of 1 MB."""
    graph = Graph()
    graph.input("x", "f4", [1, size])
    graph.initializer("w", np.ones((size, size), np.float32))
    graph.node("MatMul", ["x", "w"], ["y"])
    graph.output("y", "f4", [1, size])
    return graph.to_bytes()


class Create(Runs):
    """A session of a model of 1 MB made and closed: at most 1.02 times the official time."""

    def make_call(self) -> Callable[[], object]:
        """Make and close one."""
        model = _model()
        if self.is_official:
            import onnxruntime

            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads = self.threads
            return partial(onnxruntime.InferenceSession, model, options)
        ours = SessionOptions(self.session.api, intra_op_threads=self.threads)
        return lambda: Session(model, ours).close()


class CompatCreate(Program):
    """The same by a program of the official package."""

    def make_call(self) -> Callable[[], object]:
        """Make one."""
        options = self.package.SessionOptions()
        options.intra_op_num_threads = 1
        return partial(self.package.InferenceSession, _model(), options)


class CreateSmall(Runs):
    """A session of a model of one node made without options, and closed."""

    def make_call(self) -> Callable[[], object]:
        """Make and close one."""
        model = _model(4)
        if self.is_official:
            import onnxruntime

            return partial(onnxruntime.InferenceSession, model)
        return lambda: Session(model).close()


class CompatCreateSmall(Program):
    """The same by a program of the official package."""

    def make_call(self) -> Callable[[], object]:
        """Make one."""
        return partial(self.package.InferenceSession, _model(4))
