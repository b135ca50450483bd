# SPDX-License-Identifier: MIT
"""Sequences and maps that runs return."""

import numpy as np
import pytest
from support.models import pairs, zipped

CPU = ["CPUExecutionProvider"]
KINDS = ["float32", "float64", "float16", "int32", "int64", "uint8", "bool"]


@pytest.fixture
def run(onnxruntime):
    def run(made, x):
        (found,) = onnxruntime.InferenceSession(made, providers=CPU).run(None, {"x": x})
        return found

    return run


@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize("shape", [(3, 2), (2, 3000), (2, 0), ()])
def test_tensors_of_a_sequence_are_arrays(run, dtype, shape):
    x = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
    found = run(pairs(dtype), x)
    assert type(found) is list
    assert [each.dtype for each in found] == [x.dtype] * 2
    assert [each.shape for each in found] == [shape] * 2
    assert all(np.array_equal(each, x) for each in found)
    assert all(each.flags.writeable and each.flags.c_contiguous for each in found)


@pytest.mark.parametrize("count", [3, 3000])
def test_arrays_of_a_sequence_are_apart(run, count):
    first, second = run(pairs("float32"), np.ones(count, np.float32))
    first[...] = 2
    assert second.sum() == count
    del first
    assert second.sum() == count


def test_strings_of_a_sequence_are_arrays_of_objects(run):
    x = np.array([["a", "b"], ["ä" * 40, ""]], object)
    found = run(pairs("str"), x)
    assert [each.dtype for each in found] == [np.dtype(object)] * 2
    assert all(np.array_equal(each, x) for each in found)


@pytest.mark.parametrize("keys", [[0, 1], [-5, 2**62], [7], ["b", "a"], ["x" * 40, "ü"]])
def test_maps_are_dicts_of_pythons_own_objects(run, keys):
    x = np.linspace(0, 1, 3 * len(keys), dtype=np.float32).reshape(3, -1)
    kind = "strings" if isinstance(keys[0], str) else "int64s"
    found = run(zipped(**{f"classlabels_{kind}": keys}), x)
    assert found == [dict(zip(keys, row, strict=True)) for row in x.tolist()]
    assert [list(each) for each in found] == [sorted(keys)] * 3
    assert {type(each) for row in found for each in row.values()} == {float}
    assert {type(each) for row in found for each in row} == {type(keys[0])}


def test_changing_one_map_leaves_the_others(run):
    first, second = run(zipped(classlabels_int64s=[1, 2]), np.ones((2, 2), np.float32))
    first[1] = first[3] = 5.0
    assert second == {1: 1.0, 2: 1.0}


def test_no_rows_are_no_maps(run):
    assert run(zipped(classlabels_int64s=[1, 2]), np.ones((0, 2), np.float32)) == []
