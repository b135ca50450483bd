# SPDX-License-Identifier: MIT
"""Attributes of nodes that are of another type than the op in Python declares."""

from itertools import pairwise

import numpy as np
import pytest

import ortcffi as ort
from ortcffi import OpAttr, OpAttrType
from ortcffi.errors import InvalidArgument
from ortcffi.kernels.make_kernel import attributes_for

VALUES = {
    "INT": 5,
    "FLOAT": 2.5,
    "STRING": "é",
    "INTS": [4, 5],
    "FLOATS": [0.5, 1.5],
    "STRINGS": ["b", "cé"],
    "TENSOR": np.arange(4, dtype=np.float32),
}
PAIRS = [(declared, given) for declared in VALUES for given in VALUES if declared != given]
X = np.ones(2, np.float32)


def op_with(kind: str, **more: object) -> "ort.PythonOp":
    @ort.custom_op(
        "test.types",
        name=f"Takes{kind}",
        inputs=[np.float32],
        outputs=[np.float32],
        attributes={"a": VALUES[kind]},
        **{"op_set": None, **more},
    )
    def same(x, **_):
        return x

    return same


@pytest.mark.parametrize(("declared", "given"), PAIRS)
def test_an_attribute_of_another_type_is_refused_with_both_types(declared, given):
    (attribute,) = attributes_for({"a": VALUES[given]})
    with pytest.raises(InvalidArgument, match=f"'a' must be of type {declared}, not {given}$"):
        op_with(declared).kernel({"a": attribute})


@pytest.mark.parametrize("default", [np.float32(2), np.float64(2), np.int8(2), np.bool_(True)])
def test_a_default_may_be_a_scalar_of_numpy(default):
    @ort.custom_op("d", inputs=[np.float32], outputs=[np.float32], attributes={"by": default})
    def scaled(x, *, by):
        return x * np.float32(by)

    assert scaled.kernel()([1, 2]).tolist() == [float(default), 2 * float(default)]


@pytest.mark.parametrize("declared", VALUES)
@pytest.mark.parametrize("kind", [OpAttrType.INTS, OpAttrType.FLOATS, OpAttrType.STRINGS])
def test_an_empty_list_is_no_value_of_another_kind(declared, kind):
    op = op_with(declared)
    attribute = OpAttr("a", [], kind)
    if declared.endswith("S"):  # an empty list is one of all types
        assert op.kernel({"a": attribute})(X).tolist() == X.tolist()
    else:
        with pytest.raises(InvalidArgument, match=f"'a' must be of type {declared}, not an empty"):
            op.kernel({"a": attribute})


@pytest.mark.parametrize(("declared", "given"), [*pairwise([*VALUES, "INT"])])
def test_a_session_refuses_such_a_node_as_well(run, op_set, declared, given):
    op = op_with(declared, op_set=op_set.name)
    with pytest.raises(Exception, match=f"'a' must be of type {declared}, not {given}"):
        run(op, [X], a=VALUES[given])


@pytest.mark.parametrize(("declared", "given"), [("INT", "FLOATS"), ("FLOATS", "INTS")])
def test_shapes_are_not_inferred_from_an_attribute_of_another_type(run, op_set, declared, given):
    seen = []

    def shapes(shape, *, a):
        seen.append(a)
        return shape

    op = op_with(declared, op_set=op_set.name, shapes=shapes)
    with pytest.raises(Exception, match=f"'a' must be of type {declared}, not {given}"):
        run(op, [X], a=VALUES[given])
    assert not seen
