# SPDX-License-Identifier: MIT
"""Adaptors that make an allocator of one library usable by another.

Any library can call an allocator's struct and use its memory. But its memory info, statistics and
statuses are objects of its own library, which another library cannot read.
"""

from typing import TYPE_CHECKING

from ortcffi._convert import of_type
from ortcffi._native import compiled, ffi, lib
from ortcffi._table import core_api
from ortcffi.errors import check
from ortcffi.memory.allocator import Allocator
from ortcffi.memory.info import MemoryInfo

if TYPE_CHECKING:
    from ortcffi.table.api import Api


def allocator_for(api: "Api", allocator: Allocator) -> Allocator:
    """Return an allocator that a library can use: the given one, or an adaptor around it."""
    of_type("allocator", allocator, Allocator)
    if allocator.api.same_library(api):
        info = allocator.info
        return allocator if info.api.same_library(api) else _Foreign(api, allocator, info)
    return _Foreign(api, allocator, allocator.info)


class _Foreign(Allocator):
    """An adaptor around an allocator of another library."""

    __slots__ = ("inner",)

    def __init__(self, api: "Api", inner: Allocator, info: MemoryInfo) -> None:
        core = core_api()
        translated = info if info.api.same_library(api) else _translated(api, info)
        # Keep only a new info: a borrowed one refers to its allocator, which keeps it anyway.
        kept = None if translated is info else translated.handle
        speaks = all(table.supports("CreateKeyValuePairs") for table in (api, inner.api))
        tables = (inner.api.pointer, api.pointer)
        out = self._begin_handle(api, table=core.pointer)
        check(
            core.pointer,
            lib.ortcffi_foreign_allocator(
                inner.handle, *tables, translated.handle, ffi.cast("void*", id(kept)), speaks, out
            ),
        )
        self._open_allocator()
        compiled.adaptor_made(self)
        self.inner = inner


def _translated(api: "Api", info: MemoryInfo) -> MemoryInfo:
    """Return an equal memory info of another library."""
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
