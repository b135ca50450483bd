# SPDX-License-Identifier: MIT
"""Values that are given away: their memory stays as long as somebody has them."""

from typing import TYPE_CHECKING, Any

from ortcffi._native import ffi, lib
from ortcffi.errors import fail
from ortcffi.memory.python_allocator import PythonAllocator
from ortcffi.values.element_types import ElementType

if TYPE_CHECKING:
    from ortcffi._ort import OrtValue
    from ortcffi.values.base import Base

_keepers: "set[Keeper]" = set()
_spent: "list[Keeper]" = []


class Keeper(PythonAllocator):
    """What frees the memory of a tensor that was given away: it lets go of whoever owns it."""

    def __init__(self, value: "Base") -> None:
        super().__init__(value.api)
        self._owner = value

    def free(self, _pointer: Any) -> None:
        """Let go, but not of this object, in whose functions the caller still is."""
        del self._owner
        _keepers.discard(self)
        _spent.append(self)


def gift_of(value: "Base") -> "OrtValue":
    """A second tensor over the memory of one, which it keeps until its own release."""
    if value._element == ElementType.STRING:
        raise TypeError("a tensor of strings cannot be given away: make one with functions of lib")
    api = value.api
    api.require("CreateTensorWithDataAndDeleterAsOrtValue")
    _spent.clear()
    keeper, out = Keeper(value), ffi.new("OrtValue**")
    data, shape = ffi.cast("void*", value._data), ffi.new("int64_t[]", value.shape)
    if status := lib.CreateTensorWithDataAndDeleterAsOrtValue(
        api.pointer,
        keeper.handle,
        data,
        value.nbytes,
        shape,
        len(value.shape),
        value._element,
        out,
    ):
        fail(api.pointer, status, "CreateTensorWithDataAndDeleterAsOrtValue")
    _keepers.add(keeper)
    return out[0]
