# SPDX-License-Identifier: MIT
"""Calls near the limit of recursion."""

import sys
from collections.abc import Callable
from traceback import walk_stack


def _fall(calls: int, function: Callable[[], object]) -> None:
    if calls > 0:
        _fall(calls - 1, function)
    else:
        function()


def call_near_limit(left: int, function: Callable[[], object]) -> None:
    """Call a function that may go about so many calls deeper."""
    depth = sum(1 for _ in walk_stack(sys._getframe()))
    _fall(sys.getrecursionlimit() - depth - left, function)
