# SPDX-License-Identifier: MIT
"""What values of all kinds have in common."""

from functools import cached_property
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import ortcffi._table
from ortcffi._native import ffi, lib
from ortcffi._table import Table
from ortcffi.errors import fail
from ortcffi.memory.info import MemoryInfo
from ortcffi.values.element_types import ElementType, ValueKind, dtype_of

if TYPE_CHECKING:
    import numpy as np

    from ortcffi._ort import Cdata, OrtValue
    from ortcffi.table.api import Api
    from ortcffi.values._compiled import Loan, Maker, Tensor
    from ortcffi.values.type_info import TypeInfo
else:
    Maker, Tensor, Loan = lib.ortcffi_value_types(vars(ortcffi._table))

__all__ = ["Base", "Loan", "Maker", "Tensor", "address_of", "maker_of"]


def address_of(pointer: Any) -> int:
    """A cdata pointer as what the compiled types take."""
    return int(ffi.cast("uintptr_t", pointer))


def maker_of(api: "Api") -> Maker:
    """What makes values of a table in C; it is kept by the table's object."""
    info = api.default_allocator.info  # lent, so there is none to release
    return Maker(address_of(api.pointer), address_of(info.handle), api.version, api, info)


_maker = cached_property(maker_of)
_maker.__set_name__(Table, "_maker")
Table._maker = _maker  # type: ignore[method-assign, assignment]


class Base(Tensor):
    """A value's life, and facts about it."""

    __slots__ = ()

    @classmethod
    def from_handle(
        cls,
        api: "Api",
        handle: "Cdata",
        lender: object = None,
        *,
        owned: bool | None = None,
        readonly: bool = False,
    ) -> Self:
        """Wrap what a function gave.

        Parameters
        ----------
        api : Api
            The table that `handle` came from.
        handle : cdata of ``OrtValue *``
            The value.
        lender : object, optional
            What must live as long as the value.
        owned : bool, optional
            Whether the new object is to release it; by default if there is no `lender`.
        readonly : bool, optional
            Whether its memory must not be written to.
        """
        owned = lender is None if owned is None else owned
        return cls._adopt(api._maker, address_of(handle), lender, owned, readonly)

    @property
    def handle(self) -> "OrtValue":
        """The cdata to pass to functions of ``lib``; it keeps the value while it lives.

        A copy of it, such as what a function of C keeps, does not.
        """
        return ffi.gc(ffi.cast("OrtValue*", self._hand_out()), self._take_back)

    @property
    def kind(self) -> ValueKind:
        """What it is. API function: ``GetValueType``."""
        return ValueKind(self._kind)

    @property
    def element_type(self) -> ElementType:
        """The type of a tensor's elements, by the API function that `shape` names."""
        return ElementType(self._element)

    @property
    def dtype(self) -> "np.dtype[Any]":
        """The dtype that `numpy` gives; `object` for strings."""
        return dtype_of(self._element)

    @property
    def nbytes(self) -> int:
        """Bytes of a tensor's elements; of packed ones as they are packed.

        Raises
        ------
        TypeError
            The elements are strings, which have no size in common.
        """
        return self._nbytes

    @property
    def type_info(self) -> "TypeInfo | None":
        """What it is in full, down to the types of a map. API function: ``GetTypeInfo``."""
        from ortcffi.values.type_info import TypeInfo

        return TypeInfo.of_value(self)

    @property
    def memory_info(self) -> MemoryInfo:
        """Where a tensor's memory is, lent by this value. API function: ``GetTensorMemoryInfo``."""
        self.api.require("GetTensorMemoryInfo")
        self._lend()
        out, api = ffi.new("const OrtMemoryInfo**"), self.api.pointer
        if status := lib.GetTensorMemoryInfo(api, self.handle, out):
            fail(api, status, "GetTensorMemoryInfo")
        return MemoryInfo(self.api, out[0], lender=self)

    _dtype_of = staticmethod(dtype_of)

    def __enter__(self) -> Self:
        self._address  # noqa: B018  # raises if closed
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()
