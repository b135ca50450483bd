# SPDX-License-Identifier: MIT
"""`SparseTensor` as programs see it."""

from typing import Any, Self

import numpy as np

from ortcffi.compat import _sparse
from ortcffi.compat._enums import OrtSparseFormat
from ortcffi.compat._official_devices import OrtDevice

__all__ = ["SparseTensor"]

Array = np.ndarray[Any, Any]


class SparseTensor:
    """A sparse tensor."""

    def __init__(self, sparse_tensor: _sparse.SparseTensor) -> None:
        if not isinstance(sparse_tensor, _sparse.SparseTensor):
            raise ValueError("sparse_tensor must be a SparseTensor of the compiled module")
        self._tensor = sparse_tensor

    def _get_c_tensor(self) -> _sparse.SparseTensor:
        return self._tensor

    @classmethod
    def sparse_coo_from_numpy(
        cls, dense_shape: Any, values: Array, coo_indices: Array, ort_device: OrtDevice
    ) -> Self:
        """Make one in COO format over the memory of arrays."""
        make, device = _sparse.SparseTensor.sparse_coo_from_numpy, ort_device._get_c_device()
        return cls(make(dense_shape, values, coo_indices, device))

    @classmethod
    def sparse_csr_from_numpy(  # as many as officially
        cls,
        dense_shape: Any,
        values: Array,
        inner_indices: Array,
        outer_indices: Array,
        ort_device: OrtDevice,
    ) -> Self:
        """Make one in CSR format over the memory of arrays."""
        make, device = _sparse.SparseTensor.sparse_csr_from_numpy, ort_device._get_c_device()
        return cls(make(dense_shape, values, inner_indices, outer_indices, device))

    def values(self) -> Array:
        """Return what is stored."""
        return self._tensor.values()

    def as_coo_view(self) -> _sparse.SparseCooView:
        """Return the places of the values in COO format."""
        return self._tensor.get_coo_data()

    def as_csrc_view(self) -> _sparse.SparseCsrView:
        """Return the places of the values in CSR format."""
        return self._tensor.get_csrc_data()

    def as_blocksparse_view(self) -> _sparse.SparseBlockSparseView:
        """Return the places of the blocks."""
        return self._tensor.get_blocksparse_data()

    def to_cuda(self, ort_device: OrtDevice) -> None:
        """Raise: the C API cannot copy a sparse tensor to a device."""
        self._tensor.to_cuda(ort_device._get_c_device())

    def format(self) -> OrtSparseFormat:
        """Return how it is laid out."""
        return self._tensor.format

    def dense_shape(self) -> list[int]:
        """Return the dimensions."""
        return self._tensor.dense_shape()

    def data_type(self) -> str:
        """Return the type, such as ``sparse_tensor(float)``."""
        return self._tensor.data_type()

    def device_name(self) -> str:
        """Return the name of the device that has the memory."""
        return self._tensor.device_name().lower()
