# SPDX-License-Identifier: MIT
"""Making sparse tensors: coordinates, compressed rows, and blocks."""

from typing import TYPE_CHECKING, Any

import numpy as np

from ortcffi._native import ffi, lib
from ortcffi._table import table_for
from ortcffi.errors import InvalidArgument, check
from ortcffi.values.checks import c_strings, dimensions, element_of_array, unfit
from ortcffi.values.compiled import V
from ortcffi.values.element_types import ElementType
from ortcffi.values.lifecycle import blank

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ortcffi._ort import Cdata
    from ortcffi.memory.allocator import Shape
    from ortcffi.table.api import Api


def sparse_coo(  # noqa: PLR0913, PLR0917  # as many as the format has
    cls: type[V],
    values: "NDArray[Any]",
    indices: "NDArray[np.int64]",
    shape: "Shape",
    api: "Api | None",
    copy: bool,
) -> V:
    """Do the work of `Value.sparse_coo`."""
    where = (("indices", indices, np.int64),)
    return _sparse(cls, "Coo", values, where, shape, api, copy)


def sparse_csr(  # noqa: PLR0913, PLR0917  # as many as the format has
    cls: type[V],
    values: "NDArray[Any]",
    inner: "NDArray[np.int64]",
    outer: "NDArray[np.int64]",
    shape: "Shape",
    api: "Api | None",
    copy: bool,
) -> V:
    """Do the work of `Value.sparse_csr`."""
    where = (("inner", inner, np.int64), ("outer", outer, np.int64))
    return _sparse(cls, "Csr", values, where, shape, api, copy)


def block_sparse(  # noqa: PLR0913, PLR0917  # as many as the format has
    cls: type[V],
    values: "NDArray[Any]",
    indices: "NDArray[np.int32]",
    shape: "Shape",
    api: "Api | None",
    copy: bool,
) -> V:
    """Do the work of `Value.block_sparse`."""
    where = (("indices", indices, np.int32),)
    return _sparse(cls, "BlockSparse", values, where, shape, api, copy)


def _sparse(  # noqa: PLR0913, PLR0917  # what its callers were given
    cls: type[V],
    layout: str,
    values: "NDArray[Any]",
    where: tuple[tuple[str, Any, Any], ...],
    shape: "Shape",
    api: "Api | None",
    copy: bool,
) -> V:
    element, found, lengths = (
        element_of_array(values, "values"),
        table_for(api),
        dimensions(shape),
    )
    copy = copy or element is ElementType.STRING
    values = _borrowable("values", values, element, copy)
    indices = [_indices_of(*given, copy) for given in where]
    if layout == "BlockSparse":
        _check_blocks(values, indices[0], lengths)
    dense, size = ffi.new("int64_t[]", lengths), ffi.new("int64_t[]", values.shape)
    texts = c_strings(values) if element is ElementType.STRING else []
    data = ffi.new("char*[]", texts) if texts else _pointer(values)
    info, rank = found.default_allocator.info.handle, len(lengths)
    parent = None if copy else (values, *indices)
    readonly = not copy and not values.flags.writeable
    value, out = blank(cls, found, parent, readonly=readonly)
    head: tuple[Any, ...] = ()
    if copy:
        create = "CreateSparseTensorAsOrtValue"
        arguments: tuple[Any, ...] = (found.default_allocator.handle, dense, rank, element, out)
        fill, head = f"FillSparseTensor{layout}", (info, size, values.ndim, data)
    else:
        create = "CreateSparseTensorWithValuesAsOrtValue"
        arguments = (info, data, dense, rank, size, values.ndim, element, out)
        fill = f"Use{layout}Indices"
    check(found.pointer, getattr(lib, create)(found.pointer, *arguments))
    if layout == "BlockSparse":
        blocks = indices[0]
        size = ffi.new("int64_t[]", blocks.shape)
        tail = [size, blocks.ndim, _pointer(blocks, "int32_t*")]
    else:
        tail = [part for x in indices for part in (_pointer(x, "int64_t*"), x.size)]
    check(found.pointer, getattr(lib, fill)(found.pointer, out[0], *head, *tail))
    return value


def _pointer(array: "NDArray[Any]", kind: str = "void*") -> "Cdata":
    return ffi.cast(kind, array.__array_interface__["data"][0])


def _borrowable(name: str, x: "NDArray[Any]", element: ElementType, copy: bool) -> "NDArray[Any]":
    if copy:
        kind = x.dtype if element is ElementType.STRING else x.dtype.newbyteorder("=")
        return np.ascontiguousarray(x, kind)
    if reason := unfit(x, element, name):
        raise ValueError(f"{reason}: pass copy=True for a value with memory of its own")
    return x


def _check_blocks(
    values: "NDArray[Any]", indices: "NDArray[Any]", lengths: tuple[int, ...]
) -> None:
    """Check the bounds that libraries do not; they refuse wrong shapes themselves."""
    if len(lengths) != 2:
        text = f"shape must have 2 dimensions for a block sparse tensor, not {len(lengths)}"
        raise InvalidArgument(text, None)
    if values.ndim != 3 or indices.shape != (2, values.shape[2]):
        return
    for places, size, length in zip(indices, values.shape, lengths, strict=False):
        if places.size and not (places.min() >= 0 and (int(places.max()) + 1) * size <= length):
            raise InvalidArgument("indices are of blocks outside of the shape", None)


def _indices_of(name: str, x: Any, dtype: Any, copy: bool) -> "NDArray[Any]":
    if not isinstance(x, np.ndarray) or x.dtype.kind not in "iu":
        raise TypeError(f"{name} must be an ndarray of {np.dtype(dtype)}")
    if isinstance(x, np.ma.MaskedArray):
        raise TypeError(f"{name} must not be masked: use filled()")
    if copy:
        limits = np.iinfo(dtype)
        if x.size and not (limits.min <= x.min() and x.max() <= limits.max):
            raise ValueError(f"{name} must be of {np.dtype(dtype)}, but one is too large for that")
        return np.ascontiguousarray(x, dtype)
    if x.dtype != dtype:
        raise ValueError(f"{name} must be of {np.dtype(dtype)}, not {x.dtype}: or pass copy=True")
    return _borrowable(name, x, ElementType.INT64, copy)
