# SPDX-License-Identifier: MIT
"""Stacks of a Python program, as small numbers that C can carry with a block.

Lines are found out when they are read. Code objects stay as long as the process, since stacks are
known by their addresses, and blocks that live have numbers of their stacks.
"""

import os
import sys
import sysconfig
from types import CodeType, FrameType

from ortcffi.callbacks.from_c import called_from_c, report_exception

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_PATHS = ("stdlib", "platstdlib", "purelib", "platlib")
_INSTALLED = (*(sysconfig.get_path(name) + os.sep for name in _PATHS), "<frozen ")

# A line is a code object and the offset of an instruction in it. A stack is the innermost lines,
# and last the program's own.
_Line = tuple[CodeType, int]

_OF_THIS_PACKAGE, _OF_INSTALLED, _OWN = 1, 2, 3  # whose the code of a frame is
_stacks: dict[int, tuple[_Line, ...]] = {0: ()}
_codes: list[CodeType] = []  # those that have an owner: no other code gets the address of one
_owners: dict[int, int] = {}
_numbers: dict[tuple[int, ...], int] = {}


def _owner_of(code: CodeType) -> int:
    """Whose a code object is: an installed package's are Python's library's as well."""
    owner = _owners.get(id(code))
    if owner is None:
        file = code.co_filename
        owner = _OWN
        if file.startswith(_PACKAGE):
            owner = _OF_THIS_PACKAGE
        elif file.startswith(_INSTALLED) or f"{os.sep}site-packages{os.sep}" in file:
            owner = _OF_INSTALLED
        _codes.append(code)
        _owners[id(code)] = owner
    return owner


@called_from_c("ortcffi_python_stack", report_exception("the stack of a block", 0))
def current_stack(depth: int) -> int:
    """Return the number of the stack outside of this package that led here; 0 if there is none."""
    frame: FrameType | None = sys._getframe()
    while frame is not None and _owner_of(frame.f_code) == _OF_THIS_PACKAGE:
        frame = frame.f_back
    own: _Line | None = None
    lines: list[_Line] = []
    while frame is not None and (own is None or len(lines) < depth):
        line = frame.f_code, frame.f_lasti
        if _owner_of(frame.f_code) == _OWN:
            own = own or line
        if len(lines) < depth:
            lines.append(line)
        frame = frame.f_back
    if not lines:
        return 0
    stack = (*lines, own or lines[0])
    key = tuple(number for code, at in stack for number in (id(code), at))
    number = _numbers.get(key)
    if number is None:
        number = len(_stacks)
        while _stacks.setdefault(number, stack) is not stack:  # another thread has taken it
            number += 1
        _numbers[key] = number
    return number


def _text(line: _Line) -> str:
    code, at = line
    ranges = code.co_lines()
    number = next((line for start, end, line in ranges if start <= at < end), None)
    return f"{code.co_filename}:{number or code.co_firstlineno} in {code.co_name}"


def place_of(number: int) -> str:
    """Return the program's own line for a person to read: ``file:line in function``."""
    stack = _stacks[number]
    return _text(stack[-1]) if stack else "outside of Python"


def lines_of(number: int) -> tuple[str, ...]:
    """Return the lines of a stack for a person to read, innermost first."""
    return tuple(_text(line) for line in _stacks[number][:-1])
