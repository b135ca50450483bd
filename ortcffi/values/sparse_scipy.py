# SPDX-License-Identifier: MIT
"""Sparse tensors and the sparse arrays of SciPy, which is imported when they are asked for."""

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from ortcffi.values.element_types import SparseFormat
from ortcffi.values.sparse import Sparse

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ortcffi.table.api import Api


class Scipy(Sparse):
    """Sparse tensors from SciPy, and for it."""

    __slots__ = ()

    @classmethod
    def from_scipy(cls, x: Any, *, api: "Api | None" = None, copy: bool = False) -> Self:
        """Make a sparse tensor of a sparse array or matrix of SciPy.

        Parameters
        ----------
        x : scipy.sparse array or matrix
            In CSR, COO or BSR. Others are converted by SciPy: ``x.tocsr()``.
        api : Api, optional
            The table that makes it, by default the one of `default_api`.
        copy : bool, optional
            Whether the value gets memory of its own. What can be borrowed is CSR with indices of
            int64; SciPy's are int32 by default, and its other formats are laid out differently.

        Raises
        ------
        TypeError
            `x` is in no such format.
        ValueError
            `x` cannot be borrowed.
        """
        layout = getattr(x, "format", None)
        if layout not in ("csr", "coo", "bsr") or not hasattr(x, "nnz"):
            raise TypeError("x must be a sparse array of SciPy, in CSR, COO or BSR")
        if layout == "csr":
            return cls.sparse_csr(x.data, x.indices, x.indptr, x.shape, api=api, copy=copy)
        if not copy:
            raise ValueError(f"x is in {layout.upper()}, laid out differently: pass copy=True")
        if layout == "coo":
            where = np.stack((x.row, x.col), axis=1)
            return cls.sparse_coo(x.data, where, x.shape, api=api, copy=True)
        rows = np.repeat(np.arange(len(x.indptr) - 1), np.diff(x.indptr))
        blocks, where = x.data.transpose(1, 2, 0), np.stack((rows, x.indices))
        return cls.block_sparse(blocks, where, x.shape, api=api, copy=True)

    def to_scipy(self) -> Any:
        """Return a sparse array of SciPy: in COO, CSR or BSR, as the tensor is.

        The values of COO and CSR are views that keep this value, as are the indices of CSR.

        Raises
        ------
        ImportError
            SciPy is not installed.
        TypeError
            The value is no sparse matrix.
        """
        layout = self.sparse_format
        try:
            from scipy import sparse
        except ImportError:
            raise ImportError(
                "sparse arrays are SciPy's: pip install scipy", name="scipy"
            ) from None
        if len(self.shape) != 2:
            raise TypeError(f"SciPy has sparse arrays of 2 dimensions, not {len(self.shape)}")
        if layout is SparseFormat.CSR:
            arrays = (self.sparse_values, *self.sparse_indices)
            return sparse.csr_array(arrays, shape=self.shape, copy=False)
        found = sparse.coo_array((self._entries(), self._places()), shape=self.shape, copy=False)
        if layout is SparseFormat.BLOCK_SPARSE:
            return found.tobsr(self.sparse_values.shape[:2])
        return found

    def _entries(self) -> "NDArray[Any]":
        """What is stored, in one dimension."""
        return self.sparse_values.reshape(-1)

    def _places(self) -> "tuple[NDArray[Any], ...]":
        """Where each of the entries is: an array for each dimension of the tensor."""
        layout, indices = self.sparse_format, self.sparse_indices
        if layout is SparseFormat.CSR:
            rows = np.repeat(np.arange(len(indices[1]) - 1), np.diff(indices[1]))
            return rows, indices[0]
        if layout is SparseFormat.BLOCK_SPARSE:
            height, width, _ = self.sparse_values.shape
            row, column = np.indices((height, width))
            rows = indices[0][0] * height + row[:, :, None]
            columns = indices[0][1] * width + column[:, :, None]
            return rows.reshape(-1), columns.reshape(-1)
        where = indices[0]
        return tuple(where.T) if where.ndim == 2 else np.unravel_index(where, self.shape)

    def _stored(self) -> dict[tuple[int, ...], Any]:
        places = zip(*(axis.tolist() for axis in self._places()), strict=True)
        entries = self._entries()
        if entries.dtype.type.__module__ == "ml_dtypes":
            entries = entries.astype(np.float32)
        return dict(zip(places, entries.tolist(), strict=True))
