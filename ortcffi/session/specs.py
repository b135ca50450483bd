# SPDX-License-Identifier: MIT
"""The names and types of a model's inputs and outputs."""

from typing import TYPE_CHECKING, Any, NamedTuple

from ortcffi._public import described, public, quoted
from ortcffi.values.element_types import ElementType, ValueKind, dtype_of
from ortcffi.values.type_info import TypeInfo

if TYPE_CHECKING:
    import numpy as np


__all__ = ["ValueSpec"]

Shape = tuple[int | str, ...]


@public
class ValueSpec(NamedTuple):
    """An input, an output or an overridable initializer of a model.

    Attributes
    ----------
    name : str
        Its name, by which runs are given it.
    type_info : TypeInfo
        Its type in full.
    kind : ValueKind
        What it is: a tensor, a sequence, a map, a sparse tensor or an optional of one of them.
    element_type : ElementType or None
        The type of a tensor's elements; None for other kinds.
    shape : tuple of int and str, or None
        The dimensions of a tensor: a number, the name of one that the model leaves open, or -1 for
        one without a name. None where the model does not say, and for other kinds.
    """

    name: str
    type_info: TypeInfo
    kind: ValueKind
    element_type: ElementType | None
    shape: Shape | None

    @property
    def dtype(self) -> "np.dtype[Any] | None":
        """The dtype of arrays for it, `object` for strings; None where it is no tensor."""
        return None if self.element_type is None else dtype_of(self.element_type)

    def describe(self) -> str:
        """What it is in a few words, such as ``float[batch, 4]``."""
        if self.element_type is None or self.kind not in (ValueKind.TENSOR, ValueKind.SPARSE):
            return str(self.type_info)
        kind = "sparse " if self.kind is ValueKind.SPARSE else ""
        return f"{kind}{described(self.element_type.name.lower(), self.shape)}"

    def __repr__(self) -> str:
        return f"<ValueSpec {quoted(self.name)} {self.describe()}>"
