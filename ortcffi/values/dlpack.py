# SPDX-License-Identifier: MIT
"""Tensors and the arrays of other libraries: NumPy's protocol, and DLPack."""

from itertools import accumulate
from operator import mul
from typing import TYPE_CHECKING, Any

import numpy as np

from ortcffi._handle import owner_of
from ortcffi._native import compiled, ffi, lib
from ortcffi._table import table_for
from ortcffi.values.capsules import is_valid, pointer_in
from ortcffi.values.checks import count_of
from ortcffi.values.element_types import PACKED, ElementType, ValueKind, bits_of, dtype_of
from ortcffi.values.lifecycle import Tensor, V
from ortcffi.values.tensors import copy_of, twin_of

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray
    from typing_extensions import CapsuleType

    from ortcffi.table.api import Api

CPU = 1
CUDA_HOST, ROCM_HOST = 3, 11  # pinned memory, which the CPU reads like any other
OLDEST_VERSIONED = (1, 0)
NEWEST = (1, 1)


def array(
    value: "Tensor", dtype: "DTypeLike | None" = None, copy: bool | None = None
) -> "NDArray[Any]":
    """Answer NumPy's ``__array__``."""
    # Strings and packed elements can only be copied.
    is_copied = value._kind == ValueKind.TENSOR and value._element in (*PACKED, ElementType.STRING)
    if is_copied and copy is False:
        raise ValueError(f"elements of type {ElementType(value._element).name} need a copy")
    found = value.numpy(copy=bool(copy or is_copied))
    if dtype is not None and found.dtype != dtype:
        if copy is False:
            raise ValueError(f"an array of {found.dtype} is none of {dtype} without a copy")
        return found.astype(dtype)
    return found


def device(value: "Tensor") -> tuple[int, int]:
    """Where the memory is: ``(1, 0)``, the CPU."""
    value._data  # noqa: B018  # raises where the CPU cannot read it
    return (CPU, 0)


def capsule(
    value: "Tensor",
    *,
    stream: object = None,
    max_version: tuple[int, int] | None = None,
    dl_device: tuple[int, int] | None = None,
    copy: bool | None = None,
) -> "CapsuleType":
    """Return a capsule with the memory, which keeps the value.

    For a `max_version` from ``(1, 0)`` on it says whether the memory is read-only. Raises
    `BufferError` where there is none: of strings, of other kinds of values, of a device's memory,
    or of read-only memory in a capsule that cannot say so.
    """
    if stream is not None:
        raise BufferError(f"stream must be None, since the CPU has none, not {stream!r}")
    if dl_device is not None and not (isinstance(dl_device, tuple) and dl_device == (CPU, 0)):
        raise BufferError(f"dl_device must be (1, 0), the CPU, not {dl_device!r}")
    if value._kind != ValueKind.TENSOR or value._element == ElementType.STRING:
        raise BufferError("only dense tensors of numbers have a DLPack capsule")
    if max_version is not None and not isinstance(max_version, tuple):
        raise TypeError(f"max_version must be a tuple of int, not {max_version!r}")
    is_versioned = max_version is not None and max_version >= OLDEST_VERSIONED
    if copy:
        return twin_of(value)._capsule(is_versioned, True)
    if value.readonly and not is_versioned:
        raise BufferError("read-only memory needs a DLPack capsule of version 1: pass copy=True")
    return value._capsule(is_versioned, False)


def from_dlpack(cls: type[V], x: Any, *, api: "Api | None" = None, copy: bool = False) -> V:
    """Make a tensor from another library's, without a copy unless one is asked for.

    API function: ``CreateTensorWithDataAsOrtValue``.

    Parameters
    ----------
    x : object
        Anything with ``__dlpack__`` and ``__dlpack_device__``, in memory that the CPU can read.
        The value keeps its memory.
    copy : bool, optional
        Whether the value gets memory of its own. Otherwise `x` must be C-contiguous and aligned.

    Raises
    ------
    TypeError
        `x` has no DLPack, or elements that tensors cannot have.
    ValueError
        `x` cannot be borrowed.
    BufferError
        It is in a device's memory, or of a newer DLPack.
    """
    found = table_for(api)
    tensor, flags, parent = _taken(x, _capsule_of(x))
    shape = tuple(ffi.unpack(tensor.shape, tensor.rank)) if tensor.rank else ()
    strides = tuple(ffi.unpack(tensor.strides, tensor.rank)) if tensor.strides else None
    address = int(ffi.cast("uintptr_t", tensor.data))
    address = address and address + tensor.byte_offset
    readonly = bool(flags & lib.ORTCFFI_DL_READ_ONLY)
    _check_device((tensor.device_type, tensor.device_id))
    element = _ELEMENTS.get(tensor.code << 8 | tensor.bits)
    is_padded = flags & lib.ORTCFFI_DL_PADDED and tensor.bits < 8
    if element is None or tensor.lanes != 1 or is_padded:
        raise TypeError("x has elements that tensors cannot have")
    kind = ElementType(element)
    count = count_of(shape)
    if count * bits_of(kind) >= 1 << 63:
        raise ValueError(f"x has more bytes than can be counted: its shape is {shape}")
    is_contiguous = strides is None or _is_contiguous(shape, strides)
    if kind in PACKED:
        if not is_contiguous:
            raise ValueError("x is packed and not C-contiguous")
        size = (count * PACKED[kind] + 7) // 8
        value = cls._borrow(found._maker, address, size, shape, element, parent, readonly)
        return twin_of(value) if copy else value
    dtype = dtype_of(element)
    if copy:
        memory = _Memory(address, shape, None if is_contiguous else strides, dtype, parent)
        return copy_of(cls, np.asarray(memory).view(dtype), kind, found)
    if not is_contiguous:
        raise ValueError("x is not C-contiguous: pass copy=True for a value of its own")
    if address % dtype.alignment:
        raise ValueError("x is not aligned to its elements: pass copy=True")
    size = dtype.itemsize * count
    return cls._borrow(found._maker, address, size, shape, element, parent, readonly)


class _Memory:
    """Memory of any layout, in the form that NumPy accepts."""

    def __init__(
        self,
        address: int,
        shape: tuple[int, ...],
        strides: tuple[int, ...] | None,
        dtype: "np.dtype[Any]",
        parent: Any,
    ) -> None:
        self.parent = parent
        steps = strides and tuple(step * dtype.itemsize for step in strides)
        self.__array_interface__ = {
            "data": (address, True),
            "shape": shape,
            "strides": steps,
            "typestr": f"|V{dtype.itemsize}",
            "version": 3,
        }


_ELEMENTS = {kind: each for each in ElementType if (kind := lib.ortcffi_dl_kind(each))}
_VERSIONED, _LEGACY = b"dltensor_versioned", b"dltensor"
_MOST_DIMENSIONS = 64


def _taken(x: Any, capsule: object) -> tuple[Any, int, Any]:
    """Return the tensor in a capsule, its flags, and what gives it back and keeps `x`.

    The capsule of an official OrtValue does not keep its array.
    """
    managed: Any
    if is_valid(capsule, _VERSIONED):
        managed = ffi.cast("ortcffi_dl_versioned*", pointer_in(capsule, _VERSIONED))
        if managed.major != 1:
            raise BufferError(f"x: __dlpack__ gave a tensor of DLPack {managed.major}, not of 1")
        flags = managed.flags
        owner = owner_of("ortcffi_dl_versioned*", None, lib.ortcffi_end_versioned, x)
    elif is_valid(capsule, _LEGACY):
        managed, flags = ffi.cast("ortcffi_dl_legacy*", pointer_in(capsule, _LEGACY)), 0
        owner = owner_of("ortcffi_dl_legacy*", None, lib.ortcffi_end_legacy, x)
    else:
        raise BufferError("x: __dlpack__ gave no capsule of a tensor, or a used one")
    compiled.take_capsule(owner, capsule)
    if not _is_sound(managed.tensor):
        raise BufferError(
            "x: __dlpack__ gave a tensor without a shape or memory, or of too many dimensions"
        )
    return managed.tensor, flags, owner


def _is_sound(tensor: Any) -> bool:
    if not 0 <= tensor.rank <= _MOST_DIMENSIONS or (tensor.rank and not tensor.shape):
        return False
    lengths = ffi.unpack(tensor.shape, tensor.rank) if tensor.rank else []
    return min(lengths, default=0) >= 0 and bool(tensor.data or 0 in lengths)


# Types whose __dlpack__ is older than DLPack 1.0 and takes no max_version: passing it each time
# would cost an exception.
_old_producers: set[type] = set()


def _capsule_of(x: Any) -> object:
    if isinstance(x, np.ma.MaskedArray):
        raise TypeError("x must not be masked, since values have no mask: use filled()")
    export = getattr(x, "__dlpack__", None)
    device = getattr(x, "__dlpack_device__", None)
    if export is None or device is None:
        raise TypeError(f"x must have __dlpack__, which {type(x).__name__} does not have")
    _check_device(device())
    if type(x) not in _old_producers:
        try:
            return export(max_version=NEWEST)
        except TypeError:
            made = export()
            _old_producers.add(type(x))
            return made
    return export()


def _check_device(device: Any) -> None:
    """Refuse devices whose memory the CPU cannot read."""
    if not isinstance(device, tuple) or len(device) != 2:
        raise TypeError(f"x: __dlpack_device__ must give a pair of int, not {device!r}")
    if device[0] not in (CPU, CUDA_HOST, ROCM_HOST):
        raise BufferError(f"x must be in memory that the CPU can read, not on device {device}")


def _is_contiguous(shape: tuple[int, ...], strides: tuple[int, ...]) -> bool:
    steps = accumulate(reversed(shape[1:]), mul, initial=1)
    of_each = zip(reversed(shape), reversed(strides), steps, strict=False)
    return 0 in shape or all(n == 1 or stride == step for n, stride, step in of_each)
