# SPDX-License-Identifier: MIT
"""Attributes of nodes: made and read on both tables."""

import re

import numpy as np
import pytest

import ortcffi as ort
from ortcffi import OpAttr, OpAttrType

KINDS = OpAttrType
GOOD = [  # a value, the type that is asked for, and what both are
    (7, None, KINDS.INT, 7),
    (-(2**63), None, KINDS.INT, -(2**63)),
    ([1, -2, 2**63 - 1], None, KINDS.INTS, [1, -2, 2**63 - 1]),
    (1.5, None, KINDS.FLOAT, 1.5),
    (float("inf"), None, KINDS.FLOAT, float("inf")),
    (3.4028234663852886e38, None, KINDS.FLOAT, 3.4028234663852886e38),
    ([0.0, -0.5], None, KINDS.FLOATS, [0.0, -0.5]),
    ([1, 2.5], None, KINDS.FLOATS, [1.0, 2.5]),
    ("naïve 模型", None, KINDS.STRING, "naïve 模型"),
    ("", None, KINDS.STRING, ""),
    (["a", "", "naïve 模型"], None, KINDS.STRINGS, ["a", "", "naïve 模型"]),
    *(([], kind, kind, []) for kind in (KINDS.INTS, KINDS.FLOATS, KINDS.STRINGS)),
    (2, KINDS.FLOAT, KINDS.FLOAT, 2.0),
    ([1, 2.5], KINDS.FLOATS, KINDS.FLOATS, [1.0, 2.5]),
    (range(3), KINDS.INTS, KINDS.INTS, [0, 1, 2]),
    (5, KINDS.INTS, KINDS.INTS, [5]),
    (np.int64(5), None, KINDS.INT, 5),
    (np.uint8(200), None, KINDS.INT, 200),
    (np.float32(1.5), None, KINDS.FLOAT, 1.5),
    (np.bool_(True), None, KINDS.INT, 1),
    (np.str_("text"), None, KINDS.STRING, "text"),
    ([np.int32(1), 2], None, KINDS.INTS, [1, 2]),
    (np.array([1, 2]), None, KINDS.INTS, [1, 2]),
    (np.array([0.5, 2], np.float32), None, KINDS.FLOATS, [0.5, 2.0]),
    (np.array(7), None, KINDS.INT, 7),
]


@pytest.mark.parametrize(("value", "asked", "kind", "kept"), GOOD)
def test_a_value_is_kept_and_read_back(api, value, asked, kind, kept):
    with OpAttr("name", value, *([] if asked is None else [asked]), api=api) as attr:
        assert (attr.name, attr.type, attr.value) == ("name", kind, kept)
        assert type(attr.value) is type(kept)
        assert repr(attr) == f"<OpAttr 'name' {kept!r}>"
    assert repr(attr) == "<OpAttr closed>"


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


@pytest.mark.parametrize("kind", [OpAttrType.TENSOR, 99, -1, "INT", 1.0])
def test_attributes_of_other_types_are_not_made(api, kind):
    shown = re.escape(repr(kind))
    with pytest.raises(ValueError, match=f"type must be one of OpAttrType's INT, .* not {shown}"):
        OpAttr("name", 5, kind, api)


@pytest.mark.parametrize("value", [["s"], "text", [None], [b"12"], 10**400])
def test_what_is_no_number_is_refused_as_float(api, value):
    with pytest.raises(TypeError, match="value must have numbers for the type FLOATS or FLOAT"):
        OpAttr("name", value, OpAttrType.FLOATS, api)


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
