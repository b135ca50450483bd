# SPDX-License-Identifier: MIT
"""Values as Python's own objects, as copies, and as pickles."""

import pickle
from functools import partial
from typing import TYPE_CHECKING, Any

from ortcffi.values.containers import iterate, keys, values
from ortcffi.values.element_types import ElementType, ValueKind
from ortcffi.values.tensors import bytes_of, to_lists, twin_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from ortcffi.values.value import Value

    Parts = tuple[Callable[..., Value], tuple[Any, ...]]


def to_python(value: "Value") -> Any:
    """As `Value.to_python`."""
    kind = value._kind
    if kind == ValueKind.OPTIONAL:
        return None
    if kind in (ValueKind.SEQUENCE, ValueKind.MAP):
        return value._contents(None)
    if kind == ValueKind.SPARSE:
        from ortcffi.values.sparse import to_dict

        return to_dict(value)
    return to_lists(value)


def parts_of(value: "Value", protocol: int) -> "Parts":
    """Return the maker that makes the value again, and its arguments.

    The makers are public methods of `Value`, so that a pickle names nothing private.
    """
    kind, cls = value.kind, type(value)
    if kind is ValueKind.SEQUENCE:
        return cls.sequence, (list(iterate(value)),)
    if kind is ValueKind.MAP:
        return cls.map_of, (keys(value), values(value))
    if kind is ValueKind.SPARSE:
        return _sparse_parts_of(value)
    if kind is not ValueKind.TENSOR:
        raise TypeError(f"a value of kind {kind.name} cannot be pickled")
    if value.element_type is ElementType.STRING:
        return cls.from_strings, (value.raw_strings(), value.shape)
    memory = bytes_of(value)
    buffer = pickle.PickleBuffer(memory.data) if protocol >= 5 else bytearray(memory)
    # A buffer on its way may lose its alignment; only then the tensor is a copy.
    return partial(cls.from_buffer, copy=None), (buffer, value.shape, value.element_type)


def _sparse_parts_of(value: "Value") -> "Parts":
    from ortcffi.values.sparse import SparseFormat

    makers: dict[SparseFormat, Callable[..., Value]] = {
        SparseFormat.COO: value.sparse_coo,
        SparseFormat.CSR: value.sparse_csr,
        SparseFormat.BLOCK_SPARSE: value.block_sparse,
    }
    layout = value.sparse_format
    if layout not in makers:
        raise TypeError("a sparse tensor that was not filled cannot be pickled")
    content = (value.sparse_values, *value.sparse_indices, value.shape)
    return partial(makers[layout], copy=True), content


def copy(value: "Value") -> Any:
    """As `Value.copy`."""
    if value.kind is ValueKind.TENSOR:
        return twin_of(value)
    make, arguments = parts_of(value, 4)
    return make(*arguments, api=value.api)
