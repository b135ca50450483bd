# SPDX-License-Identifier: MIT
"""Custom ops written in Python, in sessions of the unmodified official package."""

from typing import Any

import numpy as np
import pytest
from support.prepared import printed_by

import ortcffi as ort

X = np.arange(6, dtype=np.float32).reshape(2, 3)
F = np.float32


# --- inputs, outputs, attributes ------------------------------------------------------------------


def test_a_function_computes_a_node_with_its_attributes(define, run):
    @define([F], [F], attributes={"factor": 1.0, "offset": 0})
    def scale(x, *, factor, offset):
        return x * F(factor) + F(offset)

    [y] = run(scale, [X], factor=2.0, offset=3)
    np.testing.assert_array_equal(y, X * 2 + 3)
    [y] = run(scale, [X])
    np.testing.assert_array_equal(y, X)


def test_a_decorated_function_can_still_be_called(define):
    @define([F], [F], attributes={"factor": 1.0})
    def scale(x, *, factor=1.0):
        """Scales."""
        return x * factor

    assert scale(3, factor=2) == 6
    assert (scale.__doc__, scale.name, scale.domain) == ("Scales.", "scale", "my.domain")


def test_a_class_gets_attributes_once_and_computes_each_call(define, run):
    @define([F], [np.int64], attributes={"start": int})
    class Count:
        def __init__(self, *, start):
            self.calls = start

        def __call__(self, x):
            self.calls += 1
            return np.full(x.shape, self.calls)

    [y] = run(Count, [X], ["i8"], start=7)
    np.testing.assert_array_equal(y, np.full((2, 3), 8))


@pytest.mark.parametrize(
    ("default", "given"),
    [
        (0, 5),
        (0.5, 2.5),
        ("a", "é"),
        ([1], [4, 5]),
        ([1.0], [0.5, 1.5]),
        (["x"], ["b", "cé"]),
        (np.zeros(1), np.arange(4, dtype=np.int64)),
    ],
)
def test_attributes_of_every_type_are_read(define, run, default, given):
    seen = []

    @define([F], [F], attributes={"a": default})
    def look(x, *, a):
        seen.append(a)
        return x

    run(look, [X], a=given)
    run(look, [X])
    np.testing.assert_array_equal(seen[0], given)
    np.testing.assert_array_equal(seen[1], default)
    assert type(seen[0]) is type(given)


def test_an_optional_input_that_is_left_out_is_none_or_the_default(define, run):
    seen = []

    @define([F, ort.optional(np.int64), ort.optional(F)], [F])
    def look(x, n="default", z="default"):
        seen.append((n is None or n, z is None or type(z).__name__))
        return x

    run(look, [X])
    run(look, [X, None, X])
    assert seen == [("default", "str"), (True, "ndarray")]


def test_variadic_inputs_come_one_by_one(define, run):
    @define([ort.variadic(F, 2)], [F])
    def total(*terms):
        return sum(terms)

    [y] = run(total, [X, X, X])
    np.testing.assert_array_equal(y, 3 * X)


def test_variadic_inputs_may_differ_in_type(define, run):
    @define([ort.variadic(Any, homogeneous=False)], [np.int64])
    def ranks(*terms):
        return np.array([x.ndim for x in terms])

    [y] = run(ranks, [X, np.zeros(3), np.array(["a"], object)], ["i8"])
    assert y.tolist() == [2, 1, 1]


def test_several_outputs_are_a_tuple_and_unwanted_ones_are_ignored(define, run):
    @define([F], [F, ort.optional(np.int64), ort.optional(F)])
    def split(x):
        return x, np.array(x.size), -x

    y, n, z = run(split, [X], ["f4", "i8", "f4"])
    assert (y.tolist(), n.tolist(), z.tolist()) == (X.tolist(), 6, (-X).tolist())
    y, z = run(split, [X], ["f4", None, "f4"])
    assert z.tolist() == (-X).tolist()
    assert len(run(split, [X], ["f4"])) == 1


def test_strings_are_arrays_of_str_both_ways(define, run):
    @define([str], [str, np.int64])
    def upper(x):
        assert x.dtype == object
        return [text.upper() for text in x.tolist()], [len(text) for text in x]

    y, n = run(upper, [np.array(["ab", "", "é\0é"], object)], ["O", "i8"])
    assert y.tolist() == ["AB", "", "É\0É"]
    assert n.tolist() == [2, 0, 3]


@pytest.mark.parametrize("dtype", ["f2", "f8", "i1", "i4", "i8", "u1", "b1", "O"])
def test_an_op_of_any_type_takes_what_the_model_has(define, run, dtype):
    @define([Any], [Any])
    def flip(x):
        return x[::-1]

    x = np.array(["a", "b"], object) if dtype == "O" else np.array([1, 0], dtype)
    [y] = run(flip, [x], [dtype])
    np.testing.assert_array_equal(y, x[::-1])


def test_scalars_and_empty_arrays_keep_their_shapes(define, run):
    @define([F], [F])
    def same(x):
        return x

    for x in (np.array(3, F), np.zeros((0, 3), F)):
        [y] = run(same, [x])
        assert (y.shape, y.tolist()) == (x.shape, x.tolist())


def test_what_a_function_returns_may_be_a_view_or_a_list(define, run):
    @define([F], [F, F, np.int64])
    def several(x):
        return x.T, x[:, ::2].tolist(), 5

    y, z, n = run(several, [X], ["f4", "f4", "i8"])
    assert (y.tolist(), z.tolist(), n.tolist()) == (X.T.tolist(), X[:, ::2].tolist(), 5)


# --- errors ---------------------------------------------------------------------------------------


def fails(_x):
    raise LookupError("no such thing")


class FailsAtOnce:
    def __init__(self):
        raise ValueError("not today")

    def __call__(self, x):
        """Return the input."""


@pytest.mark.parametrize(
    ("function", "given", "message"),
    [
        (fails, {}, r"node.*LookupError: no such thing"),
        (FailsAtOnce, {}, "ValueError: not today"),
        (
            lambda x, *, axis: x + axis,
            {"attributes": {"axis": int}},
            "attribute 'axis' is missing",
        ),
        (lambda x: (x,), {"outputs": [F, F]}, "wrong must return a tuple of 2 outputs"),
        (
            lambda _x: np.ma.masked_array(["a", "b"], [True, False]),
            {"outputs": [str]},
            "output 0 must not be masked",
        ),
    ],
    ids=["raises", "cannot be made", "lacks an attribute", "returns too little", "is masked"],
)
def test_an_op_that_fails_ends_the_run_or_the_session(define, run, function, given, message):
    op = define([F], **{"outputs": [F], "name": "wrong", **given})(function)
    with pytest.raises(Exception, match=message):
        run(op, [X], ["O" if each is str else "f4" for each in given.get("outputs", [F])])


@pytest.mark.parametrize(
    ("dtype", "result", "lost"), [("i8", 1.5, "1.5"), ("u1", [1, 300], "300"), ("?", [0, 2], "2")]
)
def test_a_list_or_number_is_not_changed(dtype, result, lost):
    @ort.custom_op("my.domain", inputs=[np.float32], outputs=[dtype], op_set=None)
    def gives(_x):
        return result

    with gives.kernel() as kernel, pytest.raises(Exception, match=f"0: {lost} does not become"):
        kernel(X)


def test_shapes_may_be_of_numbers_of_numpy():
    @ort.custom_op(
        "my.domain",
        inputs=[np.float32],
        outputs=[np.float32],
        op_set=None,
        shapes=lambda shape: (np.prod(shape),),
    )
    def flat(x):
        return x.reshape(-1)

    with flat.kernel() as kernel:
        np.testing.assert_array_equal(kernel(X), X.reshape(-1))


@pytest.mark.parametrize(
    ("result", "message"),
    [
        (X.astype("f8"), r"output 0 must be float32, not float64: return x.astype\('float32'\)"),
        (None, "output 0 is None, but the node asks for it"),
        ("text", "output 0: str_ does not become float32 without change"),
        (iter([1.0]), "output 0: a list_iterator is no array of float32"),
        ([1e39], r"output 0: 1e\+39 does not become float32 without change"),
        (np.ma.masked_array(X, X > 0), "output 0 must not be masked"),
    ],
)
def test_a_wrong_result_is_named(define, run, result, message):
    @define([F], [F])
    def wrong(_x):
        return result

    with pytest.raises(Exception, match=f"my.domain:wrong: {message}"):
        run(wrong, [X])


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"inputs": 5}, TypeError, "inputs must be a list of types"),
        ({"inputs": ["nonsense"]}, TypeError, r"inputs\[0\]: data type"),
        ({"inputs": [ort.variadic(F), F]}, ValueError, "only the last one can be variadic"),
        ({"outputs": []}, ValueError, "outputs: an op has at least one"),
        ({"attributes": {"a b": 1}}, ValueError, "'a b' is no name"),
        ({"attributes": {"a": []}}, TypeError, "an empty list has no type"),
        ({"attributes": {"a": [1, "b"]}}, TypeError, "'a' must have a default"),
        ({"versions": (3, 2)}, ValueError, "versions must be from 3"),
        ({"versions": "1"}, TypeError, "versions must be a pair"),
        ({"versions": (1,)}, TypeError, r"versions must be a pair \(first, last\), not \(1,\)"),
        ({"shapes": 5}, TypeError, "shapes must be callable"),
        ({"name": "a\0b"}, ValueError, "name must not contain a null character"),
    ],
)
def test_a_bad_definition_is_refused_at_once(define, arguments, error, message):
    given = {"inputs": [F], "outputs": [F]} | arguments
    inputs, outputs = given.pop("inputs"), given.pop("outputs")
    with pytest.raises(error, match=message):
        define(inputs, outputs, **given)(lambda x: x)


@pytest.mark.usefixtures("real_api")
def test_a_kernel_has_attributes_of_the_core_whatever_table_is_the_default():
    program = """if True:
        import numpy as np, ortcffi as ort
        op = ort.custom_op("d", inputs=[np.float32], outputs=[np.float32],
                           attributes={"factor": 2.0}, op_set=None)(lambda x, *, factor: x * factor)
        ort.init_api(ort.load())
        print(op.kernel({"factor": 3.0})(np.ones(1, np.float32)))
    """
    assert printed_by(program) == "[3.]"


def test_calls_within_calls_leave_nothing_once_the_kernel_is_closed(define):
    depth = 0

    @define([F], [F])
    def nested(x):
        nonlocal depth
        depth += 1
        found = kernel(x) if depth < 20 else x
        depth -= 1
        return found

    def in_use():
        return ort.core_api().default_allocator.stats.bytes_allocated

    with nested.kernel() as kernel:
        kernel(X)
    before = in_use()
    for _ in range(20):
        with nested.kernel() as kernel:
            kernel(X)
    assert in_use() - before < 2000


# --- functions that do not fit --------------------------------------------------------------------


class Wants:
    def __init__(self, *, by):
        self.by = by

    def __call__(self, x):
        return x


@pytest.mark.parametrize(
    ("function", "inputs", "attributes", "message"),
    [
        (lambda x: x, [F, F], {}, "the function, with 2 inputs, cannot be called: too many"),
        (
            lambda x, y: x + y,
            [F],
            {},
            "the function, with 1 input, .*missing a required argument: 'y'",
        ),
        (
            lambda x: x,
            [F],
            {"by": 1.0},
            "the function, with 1 input and by, .*unexpected keyword .*'by'",
        ),
        (lambda x: x, [ort.variadic(F)], {}, "the function, with 2 inputs, cannot be called"),
        (Wants, [F], {}, "its class, with the attributes .*missing a required .*'by'"),
        (Wants, [F, F], {"by": 1.0}, "its method __call__, with 2 inputs, cannot be called"),
    ],
)
def test_a_function_that_cannot_be_called_so_is_refused(function, inputs, attributes, message):
    with pytest.raises(TypeError, match=f"my.domain:Wrong: {message}"):
        ort.custom_op(
            "my.domain",
            inputs=inputs,
            outputs=[F],
            attributes=attributes,
            name="Wrong",
            op_set=None,
        )(function)


@pytest.mark.parametrize("function", [np.add, max, lambda *x: x, lambda x, y=1: x + y])
def test_functions_that_fit_or_do_not_tell_are_taken(function):
    ort.custom_op("my.domain", inputs=[F, F], outputs=[F], name="Right", op_set=None)(function)
