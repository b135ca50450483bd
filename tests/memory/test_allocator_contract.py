# SPDX-License-Identifier: MIT
"""The contract of all allocators: the default ones, each adaptor, compositions, one in Python."""

from functools import partial

import numpy as np
import pytest
from support.allocators import ADAPTORS, InPython
from support.threads import run_threads

import ortcffi
from ortcffi import (
    Aligned,
    Allocator,
    Arena,
    Guarded,
    Limiting,
    Tracking,
    ffi,
)

MAKERS = {
    "default": lambda inner: inner,
    **ADAPTORS,
    "guarded with closed pages": lambda inner: Guarded(inner, close_pages=True),
    "arena of limiting": lambda inner: Arena(Limiting(inner, 1 << 40), strategy="as_requested"),
    "tracking of limiting": lambda inner: Tracking(Limiting(inner, 1 << 40)),
    "aligned of tracking": lambda inner: Aligned(Tracking(inner), 4096),
    "in Python": lambda _inner: InPython(),
    "tracking of Python's": lambda _inner: Tracking(InPython()),
}


@pytest.fixture(params=MAKERS)
def name(request):
    return request.param


# Fixtures return functions that make allocators, and keep none, so that a leak of a test is found.


@pytest.fixture
def make(api, name):
    return partial(MAKERS[name], api.default_allocator)


def alloc(allocator, size):
    """What a provider's call does; a PythonAllocator's own `alloc` is what it calls."""
    return Allocator.alloc(allocator, size)


def free(allocator, block):
    Allocator.free(allocator, block)


def test_size_0_is_no_block_and_null_can_be_freed(make, api, name):
    allocator = make()
    if name == "default" and api.path is not None:
        assert allocator.empty(0).size == 0  # `alloc` gives a block or NULL there
    else:
        assert alloc(allocator, 0) == ffi.NULL
    free(allocator, ffi.NULL)
    assert allocator.info.name == "Cpu"
    try:
        allocator.release_unused()
    except NotImplementedError:
        assert api.path is not None


def test_a_size_that_is_too_large_is_out_of_memory(name, core_api):
    # On the core alone: the real library's struct ends the process; see Adaptor.
    allocator = MAKERS[name](core_api.default_allocator)
    for size in (1 << 50, (1 << 63) - 1):
        with pytest.raises(ortcffi.errors.OutOfMemory):
            alloc(allocator, size)
    assert allocator.empty(3).size == 3


def test_blocks_begin_at_a_cache_line_and_keep_their_contents(make):
    allocator = make()
    sizes = [1, 7, 64, 1000, 65536, 3 << 20]
    arrays = [allocator.full(size, i, np.uint8) for i, size in enumerate(sizes * 3)]
    for i, array in enumerate(arrays):
        assert array.ctypes.data % 16 == 0
        assert (array == i).all()
    if allocator.api.path is None and not isinstance(allocator, ortcffi.memory.adaptors.Adaptor):
        assert all(array.ctypes.data % 64 == 0 for array in arrays)


def test_a_block_may_be_freed_by_another_thread(make):
    allocator = make()
    block = alloc(allocator, 100)
    run_threads(lambda: free(allocator, block))
    assert allocator.empty(100).size == 100


def test_an_adaptor_around_a_closed_allocator_is_an_error(core_api):
    inner = Tracking(core_api.default_allocator)
    inner.close()
    with pytest.raises(ValueError, match="closed"):
        Tracking(inner)
