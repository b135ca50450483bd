# SPDX-License-Identifier: MIT
"""Dense tensors: borrowed memory, lifetimes, and contents as NumPy sees them."""

import gc
import sys
import weakref

import ml_dtypes
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from support.allocators import InPython

from ortcffi import Tracking, Value, ValueKind, errors, ffi, lib

NUMPYS = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"]
ML_DTYPES = ["bfloat16", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz"]
ML_DTYPES += ["float8_e8m0fnu"]
DTYPES = [np.dtype(name) for name in NUMPYS]
DTYPES += [np.dtype(getattr(ml_dtypes, name)) for name in ML_DTYPES]


def image(dtype=np.float32):
    return np.arange(24).astype(dtype).reshape(2, 3, 4)


def address(array):
    return array.__array_interface__["data"][0]


# --- no copy --------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_an_array_and_its_value_share_memory(api, dtype):
    x = image(dtype)
    value, out = Value.from_numpy(x, api=api), ffi.new("void**")
    assert (value.shape, value.dtype, value.nbytes) == (x.shape, x.dtype, x.nbytes)
    assert (value.kind, value.memory_info) == (ValueKind.TENSOR, api.cpu_memory_info())
    assert not lib.GetTensorMutableData(api.pointer, value.handle, out)
    assert int(ffi.cast("uintptr_t", out[0])) == address(x)
    y = value.numpy()
    assert (y.dtype, y.shape, address(y)) == (x.dtype, x.shape, address(x))
    y[1, 2, 3] = 1
    assert x[1, 2, 3] == 1


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    x=hnp.arrays(
        dtype=st.sampled_from(NUMPYS),
        shape=hnp.array_shapes(min_dims=0, max_dims=6, min_side=0, max_side=4),
    )
)
def test_any_array_comes_back_unchanged(tables, x):
    for api in tables:
        value = Value.from_numpy(x, api=api)
        np.testing.assert_array_equal(value.numpy(), x)
        np.testing.assert_array_equal(np.asarray(value), x)
        assert value.shape == x.shape
        np.testing.assert_equal(value.to_python(), x.tolist())


# --- who keeps what -------------------------------------------------------------------------------


class Tracked(np.ndarray):
    """An array that can be referred to weakly."""


@pytest.mark.parametrize("keeper", [lambda value: value, lambda value: value.numpy()[1:, 2]])
def test_a_value_and_an_array_of_it_keep_the_array(api, keeper):
    x = image().view(Tracked)
    token = weakref.ref(x)
    kept = keeper(Value.from_numpy(x, api=api))
    del x
    gc.collect()
    assert token() is not None
    del kept
    assert token() is None


def test_of_a_closed_value_only_arrays_stay_valid(api):
    value = Value.empty((2, 3), np.int16, Tracking(api.default_allocator))
    assert value.api == api
    y, memory = value.numpy(), memoryview(value)
    y[:] = 7
    value.close()
    assert y.tolist() == memory.tolist() == [[7] * 3] * 2
    for use in (value.numpy, value.to_python, lambda: memoryview(value), lambda: value.nbytes):
        with pytest.raises(ValueError, match="closed"):
            use()


def test_a_tensor_is_in_the_memory_of_the_given_allocator_and_keeps_it(api):
    counting = InPython(api)
    blocks, token = counting.blocks, weakref.ref(counting)
    value = Value.empty((2, 3), np.float32, counting)
    assert len(blocks) == 1
    y = value.numpy()
    assert address(y) in blocks
    del value, counting
    gc.collect()
    assert len(blocks) == 1
    del y
    assert blocks == {}
    gc.collect()
    assert token() is None


def test_an_exception_of_an_allocator_is_the_cause(api):
    class Broken(InPython):
        def alloc(self, _):
            raise ZeroDivisionError("no luck")

    with pytest.raises(errors.OrtError) as caught:
        Value.empty(3, np.float32, Broken(api))
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_a_table_refuses_an_allocator_that_describes_its_memory_in_terms_of_another(
    core_api, real_api
):
    with pytest.raises(ValueError, match="allocator describes its memory"):
        Value.empty(3, np.float32, InPython(core_api), api=real_api)


# --- what cannot be borrowed ----------------------------------------------------------------------


def misaligned():
    return np.zeros(9, np.uint8)[1:].view(np.float32)


UNFIT = {
    "not C-contiguous": image().T,
    "not aligned": misaligned(),
    "byte order": image(">f4" if sys.byteorder == "little" else "<f4"),
}


@pytest.mark.parametrize("reason", UNFIT)
def test_the_error_for_an_array_that_cannot_be_borrowed_says_what_to_do(api, reason):
    with pytest.raises(ValueError, match=f"x is .*{reason}.*copy=True"):
        Value.from_numpy(UNFIT[reason], api=api)


@pytest.mark.parametrize("x", [*UNFIT.values(), image()], ids=[*UNFIT, "plain"])
def test_a_copy_is_made_on_request(api, x):
    value = Value.from_numpy(x, api=api, copy=True)
    np.testing.assert_array_equal(value.numpy(), x)
    assert not np.shares_memory(value.numpy(), x)
    assert value.numpy().dtype.isnative
    assert value.numpy().flags.writeable


def test_a_read_only_array_makes_a_value_without_writable_memory(api):
    x = image()
    x.flags.writeable = False
    value = Value.from_numpy(x, api=api)
    assert value.readonly
    assert not value.numpy().flags.writeable
    assert memoryview(value).readonly
    with pytest.raises(ValueError, match="WRITEABLE flag"):
        value.numpy().flags.writeable = True
    np.testing.assert_array_equal(value.numpy(), x)


@pytest.mark.parametrize(
    ("x", "says"),
    [
        ([1, 2], "ndarray, not list"),
        (np.float32(1), "ndarray, not float32"),
        (None, "ndarray, not NoneType"),
        (np.ma.zeros(3), "masked"),
        (np.zeros(2, "m8[s]"), "timedelta64.*int64"),
        (np.zeros(2, "V4"), "V4"),
        (np.zeros(2, [("a", "i4")]), "a"),
        (np.zeros(2, np.longdouble), "float128|longdouble"),
        (np.zeros(2, ml_dtypes.float8_e3m4), "float8_e3m4"),
    ],
)
def test_an_argument_that_is_no_tensor_is_named(api, x, says):
    with pytest.raises(TypeError, match=f"x.*({says})"):
        Value.from_numpy(x, api=api)


def test_an_element_type_without_tensors_is_the_librarys_error(api):
    with pytest.raises(errors.NotImplemented, match="14"):
        Value.from_numpy(np.zeros(2, np.complex64), api=api)


def test_a_subclass_is_made_like_the_class(api):
    class Named(Value):
        pass

    value = Named.from_numpy(image(), api=api)
    value.name = "x"
    assert type(value) is Named
    assert type(value.copy()) is Named
    assert value.name == "x"


def test_more_dimensions_than_arrays_have_are_an_error_of_numpys(api):
    value = Value.empty((1,) * 100, np.int8, api=api)
    assert value.shape == (1,) * 100
    with pytest.raises(ValueError, match="dimensions"):
        value.numpy()
    with pytest.raises((ValueError, BufferError)):
        memoryview(value)


def test_a_subclass_of_arrays_cannot_claim_memory_that_it_does_not_have(api):
    class Boastful(np.ndarray):
        shape = property(lambda _self: (10**6,))
        nbytes = property(lambda _self: 8 * 10**6)

    value = Value.from_numpy(np.zeros(3).view(Boastful), api=api)
    assert value.shape == (3,)
