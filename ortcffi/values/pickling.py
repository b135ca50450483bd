# SPDX-License-Identifier: MIT
"""Values on their way to other processes: what they are taken apart into, and made of again."""

import pickle
from typing import TYPE_CHECKING, Any

import numpy as np

from ortcffi._table import table_for
from ortcffi.values.element_types import ElementType, SparseFormat, ValueKind, bits_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from ortcffi.table.api import Api
    from ortcffi.values.value import Value

    Parts = tuple[Callable[..., Value], tuple[Any, ...]]


def parts_of(value: "Value", protocol: int) -> "Parts":
    """A function of this module, and its arguments, that make the value again."""
    kind, cls = value.kind, type(value)
    if kind is ValueKind.SEQUENCE:
        return make_sequence, (cls, list(value))
    if kind is ValueKind.MAP:
        return make_map, (cls, value.keys(), value.values())
    if kind is ValueKind.SPARSE:
        if value.sparse_format is SparseFormat.UNDEFINED:
            raise TypeError("a sparse tensor that was not filled cannot be pickled")
        content = (value.sparse_values, *value.sparse_indices)
        return make_sparse, (cls, int(value.sparse_format), value.shape, content)
    if kind is not ValueKind.TENSOR:
        raise TypeError(f"a value of kind {kind.name} cannot be pickled")
    if value.element_type is ElementType.STRING:
        return make_strings, (cls, value.shape, value.raw_strings())
    memory = value._bytes()
    buffer = pickle.PickleBuffer(memory.data) if protocol >= 5 else bytearray(memory)
    return make_tensor, (cls, int(value.element_type), value.shape, buffer)


def make_tensor(
    cls: "type[Value]",
    element: int,
    shape: tuple[int, ...],
    buffer: Any,
    api: "Api | None" = None,
) -> "Value":
    """A tensor in the memory of a buffer; in its own only if that is not aligned."""
    api = table_for(api)
    memory = np.frombuffer(buffer, np.uint8) if 0 not in shape else np.zeros(0, np.uint8)
    address = memory.__array_interface__["data"][0]
    if address % max(bits_of(element) // 8, 1):
        value = cls.empty(shape, ElementType(element), api=api)
        value._bytes()[...] = memory
        return value
    readonly = not memory.flags.writeable
    return cls._borrow(api._maker, address, memory.nbytes, shape, element, memory, readonly)


def make_strings(
    cls: "type[Value]", shape: tuple[int, ...], strings: list[bytes], api: "Api | None" = None
) -> "Value":
    """A tensor of strings."""
    return cls.from_strings(strings, shape, api=api)


def make_sequence(cls: "type[Value]", values: "list[Value]", api: "Api | None" = None) -> "Value":
    """A sequence."""
    return cls.sequence(values, api=api)


def make_map(
    cls: "type[Value]", keys: "Value", values: "Value", api: "Api | None" = None
) -> "Value":
    """A map."""
    return cls.map_of(keys, values, api=api)


def make_sparse(
    cls: "type[Value]",
    layout: int,
    shape: tuple[int, ...],
    content: tuple[Any, ...],
    api: "Api | None" = None,
) -> "Value":
    """A sparse tensor."""
    makers: dict[int, Callable[..., Value]] = {
        SparseFormat.COO: cls.sparse_coo,
        SparseFormat.CSR: cls.sparse_csr,
        SparseFormat.BLOCK_SPARSE: cls.block_sparse,
    }
    return makers[layout](*content, shape, api=api, copy=True)
