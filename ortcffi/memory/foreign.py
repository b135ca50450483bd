# SPDX-License-Identifier: MIT
"""Allocators of one library for another.

An allocator's struct can be given to any library, and its memory is memory. But its memory info,
figures and statuses are objects of the library that it is of, which another cannot read.
"""

from typing import TYPE_CHECKING

from ortcffi._handle import out_of, owner_of
from ortcffi._native import lib
from ortcffi._table import core_api
from ortcffi.errors import check
from ortcffi.memory.allocator import Allocator
from ortcffi.memory.info import MemoryInfo

if TYPE_CHECKING:
    from ortcffi.table.api import Api

__all__ = ["allocator_for", "same_library"]


def same_library(one: "Api", other: "Api") -> bool:
    """Whether objects of one table are objects of the other: tables of a library share them."""
    return one.path == other.path


def allocator_for(api: "Api", allocator: Allocator) -> Allocator:
    """The allocator as a library can use it: itself, or one around it that speaks for it.

    Parameters
    ----------
    api : Api
        The table of the library that is to use it.
    allocator : Allocator
        Of any library. The result keeps it alive.
    """
    if not isinstance(allocator, Allocator):
        raise TypeError(f"allocator must be an Allocator, not {type(allocator).__name__}")
    if same_library(allocator.api, api):
        info = allocator.info
        return allocator if same_library(info.api, api) else _Lent(api, allocator, info)
    return _Lent(api, allocator, allocator.info)


class _Lent(Allocator):
    """An allocator around one of another library."""

    __slots__ = ("inner",)

    def __init__(self, api: "Api", inner: Allocator, info: MemoryInfo) -> None:
        core = core_api()
        translated = info if same_library(info.api, api) else _translated(api, info)
        # A lent info would lead back to the allocator; that stays anyhow.
        kept = None if translated is info else translated.handle
        speaks = all(table.supports("CreateKeyValuePairs") for table in (api, inner.api))
        tables = (inner.api.pointer, api.pointer)
        owner = owner_of("OrtAllocator*", core, lib.ortcffi_release_adaptor)
        out = out_of(owner)
        status = lib.ortcffi_lend(inner.handle, *tables, translated.handle, kept, speaks, out)
        check(core.pointer, status, "ortcffi_lend")
        lib.ortcffi_adaptor_made(owner, owner, True)
        super().__init__(api, owner)
        self.inner = inner


def _translated(api: "Api", info: MemoryInfo) -> MemoryInfo:
    """The same description as an object of another library."""
    if not (api.supports("CreateMemoryInfo_V2") and info.api.supports("CreateMemoryInfo_V2")):
        return api.memory_info(info.name, info.allocator_type, info.id, info.mem_type)
    return api.device_memory_info(
        info.name,
        info.device_type,
        vendor_id=info.vendor_id,
        device_id=info.id,
        device_mem_type=info.device_mem_type,
        allocator_type=info.allocator_type,
    )
