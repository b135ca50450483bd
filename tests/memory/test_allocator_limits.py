# SPDX-License-Identifier: MIT
"""Sizes that are too large, wrong pointers and arguments, and the texts of the errors."""

import copy

import pytest
from support.allocators import ADAPTORS

import ortcffi as ort
from ortcffi import errors, ffi

HUGE = 2**46


@pytest.fixture(params=ADAPTORS)
def wrap(request):
    return ADAPTORS[request.param]


def test_a_size_that_a_library_cannot_allocate_is_an_error_through_an_adaptor(real_api, wrap):
    with pytest.raises(errors.OutOfMemory):
        wrap(real_api.default_allocator).empty(HUGE, "u1")


def test_adaptors_can_be_nested_100_deep_and_no_deeper(core_api):
    pool = core_api.default_allocator
    for _ in range(100):
        pool = ort.Tracking(pool)
    assert pool.zeros(10).sum() == 0
    with pytest.raises(errors.InvalidArgument, match="100 adaptors"):
        ort.Tracking(pool)


def test_the_error_of_a_limit_names_the_limit_and_the_bytes_in_use(core_api):
    limiting = ort.Limiting(core_api.default_allocator, 1000)
    outer = ort.Tracking(limiting)
    x = outer.empty(500, "u1")  # and the header of the outer one
    for refused in (lambda: limiting.empty(600, "u1"), lambda: outer.alloc(600)):
        with pytest.raises(MemoryError, match="the limit is 1000 bytes, and 564 are in use"):
            refused()
    del x


def test_a_foreign_pointer_is_an_error_that_names_it(core_api, wrap):
    block = core_api.default_allocator.alloc(500)
    inside = ffi.cast("char*", block) + 128
    pool = wrap(core_api.default_allocator)
    if isinstance(pool, ort.Failing):  # hands the pointer on to the core
        with pytest.raises(errors.InvalidArgument):
            core_api.default_allocator.free(inside)
    else:
        with pytest.raises(errors.InvalidArgument, match="is not a block"):
            pool.free(inside)
    core_api.default_allocator.free(block)


def test_the_table_of_an_object_cannot_be_changed(core_api):
    with pytest.raises(AttributeError):
        core_api.default_allocator.api = core_api


def test_a_copy_of_an_open_scope_is_not_open(core_api):
    scope = ort.Tracking(core_api.default_allocator).scope("mine")
    with scope, pytest.raises(RuntimeError, match="scope 'mine' is not open"):
        copy.copy(scope).__exit__(None, None, None)
    assert scope.num_allocations == 0


@pytest.mark.parametrize("kind", ["value", "reserved"])
def test_values_and_reserved_blocks_tell_the_limit_too(api, kind):
    with ort.Tracking(ort.Limiting(api.default_allocator, 1000)) as pool:
        kept = pool.alloc(100)
        with pytest.raises(MemoryError, match=r"the limit is 1000 bytes, and 1\d+ are"):
            ort.Value.empty(1000, "f4", pool) if kind == "value" else pool.reserve(4000)
        pool.free(kept)
