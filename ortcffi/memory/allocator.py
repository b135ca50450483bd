# SPDX-License-Identifier: MIT
"""Allocators, and NumPy arrays in their memory."""

from typing import TYPE_CHECKING, Any, Literal, SupportsIndex, TypeVar, overload

import numpy as np
from numpy import dtype as as_dtype

from ortcffi._convert import SIZE, integer
from ortcffi._handle import Handle
from ortcffi._native import compiled, ffi, lib
from ortcffi._public import public
from ortcffi.errors import NotImplemented, OutOfMemory, call, check, out_of_memory
from ortcffi.memory.blocks import MAX_DIMENSIONS, Limits, refuse
from ortcffi.memory.info import MemoryInfo

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import ArrayLike, DTypeLike, NDArray

    from ortcffi._ort import Cdata
    from ortcffi.memory.stats import AllocatorStats
    from ortcffi.table.api import Api

    Shape = SupportsIndex | Sequence[SupportsIndex]
    Order = Literal["C", "F"]
    S = TypeVar("S", bound=np.generic)

Blocks = compiled.Blocks
compiled.begin_blocks(MAX_DIMENSIONS)
public(Blocks)


@public
class Allocator(Blocks, Handle):
    """An ``OrtAllocator``, and NumPy arrays in its memory.

    The arrays are ordinary NumPy arrays: contiguous and writeable. The last view of an array
    frees it; until then it keeps the allocator alive. On the core arrays begin at a multiple of 64
    bytes.

    `Api.default_allocator` belongs to its library, so closing it does nothing. An owned allocator
    is released when it is closed and its last array is freed.
    """

    __slots__ = ()

    _pointer, _release = "OrtAllocator*", lib.ortcffi_release_adaptor

    def __init__(
        self,
        api: "Api",
        handle: Any,
        *,
        release: "Callable[[Any, Any], None] | None" = None,
        parent: object = None,
    ) -> None:
        self._wrap(api, handle, release, parent)
        # Others are the library's own, which it never frees.
        self._begin(self._owned or parent is not None)

    def _open_allocator(self) -> None:
        """Note that a function of C has made the allocator."""
        self._open_handle()
        self._begin(True)

    def _limits(self) -> "Limits":
        """Return the limits of this allocator, for messages."""
        return []

    def _null_answers(self) -> str:
        """Get what has it answer NULL, at which ONNX Runtime ends the process; "" for nothing."""
        return ""

    def _refuse(self, failure: BaseException | None, function: str) -> None:
        """Raise for a block that the allocator does not have; called from C."""
        try:
            refuse(self._limits(), failure, function)
        finally:
            del failure  # whose traceback refers to this frame

    def close(self) -> None:
        """Release an owned allocator; do nothing to one that is not owned."""
        if self._owned:
            super().close()

    # --- arrays -----------------------------------------------------------------------------------

    @overload
    def empty(self, shape: "Shape", *, order: "Order" = ...) -> "NDArray[np.float64]": ...
    @overload
    def empty(
        self, shape: "Shape", dtype: "type[S] | np.dtype[S]", order: "Order" = ...
    ) -> "NDArray[S]": ...
    @overload
    def empty(self, shape: "Shape", dtype: "DTypeLike", order: "Order" = ...) -> "NDArray[Any]": ...
    def empty(
        self, shape: "Shape", dtype: "DTypeLike" = np.float64, order: "Order" = "C"
    ) -> "NDArray[Any]":
        """Return a new array with arbitrary content.

        API functions: ``AllocatorAlloc``, and ``AllocatorFree`` when the array is freed.

        Parameters
        ----------
        shape : int or sequence of int
            The dimensions, each 0 or more.
        dtype : dtype-like, optional
            Any type of a fixed size without Python objects.
        order : {"C", "F"}, optional
            Whether the last or the first dimension is contiguous.

        Raises
        ------
        TypeError
            `shape` contains something other than ints, or `dtype` is invalid or holds Python
            objects.
        ValueError
            `order` is neither, a dimension is negative, there are too many dimensions, the array
            would be too large for NumPy, or `dtype` has no size. Nothing was allocated.
        OutOfMemory
            The allocator cannot allocate a block of that size.
        """
        return self._empty(shape, dtype, order)  # type: ignore[no-any-return]

    @overload
    def zeros(self, shape: "Shape", *, order: "Order" = ...) -> "NDArray[np.float64]": ...
    @overload
    def zeros(
        self, shape: "Shape", dtype: "type[S] | np.dtype[S]", order: "Order" = ...
    ) -> "NDArray[S]": ...
    @overload
    def zeros(self, shape: "Shape", dtype: "DTypeLike", order: "Order" = ...) -> "NDArray[Any]": ...
    def zeros(
        self, shape: "Shape", dtype: "DTypeLike" = np.float64, order: "Order" = "C"
    ) -> "NDArray[Any]":
        """Return a new array whose bytes are all 0. Otherwise like `empty`.

        In the core's memory, also through adaptors, arrays from 1 MiB on get their zeros from the
        system, page by page, when they are first touched.
        """
        return self._zeros(shape, dtype, order)  # type: ignore[no-any-return]

    @overload
    def full(
        self,
        shape: "Shape",
        value: "ArrayLike",
        dtype: "type[S] | np.dtype[S]",
        order: "Order" = ...,
    ) -> "NDArray[S]": ...
    @overload
    def full(
        self,
        shape: "Shape",
        value: "ArrayLike",
        dtype: "DTypeLike | None" = None,
        order: "Order" = ...,
    ) -> "NDArray[Any]": ...
    def full(
        self,
        shape: "Shape",
        value: "ArrayLike",
        dtype: "DTypeLike | None" = None,
        order: "Order" = "C",
    ) -> "NDArray[Any]":
        """Return a new array filled with a value.

        Parameters
        ----------
        value : scalar or array-like
            The value, which is broadcast to the shape.
        dtype : dtype-like, optional
            By default that of ``numpy.asarray(value)``.
        """
        try:
            kind = None if dtype is None else as_dtype(dtype)
        except (TypeError, ValueError) as error:
            raise TypeError(f"dtype: {error}") from None
        filling = np.asarray(value, kind)
        array = self.empty(shape, filling.dtype, order)
        array[...] = filling
        return array

    @overload
    def copy_of(self, array: "NDArray[S]", order: "Order" = ...) -> "NDArray[S]": ...
    @overload
    def copy_of(self, array: "ArrayLike", order: "Order" = ...) -> "NDArray[Any]": ...
    def copy_of(self, array: "ArrayLike", order: "Order" = "C") -> "NDArray[Any]":
        """Return a copy of an array or of what NumPy makes an array of.

        Parameters
        ----------
        array : array-like
            Of any layout. The copy has its shape and dtype.
        """
        original = np.asarray(array)
        copy = self.empty(original.shape, original.dtype, order)
        copy[...] = original
        return copy

    # --- blocks -----------------------------------------------------------------------------------

    def alloc(self, size: int) -> Any:  # a subclass in Python may return an address
        """Allocate a block, which must be passed to `free`.

        API function: ``AllocatorAlloc``.

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
            The allocator cannot allocate such a block.
        """
        out = ffi.new("void**")
        api = self.api.pointer
        bytes_ = integer("size", size, SIZE)
        handle = self.handle  # kept until the error says what is in use
        try:
            check(api, lib.AllocatorAlloc(api, handle, bytes_, out))
        except OutOfMemory as error:
            refuse(self._limits(), error, "AllocatorAlloc")
        if bytes_ and not out[0]:
            refuse(self._limits(), None, "AllocatorAlloc")
        return out[0]

    def free(self, pointer: "Cdata") -> None:
        """Free a block. API function: ``AllocatorFree``.

        Parameters
        ----------
        pointer : cdata pointer
            A block from `alloc` or `reserve` of this allocator, or NULL. The core raises
            `InvalidArgument` for other pointers, and for a block that is already free, where it
            detects them: its adaptors read the bytes before the pointer. Other mistakes, and
            those in a library that does not check, may crash the process.
        """
        if not isinstance(pointer, ffi.CData) or ffi.typeof(pointer).kind != "pointer":
            raise TypeError(f"pointer must be a cdata pointer, not {pointer!r}")
        check(self.api.pointer, lib.AllocatorFree(self.api.pointer, self.handle, pointer))

    def reserve(self, size: int) -> "Cdata":
        """Allocate a long-lived block, which bypasses an arena's caching.

        Parameters and result are those of `alloc`; the block must be passed to `free`. Field of
        ``OrtAllocator``: ``Reserve``, since version 18.
        """
        bytes_ = integer("size", size, SIZE)
        self._field("Reserve", 18)  # raises without it
        handle = self.handle  # kept until the error says what is in use
        block = lib.ortcffi_reserve(handle, bytes_)
        if bytes_ and not block:
            message = f"the allocator has no block of {bytes_} bytes"
            refuse(self._limits(), out_of_memory(message, "Reserve"), "Reserve")
        return block

    def _field(self, name: str, since: int) -> Any:
        """Get a function of the struct; raise if its version is too old to have it."""
        version = self.handle.version
        function = getattr(self.handle, name) if version >= since else None
        if not function:
            raise NotImplemented(f"this allocator, of version {version}, has no {name}", name)
        return function

    def release_unused(self) -> None:
        """Return unused memory to the system.

        Field of ``OrtAllocator``: ``Shrink``, since version 25.

        Raises
        ------
        NotImplemented
            The allocator cannot do that, such as ONNX Runtime's default one.
        """
        call(self.api.pointer, "Shrink", self._field("Shrink", 25), self.handle)

    # --- facts ------------------------------------------------------------------------------------

    @property
    def info(self) -> MemoryInfo:
        """Where the memory is, borrowed from this allocator. API function: ``AllocatorGetInfo``."""
        found = self._get("AllocatorGetInfo", "const OrtMemoryInfo**")
        return MemoryInfo(self.api, found, parent=self)

    @property
    def stats(self) -> "AllocatorStats":
        """The current statistics.

        Field of ``OrtAllocator``: ``GetStats``, since version 23, or else the API function
        ``AllocatorGetStats``.
        """
        from ortcffi.memory.stats import AllocatorStats
        from ortcffi.status import KeyValuePairs

        self.api.require("AllocatorGetStats")
        pairs, out = KeyValuePairs._blank(self.api)
        handle, api = self.handle, self.api.pointer
        if handle.version >= 23 and handle.GetStats:
            call(api, "GetStats", handle.GetStats, handle, out)
        else:
            check(api, lib.AllocatorGetStats(api, handle, out))
        pairs._open_handle()
        with pairs:
            return AllocatorStats._from(pairs.to_dict())

    def __repr__(self) -> str:
        name = "closed" if self.closed else f"{self.info.name!r} of {self.api}"
        return f"<Allocator {name}>"
