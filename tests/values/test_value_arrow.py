# SPDX-License-Identifier: MIT
"""Tensors of Arrow's arrays, and strings with missing elements."""

import numpy as np
import pytest

from ortcffi import ElementType, Value

pyarrow = pytest.importorskip("pyarrow", exc_type=ImportError)  # its wheels want NumPy 2


class Arrow:
    """An array with what this package uses of Arrow's."""

    def __init__(self, array, nulls=0):
        self.array = np.asarray(array)
        self.null_count = nulls

    def __arrow_c_array__(self, requested_schema=None):
        raise NotImplementedError

    def __array__(self, dtype=None, copy=None):
        return self.array if dtype is None else self.array.astype(dtype)

    def __iter__(self):
        return iter(map(repr, self.array.tolist()))  # Arrow's own scalars


class Series(Arrow):
    """As Polars has it, where the count is a method."""

    def null_count(self):
        return self.nulls

    def __init__(self, array, nulls=0):
        self.array, self.nulls = np.asarray(array), nulls


class MissingValue:
    """As the NA of pandas."""

    def __ne__(self, other):
        return self

    __hash__ = None

    def __bool__(self):
        raise TypeError("boolean value of NA is ambiguous")


@pytest.mark.parametrize("kind", [Arrow, Series])
def test_numbers_of_arrow_are_shared(api, kind):
    x = np.arange(6, dtype=np.int32)
    value = Value.from_numpy(kind(x), api=api)
    x[0] = 7
    assert (value.element_type, value.to_python()) == (ElementType.INT32, [7, 1, 2, 3, 4, 5])
    copy = Value.from_numpy(kind(x), api=api, copy=True)
    x[0] = 0
    assert copy.to_python()[0] == 7


def test_strings_of_arrow_are_copied(api):
    value = Value.from_numpy(Arrow(np.array(["a", "é"], object)), api=api)
    assert value.strings() == ["a", "é"]


@pytest.mark.parametrize("kind", [Arrow, Series])
def test_nulls_are_refused_with_what_to_do(kind):
    with pytest.raises(ValueError, match="x has 2 nulls, which tensors cannot have: fill them"):
        Value.from_numpy(kind([1.0, np.nan, np.nan], 2))


def test_only_arrays_with_a_count_of_nulls_are_taken_for_arrows():
    class Stream:
        def __arrow_c_stream__(self):
            pass

        def __array__(self, dtype=None, copy=None):
            return np.ones(2)

    with pytest.raises(TypeError, match=r"x must be an ndarray, not Stream: numpy\.asarray makes"):
        Value.from_numpy(Stream())


def test_missing_strings_are_filled(api):
    missing = ["a", None, float("nan"), np.float64("nan"), MissingValue(), b"\xff"]
    value = Value.from_strings(missing, fill="-", api=api)
    assert value.raw_strings() == [b"a", b"-", b"-", b"-", b"-", b"\xff"]
    arrow = Arrow(np.array(["a", None], object), 1)
    assert Value.from_strings(arrow, (1, 2), fill="", api=api).raw_strings() == [b"a", b""]


@pytest.mark.parametrize("wrong", [["a", None], ["a", float("nan")]])
def test_missing_strings_are_refused_without_a_fill(wrong):
    with pytest.raises(TypeError, match="str"):
        Value.from_strings(wrong)


def test_what_is_not_missing_is_not_filled():
    with pytest.raises(TypeError, match="str"):
        Value.from_strings(["a", 5], fill="")
    with pytest.raises(TypeError, match="fill must be str or bytes, not int"):
        Value.from_strings(["a"], fill=5)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (lambda: pyarrow.array([1.5, 2, 3], "float16"), [1.5, 2, 3]),
        (lambda: pyarrow.array([None, 2, 3, 4])[1:3], [2, 3]),
        (lambda: pyarrow.array([True, False, True])[1:], [False, True]),
        (lambda: pyarrow.chunked_array([[1, 2], [3]]), [1, 2, 3]),
        (lambda: pyarrow.array([None, "a\0", "é"])[1:], ["a\0", "é"]),
        (lambda: pyarrow.array(["a", "b", "a"]).dictionary_encode(), ["a", "b", "a"]),
        (lambda: pyarrow.array([b"a"], "large_binary"), ["a"]),
    ],
)
def test_real_arrow_is_taken(api, given, expected):
    assert Value.from_numpy(given(), api=api).to_python() == expected


def test_a_slice_of_real_arrow_shares_its_memory(api):
    array = pyarrow.array([1, 2, 3, 4])
    value = Value.from_numpy(array[1:3], api=api)
    address = array.buffers()[1].address + 8
    assert (value.numpy().ctypes.data, value.readonly) == (address, True)


def test_nulls_of_real_arrow_are_refused_or_filled(api):
    for array in (pyarrow.array(["a", "b", None])[1:], pyarrow.chunked_array([["b"], [None]])):
        with pytest.raises(ValueError, match="x has 1 nulls, which tensors cannot have"):
            Value.from_numpy(array, api=api)
        assert Value.from_strings(array, fill="-", api=api).strings() == ["b", "-"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (lambda: pyarrow.array([1], pyarrow.timestamp("s")), r"no elements of dtype datetime64"),
        (lambda: pyarrow.array([[1], [2, 3]]), r"must be a str or bytes"),
        (lambda: pyarrow.table({"a": [1]}), r"must be an ndarray, not Table"),
    ],
)
def test_what_is_no_tensor_in_real_arrow_is_refused(api, given, message):
    with pytest.raises(TypeError, match=message):
        Value.from_numpy(given(), api=api)
