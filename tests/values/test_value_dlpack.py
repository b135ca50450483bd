# SPDX-License-Identifier: MIT
"""DLPack: values as arrays of other libraries, and arrays of other libraries as values."""

import ctypes
import gc
import importlib.util
import weakref

import ml_dtypes
import numpy as np
import pytest
from support.numpy_2 import needs_numpy_2

from ortcffi import ElementType, Value

CODES = {
    "int8": (0, 8),
    "int16": (0, 16),
    "int32": (0, 32),
    "int64": (0, 64),
    "uint8": (1, 8),
    "uint16": (1, 16),
    "uint32": (1, 32),
    "uint64": (1, 64),
    "float16": (2, 16),
    "float32": (2, 32),
    "float64": (2, 64),
    "bool": (6, 8),
}
NEWER = {
    ElementType.BFLOAT16: (4, 16),
    ElementType.FLOAT8E4M3FN: (10, 8),
    ElementType.FLOAT8E4M3FNUZ: (11, 8),
    ElementType.FLOAT8E5M2: (12, 8),
    ElementType.FLOAT8E5M2FNUZ: (13, 8),
    ElementType.FLOAT8E8M0: (14, 8),
    ElementType.FLOAT4E2M1: (17, 4),
    ElementType.INT4: (0, 4),
    ElementType.UINT4: (1, 4),
    ElementType.INT2: (0, 2),
    ElementType.UINT2: (1, 2),
}


class Tensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


class Versioned(ctypes.Structure):
    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("owner", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", Tensor),
    )


def pointer_of(capsule, name):
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    return get(capsule, name)


def versioned(value, **arguments):
    capsule = value.__dlpack__(max_version=(1, 0), **arguments)
    return capsule, Versioned.from_address(pointer_of(capsule, b"dltensor_versioned"))


class Producer:
    """An array of another library."""

    def __init__(self, value, device=(1, 0), *, is_old=False):
        self.value, self.device, self.is_old = value, device, is_old

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **arguments):
        if self.is_old and arguments:
            raise TypeError("no such argument")
        return self.value.__dlpack__(**arguments)


# --- out ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CODES)
def test_arrays_cross_both_ways_without_a_copy(api, name):
    x = np.arange(6).astype(name).reshape(2, 3)
    value = Value.from_numpy(x, api=api)
    assert value.__dlpack_device__() == (1, 0)
    taken = Value.from_dlpack(x, api=api)
    assert taken.api == api
    for y in (np.from_dlpack(value), taken.numpy()):
        assert y.dtype == x.dtype
        assert np.shares_memory(x, y)
        np.testing.assert_array_equal(x, y)
    _, managed = versioned(value, dl_device=(1, 0), stream=None, copy=False)
    tensor = managed.tensor
    assert (managed.major, managed.flags) == (1, 0)
    assert (tensor.code, tensor.bits, tensor.lanes) == (*CODES[name], 1)
    assert (tensor.device_type, tensor.device_id, tensor.ndim) == (1, 0, 2)
    assert (tensor.shape[:2], tensor.strides[:2]) == ([2, 3], [3, 1])
    assert tensor.data + tensor.byte_offset == x.__array_interface__["data"][0]


@pytest.mark.parametrize("element", NEWER, ids=lambda element: element.name)
def test_the_newer_types_have_their_codes(api, element):
    value = Value.empty((4, 2), element, api=api)
    _, managed = versioned(value)
    assert (managed.tensor.code, managed.tensor.bits) == NEWER[element]
    assert Value.from_dlpack(value, api=api).element_type is element


def test_a_legacy_capsule_is_what_old_callers_get(api):
    x = np.zeros((2, 3), np.float32)
    value = Value.from_numpy(x, api=api)
    for arguments in ({}, {"max_version": (0, 8)}):
        capsule = value.__dlpack__(**arguments)
        tensor = Tensor.from_address(pointer_of(capsule, b"dltensor"))
        assert (tensor.data, tensor.ndim) == (x.__array_interface__["data"][0], 2)


def test_a_capsule_keeps_the_value(api):
    value = Value.empty(3, np.float32, api=api)
    token = weakref.ref(value)
    capsule = value.__dlpack__()
    value.close()
    del value
    gc.collect()
    assert token() is not None
    del capsule
    assert token() is None


def test_a_versioned_capsule_of_read_only_memory_is_marked_read_only(api):
    x = np.zeros(3)
    x.flags.writeable = False
    value = Value.from_numpy(x, api=api)
    _, managed = versioned(value)
    assert managed.flags == 1
    with pytest.raises(BufferError, match=r"read-only.*copy=True"):
        value.__dlpack__()
    _, managed = versioned(value, copy=True)
    assert managed.flags == 2
    assert managed.tensor.data != x.__array_interface__["data"][0]
    assert (ctypes.c_double * 3).from_address(managed.tensor.data)[:] == [0, 0, 0]


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"stream": 1}, BufferError),
        ({"dl_device": (2, 0)}, BufferError),
        ({"dl_device": 5}, BufferError),
        ({"max_version": 3}, TypeError),
    ],
)
def test_a_request_that_cpu_memory_cannot_meet_is_an_error_that_names_it(api, arguments, error):
    with pytest.raises(error, match=next(iter(arguments))):
        Value.empty(3, api=api).__dlpack__(**arguments)
    with pytest.raises(BufferError, match="numbers"):
        Value.from_strings(["a"], api=api).__dlpack__()


@pytest.mark.parametrize(
    ("x", "error", "says"),
    [
        ([1, 2], TypeError, "__dlpack__"),
        (np.zeros(3, np.complex64), NotImplementedError, None),
        (np.ma.zeros(3), TypeError, "x must not be masked"),
        (Producer(np.zeros(3), (2, 0)), BufferError, "device"),
        *(
            (Producer(np.zeros(3), device), TypeError, "x: __dlpack_device__ must give a pair")
            for device in (None, 1, (), (1,))
        ),
    ],
)
def test_what_gives_no_memory_of_the_cpu_is_refused(api, x, error, says):
    with pytest.raises(error, match=says):
        Value.from_dlpack(x, api=api)


# --- in -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("is_old", [False, True])
def test_both_kinds_of_capsule_are_taken(api, is_old):
    x = np.arange(3)
    value = Value.from_dlpack(Producer(Value.from_numpy(x, api=api), is_old=is_old), api=api)
    assert np.shares_memory(value.numpy(), x)


def test_a_value_keeps_the_memory_of_another_library_and_gives_it_back(api):
    mine = Value.empty(3, np.int16, api=api)
    token = weakref.ref(mine)
    value = Value.from_dlpack(mine, api=api)
    del mine
    gc.collect()
    assert token() is not None
    value.close()
    assert token() is None


@needs_numpy_2("has no capsules that say what is read-only")
def test_read_only_memory_stays_so(api):
    x = np.zeros(3)
    x.flags.writeable = False
    assert not np.from_dlpack(Value.from_numpy(x, api=api)).flags.writeable
    value = Value.from_dlpack(x, api=api)
    assert value.readonly
    assert not value.numpy().flags.writeable


def test_another_layout_needs_a_copy(api):
    x = np.arange(6, dtype=np.int32).reshape(2, 3)
    for view in (x.T, x[:, ::2], x[::-1]):
        with pytest.raises(ValueError, match=r"C-contiguous.*copy=True"):
            Value.from_dlpack(view, api=api)
        np.testing.assert_array_equal(Value.from_dlpack(view, api=api, copy=True).numpy(), view)


def test_a_copy_of_bfloat16_is_made_when_it_is_asked_for(api):
    x = np.arange(6).astype(ml_dtypes.bfloat16).reshape(2, 3)
    value = Value.from_dlpack(Value.from_numpy(x, api=api), api=api, copy=True)
    np.testing.assert_array_equal(value.numpy(), x)
    assert not np.shares_memory(value.numpy(), x)


@pytest.mark.parametrize("shape", [(), (0,), (2, 0, 3), (1, 1)])
def test_small_shapes_are_contiguous(api, shape):
    assert Value.from_dlpack(np.zeros(shape), api=api).shape == shape


def test_a_used_capsule_is_an_error(api):
    class Twice(Producer):
        def __dlpack__(self, **_):
            return capsule

    capsule = Value.empty(3, api=api).__dlpack__()
    taken = Value.from_dlpack(Twice(None), api=api)
    with pytest.raises(BufferError, match="used"):
        Value.from_dlpack(Twice(None), api=api)
    assert taken.shape == (3,)


if importlib.util.find_spec("torch"):

    def test_torch_shares_the_memory_both_ways(api):
        import torch

        x = np.arange(6, dtype=np.float32)
        tensor = torch.from_dlpack(Value.from_numpy(x, api=api))
        tensor[0] = 7
        assert x[0] == 7
        assert np.shares_memory(Value.from_dlpack(tensor, api=api).numpy(), x)


# --- capsules that lie ----------------------------------------------------------------------------


def altered(x, **fields):
    """A producer whose capsule has other facts than its array."""

    class Altered(Producer):
        def __dlpack__(self, **arguments):
            capsule, managed = versioned(self.value)
            for name, content in fields.items():
                setattr(managed if hasattr(managed, name) else managed.tensor, name, content)
            return capsule

    return Altered(Value.from_numpy(x))


@pytest.mark.parametrize("copy", [False, True])
@pytest.mark.parametrize(
    ("fields", "error", "message"),
    [
        ({"major": 0}, BufferError, "DLPack 0, not of 1"),
        ({"major": 2}, BufferError, "DLPack 2, not of 1"),
        ({"device_type": 2}, BufferError, r"not on device \(2, 0\)"),
        ({"ndim": -1}, BufferError, "without a shape"),
        ({"ndim": 2**31 - 1}, BufferError, "shape"),
        ({"shape": None}, BufferError, "without a shape"),
        ({"data": None}, BufferError, "without a shape or memory"),
        ({"shape": (ctypes.c_int64 * 1)(-4)}, BufferError, "without a shape"),
        ({"shape": (ctypes.c_int64 * 1)(2**61)}, ValueError, "x has more bytes than"),
        ({"lanes": 2}, TypeError, "x has elements"),
    ],
)
def test_a_capsule_that_makes_no_sense_is_refused(api, fields, error, message, copy):
    with pytest.raises(error, match=message):
        Value.from_dlpack(altered(np.zeros(4), **fields), api=api, copy=copy)


def test_a_producer_is_asked_for_one_capsule(api):
    asked = []
    producer = Producer(np.zeros((2, 3)).T)
    producer.__dlpack__ = lambda **named: asked.append(named) or producer.value.__dlpack__(**named)
    with pytest.raises(ValueError, match="not C-contiguous"):
        Value.from_dlpack(producer, api=api)
    assert len(asked) == 1


def test_a_producers_own_error_comes_through(api):
    class Broken(Producer):
        def __dlpack_device__(self):
            raise AttributeError("mine")

    with pytest.raises(AttributeError, match="mine"):
        Value.from_dlpack(Broken(None), api=api)
