# SPDX-License-Identifier: MIT
"""Sparse tensors and the sparse arrays of SciPy, which is imported when they are asked for."""

from typing import TYPE_CHECKING, Any

import numpy as np

from ortcffi.values.compiled import Tensor, V
from ortcffi.values.sparse import block_sparse, sparse_coo, sparse_csr
from ortcffi.values.sparse_format import SparseFormat
from ortcffi.values.sparse_reading import (
    entries,
    places,
    sparse_format,
    sparse_indices,
    sparse_values,
)

if TYPE_CHECKING:
    from ortcffi.table.api import Api


def from_scipy(cls: type[V], x: Any, api: "Api | None", copy: bool) -> V:
    """Do the work of `Value.from_scipy`."""
    layout = getattr(x, "format", None)
    if layout not in ("csr", "coo", "bsr") or not hasattr(x, "nnz"):
        raise TypeError("x must be a sparse array of SciPy, in CSR, COO or BSR")
    if layout == "csr":
        return sparse_csr(cls, x.data, x.indices, x.indptr, x.shape, api, copy)
    if not copy:
        raise ValueError(f"x is in {layout.upper()}, laid out differently: pass copy=True")
    if layout == "coo":
        where = np.stack((x.row, x.col), axis=1)
        return sparse_coo(cls, x.data, where, x.shape, api, copy=True)
    rows = np.repeat(np.arange(len(x.indptr) - 1), np.diff(x.indptr))
    blocks, where = x.data.transpose(1, 2, 0), np.stack((rows, x.indices))
    return block_sparse(cls, blocks, where, x.shape, api, copy=True)


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
