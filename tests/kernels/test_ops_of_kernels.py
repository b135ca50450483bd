# SPDX-License-Identifier: MIT
"""Ops that kernels make and call: custom ones on the core, those of ONNX on a real library."""

import numpy as np
import pytest
from support.models import model, node, value
from support.paths import CHECKOUT

import ortcffi as ort


@pytest.fixture
def path(compile_c):
    """The library of ``tests/c/clients/calling_ops.c``."""
    return compile_c(CHECKOUT / "tests/c/clients/calling_ops.c", "-shared", "-fPIC")


@pytest.fixture
def x() -> np.ndarray:
    return np.arange(3, dtype=np.float32)


def session(op: str, path, api: ort.Api) -> ort.Session:
    """A session of one node."""
    with ort.SessionOptions(api) as options:
        options.register_custom_ops(path)
        ports = [value("x", shape=["n"])], [value("y", shape=["n"])]
        source = model([node(op, "x", "y", "calling")], *ports, domains={"calling": 1})
        return ort.Session(source, options, api=api)


def test_a_kernel_calls_another_custom_op(path, x):
    library = ort.CustomOpLibrary(path, watch=True)
    with library["calling", "Fourfold"].kernel() as kernel:
        for _ in range(3):
            np.testing.assert_array_equal(kernel(x), 4 * x)
        assert library.left_alive() == {"CreateOp": 1}
    assert library.left_alive() == {}


def test_a_kernel_in_a_session_of_the_core_does_too(path, core_api, x):
    with session("Fourfold", path, core_api) as opened:
        np.testing.assert_array_equal(opened.run(x=x)[0], 4 * x)


def test_a_kernel_calls_an_op_of_onnx_on_a_real_library(path, real_api, x):
    with session("Double", path, real_api) as opened:
        np.testing.assert_array_equal(opened.run(x=x)[0], 2 * x)


def test_an_op_that_nobody_has_is_named(path, core_api):
    words = "registered for operator Add of version 14 of the domain ''"
    with pytest.raises(ort.errors.NotImplemented, match=words):
        session("Double", path, core_api)
    with pytest.raises(ort.errors.NotImplemented, match=words):
        ort.CustomOpLibrary(path)["calling", "Double"].kernel()


def test_types_are_given_for_operands_by_name(path):
    with pytest.raises(ort.errors.InvalidArgument, match="Input0, Output0 and so on, and not T"):
        ort.CustomOpLibrary(path)["calling", "Wrong"].kernel()


def test_a_real_library_makes_no_custom_op(path, real_api):
    with pytest.raises(ort.OrtError):
        session("Fourfold", path, real_api)
