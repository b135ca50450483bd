# SPDX-License-Identifier: MIT
"""Sparse tensors: made and read, whole and entry by entry, and as those of SciPy."""

from enum import IntEnum
from typing import TYPE_CHECKING, Any

import numpy as np

from ortcffi._native import address_of, ffi, lib
from ortcffi._public import public
from ortcffi._table import table_for
from ortcffi.errors import InvalidArgument, check
from ortcffi.values.checks import c_strings, dimensions, element_of_array, unfit
from ortcffi.values.element_types import ElementType, ValueKind
from ortcffi.values.lifecycle import Tensor, V, blank, require_kind
from ortcffi.values.tensor_type_info import TensorTypeInfo

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ortcffi._ort import Cdata
    from ortcffi.memory.allocator import Shape
    from ortcffi.table.api import Api


@public
class SparseFormat(IntEnum):
    """How a sparse tensor is laid out (``OrtSparseFormat``)."""

    UNDEFINED = lib.ORT_SPARSE_UNDEFINED
    COO = lib.ORT_SPARSE_COO
    CSR = lib.ORT_SPARSE_CSRC
    BLOCK_SPARSE = lib.ORT_SPARSE_BLOCK_SPARSE


def make(  # noqa: PLR0913, PLR0917  # as many as there are facts
    cls: type[V],
    layout: str,
    values: "NDArray[Any]",
    where: "dict[str, NDArray[Any]]",
    shape: "Shape",
    api: "Api | None",
    copy: bool,
) -> V:
    """Make a sparse tensor of one of the formats, of its values and its arrays of indices."""
    kind = np.int32 if layout == "BlockSparse" else np.int64
    element, found = element_of_array(values, "values"), table_for(api)
    lengths = dimensions(shape)
    copy = copy or element is ElementType.STRING
    values = _borrowable("values", values, element, copy)
    indices = [_indices_of(name, x, kind, copy) for name, x in where.items()]
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


# The arrays of indices of each format: their number in the C API, and type.
INDICES = {
    SparseFormat.UNDEFINED: (),
    SparseFormat.COO: (lib.ORT_SPARSE_COO_INDICES,),
    SparseFormat.CSR: (lib.ORT_SPARSE_CSR_INNER_INDICES, lib.ORT_SPARSE_CSR_OUTER_INDICES),
    SparseFormat.BLOCK_SPARSE: (lib.ORT_SPARSE_BLOCK_SPARSE_INDICES,),
}


def sparse_format(value: Tensor) -> SparseFormat:
    """Do the work of `Value.sparse_format`."""
    require_kind(value, ValueKind.SPARSE, "format")
    out, api = ffi.new("OrtSparseFormat*"), value.api.pointer
    check(api, lib.GetSparseTensorFormat(api, value.handle, out))
    return SparseFormat(out[0])


def sparse_values(value: Tensor) -> "NDArray[Any]":
    """Do the work of `Value.sparse_values`."""
    require_kind(value, ValueKind.SPARSE, "values")
    element, shape = _type_and_shape(value, "GetSparseTensorValuesTypeAndShape")
    if element == ElementType.STRING:
        array = np.empty(shape, object)
        array.reshape(-1)[:] = value._sparse_strings(array.size)
        return array
    out, api = ffi.new("const void**"), value.api.pointer
    check(api, lib.GetSparseTensorValues(api, value.handle, out))
    return value._view(address_of(out[0]), shape, element, value.readonly)


def sparse_indices(value: Tensor) -> "tuple[NDArray[Any], ...]":
    """Do the work of `Value.sparse_indices`."""
    return tuple(_indices(value, number) for number in INDICES[sparse_format(value)])


def _indices(value: Tensor, number: int) -> "NDArray[Any]":
    element, shape = _type_and_shape(value, "GetSparseTensorIndicesTypeShape", number)
    out, count, api = ffi.new("const void**"), ffi.new("size_t*"), value.api.pointer
    check(api, lib.GetSparseTensorIndices(api, value.handle, number, count, out))
    return value._view(address_of(out[0]), shape, element, True)


def _type_and_shape(value: Tensor, function: str, *arguments: int) -> tuple[int, tuple[int, ...]]:
    """Return the element type and shape that a function of the C API answers."""
    info = TensorTypeInfo.__new__(TensorTypeInfo)
    with info._create(value.api, function, value.handle, *arguments):
        shape: Any = info.shape
        return int(info.element_type), shape


# --- entry by entry -------------------------------------------------------------------------------


def entries(value: Tensor) -> "NDArray[Any]":
    """Return the stored values, in one dimension."""
    return sparse_values(value).reshape(-1)


def places(value: Tensor) -> "tuple[NDArray[Any], ...]":
    """Return the index of each entry: an array for each dimension of the tensor."""
    layout, indices = sparse_format(value), sparse_indices(value)
    if layout is SparseFormat.CSR:
        rows = np.repeat(np.arange(len(indices[1]) - 1), np.diff(indices[1]))
        return rows, indices[0]
    if layout is SparseFormat.BLOCK_SPARSE:
        height, width, _ = sparse_values(value).shape
        row, column = np.indices((height, width))
        rows = indices[0][0] * height + row[:, :, None]
        columns = indices[0][1] * width + column[:, :, None]
        return rows.reshape(-1), columns.reshape(-1)
    where = indices[0]
    return tuple(where.T) if where.ndim == 2 else np.unravel_index(where, value.shape)


def to_dict(value: Tensor) -> dict[tuple[int, ...], Any]:
    """Return the stored values by their indices."""
    indices = zip(*(axis.tolist() for axis in places(value)), strict=True)
    found = entries(value)
    if found.dtype.type.__module__ == "ml_dtypes":
        found = found.astype(np.float32)
    return dict(zip(indices, found.tolist(), strict=True))


def from_scipy(cls: type[V], x: Any, api: "Api | None", copy: bool) -> V:
    """Do the work of `Value.from_scipy`."""
    layout = getattr(x, "format", None)
    if layout not in ("csr", "coo", "bsr") or not hasattr(x, "nnz"):
        raise TypeError("x must be a sparse array of SciPy, in CSR, COO or BSR")
    if layout == "csr":
        where = {"inner": x.indices, "outer": x.indptr}
        return make(cls, "Csr", x.data, where, x.shape, api, copy)
    if not copy:
        raise ValueError(f"x is in {layout.upper()}, laid out differently: pass copy=True")
    if layout == "coo":
        where = {"indices": np.stack((x.row, x.col), axis=1)}
        return make(cls, "Coo", x.data, where, x.shape, api, copy)
    rows = np.repeat(np.arange(len(x.indptr) - 1), np.diff(x.indptr))
    blocks, where = x.data.transpose(1, 2, 0), {"indices": np.stack((rows, x.indices))}
    return make(cls, "BlockSparse", blocks, where, x.shape, api, copy)


def to_scipy(value: Tensor) -> Any:
    """Do the work of `Value.to_scipy`."""
    layout = sparse_format(value)
    try:
        from scipy import sparse
    except ImportError:
        raise ImportError("sparse arrays are SciPy's: pip install scipy", name="scipy") from None
    if len(value.shape) != 2:
        raise TypeError(f"SciPy has sparse arrays of 2 dimensions, not {len(value.shape)}")
    if layout is SparseFormat.CSR:
        arrays = (sparse_values(value), *sparse_indices(value))
        return sparse.csr_array(arrays, shape=value.shape, copy=False)
    found = sparse.coo_array((entries(value), places(value)), shape=value.shape, copy=False)
    if layout is SparseFormat.BLOCK_SPARSE:
        return found.tobsr(sparse_values(value).shape[:2])
    return found
