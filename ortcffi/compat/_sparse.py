# SPDX-License-Identifier: MIT
"""Sparse tensors, for the official package and for its compiled module."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from ortcffi.compat._devices import OrtDevice, is_cpu
from ortcffi.compat._environment import api
from ortcffi.compat._errors import translated
from ortcffi.compat._types import device_name_of, type_of
from ortcffi.errors import OrtError
from ortcffi.values.value import Value

if TYPE_CHECKING:
    from ortcffi.compat._enums import OrtSparseFormat


_NO_DEVICE = "Copying a sparse tensor to a device is not supported by the C API"
Array = np.ndarray[Any, Any]


def _format_of(value: Value) -> "OrtSparseFormat":
    from ortcffi.compat._enums import OrtSparseFormat

    return OrtSparseFormat(value.sparse_format)


def _view(array: Array) -> Array:
    view = array.view()
    view.flags.writeable = False
    return view


def _places(given: Any) -> Array:
    """Indices as C reads them."""
    try:
        return np.ascontiguousarray(given, np.int64)
    except ValueError as error:
        raise TypeError(f"incompatible function arguments: {error}") from None


def _made(make: Callable[..., Value], values: Any, *arguments: Any) -> Value:
    """Make a sparse tensor; what does not fit is officially a RuntimeError."""
    try:
        if isinstance(values, np.ndarray):
            values = values.astype(values.dtype.newbyteorder("="), copy=False)
        return make(values, *arguments, api=api())
    except (OrtError, ValueError) as error:
        raise RuntimeError(str(error)) from error


class SparseCooView:
    """The places of the values of a sparse tensor in COO format."""

    __slots__ = ("_value",)

    def __init__(self, value: Value) -> None:
        self._value = value

    def indices(self) -> Array:
        """Return them."""
        return _view(self._value.sparse_indices[0])


class SparseBlockSparseView(SparseCooView):
    """The places of the blocks of a sparse tensor."""

    __slots__ = ()


class SparseCsrView:
    """The places of the values of a sparse tensor in CSR format."""

    __slots__ = ("_value",)

    def __init__(self, value: Value) -> None:
        self._value = value

    def inner(self) -> Array:
        """Return the columns."""
        return _view(self._value.sparse_indices[0])

    def outer(self) -> Array:
        """Return where the rows begin."""
        return _view(self._value.sparse_indices[1])


class CSparseTensor:
    """A sparse tensor of the compiled module, whose ``format`` is a property."""

    __slots__ = ("__dict__", "__weakref__", "_value")

    _value: Value

    @classmethod
    def _of(cls, value: Value) -> Self:
        made = cls.__new__(cls)
        made._value = value
        return made

    @classmethod
    @translated
    def sparse_coo_from_numpy(
        cls, dense_shape: Sequence[int], values: Array, coo_indices: Array, ort_device: OrtDevice
    ) -> Self:
        """Make one in COO format over the memory of arrays."""
        _check(ort_device)
        where = _places(coo_indices)
        return cls._of(_made(Value.sparse_coo, values, where, tuple(dense_shape)))

    @classmethod
    @translated
    def sparse_csr_from_numpy(  # as many as officially
        cls,
        dense_shape: Sequence[int],
        values: Array,
        inner_indices: Array,
        outer_indices: Array,
        ort_device: OrtDevice,
    ) -> Self:
        """Make one in CSR format over the memory of arrays."""
        _check(ort_device)
        columns, rows = _places(inner_indices), _places(outer_indices)
        return cls._of(_made(Value.sparse_csr, values, columns, rows, tuple(dense_shape)))

    @classmethod
    @translated
    def blocksparse_from_numpy(
        cls, shape: Sequence[int], values: Array, indices: Array, device: OrtDevice, /
    ) -> Self:
        """Make one of blocks over the memory of arrays."""
        _check(device)
        where = np.ascontiguousarray(indices, np.int32)
        return cls._of(_made(Value.block_sparse, values, where, tuple(shape)))

    @translated
    def values(self) -> Array:
        """Return what is stored."""
        return _view(self._value.sparse_values)

    @property
    def format(self) -> "OrtSparseFormat":
        """How it is laid out."""
        return _format_of(self._value)

    def dense_shape(self) -> list[int]:
        """Return the dimensions."""
        return list(self._value.shape)

    def data_type(self) -> str:
        """Return the type, such as ``sparse_tensor(float)``."""
        return type_of(self._value)

    def device_name(self) -> str:
        """Return the name of the device that has the memory, such as ``cpu``."""
        return device_name_of(self._value).lower()

    def get_coo_data(self) -> SparseCooView:
        """Return the places of the values in COO format."""
        self._require("ORT_SPARSE_COO")
        return SparseCooView(self._value)

    def get_csrc_data(self) -> SparseCsrView:
        """Return the places of the values in CSR format."""
        self._require("ORT_SPARSE_CSRC")
        return SparseCsrView(self._value)

    def get_blocksparse_data(self) -> SparseBlockSparseView:
        """Return the places of the blocks."""
        self._require("ORT_SPARSE_BLOCK_SPARSE")
        return SparseBlockSparseView(self._value)

    def to_cuda(self, _device: OrtDevice, /) -> None:
        """Raise: the C API cannot copy a sparse tensor to a device."""
        raise RuntimeError(_NO_DEVICE)

    def _require(self, wanted: str) -> None:
        found = _format_of(self._value)
        if found.name != wanted:
            message = f"the sparse tensor has the format {found}, not {type(found)[wanted]}"
            raise RuntimeError(message)


class SparseTensor(CSparseTensor):
    """A sparse tensor, as programs make it."""

    __slots__ = ()

    def __init__(self, sparse_tensor: CSparseTensor) -> None:
        if not isinstance(sparse_tensor, CSparseTensor):
            raise ValueError("sparse_tensor must be a SparseTensor")
        self._value = sparse_tensor._value

    def _get_c_tensor(self) -> CSparseTensor:
        return CSparseTensor._of(self._value)

    def format(self) -> "OrtSparseFormat":
        """Return how it is laid out."""
        return _format_of(self._value)

    as_coo_view = CSparseTensor.get_coo_data
    as_csrc_view = CSparseTensor.get_csrc_data
    as_blocksparse_view = CSparseTensor.get_blocksparse_data

    def to_cuda(self, ort_device: OrtDevice) -> None:
        """Raise: the C API cannot copy a sparse tensor to a device."""
        super().to_cuda(ort_device)


def _check(device: OrtDevice) -> None:
    if not is_cpu(device):
        raise RuntimeError(_NO_DEVICE)
