# SPDX-License-Identifier: MIT
"""`Tracking`: an allocator that counts blocks and bytes."""

from typing import TYPE_CHECKING, Any

from ortcffi._convert import integer
from ortcffi._native import address_of, ffi, lib
from ortcffi._public import public
from ortcffi.memory.adaptors import Adaptor
from ortcffi.memory.scopes import Scope

if TYPE_CHECKING:
    from ortcffi.memory.allocator import Allocator


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
