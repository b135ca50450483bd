# SPDX-License-Identifier: MIT
"""A session's inputs, outputs and metadata, with the official package's names."""

from typing import TYPE_CHECKING

from ortcffi._public import refuse_pickle
from ortcffi.compat._delegates import fact
from ortcffi.compat._types import type_name
from ortcffi.session.providers import AssignedNode, assigned_groups
from ortcffi.values.element_types import ValueKind

if TYPE_CHECKING:
    from ortcffi.session.session import Session
    from ortcffi.values.type_info import ValueSpec


def _shape_of(spec: "ValueSpec") -> "tuple[int | str | None, ...] | None":
    if spec.kind is ValueKind.OPTIONAL:
        from ortcffi.values.type_info import contained_tensor

        tensor = contained_tensor(spec.type_info)
        return None if tensor is None else tensor.shape
    return spec.shape if spec.kind in (ValueKind.TENSOR, ValueKind.SPARSE) else None


class NodeArg:
    """An input, an output or an overridable initializer of a model.

    Attributes
    ----------
    name : str
        Its name.
    type : str
        Its type, such as ``tensor(float)``.
    """

    __slots__ = ("__weakref__", "_name", "_shape", "_type")
    __reduce__ = refuse_pickle

    def __init__(self, spec: "ValueSpec") -> None:
        self._name, self._type = spec.name, type_name(spec.type_info)
        self._shape = [None if n == -1 else n for n in _shape_of(spec) or ()]

    name = fact("_name")
    type = fact("_type")

    @property
    def shape(self) -> list[int | str | None]:
        """The dimensions of a tensor: a number, a name, or None."""
        return list(self._shape)

    def __str__(self) -> str:
        return f"NodeArg(name='{self.name}', type='{self.type}', shape={self._shape})"


class ModelMetadata:
    """The metadata of a model."""

    __slots__ = (
        *("__weakref__", "_custom", "description", "domain", "graph_description"),
        *("graph_name", "producer_name", "version"),
    )
    _custom: dict[str, str]

    @property
    def custom_metadata_map(self) -> dict[str, str]:
        """What the model's author added; a new dict each time."""
        return self._custom.copy()

    @custom_metadata_map.setter
    def custom_metadata_map(self, entries: dict[str, str]) -> None:
        self._custom = dict(entries)


def metadata_of(session: "Session") -> ModelMetadata:
    """Return the metadata of a session's model."""
    found = ModelMetadata()
    for name, value in session.metadata._asdict().items():
        setattr(found, "_custom" if name == "custom" else name, value)
    return found


class OrtEpAssignedNode(AssignedNode):
    """A node that an execution provider runs."""

    __slots__ = ()


class OrtEpAssignedSubgraph:
    """Nodes that an execution provider runs."""

    __slots__ = ("_nodes", "ep_name")

    def __init__(self, ep_name: str, nodes: list[OrtEpAssignedNode]) -> None:
        self.ep_name, self._nodes = ep_name, nodes

    def get_nodes(self) -> list[OrtEpAssignedNode]:
        return list(self._nodes)


def assignment_of(session: "Session") -> list[OrtEpAssignedSubgraph]:
    """Which execution providers run which nodes of a session's model."""
    return [
        OrtEpAssignedSubgraph(provider, [OrtEpAssignedNode(*node) for node in nodes])
        for provider, nodes in assigned_groups(session)
    ]
