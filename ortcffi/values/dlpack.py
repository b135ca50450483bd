# SPDX-License-Identifier: MIT
"""Tensors and the arrays of other libraries: NumPy's protocol, and DLPack."""

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from ortcffi._table import table_for
from ortcffi.values.base import Loan
from ortcffi.values.dense import Dense
from ortcffi.values.element_types import PACKED, ElementType, ValueKind, bits_of, dtype_of

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

    from ortcffi.table.api import Api

CPU = 1
CUDA_HOST, ROCM_HOST = 3, 11  # pinned memory, which the CPU reads like any other
OLDEST_VERSIONED = (1, 0)
NEWEST = (1, 1)


class Exchange(Dense):
    """What other libraries ask of an array."""

    __slots__ = ()

    def __array__(
        self, dtype: "DTypeLike | None" = None, copy: bool | None = None
    ) -> "NDArray[Any]":
        # What cannot be lent is a copy already.
        unlent = self._kind == ValueKind.TENSOR and self._element in (*PACKED, ElementType.STRING)
        if unlent and copy is False:
            raise ValueError(f"elements of type {self.element_type.name} need a copy")
        array = self.numpy(copy=bool(copy or unlent))
        if dtype is not None and array.dtype != dtype:
            if copy is False:
                raise ValueError(f"an array of {array.dtype} is none of {dtype} without a copy")
            return array.astype(dtype)
        return array

    def __dlpack_device__(self) -> tuple[int, int]:
        """Where the memory is: ``(1, 0)``, the CPU."""
        self._data  # noqa: B018  # raises where the CPU does not reach it
        return (CPU, 0)

    def __dlpack__(
        self,
        *,
        stream: object = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> object:
        """Return a capsule with the memory, which keeps the value.

        Parameters
        ----------
        stream : None
            The CPU has no streams.
        max_version : tuple of int, optional
            The newest version of DLPack that the caller knows. From ``(1, 0)`` on the capsule has a
            version and says whether the memory is read-only; without it it is of the older kind.
        dl_device : tuple of int, optional
            ``(1, 0)`` or None.
        copy : bool, optional
            Whether the capsule must, or must not, hold a copy. It never does by itself.

        Raises
        ------
        BufferError
            There is no such capsule: of strings, of what is no tensor, of a device's memory, or of
            read-only memory in a capsule that cannot say so.
        """
        if stream is not None:
            raise BufferError(f"stream must be None, since the CPU has none, not {stream!r}")
        if dl_device is not None and not (isinstance(dl_device, tuple) and dl_device == (CPU, 0)):
            raise BufferError(f"dl_device must be (1, 0), the CPU, not {dl_device!r}")
        if self._kind != ValueKind.TENSOR or self._element == ElementType.STRING:
            raise BufferError("only dense tensors of numbers have a DLPack capsule")
        if max_version is not None and not isinstance(max_version, tuple):
            raise TypeError(f"max_version must be a tuple of int, not {max_version!r}")
        versioned = max_version is not None and max_version >= OLDEST_VERSIONED
        if copy:
            return self._twin()._capsule(versioned, True)
        if self.readonly and not versioned:
            raise BufferError(
                "read-only memory needs a DLPack capsule of version 1: pass copy=True"
            )
        return self._capsule(versioned, False)

    def _twin(self) -> Self:
        """A tensor with memory of its own."""
        twin = type(self).empty(self.shape, self.element_type, api=self.api)
        if self._element == ElementType.STRING:
            twin._fill_strings(self._read_strings(True))
        else:
            twin._bytes()[...] = self._bytes()
        return twin

    @classmethod
    def from_dlpack(cls, x: Any, *, api: "Api | None" = None, copy: bool = False) -> Self:
        """Make a tensor of another library's, without a copy unless one is asked for.

        Parameters
        ----------
        x : object
            Anything with ``__dlpack__`` and ``__dlpack_device__``, in memory that the CPU reads.
            The value keeps its memory.
        api : Api, optional
            The table that makes it, by default the one of `default_api`.
        copy : bool, optional
            Whether the value gets memory of its own. Otherwise `x` must be C-contiguous and
            aligned.

        Raises
        ------
        TypeError
            `x` has no DLPack, or elements that tensors have not.
        ValueError
            `x` cannot be borrowed.
        BufferError
            It is in a device's memory, or of a newer DLPack.

        Notes
        -----
        API function: ``CreateTensorWithDataAsOrtValue``.
        """
        found = table_for(api)
        loan = Loan(_capsule_of(x))
        address, shape, strides, element, readonly, device = loan.facts
        _check_device(device)
        if not element:
            raise TypeError("x has elements that tensors have not")
        kind = ElementType(element)
        count = int(np.prod(shape, dtype=object))
        if count * bits_of(kind) >= 1 << 63:
            raise ValueError(f"x has more bytes than can be counted: its shape is {shape}")
        contiguous = strides is None or _is_contiguous(shape, strides)
        if kind in PACKED:
            if not contiguous:
                raise ValueError("x is packed and not C-contiguous")
            size = (count * PACKED[kind] + 7) // 8
            value = cls._borrow(found._maker, address, size, shape, element, loan, readonly)
            return value._twin() if copy else value
        dtype = dtype_of(element)
        if copy:
            memory = _Memory(address, shape, None if contiguous else strides, dtype, loan)
            return cls._copy_of(np.asarray(memory).view(dtype), kind, found)
        if not contiguous:
            raise ValueError("x is not C-contiguous: pass copy=True for a value of its own")
        if address % dtype.alignment:
            raise ValueError("x is not aligned to its elements: pass copy=True")
        size = dtype.itemsize * count
        return cls._borrow(found._maker, address, size, shape, element, loan, readonly)


class _Memory:
    """Memory of any layout as NumPy takes it."""

    def __init__(
        self,
        address: int,
        shape: tuple[int, ...],
        strides: tuple[int, ...] | None,
        dtype: "np.dtype[Any]",
        loan: Loan,
    ) -> None:
        self.loan = loan
        steps = strides and tuple(step * dtype.itemsize for step in strides)
        self.__array_interface__ = {
            "data": (address, True),
            "shape": shape,
            "strides": steps,
            "typestr": f"|V{dtype.itemsize}",
            "version": 3,
        }


def _capsule_of(x: Any) -> object:
    if isinstance(x, np.ma.MaskedArray):
        raise TypeError("x must not be masked, since values have no mask: use filled()")
    export = getattr(x, "__dlpack__", None)
    if export is None or not hasattr(x, "__dlpack_device__"):
        raise TypeError(f"x must have __dlpack__, which {type(x).__name__} has not")
    _check_device(x.__dlpack_device__())
    try:
        return export(max_version=NEWEST)
    except TypeError:  # a producer of before version 1.0
        return export()


def _check_device(device: Any) -> None:
    """Of the object, before it is asked for a capsule; and of the capsule, which decides."""
    if not isinstance(device, tuple) or len(device) != 2:
        raise TypeError(f"x: __dlpack_device__ must give a pair of int, not {device!r}")
    if device[0] not in (CPU, CUDA_HOST, ROCM_HOST):
        raise BufferError(f"x must be in memory that the CPU reads, not on device {device}")


def _is_contiguous(shape: tuple[int, ...], strides: tuple[int, ...]) -> bool:
    if 0 in shape:
        return True
    expected = 1
    for length, stride in zip(reversed(shape), reversed(strides), strict=True):
        if length != 1 and stride != expected:
            return False
        expected *= length
    return True
