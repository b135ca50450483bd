# SPDX-License-Identifier: MIT
"""An allocator that counts, and figures of parts of a program."""

from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import ortcffi.callbacks  # noqa: F401  # defines what C calls
from ortcffi._native import ffi, lib
from ortcffi.adaptors import Adaptor
from ortcffi.sites import place_of

if TYPE_CHECKING:
    from ortcffi.memory import Allocator

__all__ = ["Leak", "Scope", "Tracking"]


class Leak(NamedTuple):
    """A block that was still in use.

    Attributes
    ----------
    size : int
        Bytes, as asked for.
    place : str
        ``file:line in function`` of the Python code that took it; "outside of Python" for a thread
        or a library that has none.
    """

    size: int
    place: str


class Tracking(Adaptor):
    """Counts what is taken from the allocator inside, in bytes as asked for.

    Each thread counts for itself and the reader adds up. The peak is exact as long as one thread
    allocates; with several it is what all had in use together when one of them had more than ever.

    Parameters
    ----------
    inner : Allocator
        Where the memory comes from.

    Examples
    --------
    >>> from ortcffi import core_api
    >>> pool = Tracking(core_api().default_allocator)
    >>> with pool.scope("preprocess") as scope:
    ...     x = pool.empty((8, 3), "f4")
    >>> scope.peak, scope.live, len(scope.leaks)
    (96, 96, 1)
    """

    __slots__ = ("_scopes",)

    def __init__(self, inner: "Allocator") -> None:
        super().__init__(inner, lib.ortcffi_tracking)
        self._scopes = 0

    def _read(self) -> Any:
        figures = ffi.new("ortcffi_figures*")
        lib.ortcffi_tracking_read(self.handle, figures)
        return figures

    @property
    def bytes_allocated(self) -> int:
        """Bytes in use."""
        return int(self._read().current)

    @property
    def max_memory(self) -> int:
        """The most that `bytes_allocated` has been."""
        return int(self._read().peak)

    @property
    def total_bytes(self) -> int:
        """Bytes ever asked for."""
        return int(self._read().total)

    @property
    def num_allocations(self) -> int:
        """Blocks ever handed out."""
        return int(self._read().allocations)

    @property
    def num_frees(self) -> int:
        """Blocks ever given back."""
        return int(self._read().frees)

    @property
    def max_allocation(self) -> int:
        """Bytes of the largest block ever asked for."""
        return int(self._read().largest)

    def scope(self, name: str = "", *, leaks: bool = True) -> "Scope":
        """Figures of one part of a program: use the result in a ``with`` statement.

        Scopes may be nested; what happens in an inner one counts in the outer one as well. What
        other threads take from this allocator meanwhile counts too.

        Parameters
        ----------
        name : str, optional
            For a person to read.
        leaks : bool, optional
            Whether to note the Python line of each allocation, for `Scope.leaks`. It costs about a
            microsecond each.
        """
        return Scope(self, name, leaks=leaks)

    def _record(self, change: int) -> None:
        self._scopes += change
        lib.ortcffi_tracking_record(self.handle, self._scopes > 0)

    def _leaks(self, since: int) -> list[Leak]:
        count = lib.ortcffi_tracking_blocks(self.handle, since, ffi.NULL, 0)
        blocks = ffi.new("ortcffi_tracked_block[]", count)
        # Other threads may have taken or freed some in between.
        count = min(count, lib.ortcffi_tracking_blocks(self.handle, since, blocks, count))
        found = [Leak(blocks[i].size, place_of(blocks[i].site)) for i in range(count)]
        return found[::-1]


class Scope:
    """Figures of a ``with`` block alone; made by `Tracking.scope`.

    Attributes
    ----------
    name : str
        As given.
    peak : int
        The most bytes that were in use at once, beyond those in use at the start.
    live : int
        Bytes in use at the end beyond those at the start; negative if more was freed than taken.
    num_allocations, num_frees : int
        Blocks taken and given back.
    total_bytes : int
        Bytes asked for.
    leaks : list of Leak
        Blocks taken in the scope and in use at its end, oldest first; empty without ``leaks``.
    """

    __slots__ = (
        "_before",
        "_outer_peak",
        "_recording",
        "_tracking",
        "leaks",
        "live",
        "name",
        "num_allocations",
        "num_frees",
        "peak",
        "total_bytes",
    )

    def __init__(self, tracking: Tracking, name: str, *, leaks: bool) -> None:
        self._tracking = tracking
        self._recording = leaks
        self.name = name
        self.peak = self.live = self.num_allocations = self.num_frees = self.total_bytes = 0
        self.leaks: list[Leak] = []

    def __enter__(self) -> Self:
        self._before = self._tracking._read()
        self._outer_peak = lib.ortcffi_tracking_set_peak(self._tracking.handle, 0)
        if self._recording:
            lib.ortcffi_use_python_sites()
            self._tracking._record(+1)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        before, after = self._before, self._tracking._read()
        if self._recording:
            self._tracking._record(-1)
            self.leaks = self._tracking._leaks(before.serial)
        lib.ortcffi_tracking_set_peak(self._tracking.handle, max(self._outer_peak, after.peak))
        self.peak = after.peak - before.current
        self.live = after.current - before.current
        self.num_allocations = after.allocations - before.allocations
        self.num_frees = after.frees - before.frees
        self.total_bytes = after.total - before.total

    def __repr__(self) -> str:
        return f"Scope({self.name!r}, peak={self.peak}, live={self.live}, leaks={len(self.leaks)})"
