# SPDX-License-Identifier: MIT
"""The n-th allocation, or the n-th call of the system, that fails inside the core, for every n."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from support.compilers import ON_MALLOC
from support.processes import run

from ortcffi import ffi, lib

ALLOCATES = {  # the trials that need memory, for which silence would mean that nothing was tried
    "CreateStatus",
    "CreateMemoryInfo",
    "CreateMemoryInfo_V2",
    "CreateCpuMemoryInfo",
    "CreateKeyValuePairs",
    "AddKeyValuePair",
    "AllocatorAlloc",
    "AllocatorGetStats",
    "Aligned",
    "Limiting",
    "Tracking",
    "CreateTensorAsOrtValue",
    "CreateTensorWithDataAsOrtValue",
    "FillStringTensor",
    "FillStringTensorElement",
    "SetDimensions",
    "SetSymbolicDimensions",
    "GetTypeInfo",
    "CreateMapTypeInfo",
    "GetSequenceElementType",
    "CreateEnv",
    "GetOpSchema",
    "ortcore_open_model_bytes",
    "ortcore_model_graph",
    "ortcore_untyped_values",
    "ortcore_write_model",
    "GetValueInfoTypeInfo",
    "ValueInfo_GetInitializerValue",
    "ValueInfo_GetExternalInitializerInfo",
    "CreateExternalInitializerInfo",
    "Graph_GetGraphView",
    "Graph_GetModelMetadata",
    "ModelMetadataGetProducerName",
    "ModelMetadataGetCustomMetadataMapKeys",
    "CreateGraph",
    "SetGraphInputs",
    "AddNodeToGraph",
    "AddInitializerToGraph",
    "CreateModel",
    "ApplyModelToModelEditorSession",
    "AddGraphToModel",
}

Insider = Callable[..., str]


pytestmark = pytest.mark.xdist_group("malloc")


@pytest.fixture(scope="module")
def insider(build_insider: Callable[..., Path]) -> Insider:
    """``insider(name, *arguments)`` is what a program says that is built with the arguments."""

    def insider(name: str, *arguments: str) -> str:
        return run(build_insider(name, *arguments)).stdout

    return insider


@pytest.fixture(scope="module")
def allocations(insider: Insider) -> dict[str, int]:
    """How many allocations each function made at most, every one of which failed in its turn."""
    most: dict[str, int] = {}
    for line in insider("faults", *ON_MALLOC).splitlines():
        found = re.fullmatch(r"(.*): (\d+)", line)
        assert found, line
        for name in found[1].split():
            most[name] = max(most.get(name, 0), int(found[2]))
    return most


def test_each_failing_allocation_gives_a_clean_answer(allocations):
    assert {name for name in ALLOCATES if allocations[name] > 0} == ALLOCATES


def test_every_function_that_the_core_implements_was_tried(allocations):
    rows = [lib.ortcffi_slot_row(index) for index in range(lib.ORTCFFI_SLOTS)]
    ours = {ffi.string(row.name).decode() for row in rows if ffi.string(row.who) == b"HOST"}
    assert ours - allocations.keys() == set()


def test_each_failing_call_of_the_system_gives_a_clean_answer(insider):
    counts = re.findall(r": (\d+)", insider("system_faults", "USE_MIMALLOC=0"))
    assert [int(count) > 5 for count in counts] == [True, True]
