# SPDX-License-Identifier: MIT
"""Giving a tensor away: a second one over the same memory, which it keeps."""

from typing import TYPE_CHECKING, Any

from ortcffi._handle import owner_of
from ortcffi._native import address_of, ffi, lib
from ortcffi.values.element_types import ElementType, ValueKind
from ortcffi.values.lifecycle import require_kind

if TYPE_CHECKING:
    from ortcffi._ort import OrtValue
    from ortcffi.values.compiled import Tensor

__all__ = ["give_away", "given_away"]


def give_away(value: "Tensor") -> "OrtValue":
    """Return a handle of a tensor's memory that owns itself.

    The receiver releases it with ``ReleaseValue``, from any thread. The memory stays until then,
    and until the library is done with it, whatever happens to this object and to the array that it
    borrows.

    Returns
    -------
    cdata of ``OrtValue *``
        Another tensor over the same memory.

    Raises
    ------
    TypeError
        The elements are strings, or the value is no dense tensor.

    Notes
    -----
    API function: ``CreateTensorWithDataAndDeleterAsOrtValue``, since version 22.
    """
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
