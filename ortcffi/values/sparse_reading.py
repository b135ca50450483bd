# SPDX-License-Identifier: MIT
"""Reading sparse tensors: their format, values and indices."""

from typing import TYPE_CHECKING, Any

import numpy as np

from ortcffi._native import address_of, ffi, lib
from ortcffi.errors import check
from ortcffi.platform.handle import out_of, owned_by, owner_of
from ortcffi.values.compiled import Tensor
from ortcffi.values.element_types import ElementType, ValueKind
from ortcffi.values.lifecycle import require_kind
from ortcffi.values.sparse_format import SparseFormat

if TYPE_CHECKING:
    from numpy.typing import NDArray

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
    """The element type and shape that a function of the C API answers."""
    api = value.api.pointer
    owner = owner_of("OrtTensorTypeAndShapeInfo*", value.api, lib.ReleaseTensorTypeAndShapeInfo)
    check(api, getattr(lib, function)(api, value.handle, *arguments, out_of(owner)))
    info = owned_by(owner)
    element, rank = ffi.new("ONNXTensorElementDataType*"), ffi.new("size_t*")
    check(api, lib.GetTensorElementType(api, info, element))
    check(api, lib.GetDimensionsCount(api, info, rank))
    shape = ffi.new("int64_t[]", rank[0])
    check(api, lib.GetDimensions(api, info, shape, rank[0]))
    return int(element[0]), tuple(shape)


# --- entry by entry -------------------------------------------------------------------------------


def entries(value: Tensor) -> "NDArray[Any]":
    """The stored values, in one dimension."""
    return sparse_values(value).reshape(-1)


def places(value: Tensor) -> "tuple[NDArray[Any], ...]":
    """The index of each entry: an array for each dimension of the tensor."""
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
    """The stored values by their indices."""
    indices = zip(*(axis.tolist() for axis in places(value)), strict=True)
    found = entries(value)
    if found.dtype.type.__module__ == "ml_dtypes":
        found = found.astype(np.float32)
    return dict(zip(indices, found.tolist(), strict=True))
