# SPDX-License-Identifier: MIT
"""Kernels whose calls are checked, and the ops with a bug that they find (2 s)."""

import itertools
import re

import numpy as np
import pytest
from support.planted import SAID

import ortcffi as ort
from ortcffi.testing import compare_with_session

X = np.arange(6, dtype=np.float32).reshape(2, 3)
FOUND = [
    *("WritesAfterOutput", "WritesBeforeOutput", "WritesAfterInput", "WritesToInput"),
    *("WritesAfterScratch", "LeavesLast", "Counts", "CountsForAll", "ReadsFirstInput"),
    *("UsesLastAlpha", "SaysOtherShape"),
]
MEMORY = FOUND[:4]


@pytest.mark.parametrize("name", FOUND)
def test_a_checked_kernel_names_the_bug(buggy_ops, name):
    op = buggy_ops["buggy", name]
    for call in ("__call__", "compute"):
        with (
            op.kernel(check=True) as kernel,
            pytest.raises(AssertionError, match=f"buggy:{name}: .*{re.escape(SAID[name])}"),
        ):
            getattr(kernel, call)(X)


def test_a_checked_kernel_accuses_no_op_that_is_right(buggy_ops):
    with buggy_ops["buggy", "Doubles"].kernel(check=True) as kernel:
        for x in (X, X[:, ::2], np.float32(3), np.empty((0, 2), np.float32)):
            np.testing.assert_array_equal(kernel(x), 2 * x)
        out = np.empty_like(X)
        kernel.compute(X, out=out)
        np.testing.assert_array_equal(out, 2 * X)


@pytest.fixture
def guarded(core_api):
    with ort.Guarded(core_api.default_allocator) as guarded:
        yield guarded


@pytest.mark.parametrize(
    ("inside", "name"),
    [
        *itertools.product(["alone", "of tests", "in another, checked"], MEMORY),
        ("in another", "WritesAfterOutput"),  # before it is the header of the other
    ],
)
def test_a_guarded_allocator_is_enough_for_bugs_of_memory(
    buggy_ops, name, inside, guarded, ort_allocator
):
    outer = ort.Tracking(guarded) if "another" in inside else guarded
    allocator, check = ort_allocator if inside == "of tests" else outer, "checked" in inside
    with (
        buggy_ops["buggy", name].kernel(check=check, allocator=allocator) as kernel,
        pytest.raises(AssertionError, match=re.escape(SAID[name])),
    ):
        kernel(X)
    assert not check or guarded.find_damage() is None


@pytest.mark.parametrize("name", ["Counts", "CountsForAll"])
def test_a_kernel_may_be_allowed_to_change(buggy_ops, name):
    with (
        buggy_ops["buggy", name].kernel(check=True) as kernel,
        pytest.raises(AssertionError, match=r"another output 0, .*; repeats=1 allows it"),
    ):
        kernel(X)
    with buggy_ops["buggy", name].kernel(check=True, repeats=1) as kernel:
        assert not np.array_equal(kernel(X), kernel(X))


@pytest.mark.usefixtures("forks")
@pytest.mark.parametrize(("attributes", "other"), [({}, 1.5), ({"alpha": 3.0}, 4.0)])
def test_a_comparison_finds_the_attribute_of_another_kernel(buggy_ops, attributes, other, real_api):
    message = f"UsesFirstAlpha, with attributes {{'alpha': {other}}}, beside a kernel with others"
    with pytest.raises(AssertionError, match=message):
        compare_with_session(buggy_ops["buggy", "UsesFirstAlpha"], [X], attributes, api=real_api)


@pytest.mark.usefixtures("forks")
def test_a_comparison_finds_kernels_that_share_memory(buggy_ops, real_api):
    with pytest.raises(AssertionError, match=r"buggy:SharesScratch.* on 2 threads"):
        compare_with_session(buggy_ops["buggy", "SharesScratch"], [X], api=real_api)


@pytest.mark.usefixtures("forks")
def test_a_comparison_names_an_op_that_ends_its_session(buggy_ops, real_api):
    message = "buggy:ReleasesTwice: in a session, it crashes"
    with pytest.raises(AssertionError, match=message):
        compare_with_session(buggy_ops["buggy", "ReleasesTwice"], [X], api=real_api)


@pytest.mark.usefixtures("forks")
def test_a_comparison_accuses_no_op_that_is_right(buggy_ops, real_api):
    compare_with_session(buggy_ops["buggy", "Doubles"], [X], api=real_api, threads=4)
    compare_with_session(buggy_ops["buggy", "Doubles"], [X], {"alpha": 3.0}, api=real_api)


def define(op_set, function, element=np.float32, **keywords):
    return ort.custom_op(
        "checked.ops", inputs=[element], outputs=[element], op_set=op_set.name, **keywords
    )(function)


def test_ops_in_python_are_checked(op_set):
    wrong = define(op_set, lambda x: x + 1, name="Wrong", shapes=lambda x: (*x, 1))

    with wrong.kernel(check=True) as kernel:
        message = r"its shape inference says \[2, 3, 1\] for output 0, and it made \[2, 3\]"
        with pytest.raises(AssertionError, match=message):
            kernel(X)


def test_strings_that_change_between_calls_are_named(op_set):
    calls = iter("abcd")
    wrong = define(op_set, lambda x: np.array([x[0], next(calls)], object), str, name="Wrong")

    with (
        wrong.kernel(check=True) as kernel,
        pytest.raises(AssertionError, match="another output 0, from element 1 on"),
    ):
        kernel(["x"])


def test_strings_and_lists_pass_through(op_set):
    upper = define(op_set, lambda x: np.char.upper(x.astype("U")).astype(object), str, name="Upper")

    with upper.kernel(check=True) as kernel:
        assert kernel(np.array(["a", "b"], object)).tolist() == ["A", "B"]


def test_calls_of_a_checked_kernel_do_not_overlap(op_set):
    again = define(op_set, lambda x: kernel(x), name="Again")  # noqa: PLW0108  # made later

    with (
        again.kernel(check=True) as kernel,
        pytest.raises(RuntimeError, match="is checked, and computes already"),
    ):
        kernel(X)


@pytest.mark.parametrize("repeats", [0, 1001, "2"])
def test_repeats_are_checked(buggy_ops, repeats):
    with pytest.raises((TypeError, ValueError), match="repeats"):
        buggy_ops["buggy", "Doubles"].kernel(check=True, repeats=repeats)


def test_a_library_of_ops_is_a_mapping(buggy_ops):
    assert "buggy" in buggy_ops
    assert ("buggy", "Doubles") in buggy_ops
    assert buggy_ops.get(("buggy", "Doubles")).name == "Doubles"
    assert "none" not in buggy_ops
    assert ("buggy", "Doubles", "more") not in buggy_ops
    assert buggy_ops.get("none") is None
    assert buggy_ops.get(("buggy", "None"), 3) == 3


# --- attributes -----------------------------------------------------------------------------------


def test_an_attribute_that_the_op_never_reads_is_named(buggy_ops):
    message = "attribute 'alpah' of buggy:Doubles is never read; the op asked for alpha, sep"
    with pytest.warns(UserWarning, match=message):
        buggy_ops["buggy", "Doubles"].kernel({"alpah": 2.0, "sep": ","})


def test_an_attribute_that_the_op_reads_as_another_type_is_named(buggy_ops):
    message = "attribute 'alpha' of buggy:Doubles is asked for as FLOAT, but given as INT"
    with pytest.warns(UserWarning, match=message):
        buggy_ops["buggy", "Doubles"].kernel({"alpha": 2})


def test_an_empty_list_for_an_op_of_a_library_needs_a_type(buggy_ops):
    with pytest.raises(TypeError, match=r"attributes\['words'\]: an empty list has no type"):
        buggy_ops["buggy", "Doubles"].kernel({"words": []})


def test_shape_inference_may_read_what_the_kernel_does_not(buggy_ops):
    buggy_ops["buggy", "LeavesLast"].kernel({"axis": 2})


def test_an_attribute_that_the_shape_inference_does_not_read_either_is_named(buggy_ops):
    message = "'axsi' of buggy:LeavesLast is never read; the op asked for alpha, sep, axis"
    with buggy_ops["buggy", "LeavesLast"].kernel({"axsi": 2}, check=True, repeats=1) as kernel:
        with pytest.warns(UserWarning, match=message):
            kernel(np.zeros(3, np.float32))
        kernel(np.zeros(3, np.float32))
    with buggy_ops["buggy", "LeavesLast"].kernel({"axis": 2}, check=True, repeats=1) as kernel:
        kernel(np.zeros(3, np.float32))
