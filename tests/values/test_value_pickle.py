# SPDX-License-Identifier: MIT
"""Pickling values for other processes, without a second copy of their bytes."""

import copy
import multiprocessing
import pickle
import sys
from concurrent.futures import ProcessPoolExecutor
from operator import methodcaller

import numpy as np
import pytest
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from support.processes import TIME_LIMIT

from ortcffi import ElementType, Value
from ortcffi.values.tensors import bytes_of

X = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
TYPES = [member for member in ElementType if member not in (0, 8, 14, 15)]
PROTOCOLS = range(2, pickle.HIGHEST_PROTOCOL + 1)


def address(value):
    return value.__array_interface__["data"][0]


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_tensor_of_any_type_comes_back(api, protocol):
    for element in TYPES:
        value = Value.empty((3, 5), element, api=api)
        bytes_of(value)[:] = np.arange(value.nbytes)
        twin = pickle.loads(pickle.dumps(value, protocol))
        assert (twin.element_type, twin.shape) == (element, (3, 5))
        np.testing.assert_array_equal(bytes_of(twin), bytes_of(value))
        assert not twin.readonly


def test_the_default_table_makes_what_comes_back(api, core_api):
    assert pickle.loads(pickle.dumps(Value.from_numpy(X, api=api))).api == core_api


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_values_of_other_kinds_come_back(api, protocol):
    values = [
        Value.from_strings(["héllo", "", "a\0b"], api=api),
        Value.sequence([X, X[0]], api=api),
        Value.map({1: 0.5, 2: 0.75}, api=api),
        Value.map({"a": "b"}, api=api),
    ]
    for value in values:
        twin = pickle.loads(pickle.dumps(value, protocol))
        assert (twin.kind, twin.to_python()) == (value.kind, value.to_python())
        for twin in (copy.deepcopy(value), value.copy()):
            assert (twin.api, twin.to_python()) == (api, value.to_python())


def test_sparse_values_come_back(api):
    values, where = np.array([1, 2], np.float32), np.array([0, 3])
    blocks, places = np.ones((2, 2, 1), np.float32), np.zeros((2, 1), np.int32)
    for value in (
        Value.sparse_coo(values, where, (2, 2), api=api),
        Value.sparse_csr(values, np.array([0, 1]), np.array([0, 1, 2]), (2, 2), api=api),
        Value.block_sparse(blocks, places, (2, 2), api=api),
    ):
        twin = pickle.loads(pickle.dumps(value))
        assert twin.sparse_format is value.sparse_format
        assert twin.to_python() == value.to_python()


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    x=hnp.arrays(
        hnp.scalar_dtypes().filter(lambda dtype: dtype.kind not in "mM"),
        hnp.array_shapes(min_dims=0, max_dims=4, min_side=0),
    ),
    protocol=st.sampled_from(PROTOCOLS),
)
def test_any_array_that_a_tensor_holds_comes_back(tables, x, protocol):
    for api in tables:
        try:
            value = Value.from_numpy(x, api=api, copy=True)
        except (TypeError, ValueError, NotImplementedError):
            reject()
        twin = pickle.loads(pickle.dumps(value, protocol))
        np.testing.assert_array_equal(twin.numpy(), value.numpy())
        taken = np.from_dlpack(value) if x.dtype.kind in "biuf" else value.numpy()
        np.testing.assert_array_equal(taken, value.numpy())


def test_out_of_band_nothing_is_copied_on_either_side(api):
    value, buffers = Value.from_numpy(X, api=api), []
    data = pickle.dumps(value, 5, buffer_callback=buffers.append)
    assert len(data) < 300
    assert address(np.frombuffer(buffers[0], np.uint8)) == address(X)
    received = bytearray(buffers[0])
    twin = pickle.loads(data, buffers=[received])
    assert address(twin.numpy()) == address(np.frombuffer(received, np.uint8))
    np.testing.assert_array_equal(twin.numpy(), X)
    assert not twin.readonly


def test_a_read_only_buffer_makes_a_read_only_value(api):
    buffers = []
    data = pickle.dumps(Value.from_numpy(X, api=api), 5, buffer_callback=buffers.append)
    twin = pickle.loads(data, buffers=[bytes(buffers[0])])
    assert twin.readonly
    np.testing.assert_array_equal(twin.numpy(), X)


def test_a_buffer_that_is_not_aligned_is_copied(api):
    buffers = []
    data = pickle.dumps(Value.from_numpy(X, api=api), 5, buffer_callback=buffers.append)
    odd = np.zeros(X.nbytes + 1, np.uint8)[1:]
    odd[:] = np.frombuffer(buffers[0], np.uint8)
    twin = pickle.loads(data, buffers=[odd])
    assert twin.numpy().flags.aligned
    np.testing.assert_array_equal(twin.numpy(), X)


@pytest.mark.parametrize("make", [copy.copy, copy.deepcopy, Value.copy])
def test_a_copy_is_of_the_same_table_and_has_its_own_memory(api, make):
    twin = make(Value.from_numpy(X, api=api))
    assert twin.api == api
    assert not np.shares_memory(twin.numpy(), X)
    np.testing.assert_array_equal(twin.numpy(), X)


def test_a_value_crosses_to_another_process_and_back(api):
    value = Value.from_numpy(X, api=api)
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        there = pool.submit(methodcaller("numpy"), value).result(TIME_LIMIT)
        twin = pool.submit(methodcaller("copy"), value).result(TIME_LIMIT)
    np.testing.assert_array_equal(there, X)
    np.testing.assert_array_equal(twin.numpy(), X)


@pytest.mark.filterwarnings("default")  # Dask's own
def test_dask_sends_the_bytes_of_a_value_as_they_are(api):
    serialize = pytest.importorskip("distributed.protocol").serialize
    deserialize = pytest.importorskip("distributed.protocol").deserialize
    header, frames = serialize(Value.from_numpy(X, api=api), serializers=["pickle"])
    shared = [f for f in frames if memoryview(f).nbytes == X.nbytes]
    assert [address(np.frombuffer(frame, np.uint8)) for frame in shared] == [address(X)]
    np.testing.assert_array_equal(deserialize(header, frames).numpy(), X)


def test_the_size_of_a_pickle_is_that_of_the_bytes(api):
    value = Value.empty(1 << 16, np.uint8, api=api)
    assert len(pickle.dumps(value, 5)) < (1 << 16) + 400
    assert sys.getsizeof(value) < 400
