# SPDX-License-Identifier: MIT
"""What a model wants and gives: the names and types of its inputs and outputs."""

from typing import TYPE_CHECKING, Any, NamedTuple

from ortcffi._handle import owner_of
from ortcffi._native import lib
from ortcffi._public import public
from ortcffi.session.compiled import Engine
from ortcffi.values.element_types import ElementType, ValueKind, dtype_of
from ortcffi.values.type_info import TypeInfo

if TYPE_CHECKING:
    import numpy as np

    from ortcffi.session._compiled import Port
    from ortcffi.table.api import Api

__all__ = ["Described", "ValueSpec"]

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
        return f"<ValueSpec {self.name!r} {self.describe()}>"


def described(element: str, shape: "Shape | tuple[int, ...] | None") -> str:
    """An element type and a shape in a few words."""
    if shape is None:
        return f"{element} of any shape"
    return f"{element}[{', '.join('?' if n == -1 else str(n) for n in shape)}]"


def _spec(api: "Api", port: "Port") -> ValueSpec:
    name, owner, kind, element, shape = port
    element_type = ElementType(element) if element != ElementType.UNDEFINED else None
    return ValueSpec(name, TypeInfo(api, owner), ValueKind(kind), element_type, shape)


@public
class Described(Engine):
    """The part of a session that tells what its model wants and gives."""

    __slots__ = ("_specs",)

    _specs: "tuple[tuple[ValueSpec, ...], ...] | None"  # from their first use on

    def _all_specs(self) -> "tuple[tuple[ValueSpec, ...], ...]":
        """The inputs, the overridable initializers and the outputs."""
        if self._specs is None:
            api = self.api
            inputs, outputs, required = self._ports(
                lambda: owner_of("OrtTypeInfo*", api, lib.ReleaseTypeInfo)
            )
            parts = inputs[:required], inputs[required:], outputs
            self._specs = tuple(tuple(_spec(api, port) for port in part) for part in parts)
        return self._specs

    @property
    def inputs(self) -> tuple[ValueSpec, ...]:
        """What the model wants, in the model's order.

        Notes
        -----
        API functions: ``SessionGetInputCount``, ``SessionGetInputName``,
        ``SessionGetInputTypeInfo``.
        """
        return self._all_specs()[0]

    @property
    def overridable_initializers(self) -> tuple[ValueSpec, ...]:
        """Inputs that the model has a default for.

        Notes
        -----
        API functions: ``SessionGetOverridableInitializerCount``,
        ``SessionGetOverridableInitializerName``, ``SessionGetOverridableInitializerTypeInfo``.
        """
        return self._all_specs()[1]

    @property
    def outputs(self) -> tuple[ValueSpec, ...]:
        """What the model gives, in the model's order.

        Notes
        -----
        API functions: ``SessionGetOutputCount``, ``SessionGetOutputName``,
        ``SessionGetOutputTypeInfo``.
        """
        return self._all_specs()[2]
