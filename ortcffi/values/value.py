# SPDX-License-Identifier: MIT
"""Values: ``OrtValue``, and arrays that share its memory."""

from typing import TYPE_CHECKING, Any, Self

from ortcffi.values.element_types import ValueKind
from ortcffi.values.pickling import parts_of
from ortcffi.values.sparse_scipy import Scipy

if TYPE_CHECKING:
    from ortcffi._ort import OrtValue
    from ortcffi.values.pickling import Parts

__all__ = ["Value"]


class Value(Scipy):
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
            str. Of a sequence a list, of a map a dict. Of a sparse tensor a dict that has what is
            stored under its indices, which are tuples.
        """
        kind = self._kind
        if kind == ValueKind.SEQUENCE:
            return [value.to_python() for value in self]
        if kind == ValueKind.MAP:
            return dict(self._pairs())
        if kind == ValueKind.SPARSE:
            return self._stored()
        return self._list()

    def give_away(self) -> "OrtValue":
        """Return a handle of a tensor's memory that owns itself.

        Whoever gets it releases it with ``ReleaseValue``, from any thread. Until then, and as long
        as the library keeps what the handle stood for, the memory stays, whatever becomes of this
        object and of the array that it borrows.

        Returns
        -------
        cdata of ``OrtValue *``
            Another tensor over the same memory.

        Raises
        ------
        TypeError
            The elements are strings, or the value is no dense tensor.

        Notes
        -----
        API function: ``CreateTensorWithDataAndDeleterAsOrtValue``, since version 22.
        """
        from ortcffi.values.give_away import gift_of

        self._require(ValueKind.TENSOR, "memory of its own")
        return gift_of(self)

    def __reduce_ex__(self, protocol: Any) -> "Parts":
        return parts_of(self, protocol)

    def copy(self) -> Self:
        """Return a value of the same table, with memory of its own."""
        if self._kind == ValueKind.TENSOR:
            return self._twin()
        make, arguments = parts_of(self, 4)
        return make(*arguments, api=self.api)  # type: ignore[return-value]

    def __copy__(self) -> Self:
        return self.copy()

    def __deepcopy__(self, _memo: object) -> Self:
        return self.copy()

    def __repr__(self) -> str:
        if self.closed:
            return "<Value closed>"
        kind = self.kind
        if kind in (ValueKind.TENSOR, ValueKind.SPARSE):
            facts = f" {self.element_type.name} {self.shape}"
        else:
            facts = f" of {len(self)}" if kind in (ValueKind.SEQUENCE, ValueKind.MAP) else ""
        return f"<Value {kind.name.lower()}{facts}>"


Value.__module__ = "ortcffi"  # where users find it: pickles, tracebacks and help() tell this name
