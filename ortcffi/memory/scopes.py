# SPDX-License-Identifier: MIT
"""Statistics of parts of a program, for `Tracking`. C counts."""

from typing import TYPE_CHECKING, Any, Self

from ortcffi._convert import SIZE, integer, of_type
from ortcffi._handle import out_of, owned_by, owner_of
from ortcffi._native import ffi, lib
from ortcffi._public import html_table, public, size
from ortcffi.errors import check
from ortcffi.memory.leaks import (
    HEADER,
    Leak,
    LeakGroup,
    ScopeLine,
    by_line,
    grouped,
    leaks_of,
    rows_of,
)

if TYPE_CHECKING:
    from ortcffi.memory.tracking import Tracking


@public
class Scope:
    """Statistics of a ``with`` block; made by `Tracking.scope`.

    Attributes
    ----------
    peak : int
        The most bytes that were in use at once, beyond those in use at the start.
    live : int
        Bytes in use at the end beyond those at the start; negative if more was freed than taken.
    leaks : list of Leak
        Blocks taken in the scope and in use at its end, oldest first; empty without ``leaks``.
    at_peak : list of LeakGroup
        Blocks taken in the scope and in use when it had the most bytes, by their stacks, those with
        the most bytes first; empty without ``leaks``.

    Notes
    -----
    ``str(scope)`` is `report`, and a notebook shows it as a table.
    """

    _handle: Any  # what C counts, while the scope is open

    def __init__(self, tracking: "Tracking", name: str, *, leaks: bool) -> None:
        self._tracking = tracking
        self._depth = tracking.depth if leaks else 0
        self._handle = None
        self.name: str = of_type("name", name, str)
        self.peak = self.live = self.num_allocations = self.num_frees = self.total_bytes = 0
        self.leaks: list[Leak] = []
        self.at_peak: list[LeakGroup] = []

    def __enter__(self) -> Self:
        if self._handle is not None:
            raise RuntimeError(f"scope {self.name!r} is open already")
        tracking = self._tracking
        owner = owner_of("core_scope*", tracking.api, lib.ortcffi_release_scope, tracking)
        check(
            tracking.api.pointer,
            lib.ortcffi_open_scope(tracking.handle, self._depth, out_of(owner)),
            "Tracking.scope",
        )
        self._handle = owned_by(owner)
        tracking.scopes.append(self)
        return self

    def __exit__(self, *_error: object) -> None:
        handle, self._handle = self._handle, None
        if handle is None or self not in self._tracking.scopes:  # as is a copy of an open one
            raise RuntimeError(f"scope {self.name!r} is not open")
        self._tracking.scopes.remove(self)
        figures = ffi.new("core_scope_figures*")
        lib.core_close_scope(handle, figures)
        self.peak, self.live = figures.peak, figures.live
        self.num_allocations, self.num_frees = figures.allocations, figures.frees
        self.total_bytes = figures.total
        self._read_blocks(handle)

    def _read_blocks(self, handle: Any) -> None:
        count = lib.core_scope_blocks(handle, ffi.NULL, 0)
        blocks: Any = ffi.new("core_tracked_block[]", count)
        # Other threads may have freed some in between.
        count = min(count, lib.core_scope_blocks(handle, blocks, count))
        found = [blocks[i] for i in range(count)][::-1]
        self.leaks = leaks_of((each.size, each.site) for each in found if each.block)
        self.at_peak = grouped(leaks_of((each.size, each.site) for each in found if each.at_peak))

    @property
    def groups(self) -> list[LeakGroup]:
        """`leaks` by their stacks, those with the most bytes first."""
        return grouped(self.leaks)

    def by_line(self) -> list[ScopeLine]:
        """`leaks` and `at_peak` by the program's own lines, the most bytes at the peak first."""
        return by_line(self.at_peak, self.groups)

    def report(self, top: int | None = 10) -> str:
        """Return a table of `by_line` for a person to read, with places relative to this folder.

        Parameters
        ----------
        top : int or None, optional
            How many lines it has; the others are added up in one. None for all.
        """
        rows = rows_of(self.by_line(), top if top is None else integer("top", top, SIZE))
        table = [
            f"{peak:>12} {blocks:>8} {live:>12} {left:>8}  {place}"
            for peak, blocks, live, left, place in ([HEADER, *rows] if rows else [])
        ]
        return "\n".join([self._title(), *table])

    def to_html(self, top: int | None = 10) -> str:
        """Return the table of `report` as a ``<table>``, which a notebook shows for a scope."""
        top = top if top is None else integer("top", top, SIZE)
        return html_table(self._title(), HEADER, rows_of(self.by_line(), top))

    def to_json(self) -> str:
        """Return the name, `peak`, `live` and the lines of `by_line` as JSON."""
        import json

        lines = [each._asdict() for each in self.by_line()]
        return json.dumps({"name": self.name, "peak": self.peak, "live": self.live, "lines": lines})

    def _title(self) -> str:
        live = f"-{size(-self.live)}" if self.live < 0 else size(self.live)
        return f"scope {self.name!r}: {size(self.peak)} at the peak, {live} live at the end"

    def __str__(self) -> str:
        return self.report()

    def _repr_html_(self) -> str:
        return self.to_html()

    def __repr__(self) -> str:
        return f"Scope({self.name!r}, peak={self.peak}, live={self.live}, leaks={len(self.leaks)})"
