# SPDX-License-Identifier: MIT
"""Values of ours as values of the official package."""

import importlib
from typing import TYPE_CHECKING, Any

from ortcffi.official.layout import UnknownLayoutError
from ortcffi.values.element_types import ElementType, ValueKind
from ortcffi.values.value import Value

if TYPE_CHECKING:
    from types import ModuleType

__all__ = ["make_ortvalue"]


def make_ortvalue(module: "ModuleType", value: Value) -> Any:
    """Make an ``onnxruntime.OrtValue`` over the memory of a tensor; see `Official.ortvalue`.

    Parameters
    ----------
    module : module
        The compiled module of the official package.
    value : Value
        A dense tensor of numbers in memory of the CPU.
    """
    if not isinstance(value, Value):
        raise TypeError(f"value must be a Value, not {type(value).__name__}")
    if value.kind is not ValueKind.TENSOR or value.element_type is ElementType.STRING:
        raise TypeError(f"{value!r} cannot be shared with the official package by DLPack")
    if not hasattr(module.OrtValue, "from_dlpack"):
        raise UnknownLayoutError("this release of onnxruntime has no OrtValue.from_dlpack")
    # Before release 1.32 it takes no DLPack type for bool, but bytes that it is told are bool.
    is_bool = value.element_type is ElementType.BOOL
    shared = Value.from_numpy(value.numpy().view("u1")) if is_bool else value
    try:
        made = module.OrtValue.from_dlpack(shared.__dlpack__(), is_bool)
    except TypeError:
        made = module.OrtValue.from_dlpack(value.__dlpack__())
    return importlib.import_module("onnxruntime").OrtValue(made)
