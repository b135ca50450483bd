# SPDX-License-Identifier: MIT
"""What the tests of graphs share."""

import gc
from collections.abc import Iterator

import numpy as np
import pytest

import ortcffi as ort
from ortcffi._native import Owner, lib


@pytest.fixture(autouse=True)
def leaves_no_part_of_a_model() -> Iterator[None]:
    """No owner of what was made for the library is left."""
    yield
    assert not owned_parts()


def owned_parts() -> list[str]:
    """The types of the parts of models that have an owner."""
    kinds = {f"Ort{kind}*" for kind in ("ValueInfo", "Node", "Graph", "Model", "OpAttr")}
    owners = [each for each in gc.get_objects() if type(each) is Owner]
    found = [owner._handle_type.cname for owner in owners if not owner.closed]
    return [kind for kind in found if kind.replace(" ", "") in kinds]


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
