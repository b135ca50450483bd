# SPDX-License-Identifier: MIT
"""What watched libraries have not released, by the slot that made it."""

from ortcffi._convert import decode
from ortcffi._native import ffi, lib

__all__ = ["made_by_slot"]


def made_by_slot() -> dict[str, int]:
    """How many objects each slot has made that watched libraries have not released."""
    counts = ffi.new("uint64_t[]", lib.ORTCFFI_SLOTS)
    lib.ortcffi_watched_objects(counts)
    return {
        decode(lib.ortcffi_slot_row(i).name): n
        for i, n in enumerate(ffi.unpack(counts, lib.ORTCFFI_SLOTS))
        if n
    }
