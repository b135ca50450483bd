# SPDX-License-Identifier: MIT
"""Values keep the allocator of their memory alive, in any order of releases."""

import gc

import pytest
from support.allocators import InPython
from support.threads import join, start

from ortcffi import Arena, Env, Limiting, Logging, Tracking, Value, ffi
from ortcffi._native import lib
from ortcffi.testing.live_objects import live_objects

ALLOCATORS = {
    "default": lambda api: api.default_allocator,
    "logging": lambda api: Logging(api.default_allocator),
    "limiting": lambda api: Limiting(api.default_allocator, 1 << 20),
    "tracking": lambda api: Tracking(api.default_allocator),
    "tracked arena": lambda api: Tracking(Arena(Tracking(api.default_allocator))),
    "arena": lambda api: Arena(api.default_allocator),
    "python": InPython,
    "shared": lambda api: Env("lives", api=api).shared_allocator(),
}
IN_ANY_ORDER = pytest.mark.parametrize("order", ["allocator first", "value first"])


class Node:
    """Part of a cycle."""


@pytest.fixture(params=ALLOCATORS)
def make(request, api):
    return lambda: ALLOCATORS[request.param](api)


@IN_ANY_ORDER
def test_the_collector_may_take_a_value_and_its_allocator_in_any_order(make, order):
    for _ in range(4):
        node = Node()
        node.me = node
        if order == "allocator first":
            node.allocator = make()
            node.value = Value.empty(300, "f4", node.allocator)
        else:
            allocator = make()
            node.value = Value.empty(300, "f4", allocator)
            node.allocator = allocator
            del allocator
        node.value.numpy()[:] = 1
        del node
        gc.collect()


def test_a_value_outlives_every_reference_to_its_allocator(make):
    value = Value.empty(300, "f4", make())
    gc.collect()
    value.numpy()[:] = 3
    assert value.numpy().sum() == 900
    value.close()


def test_a_value_outlives_the_close_of_its_allocator(make):
    allocator = make()
    value = Value.empty(300, "f4", allocator)
    allocator.close()
    value.numpy()[:] = 3
    del allocator, value


def test_a_closed_allocator_ends_with_its_value(make):
    before = live_objects()["adaptor"]
    allocator = make()
    made = live_objects()["adaptor"]
    value = Value.empty(300, "f4", allocator)
    allocator.close()
    del allocator
    gc.collect()
    assert live_objects()["adaptor"] == made
    value.close()
    gc.collect()
    assert live_objects()["adaptor"] == before


def test_the_allocator_ends_with_the_last_value(core_api):
    before = live_objects()["adaptor"]
    values = [Value.empty(3, "f4", Logging(core_api.default_allocator)) for _ in range(5)]
    gc.collect()
    assert live_objects()["adaptor"] == before + 5
    values.clear()
    assert live_objects()["adaptor"] == before


@pytest.mark.parametrize("slot", ["CreateTensorAsOrtValue", "CreateSparseTensorAsOrtValue"])
def test_a_tensor_of_the_core_keeps_its_allocator_without_python(core_api, slot):
    before = live_objects()["adaptor"]
    with Logging(core_api.default_allocator) as logging:
        out, shape = ffi.new("OrtValue**"), ffi.new("int64_t[]", [2, 2])
        assert not getattr(lib, slot)(
            core_api.pointer, logging.handle, shape, 2, lib.ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, out
        )
    del logging
    gc.collect()
    assert live_objects()["adaptor"] == before + 1
    lib.ReleaseValue(core_api.pointer, out[0])
    assert live_objects()["adaptor"] == before


def test_an_allocator_that_another_thread_closes_loses_no_value(core_api):
    before = lib.ortcffi_live_objects(5)
    for _ in range(100):
        allocator = Limiting(core_api.default_allocator, 1 << 20)
        threads = start(allocator.close)
        try:
            Value.empty(3, "f4", allocator)
        except ValueError as error:
            assert "closed" in str(error)  # noqa: PT017
        join(*threads)
    assert lib.ortcffi_live_objects(5) == before


def test_a_collected_sequence_goes_before_the_allocators_of_its_values(api):
    outer = Tracking(api.default_allocator)
    cycle = [Value.sequence([Value.empty(3, "f4", Tracking(outer), api=api)], api=api)]
    cycle.append(cycle)
    del cycle
    gc.collect()
    assert outer.bytes_allocated == 0
