# SPDX-License-Identifier: MIT
"""Dense tensors: making them from arrays and buffers, and reading them as arrays."""

from collections.abc import Iterable
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from ortcffi._convert import named, of_type
from ortcffi._native import address_of
from ortcffi._table import table_for
from ortcffi.errors import InvalidArgument, OutOfMemory, out_of_memory
from ortcffi.memory.allocator import Allocator
from ortcffi.memory.blocks import with_limits
from ortcffi.values.checks import count_of, dimensions, element_of_array, of_arrow, table_of, unfit
from ortcffi.values.element_types import (
    PACKED,
    ElementType,
    ValueKind,
    as_element,
    bits_of,
    dtype_of,
)
from ortcffi.values.lifecycle import Tensor, V

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import DTypeLike, NDArray

    from ortcffi.memory.allocator import Shape
    from ortcffi.table.api import Api


def empty(
    cls: type[V],
    shape: "Shape",
    dtype: "DTypeLike | ElementType" = np.float32,
    allocator: "Allocator | None" = None,
    *,
    api: "Api | None" = None,
) -> V:
    """Make a tensor with arbitrary content; strings are empty.

    API function: ``CreateTensorAsOrtValue``.

    Parameters
    ----------
    dtype : dtype-like or ElementType, optional
        The type of the elements. For strings ``str``.
    allocator : Allocator, optional
        Where its memory comes from, by default the table's default allocator. It is kept as long
        as the memory. Strings of a library other than the core need one of the library's own.
    api : Api, optional
        The table that makes it; by default the one that understands the allocator's
        `~Allocator.info`, or else that of `default_api`.

    Raises
    ------
    OutOfMemory
        The allocator has no such block.
    """
    element, lengths = as_element(dtype), dimensions(shape)
    _bound(element, lengths)
    if allocator is None:
        api = table_for(api)
        allocator = api.default_allocator
    else:
        api = table_of(allocator, api)
        if element is ElementType.STRING and not api.is_core and type(allocator) is not Allocator:
            # ONNX Runtime constructs the strings at NULL where an allocator has no block.
            raise ValueError(
                "allocator must be one of the library's own for strings, such as default_allocator"
            )
    handle = allocator.handle  # keeps the allocator open, also if another thread closes it
    try:
        value = cls._empty(api._maker, address_of(handle), lengths, element)
        if value is None:
            raise out_of_memory("the allocator has no such block", "CreateTensorAsOrtValue")
    except OutOfMemory as error:
        raise with_limits(error, allocator._limits()) from error.__cause__
    return value


def _bound(element: ElementType, lengths: tuple[int, ...]) -> None:
    """Refuse sizes that make ONNX Runtime end the process, where it has no environment."""
    if element is ElementType.UNDEFINED:
        return
    bits = 256 if element is ElementType.STRING else bits_of(element)
    if count_of(lengths) * bits >= 1 << 66:
        shape = lengths if len(lengths) <= 8 else f"of {len(lengths)} dimensions"
        text = f"shape {shape} of {element.name} has more bytes than can be counted"
        raise InvalidArgument(text, "CreateTensorAsOrtValue")


def from_numpy(
    cls: type[V], x: "NDArray[Any]", *, api: "Api | None" = None, copy: bool = False
) -> V:
    """Make a tensor of an array that the compiled `Tensor.from_numpy` does not take."""
    x = of_arrow(x)
    element = element_of_array(x)
    memory = np.asarray(x)  # a subclass may describe its memory wrongly
    api = table_for(api)
    if copy or element is ElementType.STRING:
        return copy_of(cls, memory, element, api)
    if reason := unfit(memory, element):
        raise ValueError(f"{reason}: pass copy=True for a value with memory of its own")
    readonly = not memory.flags.writeable
    return cls._borrow(
        api._maker, address_of_array(memory), memory.nbytes, memory.shape, element, x, readonly
    )


def from_buffer(  # noqa: PLR0913  # as many as there are facts
    cls: type[V],
    buffer: Any,
    shape: "Shape",
    dtype: "DTypeLike | ElementType",
    *,
    api: "Api | None" = None,
    copy: bool | None = False,
) -> V:
    """Make a tensor over the bytes of a buffer; without a copy, unless one is asked for.

    API function: ``CreateTensorWithDataAsOrtValue``.

    Parameters
    ----------
    buffer : object with the buffer protocol
        The bytes of the elements, contiguous. The value keeps it.
    dtype : dtype-like or ElementType
        The type of the elements; not strings.
    copy : bool or None, optional
        Whether the value gets memory of its own; None for only where the buffer is not aligned to
        the elements.
    """
    element, lengths = as_element(dtype), dimensions(shape)
    if element in (ElementType.STRING, ElementType.UNDEFINED):
        raise TypeError(f"dtype must be of numbers, not {element.name}: see from_strings")
    found = table_for(api)
    size = (count_of(lengths) * bits_of(element) + 7) // 8
    try:
        view = memoryview(buffer)
    except TypeError:
        raise TypeError(f"buffer must be bytes-like, not {type(buffer).__name__}") from None
    if view.nbytes != size:
        raise ValueError(f"buffer must have {size} bytes for this shape, not {view.nbytes}")
    memory = np.frombuffer(view, np.uint8) if size else np.zeros(0, np.uint8)
    address = address_of_array(memory)
    is_aligned = address % max(bits_of(element) // 8, 1) == 0
    if not copy and copy is not None and not is_aligned:
        raise ValueError("buffer is not aligned to its elements: pass copy=True")
    if copy or not is_aligned:
        value = empty(cls, lengths, element, api=found)
        bytes_of(value)[...] = memory
        return value
    readonly = not memory.flags.writeable
    return cls._borrow(found._maker, address, size, lengths, element, memory, readonly)


def copy_of(
    cls: type[V], x: "NDArray[Any]", element: ElementType, api: "Api", name: str = "x"
) -> V:
    """Make a tensor with memory of its own, with the elements of an array."""
    value = empty(cls, x.shape, element, api=api)
    if element is ElementType.STRING:
        with named(name):
            value._fill_strings(x.ravel().tolist())
    elif element in PACKED:
        bytes_of(value)[...] = pack(x, PACKED[element])
    else:
        value.numpy()[...] = x
    return value


def twin_of(value: V) -> V:
    """Make a tensor with the same content and memory of its own."""
    twin = empty(type(value), value.shape, ElementType(value._element), api=value.api)
    if value._element == ElementType.STRING:
        twin._fill_strings(value.raw_strings())
    else:
        bytes_of(twin)[...] = bytes_of(value)
    return twin


def address_of_array(x: "NDArray[Any]") -> int:
    """Return the address of an array's first element."""
    return int(x.__array_interface__["data"][0])


# --- as arrays ------------------------------------------------------------------------------------


def numpy(value: Tensor, copy: bool = False) -> "NDArray[Any]":
    """Return the array that the compiled `Tensor.numpy` does not make."""
    if value._kind != ValueKind.TENSOR:
        kind = ValueKind(value._kind).name.lower()
        raise TypeError(f"a {kind} is no array: use to_python()")
    element = value._element
    if element == ElementType.STRING:
        array = np.empty(value.shape, object)
        array.reshape(-1)[:] = value.strings()
        return array
    if element in PACKED:
        if not copy:
            raise ValueError("elements of this type are packed: pass copy=True to unpack them")
        flat = unpack(bytes_of(value), PACKED[ElementType(element)], prod(value.shape))
        return flat.view(dtype_of(element)).reshape(value.shape)
    view = value.numpy()
    return view.copy() if copy else view


def bytes_of(value: Tensor) -> "NDArray[np.uint8]":
    """Return the memory of a tensor of numbers as an array of bytes."""
    return value._view(value._data, (value.nbytes,), ElementType.UINT8, value.readonly)


def to_lists(value: Tensor) -> Any:
    """Nested lists of Python's own objects; one object if there are no dimensions."""
    if value._element == ElementType.STRING and len(value.shape) == 1:
        return value.strings()
    array = value.numpy(copy=value._element in PACKED)
    if array.dtype.type.__module__ == "ml_dtypes":
        array = array.astype(np.int8 if "int" in array.dtype.name else np.float32)
    return array.tolist()


# --- elements of 4 and 2 bits: several in a byte, the first in the lowest bits ---


def pack(elements: "NDArray[Any]", bits: int) -> "NDArray[np.uint8]":
    """Return the bytes of a tensor, of an array with an element in each byte.

    What is left of the last byte is 0.
    """
    per_byte, mask = 8 // bits, (1 << bits) - 1
    flat = np.ascontiguousarray(elements).reshape(-1).view(np.uint8) & mask
    padded = np.zeros(-(-flat.size // per_byte) * per_byte, np.uint8)
    padded[: flat.size] = flat
    packed = np.zeros(padded.size // per_byte, np.uint8)
    for place in range(per_byte):
        packed |= padded[place::per_byte] << (place * bits)
    return packed


def unpack(packed: "NDArray[np.uint8]", bits: int, count: int) -> "NDArray[np.uint8]":
    """Return the first `count` elements, each in the lowest bits of a byte; the others are 0."""
    per_byte, mask = 8 // bits, (1 << bits) - 1
    elements = np.empty((packed.size, per_byte), np.uint8)
    for place in range(per_byte):
        elements[:, place] = (packed >> (place * bits)) & mask
    return elements.reshape(-1)[:count].copy()


def from_strings(
    cls: type[V],
    strings: "Iterable[str | bytes | None]",
    shape: "Shape | None" = None,
    *,
    fill: str | bytes | None = None,
    api: "Api | None" = None,
) -> V:
    """Make a tensor of strings.

    API functions: ``CreateTensorAsOrtValue`` and ``FillStringTensor``; for a string with a null
    character also ``GetResizedStringTensorElementBuffer``, since version 15.

    Parameters
    ----------
    strings : sequence of str or bytes
        The elements, in the order of the memory. A str becomes UTF-8; bytes stay as they are. A
        column of pandas and an array of Arrow will do, too.
    shape : int or sequence of int, optional
        The dimensions, by default one.
    fill : str or bytes, optional
        What stands for a missing element: None, a NaN, or the missing value of pandas. Tensors have
        none, so without it such an element is refused.

    Raises
    ------
    TypeError
        An element, or `fill`, is neither str nor bytes.
    ValueError
        A str has a lone surrogate, or there are too few or too many strings.
    """
    given, found = _list(strings), table_for(api)
    if fill is not None:
        of_type("fill", fill, (str, bytes), "str or bytes")
        given = [fill if _is_missing(each) else each for each in given]
    lengths = (len(given),) if shape is None else dimensions(shape)
    _check_count(given, lengths)
    value = empty(cls, lengths, ElementType.STRING, api=found)
    value._fill_strings(given)
    return value


def set_strings(value: "Tensor", strings: "Sequence[str | bytes]") -> None:
    """Set all elements of a tensor of strings, as `from_strings` does."""
    given = _list(strings)
    _check_count(given, value.shape)
    value._fill_strings(given)


def _check_count(strings: list[Any], shape: tuple[int, ...]) -> None:
    count = count_of(shape)
    if len(strings) != count:
        text = f"strings must be {count} for this tensor, not {len(strings)}"
        raise InvalidArgument(text, "FillStringTensor")


def _list(strings: Any) -> list[Any]:
    if isinstance(strings, (str, bytes)) or not isinstance(strings, Iterable):
        raise TypeError(f"strings must be a sequence of str or bytes, not {type(strings).__name__}")
    if hasattr(strings, "null_count") and hasattr(strings, "__array__"):  # Arrow's
        strings = np.asarray(strings, object).tolist()
    return strings if type(strings) is list else list(strings)


def _is_missing(each: object) -> bool:
    """Whether it is None, or differs from itself, as NaN; the NA of pandas has no truth value."""
    if each is None or isinstance(each, str | bytes):
        return each is None
    try:
        return bool(each != each)  # noqa: PLR0124
    except TypeError:
        return True
