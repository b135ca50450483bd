# SPDX-License-Identifier: MIT
"""Objects that one thread closes while another is in a call with them."""

import gc

import numpy as np

import ortcffi
from ortcffi._native import ffi, lib


def test_closing_a_value_waits_for_calls_in_progress(core_api):
    value = ortcffi.Value.sequence([np.ones(2)], api=core_api)
    handle = value.handle  # what a call has among its arguments
    value.close()
    count = ffi.new("size_t*")
    assert not lib.GetValueCount(core_api.pointer, handle, count)
    assert count[0] == 1


def test_a_closed_value_goes_with_the_last_call(core_api):
    kinds = range(100)
    names = [lib.ortcffi_kind_name(kind) for kind in kinds]
    kind = next(i for i in kinds if names[i] and ffi.string(names[i]) == b"value")
    gc.collect()
    before = lib.ortcffi_live_objects(kind)
    value = ortcffi.Value.from_numpy(np.ones(2), api=core_api)
    first, second = value.handle, value.handle
    value.close()
    del first
    assert lib.ortcffi_live_objects(kind) == before + 1
    del second
    assert lib.ortcffi_live_objects(kind) == before


def test_options_that_are_closed_stay_for_who_is_in_a_call_with_them(core_api):
    options = ortcffi.SessionOptions(core_api, config={"key": "value"})
    handle = options.handle
    options.close()
    size = ffi.new("size_t*")
    assert not lib.GetSessionConfigEntry(core_api.pointer, handle, b"key", ffi.NULL, size)
    assert size[0] == len("value") + 1
