# SPDX-License-Identifier: MIT
"""The compiled types that values are built on, from ``ortcffi/boundary/values``."""

from typing import TYPE_CHECKING, TypeVar

import ortcffi._table
from ortcffi._native import address_of, compiled, ffi
from ortcffi._public import public
from ortcffi._table import Table

if TYPE_CHECKING:
    from ortcffi.table.api import Api
    from ortcffi.values._compiled import Imported, Maker, Tensor
else:
    Maker, Tensor, Imported = compiled.Maker, compiled.Tensor, compiled.Imported
    compiled.begin_values(vars(ortcffi._table), ffi.typeof("OrtValue*"))

__all__ = ["Imported", "Maker", "Tensor", "V"]

V = TypeVar("V", bound=Tensor)

public(Tensor)


def _maker_of(api: "Api") -> Maker:
    """The `Maker` of a table, which the table's object keeps."""
    allocator = api.default_allocator
    info = allocator.info  # belongs to the library: nothing to release
    pointers = address_of(api.pointer), address_of(info.handle), address_of(allocator.handle)
    return Maker(*pointers, api.version, api, allocator)


class _FoundOnce:
    """Like `functools.cached_property`, without a lock that a thread could hold during a fork."""

    def __get__(self, api: "Api | None", kind: "type[Api]") -> "Maker | _FoundOnce":
        if api is None:  # of the class, for inspect
            return self
        found: Maker = vars(api).setdefault("_maker", _maker_of(api))
        return found


Table._maker = _FoundOnce()  # type: ignore[method-assign, assignment]
