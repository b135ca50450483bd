# SPDX-License-Identifier: MIT
"""Values that are given away: their memory stays as long as somebody has them."""

from typing import TYPE_CHECKING, Any

from ortcffi._native import ffi, lib
from ortcffi.errors import fail
from ortcffi.memory.python_allocator import PythonAllocator
from ortcffi.values.element_types import ElementType, ValueKind
from ortcffi.values.lifecycle import require_kind

if TYPE_CHECKING:
    from ortcffi._ort import OrtValue
    from ortcffi.values.compiled import Tensor

_keepers: "set[Keeper]" = set()
_spent: "list[Keeper]" = []


class Keeper(PythonAllocator):
    """What frees the memory of a tensor that was given away: it lets go of whoever owns it."""

    def __init__(self, value: "Tensor") -> None:
        super().__init__(value.api)
        self._owner = value

    def free(self, _pointer: Any) -> None:
        """Let go, but not of this object, in whose functions the caller still is."""
        del self._owner
        _keepers.discard(self)
        _spent.append(self)


def give_away(value: "Tensor") -> "OrtValue":
    """Return a handle of a tensor's memory that owns itself.

    Whoever gets it releases it with ``ReleaseValue``, from any thread. The memory stays until then,
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
    require_kind(value, ValueKind.TENSOR, "memory of its own")
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
