# SPDX-License-Identifier: MIT
"""The layouts of sparse tensors. Functions import them, so that a session need not."""

from enum import IntEnum

from ortcffi._native import lib
from ortcffi._public import public

__all__ = ["SparseFormat"]


@public
class SparseFormat(IntEnum):
    """How a sparse tensor is laid out (``OrtSparseFormat``)."""

    UNDEFINED = lib.ORT_SPARSE_UNDEFINED
    COO = lib.ORT_SPARSE_COO
    CSR = lib.ORT_SPARSE_CSRC
    BLOCK_SPARSE = lib.ORT_SPARSE_BLOCK_SPARSE
