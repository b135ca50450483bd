# SPDX-License-Identifier: MIT
"""Values, devices and sparse tensors of the official package and of the drop-in."""

import gc
import weakref
from functools import partial

import numpy as np
import pytest
from support import eps
from support.graphs import graph_of
from support.numpy_2 import needs_numpy_2
from support.releases import needs_release
from support.sparse_models import sparse_output

from ortcffi import compat

X = np.array([[1, 2], [3, 4], [5, 6]], np.float32)
BFLOAT16, FLOAT8E5M2, INT4 = 16, 19, 22


def test_a_value_tells_what_it_is(onnxruntime):
    value = onnxruntime.OrtValue.ortvalue_from_numpy(X)
    assert (value.shape(), value.device_name()) == ([3, 2], "cpu")
    assert (value.data_type(), value.element_type()) == ("tensor(float)", 1)
    assert (value.tensor_size_in_bytes(), value.has_value()) == (24, True)
    kinds = (value.is_tensor(), value.is_sparse_tensor(), value.is_tensor_sequence())
    assert kinds == (True, False, False)
    assert value.data_ptr() == X.ctypes.data


@pytest.mark.parametrize(
    "dtype", ["f4", "f8", "f2", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "?"]
)
def test_values_share_the_memory_of_arrays_and_copy_strided_ones(onnxruntime, dtype):
    x = np.arange(6).astype(dtype)
    make = onnxruntime.OrtValue.ortvalue_from_numpy
    value = make(x)
    assert np.shares_memory(value.numpy(), x)
    np.testing.assert_array_equal(value.numpy(), x)
    np.testing.assert_array_equal(make(x[::-2]).numpy(), x[::-2])


@pytest.mark.parametrize(
    ("given", "element"), [(np.float32, "float"), (np.int64, "int64"), (16, "bfloat16")]
)
def test_a_value_is_made_of_a_shape_and_a_type(onnxruntime, given, element):
    value = onnxruntime.OrtValue.ortvalue_from_shape_and_type([2, 3], given)
    assert (value.shape(), value.data_type()) == ([2, 3], f"tensor({element})")


def test_memory_can_be_taken_for_another_type_of_the_same_size(onnxruntime):
    make = onnxruntime.OrtValue.ortvalue_from_numpy_with_onnx_type
    value = make(np.zeros(3, np.uint16), BFLOAT16)
    assert (value.data_type(), value.element_type()) == ("tensor(bfloat16)", BFLOAT16)
    if onnxruntime is compat:  # which knows the dtype of ml_dtypes
        assert value.numpy().dtype.name == "bfloat16"
    else:
        with pytest.raises(RuntimeError, match="No corresponding Numpy type"):
            value.numpy()


def test_a_value_is_updated_in_place(onnxruntime):
    value = onnxruntime.OrtValue.ortvalue_from_shape_and_type([3, 2], np.float32)
    place = value.data_ptr()
    value.update_inplace(X)
    np.testing.assert_array_equal(value.numpy(), X)
    other = onnxruntime.OrtValue.ortvalue_from_numpy(-X)
    value.update_inplace(other)
    np.testing.assert_array_equal(value.numpy(), -X)
    assert value.data_ptr() == place


@pytest.mark.parametrize(("element", "dtype"), [(BFLOAT16, "u2"), (FLOAT8E5M2, "u1"), (INT4, "u1")])
def test_a_value_of_elements_that_numpy_has_not_updates_another(onnxruntime, element, dtype):
    make = onnxruntime.OrtValue.ortvalue_from_numpy_with_onnx_type
    memory = np.zeros(3, dtype)
    target, source = make(memory, element), make(np.array([1, 2, 3], dtype), element)
    target.update_inplace(source)
    taken = source.tensor_size_in_bytes() // memory.itemsize
    assert memory[:taken].tolist() == [1, 2, 3][:taken]


def test_numpy_takes_a_value_for_an_array(onnxruntime):
    value = onnxruntime.OrtValue.ortvalue_from_numpy(X)
    assert np.asarray(value).ctypes.data == value.data_ptr()
    assert np.asarray(value, dtype=np.float32).ctypes.data == value.data_ptr()
    assert np.asarray(value, dtype=np.float64).dtype == np.float64
    np.testing.assert_array_equal(np.array(value), X)


# --- DLPack ---------------------------------------------------------------------------------------


def from_capsule(state, capsule):
    """Of an official package before 1.32, the caller must tell bool from bytes."""
    if not hasattr(state, "is_dlpack_uint8_tensor"):
        return state.OrtValue.from_dlpack(capsule)
    return state.OrtValue.from_dlpack(capsule, state.is_dlpack_uint8_tensor(capsule))


def test_a_capsule_goes_around(onnxruntime, state):
    value = onnxruntime.OrtValue.ortvalue_from_numpy(X)
    ours, of_stream = value._ortvalue, partial(value.__dlpack__, stream=5)
    for export in (ours.to_dlpack, ours.__dlpack__, value.__dlpack__, of_stream):
        other = from_capsule(state, export())
        assert other.data_ptr() == value.data_ptr()
        np.testing.assert_array_equal(other.numpy(), X)
    assert value.__dlpack_device__() == (1, 0)


@pytest.mark.parametrize("shape", [(1, 8, 0, 128), (0,), (0, 4), (4, 0)])
def test_a_capsule_may_have_no_bytes(onnxruntime, state, shape):
    x = np.zeros(shape, np.float32)
    assert from_capsule(state, x.__dlpack__()).shape() == list(shape)
    capsule = onnxruntime.OrtValue.ortvalue_from_numpy(x)._ortvalue.to_dlpack()
    assert from_capsule(state, capsule).shape() == list(shape)


@pytest.mark.parametrize("dtype", ["f4", "u1"])
def test_an_object_with_dlpack_becomes_a_value(onnxruntime, dtype):
    x = np.array([1, 0, 1]).astype(dtype)
    source = onnxruntime.OrtValue.ortvalue_from_numpy(x)
    for given in (source, x):
        value = onnxruntime.OrtValue.from_dlpack(given)
        assert (value.numpy().dtype, value.data_ptr()) == (x.dtype, x.ctypes.data)


@needs_numpy_2("has no capsules that say what is read-only")
def test_numpy_takes_a_value_of_an_array_that_cannot_be_written(onnxruntime):
    x = X.copy()
    x.flags.writeable = False
    value = onnxruntime.OrtValue.ortvalue_from_numpy(x)
    taken = np.from_dlpack(value)
    assert taken.ctypes.data == x.ctypes.data
    np.testing.assert_array_equal(taken, x)


# --- sparse tensors -------------------------------------------------------------------------------


@pytest.fixture
def cpu(onnxruntime):
    return onnxruntime.OrtDevice.make("cpu", 0)


@pytest.mark.parametrize("values", [np.array([1, 2, 3], np.float32), np.array(["a", "b", "c"])])
def test_a_sparse_tensor_has_coo_indices(onnxruntime, cpu, values):
    indices = np.array([3, 5, 15], np.int64)
    tensor = onnxruntime.SparseTensor.sparse_coo_from_numpy([9, 9], values, indices, cpu)
    element = "float" if values.dtype.kind == "f" else "string"
    assert tensor.format() == onnxruntime.OrtSparseFormat.ORT_SPARSE_COO
    assert (tensor.dense_shape(), tensor.data_type()) == ([9, 9], f"sparse_tensor({element})")
    assert tensor.device_name() == "cpu"
    kept = tensor.as_coo_view().indices()
    assert not kept.flags.writeable
    if element == "float":
        assert not tensor.values().flags.writeable
    gc.collect()
    np.testing.assert_array_equal(tensor.values(), values)
    np.testing.assert_array_equal(kept, indices)


def test_a_sparse_tensor_has_csr_indices(onnxruntime, cpu):
    values = np.array([1, 2, 3], np.float32)
    inner, outer = np.array([1, 1, 1]), np.array([0, 1, 2, 3, 3, 3, 3, 3, 3, 3])
    tensor = onnxruntime.SparseTensor.sparse_csr_from_numpy([9, 9], values, inner, outer, cpu)
    assert tensor.format() == onnxruntime.OrtSparseFormat.ORT_SPARSE_CSRC
    view = tensor.as_csrc_view()
    np.testing.assert_array_equal(view.inner(), inner)
    np.testing.assert_array_equal(view.outer(), outer)


def test_a_run_gives_a_sparse_tensor_of_the_compiled_module(onnxruntime, state):
    session = onnxruntime.InferenceSession(sparse_output(), providers=["CPUExecutionProvider"])
    w, y = session.run(None, {"x": np.zeros(2, np.float32)})
    assert isinstance(w, state.SparseTensor)
    assert w.values().tolist() == [1.5, 2.5]
    assert w.get_coo_data().indices().tolist() == [2, 7]
    assert y.tolist() == [1, 1]


def test_a_value_holds_a_sparse_tensor(onnxruntime, cpu):
    values, indices = np.array([1, 2], np.float32), np.array([[0, 1], [2, 2]])
    tensor = onnxruntime.SparseTensor.sparse_coo_from_numpy([3, 3], values, indices, cpu)
    value = onnxruntime.OrtValue.ort_value_from_sparse_tensor(tensor)
    assert (value.is_sparse_tensor(), value.is_tensor()) == (True, False)
    np.testing.assert_array_equal(value.as_sparse_tensor().values(), values)


# --- devices --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["cpu", "cuda", "dml", "cann", "webgpu", "gpu", "npu"])
def test_devices_have_the_official_numbers(onnxruntime, name):
    official = pytest.importorskip("onnxruntime")
    facts = [
        (d.device_id(), d.device_type(), d.device_vendor_id(), d.device_mem_type())
        for d in (onnxruntime.OrtDevice.make(name, 1), official.OrtDevice.make(name, 1))
    ]
    assert facts[0] == facts[1]


def test_memory_is_described(onnxruntime):
    kinds = onnxruntime.OrtAllocatorType, onnxruntime.OrtMemType, onnxruntime.OrtDeviceMemoryType
    info = onnxruntime.OrtMemoryInfo("Cpu", kinds[0].ORT_ARENA_ALLOCATOR, 0, kinds[1].DEFAULT)
    assert (info.name, info.device_id, info.device_vendor_id) == ("Cpu", 0, 0)
    assert (info.allocator_type, info.mem_type) == (kinds[0].ORT_ARENA_ALLOCATOR, kinds[1].DEFAULT)
    assert info.device_mem_type == kinds[2].DEFAULT


def test_memory_of_any_device_is_described(onnxruntime):
    info = onnxruntime.OrtMemoryInfo.create_v2(
        "Test",
        onnxruntime.OrtMemoryInfoDeviceType.GPU,
        0x10DE,
        1,
        onnxruntime.OrtDeviceMemoryType.DEFAULT,
        128,
        onnxruntime.OrtAllocatorType.ORT_DEVICE_ALLOCATOR,
    )
    assert (info.name, info.device_id, info.device_vendor_id) == ("Test", 1, 0x10DE)


def test_the_cpu_is_among_the_devices_of_execution_providers(onnxruntime):
    (device,) = [d for d in onnxruntime.get_ep_devices() if d.ep_name == "CPUExecutionProvider"]
    assert (device.ep_vendor, device.ep_options) == ("Microsoft", {})
    assert device.device.type == onnxruntime.OrtHardwareDeviceType.CPU
    assert isinstance(device.device.vendor_id, int)
    assert device.memory_info(onnxruntime.OrtDeviceMemoryType.DEFAULT) is None


@needs_release(25, "hardware in Python")
def test_a_provider_that_is_not_there_has_no_details_for_a_device(state):
    (cpu, *_) = state.get_hardware_devices()
    details = state.get_hardware_device_ep_incompatibility_details
    assert details("CPUExecutionProvider", cpu)["reasons_bitmask"] == 0
    with pytest.raises(state.InvalidArgument, match="No valid factory found"):
        details("NoSuchProvider", cpu)


@pytest.mark.usefixtures("real_library")
def test_an_execution_provider_of_onnxruntime_itself_is_not_unloaded():
    import ortcffi.compat as onnxruntime  # the official package frees what describes its devices
    from ortcffi.compat.capi.onnxruntime_pybind11_state import Fail

    device = onnxruntime.get_ep_devices()[0]
    with pytest.raises(Fail, match="CPUExecutionProvider is no library"):
        onnxruntime.unregister_execution_provider_library("CPUExecutionProvider")
    assert device.ep_name == "CPUExecutionProvider"


@needs_release(24, "streams of devices in Python")
def test_a_library_stays_until_what_was_made_of_its_devices_is_gone():
    import ortcffi.compat as onnxruntime  # the official package unloads it at once

    onnxruntime.register_execution_provider_library("memory transfers streams", str(eps.built()))
    device = onnxruntime.get_ep_devices()[-1]
    stream = device.create_sync_stream()
    onnxruntime.unregister_execution_provider_library("memory transfers streams")
    name = device.ep_name
    del device
    assert stream.get_handle()
    del stream
    gc.collect()
    assert name not in [each.ep_name for each in onnxruntime.get_ep_devices()]


# --- types that NumPy does not have ---------------------------------------------------------------

FLOAT8, INT4, UINT4 = 17, 22, 21


def test_the_bytes_of_a_float8_tensor_are_its_array(onnxruntime):
    x = np.array([0x38, 0x40, 0xC0], np.uint8)
    found = onnxruntime.OrtValue.ortvalue_from_numpy_with_onnx_type(x, FLOAT8).numpy()
    assert found.dtype == np.uint8
    np.testing.assert_array_equal(found, x)


def test_a_run_gives_the_bytes_of_a_float8_output(onnxruntime):
    graph = graph_of("X f4[2]", f"Y = Cast(to={FLOAT8}) X", "Y float8_e4m3fn[2]")
    session = onnxruntime.InferenceSession(graph.to_bytes(), providers=["CPUExecutionProvider"])
    (y,) = session.run(None, {"X": np.array([1, 2], np.float32)})
    assert (y.dtype, y.tolist()) == (np.uint8, [0x38, 0x40])


@pytest.mark.parametrize("onnx_type", [INT4, UINT4])
def test_an_array_of_bytes_is_the_memory_of_packed_elements(onnxruntime, onnx_type):
    x = np.array([0x21, 0x03, 0x55], np.uint8)
    value = onnxruntime.OrtValue.ortvalue_from_numpy_with_onnx_type(x, onnx_type)
    assert (value.shape(), value.element_type()) == ([3], onnx_type)
    assert (value.tensor_size_in_bytes(), value.data_ptr()) == (2, x.ctypes.data)


def test_strings_have_the_size_of_their_objects(onnxruntime):
    graph = graph_of("", "y = Identity w", "y", w=np.array(["a", "bcd"]))
    session = onnxruntime.InferenceSession(graph.to_bytes(), providers=["CPUExecutionProvider"])
    (value,) = session.run_with_ort_values(None, {})
    assert value.numpy().tolist() == ["a", "bcd"]
    assert value.tensor_size_in_bytes() == 64


def test_a_vector_takes_memory_at_addresses(state):
    vector, x = state.OrtValueVector(), X.copy()
    vector.push_back_batch([], [], [], [], [])
    cpu = state.OrtDevice(0, 0, 0)
    vector.push_back_batch([x], [x.ctypes.data], [np.float32], [[3, 2]], [cpu])
    assert len(vector) == 1
    assert np.shares_memory(vector[0].numpy(), x)
    kept = weakref.ref(x)
    del x
    if "ortcffi" in state.__name__:  # the official one keeps no objects
        assert kept() is not None
        assert vector[0].numpy().tolist() == X.tolist()
