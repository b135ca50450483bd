# SPDX-License-Identifier: MIT
"""Which nodes an execution provider runs, with the official package's names."""

from typing import TYPE_CHECKING

from ortcffi.session.providers import AssignedNode, assigned_groups

if TYPE_CHECKING:
    from ortcffi.session.session import Session

__all__ = ["OrtEpAssignedNode", "OrtEpAssignedSubgraph", "assignment_of"]


class OrtEpAssignedNode(AssignedNode):
    """A node that an execution provider runs."""

    __slots__ = ()


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
        for provider, nodes in assigned_groups(session)
    ]
