# SPDX-License-Identifier: MIT
"""Places in a Python program, as small numbers that C can carry with a block."""

import os
import sys
from types import FrameType

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep

_numbers: dict[tuple[str, int, str], int] = {}
_places: list[str] = ["outside of Python"]


def _outermost(frame: FrameType | None) -> FrameType | None:
    """The first frame that is not of this package."""
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
    return frame


def site_of_caller(skip: int = 0) -> int:
    """The number of the line outside of this package that led here; 0 if there is none."""
    frame = _outermost(sys._getframe(skip + 1))
    if frame is None:
        return 0
    place = (frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name)
    number = _numbers.get(place)
    if number is None:
        number = _numbers[place] = len(_places)
        _places.append("{}:{} in {}".format(*place))
    return number


def place_of(number: int) -> str:
    """A place for a person to read: ``file:line in function``."""
    return _places[number]
