# SPDX-License-Identifier: MIT
"""The official package and the drop-in for it, in turn: what programs see of both must be alike."""

import importlib
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

import ortcffi as ort


@pytest.fixture(params=["official", "compat"])
def onnxruntime(request: pytest.FixtureRequest) -> ModuleType:
    """Each of the two packages in turn: the library of the first runs the models of both."""
    official = pytest.importorskip("onnxruntime")
    return official if request.param == "official" else importlib.import_module("ortcffi.compat")


@pytest.fixture
def state(onnxruntime: ModuleType) -> ModuleType:
    """What programs import from ``onnxruntime.capi``."""
    return importlib.import_module(f"{onnxruntime.__name__}.capi.onnxruntime_pybind11_state")


@pytest.fixture(autouse=True)
def lets_go_of_the_environment() -> Iterator[None]:
    """The drop-in keeps one for the whole process, as the official package does."""
    yield
    if (module := sys.modules.get("ortcffi.compat._environment")) is not None:
        module.close_environment()


@pytest.fixture
def session(onnxruntime: ModuleType, squares: bytes) -> Iterator[Any]:
    """A session of that model; a test's fixtures live until its checks for leaks are over."""
    session = onnxruntime.InferenceSession(squares, providers=["CPUExecutionProvider"])
    yield session
    vars(session).clear()


def model(*nodes: object, x: str = "f4", shape: tuple = (3, 2), y: tuple | None = (3, 2)) -> bytes:
    """A model of some nodes, from an input X to an output Y."""
    graph = ort.Graph()
    graph.input("X", x, shape)
    for op, inputs, outputs, *rest in nodes:
        graph.node(op, inputs, outputs, **(rest[0] if rest else {}))
    graph.output("Y", x, y)
    return graph.to_bytes()


@pytest.fixture
def squares() -> bytes:
    """Y = X * X, of float [3, 2]."""
    return model(("Mul", ["X", "X"], ["Y"]))


@pytest.fixture
def strings() -> bytes:
    """Y = X, of strings [2, 2]."""
    return model(("Identity", ["X"], ["Y"]), x=str, shape=(2, 2), y=(2, 2))
