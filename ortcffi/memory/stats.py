# SPDX-License-Identifier: MIT
"""The figures of an allocator, under the names that pyarrow has for them."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from ortcffi._public import public

__all__ = ["AllocatorStats"]


@public
class AllocatorStats(NamedTuple):
    """Figures of an allocator at one moment; None for what the library does not say.

    Attributes
    ----------
    bytes_allocated : int or None
        Bytes in blocks that are in use.
    max_memory : int or None
        The most that `bytes_allocated` has been.
    bytes_reserved : int or None
        Bytes taken from the system, whether in use or not.
    num_allocations : int or None
        Blocks ever handed out.
    num_frees : int or None
        Blocks ever given back.
    num_reserves : int or None
        Blocks ever handed out by `Allocator.reserve`.
    num_extensions : int or None
        How often memory was taken from the system.
    num_shrinkages : int or None
        How often memory was given back to the system.
    num_bad_frees : int or None
        Pointers that were to be freed and were no blocks in use.
    max_allocation : int or None
        Bytes of the largest block.
    limit : int or None
        The most bytes that may be reserved.
    raw : mapping of str to str
        What the library said.
    """

    bytes_allocated: int | None
    max_memory: int | None
    bytes_reserved: int | None
    num_allocations: int | None
    num_frees: int | None
    num_reserves: int | None
    num_extensions: int | None
    num_shrinkages: int | None
    num_bad_frees: int | None
    max_allocation: int | None
    limit: int | None
    raw: Mapping[str, str]


# What the library calls the figures.
KEYS = {
    "bytes_allocated": "InUse",
    "max_memory": "MaxInUse",
    "bytes_reserved": "TotalAllocated",
    "num_allocations": "NumAllocs",
    "num_frees": "NumFrees",
    "num_reserves": "NumReserves",
    "num_extensions": "NumArenaExtensions",
    "num_shrinkages": "NumArenaShrinkages",
    "num_bad_frees": "NumBadFrees",
    "max_allocation": "MaxAllocSize",
    "limit": "Limit",
}


def stats_from(raw: Mapping[str, str]) -> AllocatorStats:
    """The figures in what a library said; what is no number is not one."""
    figures = {name: _figure(raw.get(key)) for name, key in KEYS.items()}
    return AllocatorStats(**figures, raw=MappingProxyType(dict(raw)))


def _figure(text: str | None) -> int | None:
    try:
        return None if text is None else int(text)
    except ValueError:
        return None
