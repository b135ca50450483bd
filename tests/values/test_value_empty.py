# SPDX-License-Identifier: MIT
"""Tensors in memory of their own, element types, and values as buffers."""

import io
from functools import partial

import numpy as np
import pytest

from ortcffi import ElementType, Value, ValueKind, errors, ffi, lib
from ortcffi.values.element_types import as_element, dtype_of, element_of

TYPES = [member for member in ElementType if member is not ElementType.UNDEFINED]


def test_a_dtype_and_its_element_type_name_each_other():
    for element in TYPES:
        assert element_of(dtype_of(element)) is element
        assert as_element(dtype_of(element)) is element


def test_the_enum_has_all_types_of_the_header():
    names = [name for name in dir(lib) if name.startswith("ONNX_TENSOR_ELEMENT_DATA_TYPE_")]
    assert {n.removeprefix("ONNX_TENSOR_ELEMENT_DATA_TYPE_") for n in names} == {
        member.name for member in ElementType
    }


@pytest.mark.parametrize(
    "shape",
    [0, 3, (), (0,), (2, 0, 3), [np.int64(2), 1], (1,) * 30, np.array([2, 3]), range(2, 4)],
)
def test_a_shape_is_an_int_or_a_sequence_of_them(api, shape):
    expected = np.empty(shape)
    value = Value.empty(shape, np.float64, api.default_allocator)
    assert value.shape == value.numpy().shape == expected.shape
    assert value.nbytes == expected.nbytes
    memory = memoryview(value)
    assert (memory.shape, memory.nbytes) == (expected.shape, expected.nbytes)


def test_without_ml_dtypes_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "ml_dtypes", None)
    with pytest.raises(ImportError, match="pip install -U ml_dtypes"):
        dtype_of.__wrapped__(ElementType.BFLOAT16)


def test_memory_of_a_device_is_no_array(api):
    x, out = np.zeros(3, np.float32), ffi.new("OrtValue**")
    info, shape = api.memory_info("Cuda"), ffi.new("int64_t[]", [3])
    assert not lib.CreateTensorWithDataAsOrtValue(
        api.pointer, info.handle, ffi.from_buffer(x), 12, shape, 1, ElementType.FLOAT, out
    )
    value = Value.from_handle(api, out[0], parent=(x, info), owned=True)
    assert value.memory_info.name == "Cuda"
    assert value.shape == (3,)
    for use in (value.numpy, lambda: memoryview(value), value.__dlpack_device__, value.copy):
        with pytest.raises(BufferError, match="device"):
            use()


def test_a_value_knows_its_type(api):
    assert Value.empty((2, 3), np.int16, api=api).type_info.tensor_info.shape == (2, 3)
    assert Value.map({1: 2}, api=api).type_info.kind is ValueKind.MAP


# --- buffers --------------------------------------------------------------------------------------


@pytest.mark.parametrize("code", ["?", "b", "h", "i", "q", "B", "H", "I", "Q", "e", "f", "d"])
def test_a_value_is_a_buffer_of_its_elements(api, code):
    x = np.arange(6).astype(code).reshape(2, 3)
    memory = memoryview(Value.from_numpy(x, api=api))
    assert (memory.format, memory.shape, memory.strides) == (code, x.shape, x.strides)
    assert memory.c_contiguous
    assert memory.tobytes() == x.tobytes()


def test_a_buffer_can_be_written_to_and_read_from_a_file(api):
    x = np.zeros(4, np.int16)
    value = Value.from_numpy(x, api=api)
    assert io.BytesIO(bytes(range(8))).readinto(value) == 8
    assert bytes(value) == bytes(range(8))
    np.testing.assert_array_equal(x, np.frombuffer(bytes(range(8)), np.int16))


def test_elements_without_a_format_are_no_buffer_but_an_array(api):
    value = Value.empty(3, "bfloat16", api.default_allocator)
    with pytest.raises(BufferError, match=r"numpy\(\)"):
        memoryview(value)
    assert np.asarray(value).dtype == dtype_of(ElementType.BFLOAT16)


def test_numpy_converts_a_value_as_it_converts_arrays(api):
    x = np.arange(4, dtype=np.int16)
    value = Value.from_numpy(x, api=api)
    assert np.shares_memory(np.asarray(value), x)
    assert not np.shares_memory(np.array(value), x)
    assert np.asarray(value, np.float32).dtype == np.float32
    np.testing.assert_array_equal(value + x, 2 * x)


def test_array_converts_when_it_is_asked_to(api):
    value = Value.from_numpy(np.arange(4, dtype=np.int16), api=api)
    assert value.__array__(np.float64).tolist() == [0, 1, 2, 3]
    assert value.__array__(copy=True).base is None
    with pytest.raises(ValueError, match="float64"):
        value.__array__(np.float64, copy=False)


@pytest.mark.parametrize("dtype", [np.float32, str])
def test_a_tensor_with_too_many_bytes_to_count_is_refused(api, dtype):
    with pytest.raises(ValueError, match=r"shape .* has more bytes than can be counted"):
        Value.empty((2**40, 2**22), dtype, api=api)


@pytest.mark.parametrize(
    ("shape", "error", "says"),
    [
        ({2: 3}, TypeError, r"^shape must be an int"),
        ((True,), TypeError, r"^shape(\[0\])? must be an int"),
        ((2, -1), ValueError, r"shape\[1\].*-1"),
        ((1 << 63,), ValueError, r"shape\[0\]"),
        (1 << 60, errors.OutOfMemory, None),
    ],
)
def test_values_and_allocators_refuse_the_same_shapes(api, shape, error, says):
    for empty in (partial(Value.empty, api=api), api.default_allocator.empty):
        with pytest.raises(error, match=says):
            empty(shape, "u1")
