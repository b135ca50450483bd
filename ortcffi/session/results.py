# SPDX-License-Identifier: MIT
"""What runs return."""

from typing import Any

from ortcffi._native import ffi, lib
from ortcffi.errors import check
from ortcffi.values.element_types import PACKED, ValueKind
from ortcffi.values.value import Value

__all__ = ["as_result"]


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
    check(api.pointer, lib.HasValue(api.pointer, value.handle, out), "HasValue")
    return bool(out[0])
