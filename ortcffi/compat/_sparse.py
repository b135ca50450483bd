# SPDX-License-Identifier: MIT
"""Sparse tensors, for the official package and for its compiled module."""

from collections.abc import Sequence
from typing import Any, Self, TypeVar

import numpy as np

from ortcffi.compat._delegates import fact, returned
from ortcffi.compat._devices import OrtDevice, is_cpu
from ortcffi.compat._environment import api
from ortcffi.compat._errors import translated
from ortcffi.compat._types import OfValue
from ortcffi.errors import OrtError
from ortcffi.values.value import Value

_NO_DEVICE = "Copying a sparse tensor to a device is not supported by the C API"
T = TypeVar("T", bound=OfValue)
Array = np.ndarray[Any, Any]


def _view(array: Array) -> Array:
    view = array.view()
    view.flags.writeable = False
    return view


def _places(given: Any) -> Array:
    try:
        return np.ascontiguousarray(given, np.int64)
    except ValueError as error:
        raise TypeError(f"incompatible function arguments: {error}") from None


def _indices(place: int) -> Any:
    """Return a method that returns some of a sparse tensor's indices."""
    return lambda self: _view(self._value.sparse_indices[place])


class SparseCsrView(OfValue):
    """The places of the values of a sparse tensor in CSR format."""

    inner, outer = _indices(0), _indices(1)


class SparseCooView(OfValue):
    """The places of the values of a sparse tensor in COO format."""

    indices = _indices(0)


class SparseBlockSparseView(SparseCooView):
    """The places of the blocks of a sparse tensor."""


class CSparseTensor(OfValue):
    """A sparse tensor of the compiled module, whose ``format`` is a property."""

    __slots__ = ()

    @classmethod
    def _made(cls, device: OrtDevice, make: Any, values: Any, *places: Any) -> Self:
        """Make one; what does not fit is officially a RuntimeError."""
        if not is_cpu(device):
            raise RuntimeError(_NO_DEVICE)
        try:
            if isinstance(values, np.ndarray):
                values = values.astype(values.dtype.newbyteorder("="), copy=False)
            return cls._of(make(values, *places, api=api()))
        except (OrtError, ValueError) as error:
            raise RuntimeError(str(error)) from error

    @classmethod
    def sparse_coo_from_numpy(
        cls, dense_shape: Sequence[int], values: Array, coo_indices: Array, ort_device: OrtDevice
    ) -> Self:
        places = _places(coo_indices), tuple(dense_shape)
        return cls._made(ort_device, Value.sparse_coo, values, *places)

    @classmethod
    def sparse_csr_from_numpy(  # as many as officially
        cls,
        dense_shape: Sequence[int],
        values: Array,
        inner_indices: Array,
        outer_indices: Array,
        ort_device: OrtDevice,
    ) -> Self:
        places = _places(inner_indices), _places(outer_indices), tuple(dense_shape)
        return cls._made(ort_device, Value.sparse_csr, values, *places)

    @classmethod
    def blocksparse_from_numpy(
        cls, shape: Sequence[int], values: Array, indices: Array, device: OrtDevice, /
    ) -> Self:
        places = np.ascontiguousarray(indices, np.int32), tuple(shape)
        return cls._made(device, Value.block_sparse, values, *places)

    @translated
    def values(self) -> Array:
        return _view(self._value.sparse_values)

    format = fact("_value.sparse_format", "OrtSparseFormat")

    def dense_shape(self) -> list[int]:
        return list(self._value.shape)

    def _places_as(self, view: type[T], wanted: str) -> T:
        found = CSparseTensor.format.fget(self)
        if found.name != wanted:
            message = f"the sparse tensor has the format {found}, not {type(found)[wanted]}"
            raise RuntimeError(message)
        return view._of(self._value)

    def get_coo_data(self) -> SparseCooView:
        return self._places_as(SparseCooView, "ORT_SPARSE_COO")

    def get_csrc_data(self) -> SparseCsrView:
        return self._places_as(SparseCsrView, "ORT_SPARSE_CSRC")

    def get_blocksparse_data(self) -> SparseBlockSparseView:
        return self._places_as(SparseBlockSparseView, "ORT_SPARSE_BLOCK_SPARSE")

    def to_cuda(self, ort_device: OrtDevice) -> None:
        """Raise: the C API cannot copy a sparse tensor to a device."""
        del ort_device
        raise RuntimeError(_NO_DEVICE)


class SparseTensor(CSparseTensor):
    """A sparse tensor, as programs make it."""

    __slots__ = ()

    def __init__(self, sparse_tensor: CSparseTensor) -> None:
        if not isinstance(sparse_tensor, CSparseTensor):
            raise ValueError("sparse_tensor must be a SparseTensor")
        self._value = sparse_tensor._value

    def _get_c_tensor(self) -> CSparseTensor:
        return CSparseTensor._of(self._value)

    format = returned("_value.sparse_format", "OrtSparseFormat")

    as_coo_view = CSparseTensor.get_coo_data
    as_csrc_view = CSparseTensor.get_csrc_data
    as_blocksparse_view = CSparseTensor.get_blocksparse_data
