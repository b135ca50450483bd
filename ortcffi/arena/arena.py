# SPDX-License-Identifier: MIT
"""The core's arena, over any allocator."""

from ortcffi._native import lib
from ortcffi._public import public
from ortcffi._table import core_api
from ortcffi.arena.cfg import ArenaCfg
from ortcffi.memory.adaptors import Adaptor
from ortcffi.memory.allocator import Allocator
from ortcffi.memory.blocks import Limits

__all__ = ["Arena"]


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

    Attributes
    ----------
    measures : dict of str to int
        The arguments that were given, under the names of the C API.

    Raises
    ------
    TypeError, ValueError
        An argument has a wrong type or is out of range.
    InvalidArgument
        The core refuses an argument.

    Examples
    --------
    >>> arena = Arena(core_api().default_allocator, max_bytes=1 << 30)
    >>> x = arena.zeros((1000, 1000))
    >>> del x
    >>> arena.stats.bytes_allocated, arena.stats.bytes_reserved >= 8_000_000
    (0, True)
    """

    __slots__ = ("measures",)

    def __init__(  # noqa: PLR0913  # as many as an arena has
        self,
        inner: Allocator,
        *,
        max_bytes: int | str | None = None,
        strategy: str | None = None,
        initial_chunk_bytes: int | str | None = None,
        growth_chunk_bytes: int | str | None = None,
        max_dead_bytes: int | str | None = None,
        max_power_of_two_bytes: int | str | None = None,
    ) -> None:
        with ArenaCfg(
            core_api(),
            max_bytes=max_bytes,
            strategy=strategy,
            initial_chunk_bytes=initial_chunk_bytes,
            growth_chunk_bytes=growth_chunk_bytes,
            max_dead_bytes=max_dead_bytes,
            max_power_of_two_bytes=max_power_of_two_bytes,
        ) as cfg:
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
