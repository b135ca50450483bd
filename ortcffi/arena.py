# SPDX-License-Identifier: MIT
"""Arenas: allocators that keep chunks of memory, with a limit and statistics."""

from typing import TYPE_CHECKING, Any

from ortcffi._convert import byte_count
from ortcffi._handle import Handle
from ortcffi._native import ffi, lib
from ortcffi._public import public
from ortcffi._table import core_api, table_for
from ortcffi.memory.adaptors import Adaptor
from ortcffi.memory.allocator import Allocator
from ortcffi.memory.blocks import Limits

if TYPE_CHECKING:
    from ortcffi.table.api import Api

# The value of a measure.
Measure = int | str | None
_KEYS = {
    "max_bytes": "max_mem",
    "strategy": "arena_extend_strategy",
    "initial_chunk_bytes": "initial_chunk_size_bytes",
    "growth_chunk_bytes": "initial_growth_chunk_size_bytes",
    "max_dead_bytes": "max_dead_bytes_per_chunk",
    "max_power_of_two_bytes": "max_power_of_two_extend_bytes",
}
_STRATEGIES = {"power_of_two": 0, "as_requested": 1}


def _number(name: str, value: Any) -> int:
    if name not in _KEYS:
        raise TypeError(f"an arena has no {name!r}; expected one of {', '.join(_KEYS)}")
    if name != "strategy":
        return byte_count(name, value)
    if not isinstance(value, str) or value not in _STRATEGIES:
        expected = " or ".join(map(repr, _STRATEGIES))
        raise ValueError(f"strategy must be {expected}, not {value!r}")
    return _STRATEGIES[value]


@public
class ArenaCfg(Handle):
    """The settings of an arena of the library. Those that are not given have the library's default.

    API functions: ``CreateArenaCfgV2``, ``ReleaseArenaCfg``, since version 8.

    Parameters
    ----------
    max_bytes : int or str, optional
        The limit of all chunks, in bytes or as ``"64 MB"``, as all sizes here; 0 for none.
    strategy : {"power_of_two", "as_requested"}, optional
        ``"power_of_two"``: each chunk is twice as large as the one before. ``"as_requested"``: a
        chunk is as large as the block that needs it.
    growth_chunk_bytes : int or str, optional
        The size of the first chunk after the arena gave memory back, if the strategy is
        ``"power_of_two"``.
    max_dead_bytes : int or str, optional
        A free block is split if this many bytes or more would be unused.
    max_power_of_two_bytes : int or str, optional
        The size up to which chunks double.

    Raises
    ------
    InvalidArgument
        The library refuses an argument.
    """

    __slots__ = ("measures",)

    _pointer, _release = "OrtArenaCfg*", lib.ReleaseArenaCfg

    def __init__(self, api: "Api | None" = None, **measures: Measure) -> None:
        api = table_for(api)
        given = {name: _number(name, each) for name, each in measures.items() if each is not None}
        found = {_KEYS[name]: number for name, number in given.items()}
        names = [ffi.new("char[]", key.encode()) for key in found]
        arrays = ffi.new("char*[]", names), ffi.new("size_t[]", list(found.values()))
        self._create(api, "CreateArenaCfgV2", *arrays, len(names))
        self.measures = found

    def __repr__(self) -> str:
        shown = "".join(f" {key}={number}" for key, number in self.measures.items())
        return f"<ArenaCfg {'closed' if self.closed else f'of {self.api}{shown}'}>"


@public
class Arena(Adaptor):
    """Takes memory in large chunks and keeps freed memory until `shrink`.

    Adjacent free blocks are merged, and the best-fitting one is used. It is thread-safe, and each
    thread has a cache of blocks that it freed.

    Parameters
    ----------
    inner : Allocator
        The allocator that the chunks come from.
    max_bytes : int or str, optional
        The limit of all chunks, in bytes; by default there is none.
    strategy : {"power_of_two", "as_requested"}, optional
        ``"power_of_two"``, the default: each chunk is twice as large as the one before.
        ``"as_requested"``: a chunk is as large as the block that needs it.
    initial_chunk_bytes : int or str, optional
        The size of the first chunk; by default 1 MiB.
    growth_chunk_bytes : int or str, optional
        The size of the first chunk after a `shrink`, if the strategy is ``"power_of_two"``; by
        default 2 MiB.
    max_dead_bytes : int or str, optional
        A free block is split if this many bytes or more would be unused, or at least half of it;
        by default 128 MiB.
    max_power_of_two_bytes : int or str, optional
        The size up to which chunks double; by default 1 GiB.

    Examples
    --------
    >>> arena = Arena(core_api().default_allocator, max_bytes=1 << 30)
    >>> x = arena.zeros((1000, 1000))
    >>> del x
    >>> arena.stats.bytes_allocated, arena.stats.bytes_reserved >= 8_000_000
    (0, True)
    """

    __slots__ = ("measures",)

    def __init__(self, inner: Allocator, **measures: Measure) -> None:
        with ArenaCfg(core_api(), **measures) as cfg:
            super().__init__(inner, lib.ortcffi_arena, cfg.handle)
            self.measures = cfg.measures

    def _limits(self) -> Limits:
        if "max_mem" not in self.measures or self.closed:
            return super()._limits()
        return [(self.measures["max_mem"], self.stats.bytes_reserved or 0), *super()._limits()]

    def _null_answers(self) -> str:
        return "an Arena with max_bytes" if "max_mem" in self.measures else super()._null_answers()

    def shrink(self) -> None:
        """Return unused chunks to the inner allocator. The same as `release_unused`."""
        self.release_unused()
