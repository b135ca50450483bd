# SPDX-License-Identifier: MIT
"""Values keep the allocator of their memory alive, in any order of releases."""

import gc

import pytest

from ortcffi import Tracking, Value, ffi
from ortcffi._native import lib
from ortcffi.testing.live_objects import live_objects


@pytest.mark.parametrize("slot", ["CreateTensorAsOrtValue", "CreateSparseTensorAsOrtValue"])
def test_a_tensor_of_the_core_keeps_its_allocator_without_python(core_api, slot):
    before = live_objects()["adaptor"]
    with Tracking(core_api.default_allocator) as pool:
        out, shape = ffi.new("OrtValue**"), ffi.new("int64_t[]", [2, 2])
        assert not getattr(lib, slot)(
            core_api.pointer,
            pool.handle,
            shape,
            2,
            lib.ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT,
            out,
        )
    del pool
    gc.collect()
    assert live_objects()["adaptor"] == before + 1
    lib.ReleaseValue(core_api.pointer, out[0])
    assert live_objects()["adaptor"] == before


def test_a_collected_sequence_goes_before_the_allocators_of_its_values(api):
    outer = Tracking(api.default_allocator)
    cycle = [Value.sequence([Value.empty(3, "f4", Tracking(outer), api=api)], api=api)]
    cycle.append(cycle)
    del cycle
    gc.collect()
    assert outer.bytes_allocated == 0
