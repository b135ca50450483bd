# SPDX-License-Identifier: MIT
"""Statistics of allocators, under pyarrow's names."""

from collections.abc import Mapping
from typing import NamedTuple

from ortcffi._public import public


@public
class AllocatorStats(NamedTuple):
    """Statistics of an allocator at one moment; None for those that the library does not report.

    Attributes
    ----------
    bytes_allocated : int or None
        Bytes in blocks that are in use.
    max_memory : int or None
        The high-water mark of `bytes_allocated`.
    bytes_reserved : int or None
        Bytes taken from the system, whether in use or not.
    num_reserves : int or None
        How many blocks `Allocator.reserve` allocated.
    num_extensions : int or None
        How often memory was taken from the system.
    num_shrinkages : int or None
        How often memory was returned to the system.
    num_bad_frees : int or None
        How many frees were refused because the pointer was no block in use.
    limit : int or None
        The limit of the bytes in use or, for an arena, reserved; -1 or 0 where the library reports
        that there is none.
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

    @classmethod
    def _from(cls, raw: Mapping[str, str]) -> "AllocatorStats":
        """Convert a library's statistics; those that are not numbers become None."""
        figures = {name: _figure(raw.get(key)) for name, key in KEYS.items()}
        return cls(**figures, raw=dict(raw))

    def __repr__(self) -> str:
        figures = ((name, getattr(self, name)) for name in KEYS)
        known = (f"{name}={figure}" for name, figure in figures if figure is not None)
        return f"AllocatorStats({', '.join(known)})"


# The library's names.
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


def _figure(text: str | None) -> int | None:
    try:
        return None if text is None else int(text)
    except ValueError:
        return None
