# SPDX-License-Identifier: MIT
"""The core's arena, over any allocator."""

from ortcffi._native import lib
from ortcffi._public import public
from ortcffi._table import core_api
from ortcffi.arena.cfg import ArenaCfg
from ortcffi.memory.adaptors import Adaptor
from ortcffi.memory.allocator import Allocator

__all__ = ["Arena"]


@public
class Arena(Adaptor):
    """Takes memory in large chunks and keeps what is freed, until `shrink`.

    Free memory is joined with what is free beside it, and the block that fits best is taken. Any
    number of threads may use it at once; each keeps some of what it frees for itself.

    Parameters
    ----------
    inner : Allocator
        Where the chunks come from.
    max_bytes : int, optional
        The most that is taken, in bytes; by default there is no limit.
    strategy : {"power_of_two", "as_requested"}, optional
        Whether each chunk is twice as large as the one before, or as large as what is asked for; by
        default the first.
    initial_chunk_bytes : int, optional
        How much is taken at first; by default 1 MiB.
    growth_chunk_bytes : int, optional
        The size of the chunk that follows a `shrink`, where the strategy is ``"power_of_two"``; by
        default 2 MiB.
    max_dead_bytes : int, optional
        How much of a block may lie idle before the rest is given to another; by default 128 MiB.
    max_power_of_two_bytes : int, optional
        The largest chunk that doubling leads to; by default 1 GiB.

    Attributes
    ----------
    measures : dict of str to int
        What was given, under the names of the C API.

    Raises
    ------
    TypeError, ValueError
        A measure is of a wrong type or out of range.
    InvalidArgument
        A measure is one that no arena can have.

    Examples
    --------
    >>> arena = Arena(core_api().default_allocator, max_bytes=1 << 30)
    >>> x = arena.zeros((1000, 1000))
    >>> del x
    >>> arena.stats.bytes_allocated, arena.stats.bytes_reserved >= 8_000_000
    (0, True)
    """

    __slots__ = ("measures",)

    _shows_inner = False

    def __init__(  # noqa: PLR0913  # as many as an arena has
        self,
        inner: Allocator,
        *,
        max_bytes: int | None = None,
        strategy: str | None = None,
        initial_chunk_bytes: int | None = None,
        growth_chunk_bytes: int | None = None,
        max_dead_bytes: int | None = None,
        max_power_of_two_bytes: int | None = None,
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

    def shrink(self) -> None:
        """Give back the chunks of which nothing is in use. The same as `release_unused`."""
        self.release_unused()
