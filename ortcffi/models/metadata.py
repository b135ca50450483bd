# SPDX-License-Identifier: MIT
"""The metadata of a model."""

from typing import Any, NamedTuple

from ortcffi._convert import decode, encode
from ortcffi._handle import out_of, owned_by, owner_of
from ortcffi._native import ffi, lib
from ortcffi._public import public
from ortcffi.errors import check
from ortcffi.memory.blocks import scratch_for


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


def read_metadata(subject: Any, slot: str) -> ModelMetadata:
    """Read all of it.

    API functions: that of `slot`, ``ModelMetadataGetProducerName`` and those of the other strings,
    ``ModelMetadataGetCustomMetadataMapKeys``, ``ModelMetadataLookupCustomMetadataMap``,
    ``ReleaseModelMetadata``.

    Parameters
    ----------
    subject : Session or ModelGraph
        What it is the metadata of.
    slot : str
        The function that gives it: ``"SessionGetModelMetadata"`` or ``"Graph_GetModelMetadata"``.
    """
    api, owner = subject.api, owner_of("OrtModelMetadata*", subject.api, lib.ReleaseModelMetadata)
    subject._call(slot, out_of(owner))
    table, handle, scratch = api.pointer, owned_by(owner), scratch_for(api)
    version, text = ffi.new("int64_t*"), ffi.new("char**")
    check(table, lib.ModelMetadataGetVersion(table, handle, version))
    texts: list[str] = []
    custom = {}
    for name in ("ProducerName", "GraphName", "GraphDescription", "Domain", "Description"):
        check(table, getattr(lib, f"ModelMetadataGet{name}")(table, handle, scratch, text))
        texts.append(decode(text[0]))
    keys, count = ffi.new("char***"), ffi.new("int64_t*")
    check(table, lib.ModelMetadataGetCustomMetadataMapKeys(table, handle, scratch, keys, count))
    for key in [decode(keys[0][i]) for i in range(count[0])]:
        encoded = encode("key", key)
        check(
            table, lib.ModelMetadataLookupCustomMetadataMap(table, handle, scratch, encoded, text)
        )
        custom[key] = decode(text[0])
    return ModelMetadata._make([*texts, int(version[0]), custom])
