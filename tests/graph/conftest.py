# SPDX-License-Identifier: MIT
"""What the tests of graphs share."""

from collections.abc import Iterator

import numpy as np
import pytest

import ortcffi as ort
from ortcffi.graph.editor import live


@pytest.fixture(autouse=True)
def leaves_no_part_of_a_model() -> Iterator[None]:
    """Nothing that was made for the library is left."""
    yield
    assert not any(live.values()), f"left alive: {dict(live)}"


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
