# SPDX-License-Identifier: MIT
"""Which execution provider runs which nodes of a session, as its library says it."""

from typing import TYPE_CHECKING, Any, NamedTuple

from ortcffi._convert import decode
from ortcffi._native import ffi, lib
from ortcffi.errors import check

if TYPE_CHECKING:
    from ortcffi.session.session import Session
    from ortcffi.table.api import Api

__all__ = ["AssignedNode", "assigned_groups"]


class AssignedNode(NamedTuple):
    """A node that an execution provider runs."""

    name: str
    domain: str
    op_type: str


def assigned_groups(session: "Session") -> list[tuple[str, list[AssignedNode]]]:
    """Of each group of nodes the name of its execution provider, and the nodes.

    Notes
    -----
    API functions: those that `Session.assignment` names.
    """
    api, handle = session.api, session.handle  # what is read belongs to the session
    groups, count = ffi.new("const OrtEpAssignedSubgraph* const**"), ffi.new("size_t*")
    session._call("Session_GetEpGraphAssignmentInfo", groups, count)
    found = []
    for i in range(count[0]):
        provider = _text(api, "EpAssignedSubgraph_GetEpName", groups[0][i])
        nodes, number = ffi.new("const OrtEpAssignedNode* const**"), ffi.new("size_t*")
        check(
            api.pointer, lib.EpAssignedSubgraph_GetNodes(api.pointer, groups[0][i], nodes, number)
        )
        found.append((provider, [_node(api, nodes[0][j]) for j in range(number[0])]))
    del handle
    return found


def _node(api: "Api", node: Any) -> AssignedNode:
    slots = (
        "EpAssignedNode_GetName",
        "EpAssignedNode_GetDomain",
        "EpAssignedNode_GetOperatorType",
    )
    return AssignedNode(*(_text(api, slot, node) for slot in slots))


def _text(api: "Api", slot: str, subject: Any) -> str:
    out = ffi.new("const char**")
    check(api.pointer, getattr(lib, slot)(api.pointer, subject, out))
    return decode(out[0])
