# SPDX-License-Identifier: MIT
"""Allocators written in Python."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ortcffi._convert import integer
from ortcffi._handle import out_of
from ortcffi._native import address_of, compiled, ffi, lib
from ortcffi._public import public
from ortcffi._table import core_api, made_by
from ortcffi.callbacks.from_c import called_from_c, keep_exception, make_status, report_exception
from ortcffi.errors import check
from ortcffi.memory.allocator import Allocator

if TYPE_CHECKING:
    from ortcffi._ort import Cdata
    from ortcffi.memory.info import MemoryInfo
    from ortcffi.table.api import Api

ADDRESS = (0, 2**64 - 1)


@public
class PythonAllocator(Allocator):
    """The base class of allocators written in Python, which any library accepts.

    A subclass defines `alloc` and `free`. They are called on any thread, also on threads that
    Python did not start, and never under a lock. If `alloc` raises, the call that needs memory
    fails, with that exception as its ``__cause__``.

    Arrays and values keep their allocator alive, and the garbage collector does not see it: an
    allocator that stores one of its own is never freed.

    Parameters
    ----------
    api : Api, optional
        The table that `info` and the values in this memory belong to; by default the core's. The
        memory is always the CPU's.

    Examples
    --------
    >>> class Mine(PythonAllocator):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.blocks = {}
    ...     def alloc(self, size):
    ...         block = ffi.new("char[]", size)
    ...         self.blocks[int(ffi.cast("uintptr_t", block))] = block
    ...         return block
    ...     def free(self, pointer):
    ...         del self.blocks[int(ffi.cast("uintptr_t", pointer))]
    >>> mine = Mine()
    >>> x = mine.zeros(3)
    >>> len(mine.blocks)
    1
    >>> del x
    >>> len(mine.blocks)
    0
    """

    __slots__ = ("__dict__", "_info")

    def __init__(self, api: "Api | None" = None) -> None:
        given = core_api() if api is None else made_by(api)
        info = given.default_allocator.info  # which the table keeps
        api = core_api()
        out = self._begin_handle(api)
        status = lib.ortcffi_python_allocator(info.handle, ffi.cast("void*", id(self)), out)
        check(api.pointer, status, "PythonAllocator")
        self._open_allocator()
        compiled.adaptor_made(self)
        self._info = info

    @property
    def info(self) -> "MemoryInfo":
        """Where the memory is: the memory info of the table's default allocator."""
        self.handle  # noqa: B018  # raises if closed
        return self._info

    def alloc(self, size: int) -> "Cdata | int | None":
        """Return a block of at least `size` bytes, a pointer or an address; None if out of memory.

        The block must stay where it is until `free` is called for it. `size` is 1 or more.
        """
        raise NotImplementedError(f"{type(self).__name__} does not define alloc")

    def free(self, pointer: "Cdata") -> None:
        """Free the block at `pointer`, a cdata of ``void *``. It must not raise."""
        raise NotImplementedError(f"{type(self).__name__} does not define free")

    def figures(self) -> Mapping[str, int | str]:
        """Return the statistics for `stats`, under the names of the C API, such as ``"InUse"``."""
        return {}

    def shrink(self) -> None:
        """Return unused memory to the system; called by `release_unused`."""

    def _null_answers(self) -> str:
        return f"an allocator in Python, {type(self).__name__},"

    # What the callbacks call.

    def _alloc(self, size: int) -> Any:
        block = self.alloc(size)
        if block is None:
            return ffi.NULL
        if isinstance(block, ffi.CData) and ffi.typeof(block).kind in ("pointer", "array"):
            return ffi.cast("void*", block)
        return ffi.cast("void*", integer("the answer of alloc", block, ADDRESS))

    def _stats(self, out: Any) -> None:
        pairs = self.api.key_values({key: str(value) for key, value in self.figures().items()})
        mine = out_of(pairs)
        # No call comes after this, in which an interrupt could make the callback fail.
        out[0], mine[0] = mine[0], ffi.NULL


@called_from_c("ortcffi_python_alloc", keep_exception("the alloc of an allocator"))
def _alloc(context: "Cdata", size: int) -> Any:
    return compiled.object_at(address_of(context))._alloc(size)


@called_from_c("ortcffi_python_free", report_exception("the free of an allocator"))
def _free(context: "Cdata", block: "Cdata") -> None:
    compiled.object_at(address_of(context)).free(block)


@called_from_c("ortcffi_python_stats", make_status())
def _stats(context: "Cdata", out: "Cdata") -> Any:
    compiled.object_at(address_of(context))._stats(out)
    return ffi.NULL


@called_from_c("ortcffi_python_shrink", make_status())
def _shrink(context: "Cdata") -> Any:
    compiled.object_at(address_of(context)).shrink()
    return ffi.NULL
