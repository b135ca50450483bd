# SPDX-License-Identifier: MIT
"""The settings of arenas: ``OrtArenaCfg``."""

from typing import TYPE_CHECKING

from ortcffi._convert import byte_count
from ortcffi._native import ffi, lib
from ortcffi._public import public
from ortcffi._table import table_for
from ortcffi.errors import check
from ortcffi.platform.handle import Handle, out_of, owner_of

if TYPE_CHECKING:
    from ortcffi.table.api import Api

__all__ = ["ArenaCfg", "measures"]

STRATEGIES = {"power_of_two": 0, "as_requested": 1}


def measures(  # noqa: PLR0913  # as many as an arena has
    *,
    max_bytes: int | str | None = None,
    strategy: str | None = None,
    initial_chunk_bytes: int | str | None = None,
    growth_chunk_bytes: int | str | None = None,
    max_dead_bytes: int | str | None = None,
    max_power_of_two_bytes: int | str | None = None,
) -> dict[str, int]:
    """Convert the arguments that were given to the names of the C API; errors name the argument."""
    given = {
        "max_mem": ("max_bytes", max_bytes),
        "initial_chunk_size_bytes": ("initial_chunk_bytes", initial_chunk_bytes),
        "initial_growth_chunk_size_bytes": ("growth_chunk_bytes", growth_chunk_bytes),
        "max_dead_bytes_per_chunk": ("max_dead_bytes", max_dead_bytes),
        "max_power_of_two_extend_bytes": ("max_power_of_two_bytes", max_power_of_two_bytes),
    }
    found = {
        key: byte_count(argument, number)
        for key, (argument, number) in given.items()
        if number is not None
    }
    if strategy is not None:
        if not isinstance(strategy, str) or strategy not in STRATEGIES:
            expected = " or ".join(map(repr, STRATEGIES))
            raise ValueError(f"strategy must be {expected}, not {strategy!r}")
        found["arena_extend_strategy"] = STRATEGIES[strategy]
    return found


@public
class ArenaCfg(Handle):
    """The settings of an arena of the library. Those that are not given have the library's default.

    Parameters
    ----------
    api : Api, optional
        The table that makes the object, by default the one of `default_api`.
    max_bytes : int or str, optional
        The limit of all chunks, in bytes or as ``"64 MB"``, as all sizes here; 0 for none.
    strategy : {"power_of_two", "as_requested"}, optional
        ``"power_of_two"``: each chunk is twice as large as the one before. ``"as_requested"``: a
        chunk is as large as the block that needs it.
    initial_chunk_bytes : int or str, optional
        The size of the first chunk.
    growth_chunk_bytes : int or str, optional
        The size of the first chunk after the arena gave memory back, if the strategy is
        ``"power_of_two"``.
    max_dead_bytes : int or str, optional
        A free block is split if this many bytes or more would be unused.
    max_power_of_two_bytes : int or str, optional
        The size up to which chunks double.

    Attributes
    ----------
    measures : dict of str to int
        The arguments that were given, under the names of the C API.

    Raises
    ------
    TypeError, ValueError
        An argument has a wrong type or is out of range.
    InvalidArgument
        The library refuses an argument.

    Notes
    -----
    API functions: ``CreateArenaCfgV2``, ``ReleaseArenaCfg``, since version 8.
    """

    __slots__ = ("measures",)

    def __init__(  # noqa: PLR0913  # as many as an arena has
        self,
        api: "Api | None" = None,
        *,
        max_bytes: int | str | None = None,
        strategy: str | None = None,
        initial_chunk_bytes: int | str | None = None,
        growth_chunk_bytes: int | str | None = None,
        max_dead_bytes: int | str | None = None,
        max_power_of_two_bytes: int | str | None = None,
    ) -> None:
        api = table_for(api)
        found = measures(
            max_bytes=max_bytes,
            strategy=strategy,
            initial_chunk_bytes=initial_chunk_bytes,
            growth_chunk_bytes=growth_chunk_bytes,
            max_dead_bytes=max_dead_bytes,
            max_power_of_two_bytes=max_power_of_two_bytes,
        )
        api.require("CreateArenaCfgV2")
        names = [ffi.new("char[]", key.encode()) for key in found]
        arrays = ffi.new("char*[]", names), ffi.new("size_t[]", list(found.values()))
        owner = owner_of("OrtArenaCfg*", api, lib.ReleaseArenaCfg)
        check(api.pointer, lib.CreateArenaCfgV2(api.pointer, *arrays, len(names), out_of(owner)))
        super().__init__(api, owner)
        self.measures = found

    def __repr__(self) -> str:
        shown = "".join(f" {key}={number}" for key, number in self.measures.items())
        return f"<ArenaCfg {'closed' if self.closed else f'of {self.api}{shown}'}>"
