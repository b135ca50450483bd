# SPDX-License-Identifier: MIT
"""The arrays that an op in Python is called with, which are its own."""

import gc
import sys
from functools import partial

import numpy as np
import pytest

import ortcffi as ort

F = np.float32
X = np.arange(6, dtype=F).reshape(2, 3)

op = partial(ort.custom_op, "test.arrays", inputs=[F], outputs=[F], op_set=None)


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


@pytest.mark.parametrize("name", ["bfloat16", "float8_e5m2"])
def test_arrays_may_have_elements_that_numpy_does_not_know(name):
    kind = pytest.importorskip("ml_dtypes").__dict__[name]
    x = np.arange(4).astype(kind)
    define = op(inputs=[kind], outputs=[kind])
    assert define(lambda x: -x).kernel()(x).tolist() == (-x).tolist()


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


def test_a_failing_op_looks_at_no_other_objects(monkeypatch):
    @op()
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
