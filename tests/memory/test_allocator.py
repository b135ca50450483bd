# SPDX-License-Identifier: MIT
"""Arrays and blocks of an allocator. test_array_life.py tests their lifetimes."""

import ml_dtypes
import numpy as np
import pytest

from ortcffi import errors
from ortcffi._native import ffi

DTYPES = ["?", "i1", "u1", "i2", ">i4", "u8", "f2", "f4", "f8", "g", "c8", "c16", "S3", "U2", "V7"]
DTYPES += ["M8[ns]", "m8[D]", ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn]
DTYPES += [[("x", "f4"), ("y", "i2", (2, 3))]]


@pytest.fixture
def allocator(api):
    return api.default_allocator


# --- good arrays ----------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(), 0, 1, 5, (0,), (3,), (2, 0, 3), (1, 3, 224, 224), (1,) * 32])
def test_an_array_has_the_shape_that_was_asked_for(allocator, shape):
    expected = np.empty(shape, np.float32)
    array = allocator.empty(shape, np.float32)
    assert type(array) is np.ndarray
    assert (array.shape, array.dtype) == (expected.shape, np.float32)
    assert array.flags.c_contiguous


@pytest.mark.parametrize(
    "shape", [[2, 3], range(2, 4), np.array([2, 3]), (np.int64(2), np.uint8(3)), [np.int32(2), 3]]
)
def test_a_shape_may_be_any_sequence_of_integers(allocator, shape):
    assert allocator.empty(shape).shape == (2, 3)


@pytest.mark.parametrize("shape", [np.int64(4), np.array(4)])
def test_a_shape_may_be_any_integer(allocator, shape):
    assert allocator.empty(shape).shape == (4,)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_an_array_has_the_dtype_that_was_asked_for(allocator, dtype):
    array = allocator.zeros((2, 3), dtype)
    assert array.dtype == np.dtype(dtype)
    assert array.tobytes() == bytes(array.nbytes)


def test_a_dtype_that_is_an_array_itself_adds_dimensions_as_in_numpy(allocator):
    assert allocator.zeros(5, ("f4", (2, 3))).shape == np.zeros(5, ("f4", (2, 3))).shape


def test_the_dtype_is_by_default_that_of_numpy(allocator):
    assert allocator.empty(1).dtype == allocator.zeros(1).dtype == np.empty(1).dtype


@pytest.mark.parametrize("bytes_", [0, 1, 63, 64, 65, 4096, 100_000, 5_000_000])
def test_arrays_are_aligned_to_64_bytes(allocator, bytes_):
    array = allocator.empty(bytes_, np.uint8)
    assert array.ctypes.data % 64 == 0


def test_an_array_is_ordinary(allocator):
    array = allocator.full((3, 4), 1.5, np.float32)
    assert array.flags.c_contiguous
    assert array.flags.writeable
    assert array.flags.aligned
    array[1] = 2
    assert (array.T @ array).sum() == ((1.5, 2, 1.5) @ array).sum() * 4
    np.testing.assert_array_equal(np.sort(array, axis=None)[-4:], 2)


@pytest.mark.parametrize("shape", [(), 3, (0, 2), (1, 1), (2, 3, 4)])
@pytest.mark.parametrize("dtype", ["?", "<i8", ">f4", "f2", "D", "g", "U3", "M8[s]", "i4,f8"])
def test_an_array_is_laid_out_as_in_numpy(allocator, shape, dtype):
    ours, numpys = allocator.empty(shape, dtype), np.ndarray(shape, dtype, bytearray(4096))
    assert (ours.dtype, ours.shape, ours.strides) == (numpys.dtype, numpys.shape, numpys.strides)
    for flag in ("C_CONTIGUOUS", "F_CONTIGUOUS", "ALIGNED", "WRITEABLE"):
        assert ours.flags[flag] == numpys.flags[flag], flag


def test_arrays_do_not_share_memory(allocator):
    arrays = [allocator.full(100, i) for i in range(20)]
    assert [array[0] for array in arrays] == list(range(20))
    assert [array[-1] for array in arrays] == list(range(20))


def test_zeros_clears_memory_that_was_used_before(allocator):
    for _ in range(3):
        array = allocator.zeros((50, 20), np.int16)
        assert not array.any()
        array.fill(-1)
        del array


def test_ones_are_as_numpy_makes_them(allocator):
    np.testing.assert_array_equal(allocator.ones((2, 3), "f4"), np.ones((2, 3), "f4"), strict=True)
    with pytest.raises(TypeError, match="shape must be an int or a sequence of ints"):
        allocator.empty(np.dtype("f4"))


@pytest.mark.parametrize("shape", [(), 7, (2, 3), [2, 3, 4], np.array([3, 2])])
@pytest.mark.parametrize("dtype", ["f4", "S7", [("a", "i1"), ("b", "f8")]])
def test_arrays_are_in_fortrans_order_if_asked_to(allocator, shape, dtype):
    for name in ("empty", "zeros", "ones"):
        if (name, dtype) == ("ones", "S7") or (name == "ones" and isinstance(dtype, list)):
            continue
        made = getattr(allocator, name)(shape, dtype, order="F")
        expected = getattr(np, name)(shape, dtype, order="F")
        assert (made.strides, made.shape) == (expected.strides, expected.shape)
        assert (made.flags.f_contiguous, made.flags.c_contiguous) == (
            expected.flags.f_contiguous,
            expected.flags.c_contiguous,
        )
        assert made.flags.writeable


def test_filled_and_copied_arrays_are_in_fortrans_order_if_asked_to(allocator):
    x = np.arange(6, dtype=np.int16).reshape(2, 3)
    made = {
        "copy_of": (allocator.copy_of(x, order="F"), x),
        "full": (allocator.full((2, 3), [1, 2, 3], order="F"), np.full((2, 3), [1, 2, 3])),
    }
    for array, expected in made.values():
        np.testing.assert_array_equal(array, expected, strict=True)
        assert array.flags.f_contiguous
        assert not array.flags.c_contiguous


@pytest.mark.parametrize("order", ["K", "A", None, 1, ["F"], np.ones(2)])
def test_an_order_that_is_neither_is_refused(allocator, order):
    with pytest.raises(ValueError, match="order must be 'C' or 'F', not "):
        allocator.zeros((2, 3), order=order)


def test_a_wrong_shape_in_fortrans_order_is_named_as_it_was_given(allocator):
    with pytest.raises(ValueError, match=r"shape\[1\]|negative"):
        allocator.empty((2, -1, 3), order="F")


@pytest.mark.parametrize("shape", [(), (0, 3), (2, 3)])
def test_zeros_of_any_shape(allocator, shape):
    np.testing.assert_array_equal(allocator.zeros(shape), np.zeros(shape))


@pytest.mark.parametrize(
    ("value", "dtype"), [(7, None), (1.5, "f4"), (True, None), ("ab", None), ([1, 2, 3], "i2")]
)
def test_full_fills_as_numpy_does(allocator, value, dtype):
    expected = np.full((2, 3), value, dtype)
    array = allocator.full((2, 3), value, dtype)
    np.testing.assert_array_equal(array, expected)
    assert array.dtype == expected.dtype


@pytest.mark.parametrize(
    "original",
    [
        np.arange(12).reshape(3, 4).T,
        np.arange(24.0).reshape(2, 3, 4)[:, ::-1, ::2],
        np.broadcast_to(np.float32(3), (4, 5)),
        np.array(5),
        np.empty((0, 3), "i2"),
        np.ma.masked_less([1, 2], 2),
        np.array([(1, 2.5)], [("a", "i4"), ("b", ">f8")]),
        [[1, 2], [3, 4]],
        3.5,
    ],
    ids=lambda original: type(original).__name__,
)
def test_a_copy_is_equal_contiguous_and_has_its_own_memory(allocator, original):
    plain = np.asarray(original)
    copy = allocator.copy_of(original)
    assert type(copy) is np.ndarray
    np.testing.assert_array_equal(copy, plain)
    assert (copy.dtype, copy.shape) == (plain.dtype, plain.shape)
    assert copy.flags.c_contiguous
    assert copy.flags.writeable
    assert not np.shares_memory(copy, plain)


# --- bad arguments --------------------------------------------------------------------------------

BAD_SHAPES = [
    ((-1, 2), ValueError, r"shape\[0\] must be from 0 to 9223372036854775807, but is -1"),
    ((-2, -3), ValueError, r"shape\[0\] must be from 0"),
    ((0, -1), ValueError, r"shape\[1\] must be from 0"),
    (-5, ValueError, r"shape\[0\] must be from 0"),
    ((2**63,), ValueError, r"shape\[0\] must be from 0"),
    ((2**62, 8), ValueError, "needs more than 9223372036854775807 bytes"),
    ((2**61,), ValueError, "needs more than"),
    ((0, 2**62, 8), ValueError, "needs more than"),
    ((np.int64(2**40), np.int64(2**40)), ValueError, "needs more than"),
    ((1,) * 65, ValueError, "at most [36][24] dimensions, but has 65"),
    ((True, 3), TypeError, r"shape\[0\] must be an int, not of <class 'bool'>"),
    (True, TypeError, r"shape\[0\] must be an int"),
    ((1.5,), TypeError, r"shape\[0\] must be an int, not of <class 'float'>"),
    ((2, None), TypeError, r"shape\[1\] must be an int"),
    (((1, 2),), TypeError, r"shape\[0\] must be an int"),
    ([np.array([1, 2])], TypeError, r"shape\[0\] must be an int"),
    (2.0, TypeError, "shape must be an int or a sequence of ints"),
    (None, TypeError, "shape must be an int or a sequence of ints"),
    ("23", TypeError, "shape must be an int or a sequence of ints, not of <class 'str'>"),
    (b"23", TypeError, "shape must be an int or a sequence of ints"),
    ({2: 3}, TypeError, "shape must be an int or a sequence of ints"),
    ({2, 3}, TypeError, "shape must be an int or a sequence of ints"),
    ((n for n in (2, 3)), TypeError, "shape must be an int or a sequence of ints"),
]
BAD_DTYPES = [
    (object, TypeError, "dtype must not hold Python objects, as object does"),
    ([("a", "i4"), ("b", "O")], TypeError, "dtype must not hold Python objects"),
    ("S", ValueError, "dtype must have a size"),
    ("V", ValueError, "dtype must have a size"),
    ([], ValueError, "dtype must have a size"),
    ("foo", TypeError, "dtype: data type 'foo' not understood"),
    (5, TypeError, "dtype: "),
]


def asked_of(core_api):
    """How many blocks the core allocated."""
    return core_api.default_allocator.stats.num_allocations


@pytest.mark.parametrize("make", ["empty", "zeros"])
@pytest.mark.parametrize(("shape", "kind", "reason"), BAD_SHAPES, ids=lambda value: str(value)[:20])
def test_a_bad_shape_is_refused(allocator, make, shape, kind, reason):
    with pytest.raises(kind, match=reason):
        getattr(allocator, make)(shape)


@pytest.mark.parametrize(("dtype", "kind", "reason"), BAD_DTYPES, ids=lambda value: str(value)[:20])
def test_a_bad_dtype_is_refused(allocator, dtype, kind, reason):
    with pytest.raises(kind, match=reason):
        allocator.empty((2, 2), dtype)


def test_nothing_is_allocated_for_a_bad_argument(core_api):
    allocator = core_api.default_allocator
    once = asked_of(core_api)
    per_reading = asked_of(core_api) - once
    before = asked_of(core_api)
    for arguments in [(shape,) for shape, *_ in BAD_SHAPES] + [(2, d) for d, *_ in BAD_DTYPES]:
        with pytest.raises((TypeError, ValueError)):
            allocator.empty(*arguments)
    assert asked_of(core_api) - before == per_reading


class Raising:
    def __index__(self):
        raise ZeroDivisionError


def test_an_exception_of_the_callers_own_object_passes_through(allocator):
    with pytest.raises(ZeroDivisionError):
        allocator.empty((2, Raising()))


class Growing:
    """A dimension that is larger each time it is read."""

    asked = 0

    def __index__(self):
        self.asked += 1
        return self.asked * 1000


def test_each_dimension_is_read_once_so_an_array_is_never_larger_than_its_block(allocator):
    array = allocator.empty((2, Growing()))
    array[...] = 1
    assert array.shape == (2, 1000)


@pytest.mark.parametrize("value", [[1, 2, 3, 4], np.zeros((5, 2, 3))])
def test_a_value_that_does_not_fit_the_shape_is_refused(allocator, value):
    with pytest.raises(ValueError, match="broadcast"):
        allocator.full((2, 3), value)


def test_python_objects_are_refused_as_values(allocator):
    with pytest.raises(TypeError, match="must not hold Python objects"):
        allocator.full(3, None)
    with pytest.raises(TypeError, match="must not hold Python objects"):
        allocator.copy_of([object()])


def test_a_value_that_the_dtype_cannot_hold_is_refused(allocator):
    with pytest.raises(ValueError, match="could not convert"):
        allocator.full(3, "text", np.float32)


@pytest.mark.parametrize("bytes_", [1 << 47, 1 << 60])
def test_an_array_larger_than_memory_is_a_memory_error(allocator, bytes_):
    with pytest.raises(errors.OutOfMemory) as caught:
        allocator.empty(bytes_, np.uint8)
    assert isinstance(caught.value, MemoryError)
    assert caught.value.function == "AllocatorAlloc"


# --- blocks ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("take", ["alloc", "reserve"])
def test_a_block_can_be_written_and_freed(allocator, take):
    block = getattr(allocator, take)(1000)
    assert int(ffi.cast("uintptr_t", block)) % 64 == 0
    ffi.buffer(block, 1000)[:] = b"x" * 1000
    allocator.free(block)


@pytest.mark.parametrize("take", ["alloc", "reserve"])
def test_a_block_of_no_bytes_is_null(allocator, take):
    assert getattr(allocator, take)(0) == ffi.NULL
    allocator.free(ffi.NULL)


@pytest.mark.parametrize("take", ["alloc", "reserve"])
@pytest.mark.parametrize("size", [-1, 2**63, 2**64 - 1, 2**100])
def test_a_size_that_c_cannot_take_is_refused(allocator, take, size):
    with pytest.raises(ValueError, match="size must be from 0 to 9223372036854775807"):
        getattr(allocator, take)(size)


@pytest.mark.parametrize("size", ["8", 8.0, None])
def test_a_size_that_is_no_integer_is_refused(allocator, size):
    with pytest.raises(TypeError, match="size must be an int"):
        allocator.alloc(size)


@pytest.mark.parametrize("size", [1 << 50, 2**63 - 1])
def test_a_block_larger_than_memory_is_a_memory_error(allocator, size):
    with pytest.raises(MemoryError):
        allocator.alloc(size)


def test_the_core_reserves_no_block_larger_than_memory(core_api):
    with pytest.raises(errors.OutOfMemory) as caught:
        core_api.default_allocator.reserve(1 << 50)
    assert caught.value.function == "Reserve"


@pytest.mark.parametrize("wrong", [None, 5, b"bytes", ffi.cast("int", 5), ffi.new("char[]", 8)])
def test_only_pointers_can_be_freed(allocator, wrong):
    with pytest.raises(TypeError, match="pointer must be a cdata pointer, not "):
        allocator.free(wrong)


def test_the_core_reports_a_pointer_that_is_freed_twice(core_api, capfd):
    allocator = core_api.default_allocator
    block = allocator.alloc(100)
    allocator.free(block)
    with pytest.raises(errors.InvalidArgument, match=r"AllocatorFree: .*freed before"):
        allocator.free(block)
    with pytest.raises(errors.InvalidArgument, match="AllocatorFree: "):
        allocator.free(ffi.new("int*"))
    capfd.readouterr()
