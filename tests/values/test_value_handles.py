# SPDX-License-Identifier: MIT
"""The handle of a value: valid for as long as it is referenced."""

import gc

import numpy as np
import pytest

from ortcffi import Value, ffi, lib
from ortcffi._handle import out_of, owner_of
from ortcffi.errors import check


def read(api, handle):
    """The first element of a tensor of float32."""
    out = ffi.new("void**")
    assert not lib.GetTensorMutableData(api.pointer, handle, out)
    return ffi.cast("float*", out[0])[0]


def test_handles_of_a_value_are_equal(api):
    value = Value.from_numpy(np.ones(3, np.float32), api=api)
    assert value.handle == value.handle
    assert ffi.typeof(value.handle) is ffi.typeof("OrtValue*")


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


def test_an_object_that_is_exchanged_takes_its_parents_along(core_api):
    def made(parent):
        owner = owner_of("OrtMemoryInfo*", core_api, lib.ReleaseMemoryInfo, parent)
        check(core_api.pointer, lib.CreateCpuMemoryInfo(core_api.pointer, 0, 0, out_of(owner)))
        owner._open_handle()
        return owner

    one, other, third = (core_api.cpu_memory_info() for _ in range(3))
    first, second, last = map(made, (one, other, third))
    first._replace_handle(second)
    assert (first._handle_parents, second._handle_parents) == ((other,), (one,))
    used = first.handle
    first._replace_handle(last)  # which keeps the object that is in use
    assert (first._handle_parents, last._handle_parents) == ((third, last), (other,))
    del used
