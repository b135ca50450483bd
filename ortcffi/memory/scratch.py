# SPDX-License-Identifier: MIT
"""An allocator for what functions of a library answer in memory of an allocator."""

from typing import TYPE_CHECKING

from ortcffi._handle import out_of, owned_by
from ortcffi._native import Owner, lib
from ortcffi.errors import out_of_memory

if TYPE_CHECKING:
    from ortcffi._ort import OrtAllocator
    from ortcffi.table.api import Api

__all__ = ["scratch_for"]


def scratch_for(api: "Api") -> "OrtAllocator":
    """A new allocator whose blocks are freed with it, when the last reference to it goes.

    A function of the library that answers strings is given it. So no interrupt loses a string, and
    none needs to be freed.
    """
    info = api.default_allocator.info  # belongs to the library, as long as that is loaded
    owner = Owner("OrtAllocator*", lib.ortcffi_release_scratch, None)
    if not lib.ortcffi_new_scratch(info.handle, out_of(owner)):
        raise out_of_memory("there is no memory for an allocator", "Alloc")
    found: OrtAllocator = owned_by(owner)
    return found
