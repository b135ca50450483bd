# SPDX-License-Identifier: MIT
"""What a session tells of its model, with the official package's names."""

from typing import TYPE_CHECKING, Any, NamedTuple

from ortcffi._convert import decode
from ortcffi._native import ffi, lib
from ortcffi.compat._types import type_name
from ortcffi.errors import check
from ortcffi.values.element_types import ValueKind

if TYPE_CHECKING:
    from ortcffi.session.session import Session
    from ortcffi.session.specs import ValueSpec
    from ortcffi.table.api import Api

__all__ = ["ModelMetadata", "NodeArg", "OrtEpAssignedNode", "OrtEpAssignedSubgraph"]


class NodeArg:
    """An input, an output or an overridable initializer of a model."""

    __slots__ = ("_name", "_shape", "_type")

    def __init__(self, spec: "ValueSpec") -> None:
        self._name = spec.name
        self._type = type_name(spec.type_info)
        tensor = spec.kind in (ValueKind.TENSOR, ValueKind.SPARSE)
        self._shape = [None if n == -1 else n for n in (spec.shape or ())] if tensor else []

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
        "custom_metadata_map",
        "description",
        "domain",
        "graph_description",
        "graph_name",
        "producer_name",
        "version",
    )

    custom_metadata_map: dict[str, str]
    description: str
    domain: str
    graph_description: str
    graph_name: str
    producer_name: str
    version: int


_TEXTS = {
    "producer_name": "GetProducerName",
    "graph_name": "GetGraphName",
    "domain": "GetDomain",
    "description": "GetDescription",
    "graph_description": "GetGraphDescription",
}


class _Reader:
    """Reads strings that the library's default allocator has memory for."""

    def __init__(self, api: "Api") -> None:
        self.api = api
        self.allocator = api.default_allocator.handle

    def call(self, slot: str, *arguments: Any) -> None:
        status = getattr(lib, slot)(self.api.pointer, *arguments)
        check(self.api.pointer, status, slot)

    def text(self, slot: str, *arguments: Any) -> str:
        out = ffi.new("char**")
        self.call(slot, *arguments, out)
        return self.taken(out[0])

    def taken(self, pointer: Any) -> str:
        found = decode(pointer)
        self.call("AllocatorFree", self.allocator, pointer)
        return found


def end_profiling(session: "Session") -> str:
    """End the profile of a session and return its path."""
    reader = _Reader(session.api)
    return reader.text("SessionEndProfiling", session.handle, reader.allocator)


def profiling_start(session: "Session") -> int:
    """When the profile of a session began, in nanoseconds."""
    out = ffi.new("uint64_t*")
    _Reader(session.api).call("SessionGetProfilingStartTimeNs", session.handle, out)
    return int(out[0])


def metadata_of(session: "Session") -> ModelMetadata:
    """What the model of a session says of itself."""
    api, out = session.api, ffi.new("OrtModelMetadata**")
    reader, found = _Reader(api), ModelMetadata()
    reader.call("SessionGetModelMetadata", session.handle, out)
    try:
        for name, slot in _TEXTS.items():
            setattr(found, name, reader.text(f"ModelMetadata{slot}", out[0], reader.allocator))
        version = ffi.new("int64_t*")
        reader.call("ModelMetadataGetVersion", out[0], version)
        found.version = version[0]
        keys, count = ffi.new("char***"), ffi.new("int64_t*")
        slot = "ModelMetadataGetCustomMetadataMapKeys"
        reader.call(slot, out[0], reader.allocator, keys, count)
        names = [reader.taken(keys[0][i]) for i in range(count[0])]
        if keys[0]:
            reader.call("AllocatorFree", reader.allocator, keys[0])
        slot = "ModelMetadataLookupCustomMetadataMap"
        found.custom_metadata_map = {
            name: reader.text(slot, out[0], reader.allocator, name.encode()) for name in names
        }
    finally:
        lib.ReleaseModelMetadata(api.pointer, out[0])
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
    api = session.api
    api.require("Session_GetEpGraphAssignmentInfo")
    reader, handle = _Reader(api), session.handle
    graphs, count = ffi.new("const OrtEpAssignedSubgraph* const**"), ffi.new("size_t*")
    reader.call("Session_GetEpGraphAssignmentInfo", handle, graphs, count)
    return [_subgraph(reader, graphs[0][i]) for i in range(count[0])]


def _subgraph(reader: _Reader, graph: Any) -> OrtEpAssignedSubgraph:
    text, nodes, count = ffi.new("const char**"), ffi.new("const OrtEpAssignedNode* const**"), None
    reader.call("EpAssignedSubgraph_GetEpName", graph, text)
    name, count = decode(text[0]), ffi.new("size_t*")
    reader.call("EpAssignedSubgraph_GetNodes", graph, nodes, count)
    found = []
    for i in range(count[0]):
        facts = []
        for fact in ("Name", "Domain", "OperatorType"):
            reader.call(f"EpAssignedNode_Get{fact}", nodes[0][i], text)
            facts.append(decode(text[0]))
        found.append(OrtEpAssignedNode(*facts))
    return OrtEpAssignedSubgraph(name, found)
