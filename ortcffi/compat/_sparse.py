# SPDX-License-Identifier: MIT
"""Sparse tensors as the official package's compiled module has them."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ortcffi.compat._devices import OrtDevice, is_cpu
from ortcffi.compat._enums import OrtSparseFormat
from ortcffi.compat._environment import api
from ortcffi.compat._errors import translated
from ortcffi.compat._types import device_name_of, type_of
from ortcffi.values.value import Value

__all__ = ["SparseBlockSparseView", "SparseCooView", "SparseCsrView", "SparseTensor"]

_NO_DEVICE = "Copying a sparse tensor to a device is not supported by the C API"
Array = np.ndarray[Any, Any]


def _view(array: Array) -> Array:
    view = array.view()
    view.flags.writeable = False
    return view


class _View:
    __slots__ = ("_value",)

    def __init__(self, value: Value) -> None:
        self._value = value


class SparseCooView(_View):
    """The places of the values of a sparse tensor in COO format."""

    __slots__ = ()

    def indices(self) -> Array:
        """Return them."""
        return _view(self._value.sparse_indices[0])


class SparseBlockSparseView(_View):
    """The places of the blocks of a sparse tensor."""

    __slots__ = ()

    def indices(self) -> Array:
        """Return them."""
        return _view(self._value.sparse_indices[0])


class SparseCsrView(_View):
    """The places of the values of a sparse tensor in CSR format."""

    __slots__ = ()

    def inner(self) -> Array:
        """Return the columns."""
        return _view(self._value.sparse_indices[0])

    def outer(self) -> Array:
        """Return where the rows begin."""
        return _view(self._value.sparse_indices[1])


class SparseTensor:
    """A sparse tensor."""

    __slots__ = ("_value",)

    _value: Value

    @classmethod
    def _of(cls, value: Value) -> "SparseTensor":
        made = cls.__new__(cls)
        made._value = value
        return made

    @staticmethod
    @translated
    def sparse_coo_from_numpy(
        shape: Sequence[int], values: Array, indices: Array, device: OrtDevice, /
    ) -> "SparseTensor":
        """Make one in COO format over the memory of arrays."""
        _check(device)
        where = np.ascontiguousarray(indices, np.int64)
        return SparseTensor._of(Value.sparse_coo(values, where, tuple(shape), api=api()))

    @staticmethod
    @translated
    def sparse_csr_from_numpy(
        shape: Sequence[int], values: Array, inner: Array, outer: Array, device: OrtDevice, /
    ) -> "SparseTensor":
        """Make one in CSR format over the memory of arrays."""
        _check(device)
        columns, rows = (np.ascontiguousarray(each, np.int64) for each in (inner, outer))
        return SparseTensor._of(Value.sparse_csr(values, columns, rows, tuple(shape), api=api()))

    @staticmethod
    @translated
    def blocksparse_from_numpy(
        shape: Sequence[int], values: Array, indices: Array, device: OrtDevice, /
    ) -> "SparseTensor":
        """Make one of blocks over the memory of arrays."""
        _check(device)
        where = np.ascontiguousarray(indices, np.int32)
        return SparseTensor._of(Value.block_sparse(values, where, tuple(shape), api=api()))

    @translated
    def values(self) -> Array:
        """Return what is stored."""
        return _view(self._value.sparse_values)

    @property
    def format(self) -> OrtSparseFormat:
        """How it is laid out."""
        return OrtSparseFormat(self._value.sparse_format)

    def dense_shape(self) -> list[int]:
        """Return the dimensions."""
        return list(self._value.shape)

    def data_type(self) -> str:
        """Return the type, such as ``sparse_tensor(float)``."""
        return type_of(self._value)

    def device_name(self) -> str:
        """Return the name of the device that has the memory."""
        return device_name_of(self._value)

    def get_coo_data(self) -> SparseCooView:
        """Return the places of the values in COO format."""
        self._require(OrtSparseFormat.ORT_SPARSE_COO)
        return SparseCooView(self._value)

    def get_csrc_data(self) -> SparseCsrView:
        """Return the places of the values in CSR format."""
        self._require(OrtSparseFormat.ORT_SPARSE_CSRC)
        return SparseCsrView(self._value)

    def get_blocksparse_data(self) -> SparseBlockSparseView:
        """Return the places of the blocks."""
        self._require(OrtSparseFormat.ORT_SPARSE_BLOCK_SPARSE)
        return SparseBlockSparseView(self._value)

    def to_cuda(self, _device: OrtDevice, /) -> None:
        """Raise: the C API cannot copy a sparse tensor to a device."""
        raise RuntimeError(_NO_DEVICE)

    def _require(self, wanted: OrtSparseFormat) -> None:
        if self.format != wanted:
            raise RuntimeError(f"the sparse tensor has the format {self.format}, not {wanted}")


def _check(device: OrtDevice) -> None:
    if not is_cpu(device):
        raise RuntimeError(_NO_DEVICE)
