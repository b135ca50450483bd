# SPDX-License-Identifier: MIT
"""Runs of a program that was written for the official package, on it and on the drop-in."""

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from ortcffi.models.graph import Graph

from .subjects import Subject
from .value_tasks import _Repeated


def _model() -> bytes:
    """A model that takes almost no time: y = x + w, of four numbers."""
    graph = Graph()
    graph.input("x", "f4", [1, 4])
    graph.initializer("w", np.ones((1, 4), np.float32))
    graph.node("Add", ["x", "w"], ["y"])
    graph.output("y", "f4", [1, 4])
    return graph.to_bytes()


class Program(_Repeated):
    """A task: the official package in the real library's column, the drop-in in the core's."""

    def __init__(self, subject: Subject) -> None:
        name = "onnxruntime" if subject.name == "real" else "ortcffi.compat"
        self.package: Any = import_module(name)
        options = self.package.SessionOptions()
        options.intra_op_num_threads = 1
        providers = ["CPUExecutionProvider"]
        self.session = self.package.InferenceSession(_model(), options, providers=providers)
        super().__init__(subject)


class CompatRun(Program):
    """A run with an array."""

    def make_call(self) -> Callable[[], object]:
        """Run the model."""
        return partial(self.session.run, ["y"], {"x": np.ones((1, 4), np.float32)})


class CompatRunWithValues(Program):
    """A run with a value."""

    def make_call(self) -> Callable[[], object]:
        """Run the model."""
        x = self.package.OrtValue.ortvalue_from_numpy(np.ones((1, 4), np.float32))
        return partial(self.session.run_with_ort_values, ["y"], {"x": x})
