# SPDX-License-Identifier: MIT
"""The handle of a value: valid for as long as it is referenced."""

import gc

import numpy as np
import pytest

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
