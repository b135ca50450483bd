# SPDX-License-Identifier: MIT
"""What a kernel of an op in Python is given that is not of the type that the op declares."""

import numpy as np
import pytest

import ortcffi as ort


@pytest.fixture(scope="module")
def op():
    @ort.custom_op(
        "test.types",
        inputs=[ort.optional(np.float32), ort.optional(np.int64)],
        outputs=[np.float64],
        attributes={"by": 2.0, "words": ["a"], "count": 1},
        op_set=None,
    )
    def product(x=None, n=None, *, by, words, count):
        return np.asarray((n if x is None else x) * by * len(words) * count, np.float64)

    return product


def test_an_int_is_no_float_as_in_a_model(op):
    with pytest.raises(
        TypeError, match=r"\['by'\] of test.types:product must be of type FLOAT, not"
    ):
        op.kernel({"by": 3})
    assert op.kernel({"by": 3.0})([1, 2]).tolist() == [3, 6]


def test_an_empty_list_has_the_type_that_the_op_declares(op):
    assert op.kernel({"words": []})([1, 2]).tolist() == [0, 0]


@pytest.mark.parametrize("attributes", [{"by": "x"}, {"count": 1.5}, {"words": [1]}, {"bye": 3.0}])
def test_an_attribute_that_does_not_fit_is_an_error_that_names_it(op, attributes):
    (name,) = attributes
    with pytest.raises(TypeError, match=rf"attributes\['{name}'\]"):
        op.kernel(attributes)


@pytest.mark.parametrize("given", [[1.7, 2.2], ["3"], [2**64]])
def test_a_list_whose_numbers_would_change_is_refused(op, given):
    with pytest.raises(TypeError, match=r"input 1 of product: .* without change"):
        op.kernel()(None, given)


def test_a_kernel_writes_to_an_array(op):
    out = np.zeros(2, np.float64)
    assert op.kernel().compute([1, 2], out=out).numpy().tolist() == [2, 4]
    assert out.tolist() == [2, 4]


READ_ONLY = np.zeros(2)
READ_ONLY.flags.writeable = False


@pytest.mark.parametrize(
    ("out", "kind", "message"),
    [
        (5, TypeError, "out must be a Value, an ndarray or a list of them, not 5"),
        (["x"], TypeError, r"out\[0\] must be a Value, an ndarray or None, not str"),
        ([], ValueError, "out must have 1 entries, one for each output, but has 0"),
        ([None, None], ValueError, "out must have 1 entries, one for each output, but has 2"),
        (
            np.zeros(4)[::2],
            ValueError,
            r"out\[0\] is not C-contiguous: a kernel cannot write to it",
        ),
        (READ_ONLY, ValueError, r"out\[0\] is read-only"),
        (np.array(["a"]), TypeError, r"out\[0\]: kernels cannot write strings"),
    ],
)
def test_what_a_kernel_cannot_write_to_is_refused_by_name(op, out, kind, message):
    with pytest.raises(kind, match=message):
        op.kernel().compute([1, 2], out=out)


def test_a_kernel_does_not_write_to_a_value_of_another_library(op, real_api):
    with (
        ort.Value.empty(2, np.float64, api=real_api) as out,
        pytest.raises(ValueError, match=r"out\[0\] belongs to .* kernels run on the core"),
    ):
        op.kernel().compute([1, 2], out=out)


def test_a_list_of_whole_numbers_fits_both_floats_and_ints(op):
    kernel = op.kernel()
    assert kernel([1, 2]).tolist() == kernel(None, [1, 2]).tolist() == [2, 4]
    assert kernel([0.5, 2]).tolist() == [1, 4]
