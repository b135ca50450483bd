# SPDX-License-Identifier: MIT
"""What a model says of itself."""

from typing import Any, NamedTuple

from ortcffi._convert import decode, encode
from ortcffi._handle import out_of, owned_by, owner_of
from ortcffi._native import ffi, lib
from ortcffi._public import public
from ortcffi.errors import checked
from ortcffi.memory.scratch import scratch_for

__all__ = ["ModelMetadata", "read_metadata"]


@public
class ModelMetadata(NamedTuple):
    """What a model says of itself; made by `Session.metadata` and `Model.metadata`.

    Attributes
    ----------
    producer_name : str
        The tool that made the model.
    graph_name, graph_description : str
        The name of its graph, and what it is.
    domain : str
        The name space of the model.
    description : str
        What the model is.
    version : int
        Its version; 2**63 - 1 where it has none.
    custom : dict of str to str
        Whatever else its maker put into it.
    """

    producer_name: str
    graph_name: str
    graph_description: str
    domain: str
    description: str
    version: int
    custom: dict[str, str]


class _Reader:
    """Reads the strings of an ``OrtModelMetadata``."""

    def __init__(self, api: Any, handle: Any) -> None:
        self.table = api.pointer
        self.allocator = scratch_for(api)
        self.handle = handle

    def call(self, slot: str, *arguments: Any) -> None:
        getattr(checked, slot)(self.table, *arguments)

    def text(self, slot: str, *key: Any) -> str:
        out = ffi.new("char**")
        self.call(slot, self.handle, self.allocator, *key, out)
        return decode(out[0])

    def custom_keys(self) -> list[str]:
        out, count = ffi.new("char***"), ffi.new("int64_t*")
        slot = "ModelMetadataGetCustomMetadataMapKeys"
        self.call(slot, self.handle, self.allocator, out, count)
        return [decode(out[0][i]) for i in range(count[0])]


def read_metadata(subject: Any, slot: str) -> ModelMetadata:
    """Read all of it.

    Parameters
    ----------
    subject : Session or ModelGraph
        What it is the metadata of.
    slot : str
        The function that gives it: ``"SessionGetModelMetadata"`` or ``"Graph_GetModelMetadata"``.

    Notes
    -----
    API functions: that of `slot`, ``ModelMetadataGetProducerName`` and those of the other strings,
    ``ModelMetadataGetCustomMetadataMapKeys``, ``ModelMetadataLookupCustomMetadataMap``,
    ``ReleaseModelMetadata``.
    """
    api, version = subject.api, ffi.new("int64_t*")
    owner = owner_of("OrtModelMetadata*", api, lib.ReleaseModelMetadata)
    subject._call(slot, out_of(owner))
    reader = _Reader(api, owned_by(owner))
    reader.call("ModelMetadataGetVersion", reader.handle, version)
    return ModelMetadata(
        producer_name=reader.text("ModelMetadataGetProducerName"),
        graph_name=reader.text("ModelMetadataGetGraphName"),
        graph_description=reader.text("ModelMetadataGetGraphDescription"),
        domain=reader.text("ModelMetadataGetDomain"),
        description=reader.text("ModelMetadataGetDescription"),
        version=int(version[0]),
        custom={
            key: reader.text("ModelMetadataLookupCustomMetadataMap", encode("key", key))
            for key in reader.custom_keys()
        },
    )
