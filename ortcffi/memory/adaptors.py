# SPDX-License-Identifier: MIT
"""Allocators around allocators, which any library accepts.

Each is written in C, is an `Allocator`, and may stand around any other: the core's, a real
library's, another adaptor, up to 100 deep. C counts the references: an adaptor keeps the allocator
inside, and arrays and values keep their allocator.
"""

import threading
from typing import TYPE_CHECKING, Any, NamedTuple

from ortcffi._convert import SIZE, byte_count, integer, of_type
from ortcffi._native import address_of, compiled, ffi, lib
from ortcffi._public import public
from ortcffi._table import core_api
from ortcffi.callbacks.from_c import called_from_c, report_exception
from ortcffi.errors import check
from ortcffi.memory.allocator import Allocator
from ortcffi.memory.blocks import Limits

if TYPE_CHECKING:
    from collections.abc import Callable

    from ortcffi._ort import Cdata
    from ortcffi.memory.info import MemoryInfo


@public
class Adaptor(Allocator):
    """What the adaptors have in common.

    They ask the allocator inside through its struct, whose ``Alloc`` has no status. What ONNX
    Runtime's own allocators throw there for a size that they cannot have is caught.

    Attributes
    ----------
    inner : Allocator
        Where the memory comes from. To close it does not disturb the adaptor.
    """

    __slots__ = ("inner",)

    inner: Allocator

    def __init__(self, inner: Allocator, create: "Callable[..., Any]", *arguments: Any) -> None:
        of_type("inner", inner, Allocator)
        api = core_api()
        out = self._begin_handle(api)
        check(api.pointer, create(inner.handle, *arguments, out), type(self).__name__)
        self._open_allocator()
        compiled.adaptor_made(self)
        if not inner.api.same_library(api):
            compiled.adaptor_reads(self, address_of(inner.api.pointer))
        self.inner = inner

    def _limits(self) -> Limits:
        return self.inner._limits() if hasattr(self, "inner") else []

    def _null_answers(self) -> str:
        return self.inner._null_answers()

    @property
    def info(self) -> "MemoryInfo":
        """Where the memory is: what the allocator inside says."""
        return self.inner.info

    def __repr__(self) -> str:
        name = type(self).__name__
        return f"<{name} closed>" if self.closed else f"{name}({self.inner!r})"


@public
class Aligned(Adaptor):
    """Blocks that begin at multiples of a power of two.

    Parameters
    ----------
    inner : Allocator
        Where the memory comes from. A block costs up to ``alignment + 63`` bytes more there.
    alignment : int
        A power of two up to 2 MiB, in bytes.

    Examples
    --------
    >>> pages = Aligned(core_api().default_allocator, 4096)
    >>> pages.empty(10).ctypes.data % 4096
    0
    """

    __slots__ = ("alignment",)

    def __init__(self, inner: Allocator, alignment: int) -> None:
        super().__init__(inner, lib.core_create_aligned, integer("alignment", alignment, SIZE))
        self.alignment = int(alignment)


@public
class Failing(Adaptor):
    """Fails on purpose: every allocation after the first few.

    Parameters
    ----------
    after : int, optional
        How many allocations succeed first.

    Examples
    --------
    >>> with Failing(core_api().default_allocator, after=1) as failing:
    ...     first = failing.empty(3)
    ...     try:
    ...         failing.empty(3)
    ...     except MemoryError:
    ...         failing.refused
    1
    """

    __slots__ = ()

    def __init__(self, inner: Allocator, after: int = 0) -> None:
        super().__init__(inner, lib.core_create_failing, integer("after", after, SIZE))

    def _null_answers(self) -> str:
        return "a Failing allocator"

    @property
    def refused(self) -> int:
        """Allocations that failed since the beginning or the last `reset`."""
        return int(lib.core_failing_refused(self.handle))

    def reset(self, after: int) -> None:
        """Begin anew: the next `after` allocations succeed, those beyond fail."""
        lib.core_failing_reset(self.handle, integer("after", after, SIZE))


@public
class Damage(NamedTuple):
    """What was written beyond a block of a `Guarded`.

    Attributes
    ----------
    address, size : int
        The block, and its size in bytes.
    offset : int
        The first byte that was changed, counted from the block's first one: negative before the
        block, and `size` or more after it.
    length : int
        How many bytes there are from that to the last one that was changed.
    is_freed : bool
        Whether the block was freed since.
    """

    address: int
    size: int
    offset: int
    length: int
    is_freed: bool

    def __str__(self) -> str:
        freed = ", which was freed since" if self.is_freed else ""
        return f"a block of {self.size} bytes{freed}: {self.bytes_from(self.address)}"

    def bytes_from(self, address: int) -> str:
        """Return the bytes that were changed, counted from an address."""
        first = self.address + self.offset - address
        last = first + self.length - 1
        return f"byte {first}" if first == last else f"bytes {first} to {last}"


@public
class Guarded(Adaptor):
    """Finds writes beyond blocks.

    The 256 bytes before and after each block have a pattern, which `find_damage` and each free
    compare. New blocks are filled with ``0xA5``, freed ones with ``0xDD``, so that what is read too
    early or too late is seen. A free of what is no block is refused. `Kernel`, made with such an
    allocator, says which input or output a write went beyond.

    It should be the outermost of several adaptors: one around it, such as `Tracking`, may keep 64
    bytes of its own before each block, and what is written there is not found.

    Parameters
    ----------
    inner : Allocator
        Where the memory comes from, some 576 bytes more for each block.
    close_pages : bool, optional
        Whether the system closes the memory after each block, from the next multiple of 64 bytes
        on, while the block is in use: what reads or writes there ends the process at once. A block
        takes three pages more then. A system closes some thousands of pages; later blocks have
        none.

    Examples
    --------
    >>> import ctypes
    >>> guarded = Guarded(core_api().default_allocator)
    >>> array = guarded.empty(4, np.float32)
    >>> _ = ctypes.memset(array.ctypes.data + 16, 0, 4)  # a fifth element
    >>> print(guarded.find_damage())
    a block of 16 bytes: bytes 16 to 19
    """

    __slots__ = ()

    def __init__(self, inner: Allocator, close_pages: bool = False) -> None:
        super().__init__(inner, lib.core_create_guarded, bool(close_pages))

    def find_damage(self) -> Damage | None:
        """Find something that was written beyond a block; each is found once.

        Returns
        -------
        Damage or None
            Of blocks that were freed since the last call, only the first damage is known.
        """
        found = ffi.new("core_damage*")
        if not lib.core_guarded_damage(self.handle, found):
            return None
        address = address_of(found.block)
        return Damage(address, found.size, found.offset, found.length, bool(found.is_freed))

    @property
    def bytes_allocated(self) -> int:
        """Bytes of blocks in use, without what is around them."""
        return self._read()[0]

    @property
    def max_memory(self) -> int:
        """The most that `bytes_allocated` has been."""
        return self._read()[1]

    def _read(self) -> tuple[int, int]:
        live, peak = ffi.new("size_t*"), ffi.new("size_t*")
        lib.core_guarded_read(self.handle, live, peak)
        return live[0], peak[0]

    def _limit_to(self, limit: int) -> None:
        """Let no more than these bytes be in use, without what is around blocks."""
        lib.core_guarded_limit(self.handle, limit)

    def _fill_with(self, byte: int) -> None:
        """Have new blocks filled with that byte."""
        lib.core_guarded_fill(self.handle, byte)


def guard_of(allocator: Allocator | None) -> Guarded | None:
    """Return the `Guarded` that an allocator is, or stands around; None if there is none."""
    while isinstance(allocator, Adaptor) and not isinstance(allocator, Guarded):
        allocator = allocator.inner
    return allocator if isinstance(allocator, Guarded) else None


@public
class Limiting(Adaptor):
    """Refuses blocks that would bring the bytes in use above a limit.

    Threads keep a little of the limit in reserve, each at most a 1024th of it and at most 64 KiB,
    so that with several of them a block may be refused that much early for each other thread.

    Parameters
    ----------
    limit : int or str
        Bytes, as asked for: what the allocators inside need beside does not count.
    soft : bool, optional
        Whether to grant blocks above the limit as well and only count them. A soft limit never is
        the reason why there is no block, so it may stand in an environment of ONNX Runtime.
    on_excess : callable, optional
        Only with `soft`. Called as ``on_excess(limiting, size)`` for each block that leaves more
        bytes in use than the limit, on the thread that takes it. It may allocate; what it takes
        from this allocator itself is counted but not reported. Exceptions go to
        ``sys.unraisablehook``. Arrays and values in this memory keep it alive, and the garbage
        collector does not see it: what it leads to is never freed if one of them is among that.

    Examples
    --------
    >>> from ortcffi import core_api
    >>> small = Limiting(core_api().default_allocator, 1 << 20)
    >>> try:
    ...     small.empty(1 << 21, "u1")
    ... except MemoryError as error:
    ...     print(str(error).split("; ")[1])
    the limit is 1048576 bytes, and 0 are in use
    >>> watched = Limiting(core_api().default_allocator, 1 << 20, soft=True)
    >>> x = watched.empty(1 << 21, "u1")
    >>> watched.excesses, watched.max_excess
    (1, 1048576)
    """

    __slots__ = ("limit", "on_excess", "soft")

    def __init__(
        self,
        inner: "Allocator",
        limit: int | str,
        *,
        soft: bool = False,
        on_excess: "Callable[[Limiting, int], object] | None" = None,
    ) -> None:
        if on_excess is not None and not soft:
            raise ValueError("on_excess needs soft=True: a hard limit is never exceeded")
        if on_excess is not None and not callable(on_excess):
            raise TypeError(f"on_excess must be callable, not {type(on_excess).__name__}")
        most = byte_count("limit", limit)
        if soft:
            callee = ffi.cast("void*", 0 if on_excess is None else id(self))
            super().__init__(inner, lib.ortcffi_soft_limiting, most, callee)
        else:
            super().__init__(inner, lib.core_create_limiting, most)
        self.limit, self.soft, self.on_excess = most, bool(soft), on_excess

    @property
    def excesses(self) -> int:
        """Blocks that were granted above a soft limit."""
        return int(lib.core_limiting_excesses(self.handle).count)

    @property
    def max_excess(self) -> int:
        """The most bytes that were in use above a soft limit."""
        return int(lib.core_limiting_excesses(self.handle).largest)

    def _limits(self) -> Limits:
        # A closed one still limits those around it.
        address = ffi.cast("OrtAllocator*", self._handle_address)
        if self.soft or not address:
            return super()._limits()
        return [(self.limit, int(lib.core_limiting_in_use(address))), *super()._limits()]

    def _null_answers(self) -> str:
        return super()._null_answers() if self.soft else "a Limiting allocator"


# Allocators whose `on_excess` runs, by thread: it may allocate from its own allocator.
_running = threading.local()


@called_from_c("ortcffi_python_excess", report_exception("the on_excess of a Limiting"))
def _exceeded(context: "Cdata", size: int) -> None:
    busy = vars(_running).setdefault("busy", set())
    if context in busy:
        return
    busy.add(context)
    try:
        limiting: Limiting = compiled.object_at(address_of(context))
        if limiting.on_excess is not None:
            limiting.on_excess(limiting, size)
    finally:
        busy.discard(context)
