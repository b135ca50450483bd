# SPDX-License-Identifier: MIT
"""What a session tells of its model, with the official package's names."""

from typing import TYPE_CHECKING, NamedTuple

from ortcffi.compat._types import type_name
from ortcffi.values.element_types import ValueKind
from ortcffi.values.type_info import contained_tensor

if TYPE_CHECKING:
    from ortcffi.session.session import Session
    from ortcffi.session.specs import ValueSpec

__all__ = ["ModelMetadata", "NodeArg", "OrtEpAssignedNode", "OrtEpAssignedSubgraph"]


def _shape_of(spec: "ValueSpec") -> "tuple[int | str | None, ...] | None":
    """The shape of a tensor, and of one that may be missing."""
    if spec.kind is ValueKind.OPTIONAL:
        tensor = contained_tensor(spec.type_info)
        return None if tensor is None else tensor.shape
    return spec.shape if spec.kind in (ValueKind.TENSOR, ValueKind.SPARSE) else None


class NodeArg:
    """An input, an output or an overridable initializer of a model."""

    __slots__ = ("_name", "_shape", "_type")

    def __init__(self, spec: "ValueSpec") -> None:
        self._name = spec.name
        self._type = type_name(spec.type_info)
        self._shape = [None if n == -1 else n for n in _shape_of(spec) or ()]

    @property
    def name(self) -> str:
        """Its name."""
        return self._name

    @property
    def type(self) -> str:
        """Its type, such as ``tensor(float)``."""
        return self._type

    @property
    def shape(self) -> list[int | str | None]:
        """The dimensions of a tensor: a number, a name, or None."""
        return list(self._shape)

    def __str__(self) -> str:
        return f"NodeArg(name='{self._name}', type='{self._type}', shape={self._shape})"


class ModelMetadata:
    """What a model says of itself."""

    __slots__ = (
        "_custom",
        "description",
        "domain",
        "graph_description",
        "graph_name",
        "producer_name",
        "version",
    )

    _custom: dict[str, str]
    description: str
    domain: str
    graph_description: str
    graph_name: str
    producer_name: str
    version: int

    @property
    def custom_metadata_map(self) -> dict[str, str]:
        """What the model's author added; a new dict each time."""
        return self._custom.copy()

    @custom_metadata_map.setter
    def custom_metadata_map(self, entries: dict[str, str]) -> None:
        self._custom = dict(entries)


def metadata_of(session: "Session") -> ModelMetadata:
    """What the model of a session says of itself."""
    found = ModelMetadata()
    facts = session.metadata._asdict()
    found._custom = facts.pop("custom")
    for name, fact in facts.items():
        setattr(found, name, fact)
    return found


class OrtEpAssignedNode(NamedTuple):
    """A node that an execution provider runs."""

    name: str
    domain: str
    op_type: str


class OrtEpAssignedSubgraph:
    """Nodes that an execution provider runs."""

    __slots__ = ("_nodes", "ep_name")

    def __init__(self, ep_name: str, nodes: list[OrtEpAssignedNode]) -> None:
        self.ep_name, self._nodes = ep_name, nodes

    def get_nodes(self) -> list[OrtEpAssignedNode]:
        """Return the nodes."""
        return list(self._nodes)


def assignment_of(session: "Session") -> list[OrtEpAssignedSubgraph]:
    """Which execution providers run which nodes of a session's model."""
    return [
        OrtEpAssignedSubgraph(provider, [OrtEpAssignedNode(*node) for node in nodes])
        for provider, nodes in session._assigned()
    ]
