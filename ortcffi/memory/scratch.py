# SPDX-License-Identifier: MIT
"""An allocator for results that functions of a library write to memory of an allocator."""

from typing import TYPE_CHECKING, Any

from ortcffi._native import ffi, lib
from ortcffi.errors import check, out_of_memory
from ortcffi.platform.handle import out_of, owned_by, owner_of

if TYPE_CHECKING:
    from ortcffi._ort import OrtAllocator
    from ortcffi.table.api import Api

__all__ = ["scratch_for"]


def scratch_for(api: "Api") -> "OrtAllocator":
    """A new allocator whose blocks are freed with it, when the last reference to it goes.

    A function of the library that answers strings is given it. So no interrupt loses a string, and
    none needs to be freed.
    """
    info: Any = vars(api).get("_scratch_info")
    if info is None:  # belongs to the library, which stays as long as the table
        info = vars(api).setdefault("_scratch_info", _info_of(api))
    owner = owner_of("OrtAllocator*", None, lib.ortcffi_release_scratch)
    if not lib.ortcffi_new_scratch(info, out_of(owner)):
        raise out_of_memory("there is no memory for an allocator", "Alloc")
    found: OrtAllocator = owned_by(owner)
    return found


def _info_of(api: "Api") -> Any:
    """Where the library's default allocator allocates: the same for ever, so it is asked once."""
    out = ffi.new("const OrtMemoryInfo**")
    allocator = api.default_allocator.handle
    check(api.pointer, lib.AllocatorGetInfo(api.pointer, allocator, out))
    return out[0]
