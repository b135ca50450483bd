# SPDX-License-Identifier: MIT
"""Values: ``OrtValue``, and arrays that share its memory."""

from typing import Any

import numpy as np

from ortcffi.element_types import PACKED, ElementType
from ortcffi.value_exchange import Exchange

__all__ = ["Value"]


class Value(Exchange):
    """An ``OrtValue``: a tensor, a sequence, a map, or a sparse tensor.

    It is released by `close`, at the end of a ``with`` block, or when the object goes. Arrays and
    buffers that it lent keep the memory: it goes with the last of them.

    Attributes
    ----------
    api : Api
        The table that the value belongs to. No other table may be given it.
    closed : bool
        Whether `close` was called. Any use but of this and `close` then raises `ValueError`.
    readonly : bool
        Whether the value borrows memory that must not be written to. Its arrays are read-only. The
        C API knows no such thing: a library could write to it.
    shape : tuple of int
        The dimensions of a tensor, dense or sparse. API function:
        ``GetTensorElementTypeAndShapeDataReference``; on tables before version 25
        ``GetTensorTypeAndShape``.
    """

    __slots__ = ("__weakref__",)

    def to_python(self) -> Any:
        """Return the content as objects of Python's own.

        Returns
        -------
        object
            Of a tensor nested lists, or one element if it has no dimensions: int, float, bool and
            str.
        """
        if self._element == ElementType.STRING:
            strings = self.strings()
            return strings if len(self.shape) == 1 else self.numpy().tolist()
        array = self.numpy(copy=self._element in PACKED)
        if array.dtype.type.__module__ == "ml_dtypes":
            array = array.astype(np.int8 if "int" in array.dtype.name else np.float32)
        return array.tolist()

    def __repr__(self) -> str:
        if self.closed:
            return "<Value closed>"
        facts = f"{self.element_type.name} {self.shape}"
        return f"<Value {self.kind.name.lower()} {facts}>"
