# SPDX-License-Identifier: MIT
"""An allocator that counts, and figures of parts of a program."""

from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from ortcffi._callback import called_from_c
from ortcffi._convert import integer
from ortcffi._native import ffi, lib
from ortcffi._public import public
from ortcffi.memory.adaptors import Adaptor
from ortcffi.memory.call_sites import lines_of, place_of, stack_of_caller

if TYPE_CHECKING:
    from ortcffi.memory.allocator import Allocator

__all__ = ["Leak", "LeakGroup", "Scope", "Tracking"]


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
    """Blocks that were still in use and were taken with the same stack.

    Attributes
    ----------
    size, blocks : int
        Bytes in all, and blocks.
    place : str
    stack : tuple of str
        As of each `Leak`.
    """

    size: int
    blocks: int
    place: str
    stack: tuple[str, ...]


def _grouped(leaks: list[Leak]) -> list[LeakGroup]:
    sizes: dict[tuple[str, tuple[str, ...]], list[int]] = {}
    for leak in leaks:
        sizes.setdefault((leak.place, leak.stack), []).append(leak.size)
    groups = [LeakGroup(sum(each), len(each), *where) for where, each in sizes.items()]
    return sorted(groups, key=lambda group: -group.size)


def _read(tracking: "Tracking") -> Any:
    figures = ffi.new("core_tracking_figures*")
    lib.ortcffi_tracking_read(tracking.handle, figures)
    return figures


def _leaks(tracking: "Tracking", since: int) -> list[Leak]:
    handle = tracking.handle
    count = lib.ortcffi_tracking_blocks(handle, since, ffi.NULL, 0)
    blocks: Any = ffi.new("core_tracked_block[]", count)
    # Other threads may have taken or freed some in between.
    count = min(count, lib.ortcffi_tracking_blocks(handle, since, blocks, count))
    found = [(blocks[i].size, blocks[i].site) for i in range(count)][::-1]
    told = {site: (place_of(site), lines_of(site)) for _, site in found}
    return [Leak(size, *told[site]) for size, site in found]


@public
class Tracking(Adaptor):
    """Counts what is taken from the allocator inside, in bytes as asked for.

    Each thread counts for itself and the reader adds up. The peak is exact as long as one thread
    allocates; with several it is what all had in use together when one of them had more than ever.

    Parameters
    ----------
    inner : Allocator
        Where the memory comes from.
    depth : int, optional
        How many lines of the stack a scope that wants leaks notes for each block, at least 1. Each
        costs a fraction of a microsecond.

    Attributes
    ----------
    depth : int
        As given.
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

    __slots__ = ("depth", "scopes")

    def __init__(self, inner: "Allocator", depth: int = 4) -> None:
        self.depth = integer("depth", depth, (1, 1000))
        super().__init__(inner, lib.ortcffi_tracking)
        self.scopes: list[Scope] = []

    @property
    def bytes_allocated(self) -> int:
        """Bytes in use."""
        return int(_read(self).current)

    @property
    def max_memory(self) -> int:
        """The most that `bytes_allocated` has been."""
        return int(_read(self).peak)

    @property
    def total_bytes(self) -> int:
        """Bytes ever asked for."""
        return int(_read(self).total)

    @property
    def num_allocations(self) -> int:
        """Blocks ever handed out."""
        return int(_read(self).allocations)

    @property
    def num_frees(self) -> int:
        """Blocks ever given back."""
        return int(_read(self).frees)

    @property
    def max_allocation(self) -> int:
        """Bytes of the largest block ever asked for."""
        return int(_read(self).largest)

    def scope(self, name: str = "", *, leaks: bool = True) -> "Scope":
        """Figures of one part of a program: use the result in a ``with`` statement.

        Scopes may be nested; what happens in an inner one counts in the outer one as well. What
        other threads take from this allocator meanwhile counts too.

        Parameters
        ----------
        name : str, optional
            For a person to read.
        leaks : bool, optional
            Whether to note the Python stack of each allocation, for `Scope.leaks`. It costs some
            microseconds each.
        """
        return Scope(self, name, leaks=leaks)


@public
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

    Notes
    -----
    ``str(scope)`` is a table of the leaks, those with equal stacks in one row.
    """

    __slots__ = (
        "_before",
        "_highest",
        "_leaks_wanted",
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
        self._leaks_wanted = leaks
        self._highest = 0
        self.name = name
        self.peak = self.live = self.num_allocations = self.num_frees = self.total_bytes = 0
        self.leaks: list[Leak] = []

    def __enter__(self) -> Self:
        if self in self._tracking.scopes:
            raise RuntimeError(f"scope {self.name!r} is open already")
        self._turn()
        self._highest = 0
        self._before = _read(self._tracking)
        self._tracking.scopes.append(self)
        self._record()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self not in self._tracking.scopes:
            raise RuntimeError(f"scope {self.name!r} is not open")
        self._turn()
        self._tracking.scopes.remove(self)
        before, after = self._before, _read(self._tracking)
        self._record()
        if self._leaks_wanted:
            self.leaks = _leaks(self._tracking, before.serial)
        self.peak = max(self._highest - before.current, 0)
        self.live = after.current - before.current
        self.num_allocations = after.allocations - before.allocations
        self.num_frees = after.frees - before.frees
        self.total_bytes = after.total - before.total

    def _turn(self) -> None:
        """Begin to look for a new peak; what the last one was counts for all open scopes."""
        peak = lib.ortcffi_tracking_take_window(self._tracking.handle)
        for scope in self._tracking.scopes:
            scope._highest = max(scope._highest, peak)

    def _record(self) -> None:
        """Have blocks noted while an open scope wants its leaks."""
        wanted = any(scope._leaks_wanted for scope in self._tracking.scopes)
        if wanted:
            lib.ortcffi_use_python_sites()
        depth = self._tracking.depth if wanted else 0
        lib.ortcffi_tracking_record(self._tracking.handle, depth)

    @property
    def groups(self) -> list[LeakGroup]:
        """`leaks` by their stacks, those with the most bytes first."""
        return _grouped(self.leaks)

    def __str__(self) -> str:
        title = f"scope {self.name!r}: {self.live} bytes live, {self.peak} at the peak"
        rows = [title, f"{'bytes':>14} {'blocks':>8}  place"]
        for group in self.groups:
            rows.append(f"{group.size:>14} {group.blocks:>8}  {group.place}")
            rows.extend(f"{'':>25} {line}" for line in group.stack if line != group.place)
        return "\n".join(rows if len(rows) > 2 else rows[:1])

    def __repr__(self) -> str:
        return f"Scope({self.name!r}, peak={self.peak}, live={self.live}, leaks={len(self.leaks)})"


@called_from_c("ortcffi_python_site", lambda _error, _arguments: 0)
def _site(depth: int) -> int:
    return stack_of_caller(depth, 2)  # past this function and its guard
