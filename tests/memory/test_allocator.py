# SPDX-License-Identifier: MIT
"""Arrays and blocks of an allocator. test_array_life.py tests their lifetimes."""

import itertools

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


MEMORY = bytearray(1 << 17)
SHAPES = [(), 0, 1, (0,), (2, 0, 3), (1, 3, 22, 24), (1,) * 32, [2, 3], range(2, 4), np.int64(4)]
SHAPES += [np.array(4), np.array([2, 3]), (np.int64(2), np.uint8(3)), [np.int32(2), 3]]


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [*DTYPES, ("f4", (2, 3))], ids=str)
def test_arrays_are_laid_out_as_in_numpy(allocator, dtype, order):
    for shape, name in itertools.product(SHAPES, ("empty", "zeros")):
        if order == "F" and dtype == ("f4", (2, 3)):
            continue  # NumPy has no such order there
        ours = getattr(allocator, name)(shape, dtype, order=order)
        numpys = np.ndarray(shape, dtype, MEMORY, order=order)
        assert type(ours) is np.ndarray
        assert (ours.dtype, ours.shape, ours.strides) == (
            numpys.dtype,
            numpys.shape,
            numpys.strides,
        )
        for flag in ("C_CONTIGUOUS", "F_CONTIGUOUS", "ALIGNED", "WRITEABLE"):
            assert ours.flags[flag] == numpys.flags[flag], (shape, flag)
        assert ours.ctypes.data % 64 == 0
        assert name == "empty" or ours.tobytes() == bytes(ours.nbytes)


def test_the_dtype_is_by_default_that_of_numpy(allocator):
    assert allocator.empty(1).dtype == allocator.zeros(1).dtype == np.empty(1).dtype


def test_arrays_do_not_share_memory(allocator):
    arrays = [allocator.full(100, i) for i in range(20)]
    assert [array[0] for array in arrays] == list(range(20))
    assert [array[-1] for array in arrays] == list(range(20))


@pytest.mark.parametrize("order", ["C", "F"])
def test_arrays_are_filled_and_copied_as_numpy_does(allocator, order):
    x = np.arange(6, dtype=np.int16).reshape(2, 3)
    for ours, numpys in [
        (allocator.copy_of(x, order=order), x.copy(order)),
        (allocator.full((2, 3), [1, 2, 3], order=order), np.full((2, 3), [1, 2, 3], order=order)),
    ]:
        np.testing.assert_array_equal(ours, numpys, strict=True)
        assert ours.strides == numpys.strides


@pytest.mark.parametrize("order", ["K", "A", None, 1, ["F"], np.ones(2)])
def test_an_order_that_is_neither_is_refused(allocator, order):
    with pytest.raises(ValueError, match="order must be 'C' or 'F', not "):
        allocator.zeros((2, 3), order=order)


def test_a_wrong_shape_in_fortrans_order_is_named_as_it_was_given(allocator):
    with pytest.raises(ValueError, match=r"shape\[1\]|negative"):
        allocator.empty((2, -1, 3), order="F")


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
def test_a_bad_shape_is_refused(allocator, make):
    for shape, kind, reason in BAD_SHAPES:
        with pytest.raises(kind, match=reason):
            getattr(allocator, make)(shape)


def test_a_bad_dtype_is_refused(allocator):
    for dtype, kind, reason in BAD_DTYPES:
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


@pytest.mark.parametrize(
    ("arguments", "error", "reason"),
    [
        (((2, 3), [1, 2, 3, 4]), ValueError, "broadcast"),
        (((2, 3), np.zeros((5, 2, 3))), ValueError, "broadcast"),
        ((3, "text", np.float32), ValueError, "could not convert"),
        ((3, None), TypeError, "must not hold Python objects"),
    ],
)
def test_a_value_that_an_array_cannot_have_is_refused(allocator, arguments, error, reason):
    with pytest.raises(error, match=reason):
        allocator.full(*arguments)
    with pytest.raises(TypeError, match="must not hold Python objects"):
        allocator.copy_of([object()])


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
def test_a_size_that_cannot_be_is_refused(allocator, take):
    for sizes, error, reason in (
        ([-1, 2**63, 2**100], ValueError, "size must be from 0 to 9223372036854775807"),
        (["8", 8.0, None], TypeError, "size must be an int"),
        ([1 << 50, 2**63 - 1], errors.OutOfMemory, "no block of|bad_alloc"),
    ):
        for size in sizes:
            with pytest.raises(error, match=reason):
                getattr(allocator, take)(size)


def test_only_pointers_can_be_freed(allocator):
    for wrong in (None, 5, b"bytes", ffi.cast("int", 5), ffi.new("char[]", 8)):
        with pytest.raises(TypeError, match="pointer must be a cdata pointer, not "):
            allocator.free(wrong)
