# SPDX-License-Identifier: MIT
"""Tensors over memory of arrays and at addresses, and in memory of devices."""

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from ortcffi._native import ffi
from ortcffi.compat._arguments import ADDRESS, SIZE, lengths, number
from ortcffi.compat._devices import OrtDevice, is_cpu, memory_info_of
from ortcffi.compat._environment import api, env
from ortcffi.compat._types import element_of
from ortcffi.errors import OrtError
from ortcffi.table.api import Api
from ortcffi.values.element_types import ElementType, bits_of
from ortcffi.values.lifecycle import blank
from ortcffi.values.value import Value

_NO_DEVICE = (
    "Can't allocate memory on the device using this package of OnnxRuntime. Please use the "
    "appropriate package of OnnxRuntime for your hardware to use this feature."
)


def empty_on(
    info: Any, shape: Sequence[int], element: ElementType, wanted: str | None = None
) -> Value:
    """Return a tensor in memory of a device, which the environment has an allocator for.

    `wanted` describes the memory if the program has named that, and not a device.
    """
    allocator = env().shared_allocator(info)
    if allocator is None:
        raise RuntimeError(f"No shared allocator found for: {wanted}" if wanted else _NO_DEVICE)
    return Value.empty(tuple(shape), element, allocator)


def in_plain_memory(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return an array as a tensor has it, without a copy where that is so: C order, native bytes.

    Unlike `numpy.ascontiguousarray`, it leaves an array without dimensions as it is.
    """
    return np.require(np.asarray(array), array.dtype.newbyteorder("="), ["C", "A"])


def tensor_over(array: np.ndarray[Any, Any], library: Api) -> Value:
    """Return a tensor over an array's memory, or a copy where that is not plain."""
    plain = in_plain_memory(array)
    try:
        return Value.from_numpy(plain, api=library)
    except ValueError:  # several elements share a byte of a tensor, and none one of an array
        return Value.from_numpy(plain, api=library, copy=True)
    except (TypeError, NotImplementedError):
        number = array.dtype.num
        raise RuntimeError(f"Numpy_type {number} can't be converted to MLDataType.") from None


def borrowed(array: np.ndarray[Any, Any], element: ElementType) -> Value:
    """Return a tensor over an array's memory, whatever its elements are taken for."""
    if element in (ElementType.STRING, ElementType.UNDEFINED):
        raise RuntimeError(f"a tensor of {element.name} has no memory to share")
    wanted = max(1, bits_of(element) // 8)  # an array of packed elements has more than it needs
    if array.dtype.itemsize != wanted:
        raise RuntimeError(
            f"Items size in the incoming array: {array.dtype.itemsize} specified by onnxtype: "
            f"{wanted}"
        )
    memory = in_plain_memory(array)
    address = memory.__array_interface__["data"][0]
    readonly = not memory.flags.writeable
    shape = memory.shape
    return Value._borrow(api()._maker, address, memory.nbytes, shape, element, memory, readonly)


def tensor_at(
    device: OrtDevice, element_type: Any, shape: Sequence[int], address: int, keeps: object = None
) -> Value:
    """Return a tensor over memory that `keeps`, or else the caller, owns."""
    element, given = element_of(element_type), lengths(shape)
    if element is ElementType.STRING:
        raise RuntimeError("Only binding non-string Tensors is currently supported")
    size = (prod(given) * bits_of(element) + 7) // 8
    if size > SIZE[1]:
        raise RuntimeError(f"shape {given} has more bytes than can be counted")
    start = number("address", address, ADDRESS)
    if not start and size:
        raise RuntimeError("Pointer to data memory is not valid: the address is 0")
    library = api()
    try:
        if is_cpu(device):
            return Value._borrow(library._maker, start, size, tuple(given), element, keeps, False)
        info, memory = memory_info_of(device), ffi.cast("void*", start)
        value, out = blank(Value, library, keeps)
        dimensions = ffi.new("int64_t[]", given)
        place = info.handle, memory, size, dimensions, len(given), element
        library._call("CreateTensorWithDataAsOrtValue", *place, out)
    except OrtError as error:
        raise RuntimeError(str(error)) from None
    return value
