# SPDX-License-Identifier: MIT
"""Sequences and maps that runs of a `Session` return: Python's own objects."""

import gc
import weakref

import numpy as np
import pytest
from support.models import model, node, pairs, sequence_type, tensor_type, value, value_info, zipped

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


# --- sequences that share the memory of tensors ---------------------------------------------------


def appended():
    """y = the sequence x and then t."""
    kind = sequence_type(tensor_type("float32"))
    nodes = [node("SequenceInsert", "x t", "y")]
    return model(nodes, [value_info("x", kind), value("t")], [value_info("y", kind)])


def test_a_value_keeps_the_tensors_of_a_sequence_that_was_an_input(opened):
    x = [np.ones(1000, np.float32)]
    array = weakref.ref(x[0])
    (found,) = opened(appended()).run_values(x=x, t=np.zeros(2, np.float32))
    del x
    gc.collect()
    assert found.to_python() == [[1.0] * 1000, [0.0] * 2]
    assert array() is not None
    found.close()
    del found
    gc.collect()
    assert array() is None


def test_an_output_of_a_binding_keeps_the_tensors_of_a_sequence(opened):
    x = [np.ones(1000, np.float32)]
    array = weakref.ref(x[0])
    with opened(appended()).bind(x=x, t=np.zeros(2, np.float32)) as bound:
        bound.run()
        (found,) = bound.output_values()
        bound.bind(x=[np.zeros(1, np.float32)])
        del x
        gc.collect()
        assert array() is not None
        found.close()
