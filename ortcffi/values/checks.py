# SPDX-License-Identifier: MIT
"""Argument checks for making values."""

from collections.abc import Mapping
from operator import index
from typing import TYPE_CHECKING, Any

import numpy as np

from ortcffi._convert import encode, of_type
from ortcffi._native import ffi
from ortcffi._table import table_for
from ortcffi.memory.allocator import Allocator
from ortcffi.values.element_types import PACKED, ElementType, element_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ortcffi._ort import Cdata
    from ortcffi.memory.allocator import Shape
    from ortcffi.table.api import Api


_WRONG_DIMENSION = "shape must be an int or a sequence of ints, but shape[{}] is of {}"
TOO_MANY = 1 << 63  # elements, so that bytes are too many as well


def table_of(allocator: Allocator, api: "Api | None") -> "Api":
    """Return the table that made an allocator's info: no other can read it."""
    found: Api = of_type("allocator", allocator, Allocator).info.api
    if api is not None and table_for(api) != found:
        raise ValueError(f"allocator describes its memory in terms of {found}, not of {api}")
    return found


def dimensions(shape: "Shape") -> tuple[int, ...]:
    """Return a shape as a tuple of ints that fit C's int64_t."""
    given: Any = shape
    if isinstance(given, np.ndarray):
        given = given[()] if given.ndim == 0 else tuple(given)
    is_sequence = hasattr(type(given), "__getitem__") and not hasattr(type(given), "__index__")
    if is_sequence and not isinstance(given, str | bytes | Mapping | np.dtype | np.generic):
        return tuple(_dimension(place, each) for place, each in enumerate(tuple(given)))
    if not hasattr(type(given), "__index__"):
        raise TypeError(f"shape must be an int or a sequence of ints, not of {type(given)}")
    return (_dimension(0, given),)


def _dimension(place: int, given: Any) -> int:
    if isinstance(given, bool):
        raise TypeError(_WRONG_DIMENSION.format(place, bool))
    try:
        length = index(given)
    except TypeError:
        raise TypeError(_WRONG_DIMENSION.format(place, type(given))) from None
    if not 0 <= length < 1 << 63:
        raise ValueError(f"shape[{place}] must be from 0 to {(1 << 63) - 1}, but is {length}")
    return length


def fits(shape: tuple[int, ...], declared: "tuple[int | str | None, ...] | None") -> bool:
    """Whether a shape is a declared one, in which -1, a name or None stands for any length."""
    if declared is None:
        return True
    pairs = zip(shape, declared, strict=False)
    is_same = (not isinstance(n, int) or n in (-1, m) for m, n in pairs)
    return len(shape) == len(declared) and all(is_same)


def count_of(lengths: tuple[int, ...]) -> int:
    """How many elements a shape has; more than can be counted, if it has too many.

    The whole product of many large lengths would take very long.
    """
    count = 1
    for length in () if 0 in lengths else lengths:
        count *= length
        if count >= TOO_MANY:
            return TOO_MANY
    return 0 if 0 in lengths else count


def of_arrow(x: Any) -> Any:
    """Return an array of Arrow as one of NumPy, over its memory where possible."""
    of_protocol = hasattr(x, "__arrow_c_array__") or hasattr(x, "__arrow_c_stream__")
    if not of_protocol or not hasattr(x, "null_count") or not hasattr(x, "__array__"):
        return x
    nulls = x.null_count() if callable(x.null_count) else x.null_count
    if nulls:
        raise ValueError(
            f"x has {nulls} nulls, which tensors cannot have: fill them, as fill_null() does, or"
            " for strings use from_strings(x, fill='')"
        )
    return np.asarray(x)


def element_of_array(x: Any, name: str = "x") -> ElementType:
    """Return the element type of a tensor with the elements of an array."""
    if not isinstance(x, np.ndarray):
        raise TypeError(
            f"{name} must be an ndarray, not {type(x).__name__}: numpy.asarray makes one"
        )
    if isinstance(x, np.ma.MaskedArray):
        raise TypeError(f"{name} must not be masked, since values have no mask: use filled()")
    try:
        return element_of(x.dtype)
    except TypeError as error:
        raise TypeError(f"{name}: {error}") from None


def unfit(x: "NDArray[Any]", element: ElementType, name: str = "x") -> str | None:
    """Why a tensor cannot borrow an array's memory; None if it can."""
    if element in PACKED:
        return (
            f"{name} has one {element.name} per byte, where a tensor packs {8 // PACKED[element]}"
        )
    if not x.flags.c_contiguous:
        return f"{name} is not C-contiguous"
    if not x.flags.aligned:
        return f"{name} is not aligned to its elements of {x.dtype.itemsize} bytes"
    if not x.dtype.isnative:
        return f"{name} is not in this machine's byte order ({x.dtype.str})"
    return None


def array_of(x: Any, dtype: "np.dtype[Any] | None") -> "NDArray[Any]":
    """Return an array of a list or a number.

    It is of `dtype` if no more than rounding changes the values by that, and otherwise of the dtype
    that NumPy finds. Without elements it is one of strings, too.
    """
    found = np.asarray(x)
    if dtype is None or found.dtype == dtype or found.dtype.kind not in "biufc":
        return found
    if dtype.kind == "O":
        return found if found.size else found.astype(dtype)
    if found.dtype.kind == "c" and dtype.kind != "c":
        return found
    array, same = _cast(found, dtype)
    return array if same.all() else found


def array_as(x: Any, dtype: "np.dtype[Any] | None") -> "NDArray[Any]":
    """Do the same; `TypeError` for values that the dtype does not hold."""
    array = array_of(x, dtype)
    if dtype is None or array.dtype == dtype:
        return array
    if array.dtype.kind == "O" and array.ndim == 0:  # such as a coroutine or a generator
        raise TypeError(f"a {type(x).__name__} is no array of {dtype}")
    lost = not_held(array, dtype) if array.dtype.kind in "biuf" else []
    what = repr(lost[0]) if lost else array.dtype.type.__name__
    raise TypeError(f"{what} does not become {dtype} without change; cast it first")


def not_held(x: "NDArray[Any]", dtype: "np.dtype[Any]") -> list[Any]:
    """Return a list of the first number that a dtype cannot hold; an empty one if none."""
    if dtype.kind == "O":
        return []
    _, same = _cast(x, dtype)
    lost: list[Any] = x[~same].tolist()
    return lost[:1]


def _cast(x: "NDArray[Any]", dtype: "np.dtype[Any]") -> "tuple[NDArray[Any], NDArray[Any]]":
    """Numbers in another dtype, and of which it no more than rounds the value."""
    with np.errstate(invalid="ignore", over="ignore"):
        array = x.astype(dtype)
    if dtype.kind == "b" or "int" in dtype.name:
        # NumPy compares its own integers exactly; those of ml_dtypes are narrower than any other.
        return array, (array.astype(x.dtype) if dtype.kind == "V" else array) == x
    return array, np.isfinite(array) == np.isfinite(x)


def c_strings(x: "NDArray[Any]") -> "list[Cdata]":
    """Return the strings of an array as null-terminated C strings."""
    given = x.ravel().tolist()
    texts = [each if isinstance(each, bytes) else encode("one of values", each) for each in given]
    if any(b"\0" in text for text in texts):
        raise ValueError("one of values must not contain a null character, where C ends a string")
    return [ffi.new("char[]", text) for text in texts]
