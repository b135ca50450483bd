# SPDX-License-Identifier: MIT
"""Sizes that are too large, wrong pointers and arguments, and the texts of the errors."""

import asyncio
import contextvars
import copy
import logging

import numpy as np
import pytest
from support.prepared import printed_by
from support.threads import run_async

import ortcffi as ort
from ortcffi import errors, ffi

HUGE = 2**46
ADAPTORS = {
    "aligned": lambda inner: ort.Aligned(inner, 64),
    "limiting": lambda inner: ort.Limiting(inner, 2**60),
    "failing": lambda inner: ort.Failing(inner, 10),
    "logging": ort.Logging,
    "tracking": ort.Tracking,
    "arena": ort.Arena,
}


@pytest.fixture(params=ADAPTORS)
def wrap(request):
    return ADAPTORS[request.param]


def test_a_size_that_a_library_cannot_allocate_is_an_error_through_an_adaptor(real_api, wrap):
    with pytest.raises(errors.OutOfMemory):
        wrap(real_api.default_allocator).empty(HUGE, "u1")


def test_a_size_that_a_library_cannot_reserve_is_an_error(real_api):
    with pytest.raises(errors.OutOfMemory):
        real_api.default_allocator.reserve(HUGE)


def test_a_size_that_a_library_cannot_allocate_is_numpys_error(api):
    with ort.numpy_allocator(api.default_allocator), pytest.raises(MemoryError):
        np.empty(2**47, "u1")


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


@pytest.mark.parametrize("address", [1, 4096, 2**47 - 64, 2**64 - 1])
def test_a_pointer_to_memory_that_cannot_be_read_is_an_error(core_api, wrap, address):
    pool = wrap(ort.Tracking(core_api.default_allocator))
    with pytest.raises(errors.InvalidArgument, match="is not a block"):
        pool.free(ffi.cast("void*", address))


@pytest.mark.parametrize("handle", [5, None, "x", ffi.new("int*")])
def test_an_argument_that_is_no_pointer_to_an_allocator_is_refused(core_api, handle):
    with pytest.raises(TypeError, match="handle"):
        ort.Allocator(core_api, handle)


def test_null_is_no_allocator(core_api):
    with pytest.raises(ValueError, match="handle must not be NULL"):
        ort.Allocator(core_api, ffi.cast("OrtAllocator*", 0))


def test_the_table_of_an_object_cannot_be_changed(core_api):
    with pytest.raises(AttributeError):
        core_api.default_allocator.api = core_api


def test_a_logger_of_a_wrong_type_is_refused(core_api):
    with pytest.raises(TypeError, match="logger must be"):
        ort.Logging(core_api.default_allocator, 5)


def test_a_handler_may_allocate_from_the_allocator_that_it_logs(core_api):
    logger = logging.Logger("allocates")
    pool = ort.Logging(core_api.default_allocator, logger)
    sums = []

    class Handler(logging.Handler):
        def emit(self, record):
            sums.append(pool.zeros(record.size).sum())

    logger.addHandler(Handler())
    pool.empty(8)
    assert sums == [0, 0]
    logger.handlers.clear()


def test_an_adaptor_is_made_only_once(core_api, wrap):
    adaptor = wrap(core_api.default_allocator)
    outer = ort.Logging(adaptor)
    again = {ort.Aligned: (128,), ort.Limiting: (1,), ort.Failing: (1,)}.get(type(adaptor), ())
    with pytest.raises(RuntimeError, match=f"this {type(adaptor).__name__} was made before"):
        adaptor.__init__(outer, *again)
    assert adaptor.inner == core_api.default_allocator
    assert getattr(adaptor, "limit", 2**60) == 2**60
    assert outer.zeros(3).tolist() == [0, 0, 0]


def test_a_scope_that_is_not_open_cannot_be_left(core_api):
    scope = ort.Tracking(core_api.default_allocator).scope("never")
    with pytest.raises(RuntimeError, match="scope 'never' is not open"):
        scope.__exit__(None, None, None)


def test_a_copy_of_an_open_scope_is_not_open(core_api):
    scope = ort.Tracking(core_api.default_allocator).scope("mine")
    with scope, pytest.raises(RuntimeError, match="scope 'mine' is not open"):
        copy.copy(scope).__exit__(None, None, None)
    assert scope.num_allocations == 0


def test_leaving_an_inherited_handler_affects_only_the_own_context(core_api):
    pool = ort.Tracking(core_api.default_allocator)
    memory = ort.numpy_allocator(pool)
    with memory:
        contextvars.copy_context().run(memory.__exit__, None, None, None)
        np.ones(10)
    assert pool.num_allocations >= 1
    for _ in range(100):  # a reference too few would have freed the handler
        np.ones(10)


def test_a_task_that_leaves_an_inherited_handler_does_not_change_its_parents(core_api):
    pool = ort.Tracking(core_api.default_allocator)

    async def leave(memory):
        memory.__exit__(None, None, None)

    async def main():
        with ort.numpy_allocator(pool) as memory:
            await asyncio.create_task(leave(memory))
            np.ones(10)

    run_async(main())
    assert pool.num_allocations >= 1


def test_a_handler_that_was_not_set_in_this_context_cannot_be_left(core_api):
    memory = ort.numpy_allocator(core_api.default_allocator)
    with pytest.raises(RuntimeError, match="not entered in this context"):
        memory.__exit__(None, None, None)


EMPTIED = """if True:
    import ortcffi
    class Empties:
        def __index__(self):
            shape.clear()
            return 2
    for make in ("empty", "zeros"):
        shape = [3, Empties(), 4, 5]
        print(getattr(ortcffi.core_api().default_allocator, make)(shape).shape)
"""


def test_a_shape_that_empties_itself_is_read_once():
    """NumPy would read past the end of the list."""
    assert printed_by(EMPTIED).splitlines() == ["(3, 2, 4, 5)"] * 2


@pytest.mark.parametrize("kind", ["value", "reserved"])
def test_values_and_reserved_blocks_tell_the_limit_too(api, kind):
    with ort.Tracking(ort.Limiting(api.default_allocator, 1000)) as pool:
        kept = pool.alloc(100)
        with pytest.raises(MemoryError, match=r"the limit is 1000 bytes, and 1\d+ are"):
            ort.Value.empty(1000, "f4", pool) if kind == "value" else pool.reserve(4000)
        pool.free(kept)
