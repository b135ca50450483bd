# SPDX-License-Identifier: MIT
"""Arguments of values that are wrong in unusual ways."""

import ctypes
import weakref

import numpy as np
import pytest
from support.numpy_2 import needs_numpy_2

from ortcffi import ElementType, KeyValuePairs, Limiting, TensorTypeInfo, TypeInfo, Value, ffi
from ortcffi.errors import InvalidArgument, OutOfMemory
from ortcffi.values.checks import array_of

WRAPPERS = {
    "value": Value.from_handle,
    "pairs": KeyValuePairs.from_handle,
    "tensor type": TensorTypeInfo.from_handle,
    "type": TypeInfo,
}
POINTERS = {
    "value": "OrtValue*",
    "pairs": "OrtKeyValuePairs*",
    "tensor type": "OrtTensorTypeAndShapeInfo*",
    "type": "OrtTypeInfo*",
}


@pytest.mark.parametrize("kind", WRAPPERS)
@pytest.mark.parametrize("handle", [5, None, "x", b"", ffi.cast("OrtEnv*", 64), ffi.new("int*")])
def test_a_handle_that_is_no_pointer_of_its_type_is_refused(api, kind, handle):
    with pytest.raises(TypeError, match="handle must be a cdata of Ort"):
        WRAPPERS[kind](api, handle)


@pytest.mark.parametrize("kind", WRAPPERS)
def test_a_handle_that_is_null_is_refused(api, kind):
    with pytest.raises(ValueError, match="handle must not be NULL"):
        WRAPPERS[kind](api, ffi.cast(POINTERS[kind], 0))


@pytest.mark.parametrize("kind", WRAPPERS)
def test_a_handle_needs_the_table_that_it_belongs_to(kind):
    with pytest.raises(TypeError, match="api must be an Api"):
        WRAPPERS[kind](None, ffi.cast(POINTERS[kind], 64), parent=object())


@pytest.mark.parametrize("shape", [[2**62] * 200_000, [2**62] * 3])
def test_a_shape_with_too_many_elements_to_count_is_refused_at_once(api, shape):
    with pytest.raises(InvalidArgument, match="more bytes than can be counted") as caught:
        Value.empty(shape, "u1", api=api)
    assert len(str(caught.value)) < 300


def test_a_buffer_for_a_shape_with_too_many_elements_is_refused_at_once(api):
    with pytest.raises(ValueError, match="buffer must have"):
        Value.from_buffer(b"", [2**62] * 200_000, "u1", api=api)


def test_strings_of_a_real_library_need_an_allocator_that_never_answers_null(real_api):
    with Limiting(real_api.default_allocator, 1000) as limiting:
        for count in (1, 100):
            with pytest.raises(ValueError, match="allocator must be one of the library's own"):
                Value.empty(count, str, limiting)
        assert Value.empty(4, "f4", limiting).nbytes == 16


def test_strings_of_the_core_may_come_from_any_allocator(core_api):
    with Limiting(core_api.default_allocator, 1000) as limiting:
        assert Value.empty(4, str, limiting).to_python() == [""] * 4
        with pytest.raises(OutOfMemory):
            Value.empty(100, str, limiting)


@pytest.mark.parametrize("shape", [(), (4,), (4, 4, 4)])
def test_blocks_of_other_than_two_dimensions_are_refused(api, shape):
    blocks, where = np.ones((2, 2, 1), np.float32), np.array([[9], [9]], np.int32)
    with pytest.raises(InvalidArgument, match="shape must have 2 dimensions"):
        Value.block_sparse(blocks, where, shape, api=api)


@needs_numpy_2("has no StringDType")
def test_strings_of_numpy_2_are_stored_in_a_sparse_tensor(api):
    texts = np.array(["a", "bé"], np.dtypes.StringDType())
    value = Value.sparse_coo(texts, np.array([0, 3]), (2, 2), api=api)
    assert value.element_type is ElementType.STRING
    assert value.to_python() == {(0, 0): "a", (1, 1): "bé"}


class Exporter:
    """Exports a DLPack tensor that says it has that many dimensions."""

    def __init__(self, rank, code=2, bits=32, deleter=0):
        self.memory = np.zeros(1, np.float32)
        self.shape = (ctypes.c_int64 * 1)(1)
        tensor = [self.memory.ctypes.data, 1, 0, rank, code | bits << 8 | 1 << 16]
        head = np.array(tensor[:1], np.int64).tobytes() + np.array(tensor[1:3], np.int32).tobytes()
        head += np.array([tensor[3], tensor[4]], np.int32).tobytes()
        head += np.array([ctypes.addressof(self.shape), 0, 0, 0, deleter], np.int64).tobytes()
        self.block = ctypes.create_string_buffer(head)

    def __dlpack_device__(self):
        return (1, 0)

    def __dlpack__(self, **_options):
        new = ctypes.pythonapi.PyCapsule_New
        new.restype = ctypes.py_object
        new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return new(ctypes.addressof(self.block), b"dltensor", None)


@pytest.mark.parametrize(("code", "bits"), [(2, 32), (4, 16)], ids=["float32", "bfloat16"])
def test_a_tensor_is_given_back_before_the_object_that_has_it_goes(api, code, bits):
    @ctypes.CFUNCTYPE(None, ctypes.c_void_p)
    def deleter(_tensor):
        there.append(exporter() is not None)

    there = []
    made = Exporter(1, code, bits, ctypes.cast(deleter, ctypes.c_void_p).value)
    exporter = weakref.ref(made)
    value = Value.from_dlpack(made, api=api)
    del made
    assert exporter() is not None
    del value
    assert exporter() is None
    assert there == [True]


@pytest.mark.parametrize(
    ("given", "name", "kept"),
    [
        ([1, 2.0], "int64", True),
        ([0.1, float("nan")], "float32", True),
        ([2**24 + 1], "float32", True),
        ([1.5], "int64", False),
        ([1e300], "float32", False),
        ([-1], "uint64", False),
        ([1j], "float32", False),
        ([2], "bool", False),
        ([7], "int4", True),
        ([9], "int4", False),
        ([0.3], "bfloat16", True),
        ([3000], "float8_e4m3fn", False),
    ],
)
def test_a_list_gets_the_wanted_dtype_if_no_more_than_rounding_changes_it(given, name, kept):
    pytest.importorskip("ml_dtypes")  # which gives NumPy the names int4 and others
    dtype = np.dtype(name)
    assert (array_of(given, dtype).dtype == dtype) is kept
