# SPDX-License-Identifier: MIT
"""`Tracking`, an allocator that counts blocks and bytes; statistics of parts of a program."""

import os
from collections.abc import Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from ortcffi._convert import SIZE, integer, of_type
from ortcffi._handle import out_of, owned_by, owner_of
from ortcffi._native import address_of, ffi, lib
from ortcffi._public import html_table, public, size
from ortcffi.errors import check
from ortcffi.memory.adaptors import Adaptor
from ortcffi.memory.call_sites import lines_of, place_of

if TYPE_CHECKING:
    from ortcffi.memory.allocator import Allocator


# --- blocks, and the stacks that took them ---


@public
class Leak(NamedTuple):
    """A block that was still in use.

    Attributes
    ----------
    size : int
        Bytes, as asked for.
    place : str
        ``file:line in function`` of the Python code that took it: the innermost that is not of an
        installed package or of Python's library, if there is one. "outside of Python" for a thread
        or a library that has no such code.
    stack : tuple of str
        The innermost lines that led to it, innermost first, as many as `Tracking.depth` says.
    """

    size: int
    place: str
    stack: tuple[str, ...] = ()


@public
class LeakGroup(NamedTuple):
    """Blocks that were taken with the same stack."""

    size: int
    blocks: int
    place: str
    stack: tuple[str, ...]


@public
class ScopeLine(NamedTuple):
    """Blocks of a scope that one line of the program took.

    Attributes
    ----------
    place : str
        As of each `Leak`.
    peak, peak_blocks : int
        Bytes, and blocks, in use when the scope had the most bytes.
    live, live_blocks : int
        Bytes, and blocks, in use at its end.
    """

    place: str
    peak: int
    peak_blocks: int
    live: int
    live_blocks: int


def leaks_of(blocks: Iterable[tuple[int, int]]) -> list[Leak]:
    """Blocks for a person to read, each of a size and a number of a stack."""
    found = cache(lambda site: (place_of(site), lines_of(site)))
    return [Leak(number, *found(site)) for number, site in blocks]


def grouped(leaks: list[Leak]) -> list[LeakGroup]:
    """Blocks by their stacks, those with the most bytes first."""
    sizes: dict[tuple[str, tuple[str, ...]], list[int]] = {}
    for leak in leaks:
        sizes.setdefault((leak.place, leak.stack), []).append(leak.size)
    groups = [LeakGroup(sum(each), len(each), *where) for where, each in sizes.items()]
    return sorted(groups, key=lambda group: -group.size)


def by_line(at_peak: Iterable[LeakGroup], live: Iterable[LeakGroup]) -> list[ScopeLine]:
    """Blocks by lines of the program, those with the most bytes first."""
    lines: dict[str, list[int]] = {}
    for first, groups in ((0, at_peak), (2, live)):
        for group in groups:
            figures = lines.setdefault(group.place, [0, 0, 0, 0])
            figures[first] += group.size
            figures[first + 1] += group.blocks
    found = [ScopeLine(place, *figures) for place, figures in lines.items()]
    return sorted(found, key=lambda line: (-line.peak, -line.live))


HEADER = ("at the peak", "blocks", "live", "blocks", "line")


def rows_of(lines: Sequence[ScopeLine], top: int | None) -> list[tuple[str, ...]]:
    """Return the first lines as rows of a table under `HEADER`, and one row for all others."""
    shown = list(lines[:top])
    if rest := lines[len(shown) :]:
        sums = [sum(each) for each in zip(*(line[1:] for line in rest), strict=True)]
        shown.append(ScopeLine(f"{len(rest)} more", *sums))
    here = os.getcwd() + os.sep
    return [
        (size(peak), str(blocks), size(max(live, 0)), str(left), place.removeprefix(here))
        for place, peak, blocks, live, left in shown
    ]


# --- scopes ---


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


# --- the allocator ---


def _figure(field: str, doc: str) -> Any:
    """Return a property that is a figure of what C counts."""

    def read(tracking: "Tracking") -> int:
        figures: Any = ffi.new("core_tracking_figures*")
        lib.core_tracking_read(tracking.handle, figures)
        return int(getattr(figures, field))

    return property(read, None, None, doc)


@public
class Tracking(Adaptor):
    """Counts what is taken from the allocator inside, in bytes as asked for.

    Each thread counts for itself and the reader adds up. The peak is exact as long as one thread
    allocates. With several, the sum of all is compared with the peak only when one of them has more
    in use than it ever had, so a peak in between may be missed.

    Parameters
    ----------
    depth : int, optional
        How many lines of the stack a scope that wants leaks notes for each block, at least 1. Each
        costs a tenth of a microsecond.

    Attributes
    ----------
    scopes : list of Scope
        Those that are open.

    Examples
    --------
    >>> from ortcffi import core_api
    >>> pool = Tracking(core_api().default_allocator)
    >>> with pool.scope("preprocess") as scope:
    ...     x = pool.empty((8, 3), "f4")
    >>> scope.peak, scope.live, len(scope.leaks)
    (96, 96, 1)
    """

    __slots__ = ("_address", "depth", "scopes")

    def __init__(self, inner: "Allocator", depth: int = 4) -> None:
        lines = integer("depth", depth, (1, 1000))
        super().__init__(inner, lib.core_create_tracking)
        self.depth = lines
        # By which scopes know it, also when it has been closed.
        self._address = address_of(self.handle)
        self.scopes: list[Scope] = []

    bytes_allocated: int = _figure("current", "Bytes in use.")
    max_memory: int = _figure("peak", "The most that `bytes_allocated` has been.")
    total_bytes: int = _figure("total", "Bytes ever asked for.")
    num_allocations: int = _figure("allocations", "Blocks ever handed out.")
    num_frees: int = _figure("frees", "Blocks ever given back.")
    max_allocation: int = _figure("largest", "Bytes of the largest block ever asked for.")

    def scope(self, name: str = "", *, leaks: bool = True) -> Scope:
        """Statistics of one part of a program: use it in a ``with`` statement.

        It counts what all threads take and free while it is open. Scopes may be nested; what
        happens in an inner one counts in the outer one as well.

        Parameters
        ----------
        name : str, optional
            For a person to read.
        leaks : bool, optional
            Whether to note the Python stack of each allocation, for `Scope.leaks` and
            `Scope.at_peak`. It costs one to three microseconds each. The code of each function in
            a stack is kept as long as the process: pass False where code is compiled again and
            again.
        """
        return Scope(self, name, leaks=leaks)
