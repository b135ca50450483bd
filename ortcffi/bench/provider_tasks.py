# SPDX-License-Identifier: MIT
"""A node of an execution provider, run by a session of the core or of the official package."""

import shutil
from collections.abc import Callable
from functools import partial
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from ortcffi.ep.installed import ep_named
from ortcffi.models.graph import Graph
from ortcffi.models.python_ep import execution_provider
from ortcffi.session.session import Session

from .kernel_tasks import FLOAT, X
from .value_tasks import _Repeated


def _multiply(x: Any) -> Any:
    return np.multiply(x, FLOAT(2))


class _Multiplies:
    """Takes all nodes, and multiplies by two, as the op of `RunMultiply` does."""

    def capability(self, graph: Any) -> Any:
        """All nodes."""
        return graph.nodes

    def compile(self, graph: Any) -> Callable[[Any], Any]:
        """One node."""
        del graph
        return _multiply


_MULTIPLIES = execution_provider("ortcffi.bench")(_Multiplies)


class RunProvider(_Repeated):
    """One product of a provider written in Python."""

    def provider(self) -> tuple[str, str]:
        """Its name and its library."""
        return _MULTIPLIES.name, _MULTIPLIES.path

    def given(self) -> Any:
        """What the core's session takes."""
        return _MULTIPLIES

    def make_call(self) -> Callable[[], object]:
        """Run it on four numbers."""
        name, path = self.provider()
        if not self.is_real or self.official is None:
            return partial(Session(_model(), providers=[self.given()], api=self.api).run, x=X)
        import onnxruntime

        others = len(onnxruntime.get_ep_devices())
        onnxruntime.register_execution_provider_library(name, path)
        devices = onnxruntime.get_ep_devices()[others:]
        options = onnxruntime.SessionOptions()
        options.add_provider_for_devices(devices[:1], {})
        return partial(onnxruntime.InferenceSession(_model(), options).run, None, {"x": X})


class RunCompiledProvider(RunProvider):
    """The same of a published provider, which is compiled."""

    def provider(self) -> tuple[str, str]:
        """That of the package nxrt-ep-cpu."""
        return "nxrt", ep_named("nxrt").path

    def given(self) -> Any:
        """A copy: the library has one table of its host for all of a process."""
        self.folder = TemporaryDirectory()
        return shutil.copy(ep_named("nxrt").path, self.folder.name)


def _model() -> bytes:
    graph = Graph({"": 18})
    graph.input("x", FLOAT, [4])
    graph.initializer("two", np.full(4, 2, FLOAT))
    graph.node("Mul", ["x", "two"], ["y"])
    graph.output("y", FLOAT, [4])
    return graph.to_bytes()
