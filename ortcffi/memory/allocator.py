# SPDX-License-Identifier: MIT
"""Allocators, and NumPy arrays in their memory."""

from functools import partial
from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy as np
from numpy import dtype as as_dtype
from numpy import ndarray

from ortcffi._convert import SIZE, integer
from ortcffi._handle import Handle
from ortcffi._native import Keeper, Source, ffi, lib
from ortcffi._public import public
from ortcffi.errors import NotImplemented, check, out_of_memory
from ortcffi.memory.blocks import (
    MAX_DIMENSIONS,
    Limits,
    checked_handle,
    checked_table,
    fitting,
    refuse,
)
from ortcffi.memory.info import MemoryInfo
from ortcffi.memory.stats import AllocatorStats, stats_from
from ortcffi.status.key_values import KeyValuePairs

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import ArrayLike, DTypeLike, NDArray

    from ortcffi._ort import Cdata
    from ortcffi.table.api import Api

    Shape = SupportsIndex | Sequence[SupportsIndex]

__all__ = ["Allocator", "AllocatorStats"]


@public
class Allocator(Handle):
    """An ``OrtAllocator``, and NumPy arrays in its memory.

    The arrays are ordinary: C-contiguous, writeable, freed with the last view of them. Until then
    they keep the allocator. On the core they begin at a multiple of 64 bytes.

    `Api.default_allocator` is one that belongs to its library; to close such an allocator does
    nothing. One that is owned goes when it is closed and its last array has gone.
    """

    __slots__ = ("_block", "_keeper", "_zeroed")

    _block: "Callable[[Any, int], Any]"
    _zeroed: "Callable[[Any, int], Any]"

    def __init__(
        self,
        api: "Api",
        handle: Any,
        *,
        release: "Callable[[Any, Any], None] | None" = None,
        lender: object = None,
    ) -> None:
        super().__init__(checked_table(api), checked_handle(handle), release=release, lender=lender)
        address = int(ffi.cast("uintptr_t", self.handle))
        # Adaptors count references themselves. What else can end stays as long as this object, or
        # anybody with a reference to the allocator, has this.
        ends = release is not None or lender is not None
        self._keeper = Keeper(address, (self._handle, lender)) if ends else None
        self._begin()

    def _begin(self) -> None:
        source = self._new_source()
        self._block, self._zeroed = source.block, source.zeroed

    def _end(self) -> None:
        self._block = self._zeroed = self._closed_block

    def _new_source(self) -> Any:
        """What makes blocks of this allocator, to which it has a reference."""
        pointers = (self.api.pointer, self.handle)
        addresses = (int(ffi.cast("uintptr_t", pointer)) for pointer in pointers)
        refusal = partial(refuse, self.api.pointer, self._limits())
        return Source(*addresses, refusal, MAX_DIMENSIONS)

    def _limits(self) -> "Limits":
        """The limits that this allocator has, for messages; valid as long as it is."""
        return []

    def close(self) -> None:
        """Let go of an allocator that is owned; do nothing to one that is not."""
        if self._owned:
            # It ends when the last array lets go of it as well.
            self._handle = self._lender = self._lender_handle = self._keeper = None
            self._end()

    def _closed_block(self, _shape: Any, _itemsize: int) -> Any:
        return self.handle  # raises

    # --- arrays -----------------------------------------------------------------------------------

    def empty(self, shape: "Shape", dtype: "DTypeLike" = np.float64) -> "NDArray[Any]":
        """Return a new array with arbitrary content.

        Parameters
        ----------
        shape : int or sequence of int
            The dimensions, each 0 or more.
        dtype : dtype-like, optional
            Any type of a fixed size without Python objects.

        Returns
        -------
        ndarray

        Raises
        ------
        TypeError
            `shape` has something that is not an int, or `dtype` is none or holds Python objects.
        ValueError
            A dimension is negative, there are too many dimensions, or the array would be larger
            than any can be; or `dtype` has no size. Nothing was allocated.
        OutOfMemory
            The allocator has no block of that size.

        Notes
        -----
        API functions: ``AllocatorAlloc``, and ``AllocatorFree`` when the array goes.
        """
        kind = fitting(dtype)
        return ndarray(shape, kind, self._block(shape, kind.itemsize))

    def zeros(self, shape: "Shape", dtype: "DTypeLike" = np.float64) -> "NDArray[Any]":
        """Return a new array whose bytes are all 0. Otherwise like `empty`.

        In the core's memory, also through adaptors, arrays from 1 MiB on get their zeros from the
        system, page by page, when they are first touched.
        """
        kind = fitting(dtype)
        return ndarray(shape, kind, self._zeroed(shape, kind.itemsize))

    def full(
        self, shape: "Shape", value: "ArrayLike", dtype: "DTypeLike | None" = None
    ) -> "NDArray[Any]":
        """Return a new array filled with a value.

        Parameters
        ----------
        shape : int or sequence of int
            As for `empty`.
        value : scalar or array-like
            What to fill with; it is broadcast to the shape.
        dtype : dtype-like, optional
            By default that of ``numpy.asarray(value)``.

        Returns
        -------
        ndarray
        """
        try:
            kind = None if dtype is None else as_dtype(dtype)
        except (TypeError, ValueError) as error:
            raise TypeError(f"dtype: {error}") from None
        filling = np.asarray(value, kind)
        array = self.empty(shape, filling.dtype)
        array[...] = filling
        return array

    def copy_of(self, array: "ArrayLike") -> "NDArray[Any]":
        """Return a copy of an array or of what NumPy makes an array of.

        Parameters
        ----------
        array : array-like
            Of any layout. The copy has its shape and dtype and is C-contiguous.

        Returns
        -------
        ndarray
        """
        original = np.asarray(array)
        copy = self.empty(original.shape, original.dtype)
        copy[...] = original
        return copy

    # --- blocks -----------------------------------------------------------------------------------

    def alloc(self, size: int) -> "Cdata":
        """Take a block that nobody frees but `free`.

        Parameters
        ----------
        size : int
            Bytes.

        Returns
        -------
        cdata of ``void *``
            NULL if `size` is 0.

        Raises
        ------
        OutOfMemory
            There is no such block.

        Notes
        -----
        API function: ``AllocatorAlloc``.
        """
        out = ffi.new("void**")
        api = self.api.pointer
        bytes_ = integer("size", size, SIZE)
        status = lib.AllocatorAlloc(api, self.handle, bytes_, out)
        if status or (bytes_ and not out[0]):
            address = int(ffi.cast("uintptr_t", status))
            refuse(api, self._limits(), address, "AllocatorAlloc")
        return out[0]  # type: ignore[no-any-return]

    def free(self, pointer: "Cdata") -> None:
        """Give a block back. API function: ``AllocatorFree``.

        Parameters
        ----------
        pointer : cdata pointer
            From `alloc` or `reserve` of this allocator, or NULL. The core raises `InvalidArgument`
            for any other pointer and for one that was freed before, wherever it can tell; a library
            that does not check may end the process.
        """
        if not isinstance(pointer, ffi.CData) or ffi.typeof(pointer).kind != "pointer":
            raise TypeError(f"pointer must be a cdata pointer, not {pointer!r}")
        api = self.api.pointer
        check(api, lib.AllocatorFree(api, self.handle, pointer), "AllocatorFree")

    def reserve(self, size: int) -> "Cdata":
        """Take a block that is kept for long, past whatever makes short-lived blocks cheap.

        Parameters and result are those of `alloc`; the block goes back through `free`.

        Notes
        -----
        Field of ``OrtAllocator``: ``Reserve``, since version 18.
        """
        bytes_ = integer("size", size, SIZE)
        self._field("Reserve", 18)  # raises without it
        block = lib.ortcffi_reserve(self.handle, bytes_)
        if bytes_ and not block:
            raise out_of_memory(f"the allocator has no block of {bytes_} bytes", "Reserve")
        return block

    def _field(self, name: str, since: int) -> Any:
        """A function of the struct, whose version says which fields it has."""
        version = self.handle.version
        function = getattr(self.handle, name) if version >= since else None
        if not function:
            raise NotImplemented(f"this allocator, of version {version}, has no {name}", name)
        return function

    def release_unused(self) -> None:
        """Give back to the system what is held but not in use.

        Raises
        ------
        NotImplemented
            The allocator cannot, such as the default one of ONNX Runtime.

        Notes
        -----
        Field of ``OrtAllocator``: ``Shrink``, since version 25.
        """
        check(self.api.pointer, self._field("Shrink", 25)(self.handle), "Shrink")

    # --- facts ------------------------------------------------------------------------------------

    @property
    def info(self) -> MemoryInfo:
        """Where the memory is, lent by this allocator. API function: ``AllocatorGetInfo``."""
        out = ffi.new("const OrtMemoryInfo**")
        api = self.api.pointer
        check(api, lib.AllocatorGetInfo(api, self.handle, out), "AllocatorGetInfo")
        return MemoryInfo(self.api, out[0], lender=self)

    @property
    def stats(self) -> AllocatorStats:
        """Figures of this moment. API function: ``AllocatorGetStats``, since version 23."""
        self.api.require("AllocatorGetStats")
        out = ffi.new("OrtKeyValuePairs**")
        api = self.api.pointer
        check(api, lib.AllocatorGetStats(api, self.handle, out), "AllocatorGetStats")
        with KeyValuePairs.from_handle(self.api, out[0]) as pairs:
            return stats_from(pairs.to_dict())

    def __repr__(self) -> str:
        name = "closed" if self.closed else f"{self.info.name!r} of {self.api}"
        return f"<Allocator {name}>"
