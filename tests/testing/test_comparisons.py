# SPDX-License-Identifier: MIT
"""How outputs are compared with those of a session or of another engine."""

import numpy as np
import pytest

from ortcffi.testing.compare import check_same

pytest.importorskip("ml_dtypes")


def compare(ours, theirs, rtol, atol):
    check_same("y", ours, theirs, (rtol, atol), "with the other engine")


@pytest.mark.parametrize("dtype", ["f2", "f4", "c8", "bfloat16", "float8_e4m3fn", "float8_e5m2"])
def test_floats_of_all_types_have_a_tolerance(dtype):
    x = np.array([1, np.nan, -2], "f4")
    ours, theirs = (each.astype(dtype) for each in (x, x * np.float32(1.25)))
    compare(ours, theirs, rtol=0.3, atol=0)
    with pytest.raises(AssertionError):
        compare(ours, theirs, rtol=0.1, atol=0)


@pytest.mark.parametrize("dtype", ["i4", "int4", "?"])
def test_other_numbers_have_none(dtype):
    ours, theirs = (np.array(x).astype(dtype) for x in ([1, 0], [1, 1]))
    compare(ours, ours, rtol=0, atol=0)
    with pytest.raises(AssertionError):
        compare(ours, theirs, rtol=9, atol=9)


@pytest.mark.parametrize(
    ("x", "place", "figures"),
    [
        ([np.inf, 1, np.nan], [2], "nan, and 3"),
        ([np.inf, 1, 5], [2], "5, and 3"),
        ([np.inf, -np.inf, 3], [1], "-inf, and 1"),
    ],
)
def test_the_largest_difference_is_shown(x, place, figures):
    theirs = np.array([np.inf, 1, 3], "f4")
    with pytest.raises(AssertionError, match="y differs by") as caught:
        compare(np.array(x, "f4"), theirs, 1e-3, 0)
    assert f"at {place}: it is {figures} with" in str(caught.value)
