# SPDX-License-Identifier: MIT
"""The handle of a value: valid for as long as somebody has it."""

import gc
import sys
import weakref

import numpy as np
import pytest
from support.allocators import InPython
from support.threads import run_threads

from ortcffi import Value, ffi, lib


def read(api, handle):
    """The first element of a tensor of float32."""
    out = ffi.new("void**")
    assert not lib.GetTensorMutableData(api.pointer, handle, out)
    return ffi.cast("float*", out[0])[0]


def test_handles_of_a_value_are_equal(api):
    value = Value.from_numpy(np.ones(3, np.float32), api=api)
    assert value.handle == value.handle
    assert ffi.typeof(value.handle) is ffi.typeof("OrtValue*")


@pytest.mark.parametrize("how", ["closed", "deleted", "collected"])
def test_a_handle_outlives_its_value(api, how):
    array = np.full(3, 7, np.float32)
    gone = weakref.ref(array)
    value = Value.from_numpy(array, api=api)
    handle = value.handle
    del array
    if how == "closed":
        value.close()
        with pytest.raises(ValueError, match="closed"):
            value.handle  # noqa: B018
    elif how == "collected":
        cycle = [value]
        cycle.append(cycle)
        del cycle
    del value
    gc.collect()
    assert read(api, handle) == 7
    assert gone() is not None
    del handle
    assert gone() is None


def test_the_last_handle_gives_the_memory_back_to_an_allocator_in_python(core_api):
    allocator = InPython(core_api)
    value = Value.empty(100, np.float32, allocator)
    handles = [value.handle for _ in range(3)]
    del value
    gc.collect()
    assert len(allocator.blocks) == 1
    handles.clear()
    assert not allocator.blocks


def test_handles_in_cycles_with_their_values_are_collected(api):
    class Pair:
        pass

    arrays = []
    for _ in range(20):
        pair = Pair()
        array = np.ones(3, np.float32)
        arrays.append(weakref.ref(array))
        pair.me, pair.value = pair, Value.from_numpy(array, api=api)
        pair.handle = pair.value.handle
    del pair, array
    gc.collect()
    assert not any(array() is not None for array in arrays)


def test_a_value_that_is_released_in_a_finally_block_keeps_the_exception(api):
    handles = []

    def work():
        value = Value.from_numpy(np.ones(3, np.float32), api=api)
        handles.append(value.handle)
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine") as caught:
        work()
    caught.value.__traceback__ = None
    gc.collect()
    assert read(api, handles.pop()) == 1


def test_threads_close_values_whose_handles_others_use(api):
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    values = [Value.from_numpy(np.full(3, i, np.float32), api=api) for i in range(500)]

    def use():
        for i, value in enumerate(values):
            try:
                handle = value.handle
            except ValueError:
                continue
            assert read(api, handle) == i

    def close():
        for value in values:
            value.close()

    try:
        run_threads(use, close, use)
    finally:
        sys.setswitchinterval(before)
    gc.collect()
