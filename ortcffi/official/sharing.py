# SPDX-License-Identifier: MIT
"""Allocators for sessions that are not ours, whose ends nobody reports."""

from typing import TYPE_CHECKING

from ortcffi._native import lib
from ortcffi.env import sharing
from ortcffi.memory.python_allocator import PythonAllocator

if TYPE_CHECKING:
    from ortcffi.memory.allocator import Allocator
    from ortcffi.official.attached import Official

__all__ = ["share_for_good"]


def share_for_good(official: "Official", allocator: "Allocator") -> None:
    """Register an allocator that stays until the process ends, also when another replaces it.

    Parameters
    ----------
    official : Official
        The library of the sessions.
    allocator : Allocator
        One whose memory is C's.
    """
    if isinstance(allocator, PythonAllocator):
        raise TypeError("an allocator in Python cannot outlive the interpreter, as sessions may")
    env = official.env
    with sharing.allocators:
        env.register_allocator(allocator)
        for each in env._registered():
            if each.allocator is allocator:
                lib.ortcffi_retain_allocator(each.lent.handle)
