# SPDX-License-Identifier: MIT
"""Sequences and maps that runs of a `Session` return: Python's own objects."""

import numpy as np
import pytest
from support.models import pairs, zipped

SHAPES = [(3, 2), (2, 0), (0, 2), (), (1, 2, 3), (2000,)]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "uint8", "float16", "bool"])
def test_tensors_of_a_sequence_are_lists(opened, dtype, shape):
    x = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
    session = opened(pairs(dtype))
    (found,) = session.run(x=x)
    assert found == [x.tolist()] * 2
    (value,) = session.run_values(x=x)
    assert value.to_python() == found
    value.close()


@pytest.mark.parametrize("shape", [(), (2,), (2, 1), (0,)])
def test_strings_of_a_sequence_are_lists(opened, shape):
    x = np.full(shape, "ä" * 20, object)
    assert opened(pairs("str")).run(x=x) == [[x.tolist()] * 2]


def test_maps_are_dicts(opened):
    session = opened(zipped(classlabels_strings=["b", "a"]))
    x = np.array([[0.5, 1.5], [2.5, 3.5]], np.float32)
    rows = [{"a": 1.5, "b": 0.5}, {"a": 3.5, "b": 2.5}]
    assert session.run(x=x) == [rows]
    (value,) = session.run_values(x=x)
    assert value.to_python() == rows
    value.close()
