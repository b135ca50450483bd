# SPDX-License-Identifier: MIT
"""The arrays that an op in Python is called with: its own, or those of the host while it runs."""

import gc
import sys
from functools import partial

import numpy as np
import pytest

import ortcffi as ort

F = np.float32
X = np.arange(6, dtype=F).reshape(2, 3)

op = partial(ort.custom_op, "test.arrays", inputs=[F], outputs=[F], op_set=None)
borrowing = partial(op, borrow=True)


# --- of its own -----------------------------------------------------------------------------------


def test_an_op_may_write_to_its_inputs_and_keep_them():
    kept, x = [], X.copy()

    @op()
    def double(a):
        kept.extend([a, a[1:], a.T])
        a *= 2
        return a

    assert double.kernel()(x).tolist() == (2 * X).tolist()
    assert x.tolist() == X.tolist()
    x[...] = -1
    assert [a.tolist() for a in kept] == [
        (2 * X).tolist(),
        (2 * X[1:]).tolist(),
        (2 * X.T).tolist(),
    ]
    assert kept[0].flags.owndata


@pytest.mark.parametrize("borrow", [False, True])
@pytest.mark.parametrize("name", ["bfloat16", "float8_e5m2"])
def test_arrays_may_have_elements_that_numpy_does_not_know(name, borrow):
    kind = pytest.importorskip("ml_dtypes").__dict__[name]
    x = np.arange(4).astype(kind)
    define = op(inputs=[kind], outputs=[kind], borrow=borrow)
    assert define(lambda x: -x).kernel()(x).tolist() == (-x).tolist()

    @define
    def double(x, out):
        np.add(x, x, out=out)

    assert double.kernel()(x).tolist() == (x + x).tolist()


def test_an_op_may_keep_what_it_wrote_its_output_to():
    kept = []

    @op()
    def double(x, out):
        kept.append(out)
        return np.multiply(x, 2, out=out)

    y = double.kernel()(X)
    assert kept[0].tolist() == y.tolist() == (2 * X).tolist()
    assert not np.shares_memory(kept[0], y)


@pytest.mark.parametrize("given", [lambda _: None, lambda out: out, list])
def test_outputs_of_several_arrays_may_be_returned_or_not(given):
    @op(outputs=[F, ort.optional(F)], shapes=lambda x: (x, x[:1]))
    def both(x, out):
        out[0][...] = x
        out[1][...] = x[:, 0]
        return given(out)

    y, z = both.kernel()(X)
    assert (y.tolist(), z.tolist()) == (X.tolist(), [0, 3])


def test_the_locals_of_an_op_that_failed_can_still_be_read():
    @op()
    def fails(x):
        first = x[0]
        raise LookupError(first is None)

    x = X.copy()
    with pytest.raises(ort.OrtError) as caught:
        fails.kernel()(x)
    x[...] = -1
    found = caught.value.__cause__.__traceback__.tb_frame.f_locals
    assert (found["x"].tolist(), found["first"].tolist()) == (X.tolist(), X[0].tolist())


@pytest.mark.parametrize("borrow", [False, True])
def test_a_failing_op_looks_at_no_other_objects(borrow, monkeypatch):
    @op(borrow=borrow)
    def fails(x):
        raise LookupError(str(x[0]))

    def refuse(*_):
        pytest.fail("it searched")

    kernel = fails.kernel()
    with monkeypatch.context() as patch:
        for name in ("collect", "get_objects", "get_referents", "get_referrers"):
            patch.setattr(gc, name, refuse)
        patch.setattr(sys, "_current_frames", refuse)
        with pytest.raises(ort.OrtError, match="LookupError"):
            kernel(X)


# --- of the host ----------------------------------------------------------------------------------


@pytest.fixture
def refuses():
    """``refuses(op)`` runs it; the run must fail because an array is still referenced."""

    def refuses(op):
        with pytest.raises(ort.errors.RuntimeException, match="is still referenced") as caught:
            op.kernel()(X)
        assert type(caught.value.__cause__) is BufferError
        return str(caught.value)

    return refuses


def test_arrays_that_are_borrowed_lie_over_the_memory_of_the_host():
    seen = []

    @borrowing()
    def look(x, out):
        seen.append((x.ctypes.data, x.flags.writeable, x.flags.owndata, out.flags.owndata))
        out[...] = x[::-1]

    assert look.kernel()(X).tolist() == X[::-1].tolist()
    assert seen == [(X.ctypes.data, False, False, False)]


@pytest.mark.parametrize(
    "keep",
    [
        lambda x: x,
        lambda x: x[1:].view(np.recarray).T,
        lambda x: {"view": (x[1],)},
        memoryview,
        lambda x: x.flat,
        lambda x: x.ctypes,
        np.asarray,
        lambda x: np.frombuffer(x, np.uint8),
        lambda x: np.lib.stride_tricks.as_strided(x, (1,), (4,)),
        ort.Value.from_numpy,
        lambda x: lambda: x,
    ],
)
def test_a_borrowing_op_that_keeps_an_array_or_a_view_fails(keep, refuses):
    kept = []

    @borrowing()
    def keeps(x):
        kept.append(keep(x))
        return x

    refuses(keeps)


def test_a_borrowing_op_that_keeps_its_output_fails(refuses):
    kept = []

    @borrowing()
    def keeps(x, out):
        out[...] = x
        kept.append(out)

    refuses(keeps)


def test_a_borrowing_op_may_return_its_input_a_view_or_its_output():
    assert borrowing()(lambda x: x[::-1]).kernel()(X).tolist() == X[::-1].tolist()
    same = borrowing(name="same")(lambda x: x)
    assert same.kernel()(X).tolist() == X.tolist()


def test_a_borrowing_op_runs_again_after_it_was_refused(refuses):
    kept = []

    @borrowing()
    def keeps(*xs):
        kept.append(xs)
        return xs[0]

    refuses(keeps)
    kept.clear()
    refuses(keeps)


def test_an_exception_of_a_borrowing_op_has_no_frames_that_refer_to_arrays():
    @borrowing()
    def fails(x):
        try:
            raise LookupError(len(x))
        except LookupError as error:
            raise ValueError("no") from error

    with pytest.raises(ort.OrtError, match="ValueError: no") as caught:
        fails.kernel()(X)
    cause = caught.value.__cause__
    assert type(cause) is ValueError
    assert cause.__traceback__.tb_frame.f_locals == {}
    assert cause.__cause__.__traceback__.tb_frame.f_locals == {}


def test_what_the_caller_of_a_run_handles_keeps_its_frames():
    @borrowing()
    def fails(x):
        raise ValueError(str(x[0]))

    def outer(local):
        raise LookupError(local)

    def run():
        with pytest.raises(ort.OrtError):
            fails.kernel()(X)

    def both():
        try:
            outer(5)
        finally:
            run()

    with pytest.raises(LookupError) as caught:
        both()
    assert caught.traceback[-1].frame.f_locals == {"local": 5}


def test_an_exception_that_refers_to_a_borrowed_array_becomes_text(refuses):
    @borrowing()
    def fails(x):
        raise LookupError("at", x[0])

    assert "the op raised LookupError: ('at', array([0., 1., 2.], dtype=float32))" in refuses(fails)


def test_strings_are_copies_that_a_borrowing_op_need_not_keep_either():
    upper = borrowing(inputs=[str], outputs=[str], name="upper")(lambda x: [s.upper() for s in x])
    assert upper.kernel()(["a", "b"]).tolist() == ["A", "B"]
