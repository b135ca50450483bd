# SPDX-License-Identifier: MIT
"""What custom ops written in Python write to, and what they say of shapes and types."""

import gc
import weakref
from typing import Any

import numpy as np
from support import models

import ortcffi as ort

X = np.arange(6, dtype=np.float32).reshape(2, 3)
F = np.float32


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
