# SPDX-License-Identifier: MIT
"""What the tests of kernels share: sessions of the official package, and the counts of kernels."""

import gc

import numpy as np
import pytest
from support import models
from support.paths import CHECKOUT
from support.processes import run_in_fork

import ortcffi as ort
from ortcffi._native import lib
from ortcffi.kernels import child


def alive():
    return lib.ortcffi_live_python_ops(), lib.ortcffi_live_python_kernels()


@pytest.fixture
def leaves_no_python_op():
    """For tests whose ops are not registered with a host that keeps them."""
    gc.collect()
    before = alive()
    yield
    gc.collect()
    assert alive() == before


@pytest.fixture
def buggy_ops(compile_c):
    """The library of ``tests/c/clients/buggy_ops.c``."""
    source = CHECKOUT / "tests/c/clients/buggy_ops.c"
    built = compile_c(source, "-shared", "-fPIC", "-fvisibility=hidden")
    with ort.CustomOpLibrary(built) as library:
        yield library


@pytest.fixture
def forks(monkeypatch):
    """Comparisons and checks fork this process instead of starting Python anew."""
    monkeypatch.setattr(child, "run", run_in_fork)


@pytest.fixture
def op_set(request):
    """A set of ops for one test; the ops are defined into it by name."""
    found = ort.op_set(request.node.name)
    yield found
    for op in found:
        found.remove(op)


@pytest.fixture
def official(op_set):
    """``official(model)`` is a session of the official package that knows the ops of the test."""
    onnxruntime = pytest.importorskip("onnxruntime")

    def session(model):
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        options.register_custom_ops_library(ort.custom_op_library(op_set.name))
        return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])

    return session


@pytest.fixture
def run(official):
    """``run(op, inputs, outputs, **attributes)`` runs a model of one node, and returns a list."""

    def run(op, inputs, outputs=("f4",), **attributes):
        names = ["" if x is None else f"x{i}" for i, x in enumerate(inputs)]
        given = {n: x for n, x in zip(names, inputs, strict=True) if n}
        results = {f"y{i}": dtype for i, dtype in enumerate(outputs) if dtype is not None}
        wanted = [f"y{i}" if dtype else "" for i, dtype in enumerate(outputs)]
        node = models.node(op.name, names, wanted, op.domain, **attributes)
        types = {name: np.asarray(x).dtype for name, x in given.items()}
        model = models.of_ops([node], types, results, op.domain)
        return official(model).run(None, given)

    return run


@pytest.fixture
def define(op_set):
    """``define(inputs, outputs, ...)`` is `custom_op` with a domain and the set of the test."""

    def define(inputs, outputs, **arguments):
        return ort.custom_op(
            "my.domain", inputs=inputs, outputs=outputs, op_set=op_set.name, **arguments
        )

    return define
