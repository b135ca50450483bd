# SPDX-License-Identifier: MIT
"""What the tests of graphs share."""

import gc
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import ortcffi as ort
from ortcffi._native import lib


@pytest.fixture
def dense() -> ort.Graph:
    """A graph: softmax(x @ w + b)."""
    graph = ort.Graph()
    x = graph.input("x", "f4", ["batch", 64])
    w = graph.initializer("w", np.arange(192, dtype=np.float32).reshape(64, 3) / 192)
    b = graph.initializer("b", np.ones(3, np.float32))
    (product,) = graph.node("MatMul", [x, w], ["product"])
    (total,) = graph.node("Add", [product, b], ["total"], name="bias")
    (y,) = graph.node("Softmax", [total], ["y"], attributes={"axis": -1})
    graph.output(y, "f4", ["batch", 3])
    return graph


@pytest.fixture
def leaves_nothing_of_python() -> Iterator[None]:
    """No provider written in Python is left, and no kernel and op of one."""
    gc.collect()
    before = (lib.ortcffi_live_python_eps(), lib.ortcffi_live_python_kernels())
    ops = lib.ortcffi_live_python_ops()
    yield
    gc.collect()
    assert (lib.ortcffi_live_python_eps(), lib.ortcffi_live_python_kernels()) == before
    assert lib.ortcffi_live_python_ops() == ops


@pytest.fixture
def proto() -> Any:
    """A model of onnx's, with a node If whose branches read values of the graph around it."""
    return pytest.importorskip("support.branching").model()
