# SPDX-License-Identifier: MIT
"""Frees through adaptors in memory that is not the core's."""

import pytest
from support.allocators import ADAPTORS

import ortcffi


@pytest.mark.parametrize("kind", ADAPTORS)
def test_blocks_of_another_library_are_freed_in_any_order_and_on_any_page(kind):
    with ADAPTORS[kind](ortcffi.load().default_allocator) as pool:
        blocks = [pool.alloc(1 + 37 * i) for i in range(400)]
        for step in (3, 2, 1):
            for block in blocks[::step]:
                pool.free(block)
            blocks = [block for i, block in enumerate(blocks) if i % step]
        assert blocks == []
