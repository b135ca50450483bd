# SPDX-License-Identifier: MIT
"""Which allocators answer NULL, at which ONNX Runtime ends the process."""

from typing import Any

from ortcffi.arena.arena import Arena
from ortcffi.memory.adaptors import Failing
from ortcffi.memory.allocator import Allocator
from ortcffi.memory.limiting import Limiting
from ortcffi.memory.python_allocator import PythonAllocator

__all__ = ["can_answer_null"]


def can_answer_null(allocator: Any) -> str | None:
    """The kind of allocator that bounds memory or fails, in a chain of allocators; None if none."""
    seen: set[int] = set()
    while isinstance(allocator, Allocator) and id(allocator) not in seen:
        seen.add(id(allocator))
        kind = type(allocator)
        if isinstance(allocator, PythonAllocator):
            return f"an allocator in Python, {kind.__name__},"
        bounded = isinstance(allocator, Limiting) and not allocator.soft
        if bounded or isinstance(allocator, Failing):
            return f"a {kind.__name__} allocator"
        if isinstance(allocator, Arena) and "max_mem" in allocator.measures:
            return "an Arena with max_bytes"
        allocator = getattr(allocator, "inner", None)
    return None
