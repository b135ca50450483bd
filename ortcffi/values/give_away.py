# SPDX-License-Identifier: MIT
"""Giving a tensor away: a second one over the same memory, which it keeps."""

from typing import TYPE_CHECKING, Any

from ortcffi._native import address_of, ffi, lib
from ortcffi.platform.handle import owner_of
from ortcffi.values.element_types import ElementType, ValueKind
from ortcffi.values.lifecycle import require_kind

if TYPE_CHECKING:
    from ortcffi._ort import OrtValue
    from ortcffi.values.compiled import Tensor

__all__ = ["give_away", "given_away"]


def give_away(value: "Tensor") -> "OrtValue":
    """Do the work of `Value.give_away`."""
    out: Any = ffi.new("OrtValue**")
    given_away(value)._move_handle(address_of(out))
    handle: OrtValue = out[0]
    return handle


def given_away(value: "Tensor") -> Any:
    """The same, with an owner that releases it unless it is moved or given on."""
    require_kind(value, ValueKind.TENSOR, "memory of its own")
    if value._element == ElementType.STRING:
        raise TypeError("a tensor of strings cannot be given away: make one with functions of lib")
    value.api.require("CreateTensorWithDataAndDeleterAsOrtValue")
    owner = owner_of("OrtValue*", value.api, lib.ReleaseValue)
    value._give_away(owner)
    return owner
