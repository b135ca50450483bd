# SPDX-License-Identifier: MIT
"""What runs return, and where they write it to."""

from typing import Any, NamedTuple

from ortcffi._native import ffi
from ortcffi.errors import checked
from ortcffi.values.element_types import PACKED, ValueKind
from ortcffi.values.value import Value

__all__ = ["Bound", "as_result"]


class Bound(NamedTuple):
    """What a name is bound to, which the library borrows."""

    value: Value | None = None  # None where the library allocates
    given: Any = None  # what the caller gave for it
    other: Any = None  # may be bound instead, because of an interrupt


def as_result(value: Value) -> Any:
    """What a run returns for an output: an array, Python's own objects, or None for nothing."""
    if value.kind is ValueKind.TENSOR:
        return value.numpy(copy=value.element_type in PACKED)
    return value.to_python() if _has_value(value) else None


def _has_value(value: Value) -> bool:
    """Whether a value holds anything. API function: ``HasValue``, since version 15."""
    api, out = value.api, ffi.new("int*")
    if not api.supports("HasValue"):
        return True
    checked.HasValue(api.pointer, value.handle, out)
    return bool(out[0])
