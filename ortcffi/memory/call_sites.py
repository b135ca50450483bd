# SPDX-License-Identifier: MIT
"""Stacks of a Python program, as small numbers that C can carry with a block."""

import os
import sys
import sysconfig
from types import FrameType

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_PATHS = ("stdlib", "platstdlib", "purelib", "platlib")
_INSTALLED = (*(sysconfig.get_path(name) + os.sep for name in _PATHS), _PACKAGE, "<frozen ")

# A stack as it is kept: the program's own line, and then the innermost lines.
_Stack = tuple[tuple[str, int, str], ...]

_numbers: dict[_Stack, int] = {}
_stacks: list[_Stack] = [()]
_own_files: dict[str, bool] = {}


def _is_own(file: str) -> bool:
    """Whether a file is the program's own: neither of an installed package nor of Python."""
    own = _own_files.get(file)
    if own is None:
        installed = file.startswith(_INSTALLED) or f"{os.sep}site-packages{os.sep}" in file
        own = _own_files[file] = not installed
    return own


def _line(frame: FrameType) -> tuple[str, int, str]:
    return frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name


def stack_of_caller(depth: int) -> int:
    """The number of the stack outside of this package that led here; 0 if there is none.

    Parameters
    ----------
    depth : int
        How many of its innermost lines are kept.
    """
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
    if frame is None:
        return 0
    innermost, own = frame, None
    lines: list[tuple[str, int, str]] = []
    while frame is not None and (own is None or len(lines) < depth):
        if own is None and _is_own(frame.f_code.co_filename):
            own = frame
        if len(lines) < depth:
            lines.append(_line(frame))
        frame = frame.f_back
    stack = (_line(own or innermost), *lines)
    number = _numbers.get(stack)
    if number is None:
        number = _numbers[stack] = len(_stacks)
        _stacks.append(stack)
    return number


def place_of(number: int) -> str:
    """The program's own line for a person to read: ``file:line in function``."""
    stack = _stacks[number]
    return "{}:{} in {}".format(*stack[0]) if stack else "outside of Python"


def lines_of(number: int) -> tuple[str, ...]:
    """The lines of a stack for a person to read, innermost first."""
    return tuple("{}:{} in {}".format(*line) for line in _stacks[number][1:])
