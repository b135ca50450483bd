# SPDX-License-Identifier: MIT
"""Frees through adaptors in memory that is not the core's."""

import pytest

import ortcffi
from ortcffi import Aligned, Failing, Limiting, Tracking

MAKERS = {
    "tracking": Tracking,
    "limiting": lambda inner: Limiting(inner, 1 << 30),
    "aligned": lambda inner: Aligned(inner, 256),
    "failing": lambda inner: Failing(Tracking(inner), 1000),
}


@pytest.mark.parametrize("kind", MAKERS)
def test_blocks_of_another_library_are_freed_in_any_order_and_on_any_page(kind):
    with MAKERS[kind](ortcffi.load().default_allocator) as pool:
        blocks = [pool.alloc(1 + 37 * i) for i in range(400)]
        for step in (3, 2, 1):
            for block in blocks[::step]:
                pool.free(block)
            blocks = [block for i, block in enumerate(blocks) if i % step]
        assert blocks == []
