# SPDX-License-Identifier: MIT
"""What custom ops written in Python write to, and what they say of shapes and types."""

import gc
import weakref
from typing import Any

import numpy as np
import pytest
from support import models
from support.numpy_2 import needs_numpy_2

import ortcffi as ort

X = np.arange(6, dtype=np.float32).reshape(2, 3)
F = np.float32


# --- out ------------------------------------------------------------------------------------------


def test_a_function_with_out_writes_its_output(define, run):
    @define([F], [F])
    def double(x, out):
        return np.multiply(x, 2, out=out)

    [y] = run(double, [X])
    np.testing.assert_array_equal(y, 2 * X)


def test_shapes_say_how_large_out_is(define, run):
    @define([F], [F, F], shapes=lambda x, by: [x, (x[1], by)[:1]], attributes={"by": 2.0})
    def both(x, *, by, out):
        out[0][...] = x * F(by)
        out[1][...] = 7

    y, z = run(both, [X], ["f4", "f4"])
    np.testing.assert_array_equal(y, 2 * X)
    assert z.tolist() == [7, 7, 7]


@needs_numpy_2("has at most 32 dimensions")
def test_out_may_have_as_many_dimensions_as_an_array(define, run):
    @define([F], [F], shapes=lambda x: x)
    def double(x, out):
        np.multiply(x, 2, out=out)

    x = np.full((1,) * 64, 3, F)
    [y] = run(double, [x])
    assert (y.shape, y.item()) == (x.shape, 6)


def test_out_has_none_for_an_output_that_the_node_leaves_out(define, run):
    @define([F], [F, ort.optional(F), ort.optional(F)])
    def negate(x, out):
        assert out[1] is None
        out[0][...] = x
        np.negative(x, out=out[2])

    y, z = run(negate, [X], ["f4", None, "f4"])
    assert (y.tolist(), z.tolist()) == (X.tolist(), (-X).tolist())


@pytest.mark.parametrize("shapes", [None, lambda x: x])
def test_what_an_op_does_not_write_of_out_is_zero(define, run, shapes):
    @define([F], [F], shapes=shapes)
    def writes_one(_x, out):
        out.flat[1] = 5

    for shape in [(4,), (64, 64), (1024, 512)]:
        np.full(shape, 7, F)  # what the next array may find in its memory
        [y] = run(writes_one, [np.full(shape, 3, F)])
        assert y.flat[1] == 5
        assert np.count_nonzero(y) == 1


def test_out_needs_numbers_of_a_declared_type(define):
    def with_out(_x, out):
        out[...] = 0

    for kind in (str, Any, "int4"):
        with pytest.raises(TypeError, match="out= needs outputs of numbers"):
            define([F], [ort.ElementType.INT4 if kind == "int4" else kind])(with_out)


# --- shapes and memory ----------------------------------------------------------------------------


def test_inferred_shapes_are_those_of_the_session(define, official):
    @define([F], [F], shapes=lambda x, times: (*x, "n", times), attributes={"times": 2})
    def widen(x, *, times):
        return np.zeros((*x.shape, 3, times), F)

    node = models.node("widen", ["x"], ["y"], "my.domain", times=4)
    model = models.of_ops([node], {"x": ("f4", ("batch", 3))}, {"y": "f4"}, "my.domain")
    [y] = official(model).get_outputs()
    assert y.shape == ["batch", 3, "n", 4]


def test_a_session_ends_whose_shapes_could_not_be_inferred(define, official):
    called = []

    def shapes(x):
        called.append(x)
        return x[5:][0]

    @define([F], [F], shapes=shapes)
    def copies(x):
        return x

    node = models.node("copies", ["x"], ["y"], "my.domain")
    session = official(models.of_ops([node], {"x": ("f4", ("n",))}, {"y": "f4"}, "my.domain"))
    assert called
    ends = weakref.ref(session)
    del session
    gc.collect()
    assert ends() is None


def test_shapes_may_say_the_type_of_an_output_of_any_type(define, official):
    def types(x, _y):
        return ort.TensorTypeInfo(np.int64, x)

    @define([Any, Any], [Any], shapes=types)
    def compare(x, y):
        return (x == y).astype(np.int64)

    node = models.node("compare", ["x", "z"], ["y"], "my.domain")
    types = {"x": ("f4", (2,)), "z": ("f8", (2,))}
    session = official(models.of_ops([node], types, {"y": "i8"}, "my.domain"))
    [y] = session.run(None, {"x": np.array([1, 2], "f4"), "z": np.array([1, 3], "f8")})
    assert y.tolist() == [1, 0]
