# SPDX-License-Identifier: MIT
"""The enums of options of sessions, apart from the others for the time that an enum takes."""

import enum

from ortcffi._native import lib
from ortcffi.compat._arguments import number

__all__ = ["Enum", "ExecutionMode", "ExecutionOrder", "GraphOptimizationLevel"]


class Enum(enum.IntEnum):
    """A base: members are written with the name of their enum, and true, whatever their number.

    Any other number of C's int is a member, too, whose name is ``???``.
    """

    __str__ = enum.Enum.__str__

    def __bool__(self) -> bool:
        return True

    @classmethod
    def _missing_(cls, value: object) -> "Enum":
        member = int.__new__(cls, number("value", value))
        member._name_, member._value_ = "???", int(member)
        return member


class ExecutionMode(Enum):
    """Whether the nodes of a graph run one after the other."""

    ORT_SEQUENTIAL = lib.ORT_SEQUENTIAL
    ORT_PARALLEL = lib.ORT_PARALLEL


class ExecutionOrder(Enum):
    """In which order the nodes of a graph run."""

    DEFAULT = 0
    PRIORITY_BASED = 1
    MEMORY_EFFICIENT = 2


class GraphOptimizationLevel(Enum):
    """How far graphs are optimized."""

    ORT_DISABLE_ALL = lib.ORT_DISABLE_ALL
    ORT_ENABLE_BASIC = lib.ORT_ENABLE_BASIC
    ORT_ENABLE_EXTENDED = lib.ORT_ENABLE_EXTENDED
    ORT_ENABLE_LAYOUT = lib.ORT_ENABLE_LAYOUT
    ORT_ENABLE_ALL = lib.ORT_ENABLE_ALL
