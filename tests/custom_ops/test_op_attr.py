# SPDX-License-Identifier: MIT
"""Attributes of nodes: made and read on both tables."""

import numpy as np
import pytest

import ortcffi as ort
from ortcffi import OpAttr, OpAttrType

VALUES = [
    (OpAttrType.INT, 7),
    (OpAttrType.INT, -(2**63)),
    (OpAttrType.INTS, [1, -2, 2**63 - 1]),
    (OpAttrType.FLOAT, 1.5),
    (OpAttrType.FLOATS, [0.0, -0.5]),
    (OpAttrType.STRING, "naïve 模型"),
    (OpAttrType.STRING, ""),
    (OpAttrType.STRINGS, ["a", "", "naïve 模型"]),
]


@pytest.mark.parametrize(("kind", "value"), VALUES)
def test_a_value_is_kept_and_read_back(api, kind, value):
    with OpAttr("name", value, api=api) as attr:
        assert (attr.name, attr.type, attr.value) == ("name", kind, value)
        assert type(attr.value) is type(value)
        assert repr(attr) == f"<OpAttr 'name' {value!r}>"
    assert repr(attr) == "<OpAttr closed>"


@pytest.mark.parametrize("kind", [OpAttrType.INTS, OpAttrType.FLOATS, OpAttrType.STRINGS])
def test_a_list_may_be_empty_if_its_type_is_said(api, kind):
    with OpAttr("", [], kind, api) as attr:
        assert (attr.name, attr.type, attr.value) == ("", kind, [])


def test_a_type_makes_of_a_value_what_it_says(api):
    for kind, value, found in [
        (OpAttrType.FLOAT, 2, 2.0),
        (OpAttrType.FLOATS, [1, 2.5], [1.0, 2.5]),
        (OpAttrType.INTS, range(3), [0, 1, 2]),
        (OpAttrType.INTS, 5, [5]),
    ]:
        with OpAttr("name", value, kind, api) as attr:
            assert (attr.type, attr.value) == (kind, found)


def test_ints_among_floats_are_floats(api):
    with OpAttr("name", [1, 2.5], api=api) as attr:
        assert attr.type is OpAttrType.FLOATS


@pytest.mark.parametrize(
    ("value", "error", "says"),
    [
        (b"x", TypeError, "value must be an int, a float, a str or a list, not b"),
        ([], TypeError, "value must have elements of one type"),
        ([1, "a"], TypeError, "value must have elements of one type"),
        ([[1]], TypeError, "value must have elements of one type"),
        (2**63, ValueError, "value must be from"),
        ("a\0b", ValueError, "value must not contain a null character"),
        (1e39, ValueError, "value must fit a float of 32 bits, but is 1e"),
        ([1.0, -1e300], ValueError, "value must fit a float of 32 bits, but is -1e"),
        (np.ones((2, 2)), TypeError, "value must have elements of one type"),
    ],
)
def test_a_wrong_value_is_refused(api, value, error, says):
    with pytest.raises(error, match=says):
        OpAttr("name", value, api=api)


def test_tensors_and_graphs_are_not_made(api):
    with pytest.raises(ValueError, match=r"type must be one of OpAttrType's INT, .* not <.*TENSOR"):
        OpAttr("name", 5, OpAttrType.TENSOR, api)


@pytest.mark.parametrize("number", [99, -1, "INT", 1.0])
def test_an_unknown_type_is_refused(api, number):
    with pytest.raises(ValueError, match=f"type must be one of OpAttrType's .* not {number!r}"):
        OpAttr("name", 5, number, api)


@pytest.mark.parametrize("value", [["s"], "text", [None], [b"12"], 10**400])
def test_what_is_no_number_is_refused_as_float(api, value):
    with pytest.raises(TypeError, match="value must have numbers for the type FLOATS or FLOAT"):
        OpAttr("name", value, OpAttrType.FLOATS, api)


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        (np.int64(5), 5),
        (np.uint8(200), 200),
        (np.float32(1.5), 1.5),
        (np.bool_(True), 1),
        (np.str_("text"), "text"),
        ([np.int32(1), 2], [1, 2]),
        (np.array([1, 2]), [1, 2]),
        (np.array([0.5, 2], np.float32), [0.5, 2.0]),
        (np.array(7), 7),
    ],
)
def test_scalars_and_arrays_of_numpy_are_values(api, value, kept):
    with OpAttr("name", value, api=api) as attr:
        assert attr.value == kept


@pytest.mark.parametrize("value", [float("inf"), 3.4028234663852886e38])
def test_the_largest_floats_of_32_bits_are_values(api, value):
    with OpAttr("name", value, api=api) as attr:
        assert attr.value == value


def test_a_list_that_changes_while_it_is_read_is_read_once(api):
    class Changing(list):
        def __iter__(self):
            yield 1
            self.append("text")

    with OpAttr("name", Changing([1]), api=api) as attr:
        assert attr.value == [1]


def test_an_old_host_has_no_attributes():
    with pytest.raises(ort.errors.NotImplemented, match="CreateOpAttr came with API version 12"):
        OpAttr("name", 5, api=ort.emulate(11))
    with OpAttr("name", 5, api=ort.emulate(12)) as attr:
        assert repr(attr) == "<OpAttr>"
