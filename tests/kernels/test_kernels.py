# SPDX-License-Identifier: MIT
"""Kernels without a model: inputs, outputs, attributes, errors, memory."""

import gc
from contextlib import suppress

import numpy as np
import pytest
from support.prepared import printed_by

import ortcffi as ort
from ortcffi.testing import compare_with_session, sweep_allocation_failures
from ortcffi.testing.live_objects import live_objects

F = np.float32
X = np.arange(4, dtype=F)

pytestmark = pytest.mark.usefixtures("leaves_no_python_op")


def define(inputs, outputs, **arguments):
    return ort.custom_op("my.domain", inputs=inputs, outputs=outputs, op_set=None, **arguments)


@define([F], [F], attributes={"factor": 1.0}, shapes=lambda x, **_: x)
def scale(x, *, factor):
    return x * F(factor)


@define([F, ort.optional(np.int64)], [F, ort.optional(np.int64)])
def shift(x, n=None):
    n = 1 if n is None else n
    return x + F(n), np.array(n)


@define([str], [str])
def upper(x):
    return [text.upper() for text in x]


def test_a_kernel_takes_arrays_and_returns_an_array():
    with scale.kernel({"factor": 2.0}) as kernel:
        np.testing.assert_array_equal(kernel(X), 2 * X)
        np.testing.assert_array_equal(kernel([1, 2]), [2, 4])
        np.testing.assert_array_equal(kernel(X[::2]), 2 * X[::2])
        assert kernel(ort.Value.from_numpy(X)).tolist() == (2 * X).tolist()


def test_strings_come_as_lists_and_arrays():
    with upper.kernel() as kernel:
        assert kernel(["a", "é"]).tolist() == ["A", "É"]
        assert kernel(np.array(["x"], object)).tolist() == ["X"]


def test_several_outputs_are_a_tuple_and_absent_inputs_are_none():
    with shift.kernel() as kernel:
        y, n = kernel(X)
        assert (y.tolist(), n.tolist()) == ((X + 1).tolist(), 1)
        y, n = kernel(X, np.array(3))
        assert (y.tolist(), n.tolist()) == ((X + 3).tolist(), 3)
        assert kernel(X, None)[1].tolist() == 1
    with shift.kernel(outputs=1) as kernel:
        assert kernel(X).tolist() == (X + 1).tolist()


def test_compute_gives_values_and_writes_to_those_that_are_given():
    with scale.kernel({"factor": 3.0}) as kernel:
        assert kernel.compute(X).numpy().tolist() == (3 * X).tolist()
        out = ort.Value.empty(4, F)
        assert kernel.compute(X, out=out) is out
        assert out.numpy().tolist() == (3 * X).tolist()


def test_shapes_are_inferred_as_the_op_says():
    with scale.kernel() as kernel:
        [info] = kernel.infer_shapes((3, "n"))
        assert (info.element_type, info.shape) == (ort.ElementType.FLOAT, (3, "n"))
    with upper.kernel() as kernel:
        assert kernel.infer_shapes((3,)) == (None,)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda k: k(X.astype("f8")), ort.errors.InvalidArgument, "scale 'node': input 0"),
        (lambda k: k(), ort.errors.InvalidArgument, "scale 'node'"),
        (lambda k: k(X, X), ort.errors.InvalidArgument, "scale 'node'"),
        (lambda k: k(None), ort.errors.InvalidArgument, "scale 'node'"),
        (lambda k: k("text"), ort.errors.InvalidArgument, "one of string"),
        (lambda k: k([[1], [1, 2]]), ValueError, "input 0 of scale"),
        (lambda k: k(x=X), TypeError, "by position"),
    ],
)
def test_wrong_inputs_are_named(call, error, message):
    with scale.kernel() as kernel, pytest.raises(error, match=message):
        call(kernel)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"attributes": {"factor": object()}}, TypeError, r"attributes\['factor'\]"),
        ({"attributes": {"factor": 1.0}}, TypeError, "has no attribute of that name; it has none"),
        ({"allocator": 5}, TypeError, "allocator must be an Allocator, not int"),
        ({"domain_version": 3}, ort.errors.InvalidArgument, "is not in version 3"),
        ({"domain_version": "1"}, TypeError, "domain_version must be an int, not str"),
        ({"logger": 3}, TypeError, "logger must be a cdata of const OrtLogger"),
        ({"threads": -1}, ValueError, "threads must be from 0"),
        ({"thread": 1}, TypeError, r"kernel\(\) got an unexpected keyword argument 'thread'"),
        ({"outputs": "x"}, TypeError, "outputs must be a count or a list of types"),
        ({"constants": {7: X}}, ort.errors.InvalidArgument, "has no input 7"),
        ({"node_name": "a\0"}, ValueError, "node_name must not contain a null character"),
    ],
)
def test_wrong_settings_of_a_node_are_named(arguments, error, message):
    op = define([F], [F], versions=(1, 2))(lambda x: x)
    with pytest.raises(error, match=message):
        op.kernel(**arguments)


def test_an_exception_in_a_kernel_is_the_cause():
    problem = LookupError("no such thing")

    @define([F], [F])
    def bad(_x):
        raise problem

    with (
        bad.kernel() as kernel,
        pytest.raises(ort.errors.OrtError, match="no such thing") as caught,
    ):
        kernel(X)
    assert caught.value.__cause__ is problem
    problem.__traceback__ = None


def test_the_allocator_of_a_kernel_gives_its_outputs(ort_allocator):
    with scale.kernel(allocator=ort_allocator) as kernel:
        result = kernel(X)
        assert ort_allocator.bytes_allocated >= X.nbytes
    del result, kernel
    gc.collect()
    assert ort_allocator.bytes_allocated == 0


@pytest.mark.ort_limit_memory("1 KB")
def test_outputs_beyond_the_limit_of_the_allocator_are_refused(ort_allocator):
    with scale.kernel(allocator=ort_allocator) as kernel:
        assert kernel(X).shape == X.shape
        with pytest.raises(ort.OrtError, match="out of memory: there is no block of 4000 bytes"):
            kernel(np.zeros(1000, F))


@pytest.mark.ort_allocation_faults
def test_a_kernel_fails_with_each_of_its_allocations(ort_allocator):
    with scale.kernel(allocator=ort_allocator) as kernel:
        kernel(X)


def test_a_kernel_of_an_op_that_is_gone_goes_on():
    op = define([F], [F])(lambda x: -x)
    kernel = op.kernel()
    del op
    gc.collect()
    assert kernel(X).tolist() == (-X).tolist()


def test_a_kernel_gives_the_same_as_a_session():
    compare_with_session(scale, [X], {"factor": 0.5})
    calls = []

    @define([F], [F])
    def counts(x):
        calls.append(1)
        return x + F(len(calls))

    with pytest.raises(AssertionError, match=r"output 0 of my\.domain:counts"):
        compare_with_session(counts, [X], repeats=1)


@pytest.mark.parametrize("shapes", [None, lambda x: x])
@pytest.mark.parametrize("element", [np.float64, ort.ElementType.UNDEFINED])
def test_a_session_that_does_not_fail_as_the_kernel_does_is_named(shapes, element):
    calls = []

    @ort.custom_op("d", inputs=[element], outputs=[element], shapes=shapes, op_set=None)
    def first_fails(x):
        calls.append(x.shape)
        if len(calls) == 1:
            raise ValueError("the first call")
        return x

    message = "d:first_fails: the kernel fails, and the session does not"
    with pytest.raises(AssertionError, match=message):
        compare_with_session(first_fails, [np.ones((2, 3))])


def test_allocation_failures_are_swept_to_the_end():
    def call(allocator):
        with scale.kernel(allocator=allocator) as kernel:
            kernel(X)

    assert sweep_allocation_failures(call) >= 1

    def ignores(allocator):
        with suppress(ort.OrtError):
            call(allocator)

    message = r"^\w[\w.]*:\w+: the call succeeded although its allocation 1 failed"
    with pytest.raises(AssertionError, match=message):
        sweep_allocation_failures(ignores)


def test_the_first_kernel_of_a_process_does_not_keep_its_allocator():
    program = """if True:
        import gc

        import numpy as np
        import ortcffi as ort
        from ortcffi.testing.live_objects import left_alive, live_objects

        def scale(x, *, factor):
            return x * np.float32(factor)

        given = dict(inputs=["f4"], outputs=["f4"], attributes={"factor": 1.0})
        op = ort.custom_op("d", op_set=None, shapes=lambda x, **_: x, **given)(scale)

        def run():
            tracking = ort.Tracking(ort.core_api().default_allocator)
            op.kernel(allocator=tracking)(np.ones(4, np.float32))

        before = live_objects()
        run()
        gc.collect()
        print(left_alive(before))
    """
    assert printed_by(program) == "{}"


def test_a_kernel_and_types_that_are_closed_while_it_infers_shapes_end_afterwards(core_api):
    left = []

    def close_first(x):
        before = live_objects()
        kernel.close()
        given.close()
        left.append({kind: before[kind] - count for kind, count in live_objects().items()})
        return x

    kernel = define([F], [F], shapes=close_first)(lambda x: x).kernel()
    given = ort.TensorTypeInfo(F, (3,), core_api)
    assert kernel.infer_shapes(given)[0].shape == (3,)
    assert not any(left[0].values())
