# SPDX-License-Identifier: MIT
"""Elements of 4 and 2 bits, and values on older tables."""

import ml_dtypes
import numpy as np
import pytest

from ortcffi import ElementType, Value, emulate
from ortcffi.values.tensors import bytes_of

PACKED = [ml_dtypes.int4, ml_dtypes.uint4, ml_dtypes.int2, ml_dtypes.uint2]
PACKED += [ml_dtypes.float4_e2m1fn]


def all_of(kind):
    bits = 2 if "2" in kind.__name__.removesuffix("_e2m1fn") else 4
    return np.arange(1 << bits, dtype=np.uint8).view(kind)


@pytest.mark.parametrize("kind", PACKED, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("count", [0, 1, 3, 4])
def test_packed_elements_come_back(api, kind, count):
    x = all_of(kind)[:count]
    value = Value.from_numpy(x, api=api, copy=True)
    assert value.shape == x.shape
    assert value.dtype == x.dtype
    np.testing.assert_array_equal(value.numpy(copy=True), x)


def test_the_first_element_is_in_the_lowest_bits(api):
    x = np.array([1, -1, 7], ml_dtypes.int4)
    value = Value.from_numpy(x, api=api, copy=True)
    assert bytes_of(value).tolist() == [0xF1, 0x07]
    assert value.nbytes == 2
    assert value.to_python() == [1, -1, 7]


def test_packing_is_a_copy_that_must_be_asked_for(api):
    x = all_of(ml_dtypes.int4)
    with pytest.raises(ValueError, match=r"x has one INT4 per byte.*copy=True"):
        Value.from_numpy(x, api=api)
    value = Value.from_numpy(x, api=api, copy=True)
    with pytest.raises(ValueError, match=r"packed.*copy=True"):
        value.numpy()


@pytest.mark.parametrize("version", [1, 9, 13, 22, 25])
def test_a_table_of_any_age_has_tensors(version):
    old = emulate(version)
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    value = Value.from_numpy(x, api=old)
    assert (value.shape, value.element_type) == ((2, 3), ElementType.FLOAT)
    assert np.shares_memory(value.numpy(), x)
    assert Value.from_numpy(x, api=old, copy=True).to_python() == x.tolist()
    assert Value.empty((), np.int8, api=old).shape == ()


def test_small_floats_become_python_floats(api):
    for kind in (ml_dtypes.bfloat16, ml_dtypes.float8_e5m2, ml_dtypes.float8_e4m3fn):
        found = Value.from_numpy(np.array([0.5, -2], kind), api=api).to_python()
        assert found == [0.5, -2.0]
        assert [type(number) for number in found] == [float, float]


def test_an_array_that_was_asked_for_is_unpacked(api):
    value = Value.from_numpy(np.array([1, 2, 3], ml_dtypes.int4), api=api, copy=True)
    assert np.array(value).tolist() == [1, 2, 3]
    assert value.__array__(np.int8).tolist() == [1, 2, 3]
    with pytest.raises(ValueError, match="INT4 need a copy"):
        value.__array__(copy=False)
