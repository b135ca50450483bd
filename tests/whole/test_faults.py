# SPDX-License-Identifier: MIT
"""The n-th allocation, or the n-th call of the system, that fails inside the core, for every n."""

import re
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from support import fault_rows
from support.compilers import ON_MALLOC
from support.processes import run

from ortcffi import ffi, lib

# Where silence would mean that nothing was tried; "beside" is what only the core has.
ALLOCATES = re.findall(
    r"\w+",
    """
    CreateStatus CreateMemoryInfo CreateMemoryInfo_V2 CreateCpuMemoryInfo CreateKeyValuePairs
    AddKeyValuePair AllocatorAlloc AllocatorGetStats CreateTensorAsOrtValue
    CreateTensorWithDataAsOrtValue FillStringTensor FillStringTensorElement SetDimensions
    SetSymbolicDimensions GetTypeInfo CreateMapTypeInfo GetSequenceElementType CreateEnv
    GetOpSchema ValueInfo_GetInitializerValue CreateExternalInitializerInfo Graph_GetGraphView
    Graph_GetModelMetadata ModelMetadataGetProducerName ModelMetadataGetCustomMetadataMapKeys
    CreateGraph SetGraphInputs AddNodeToGraph AddInitializerToGraph CreateModel CompileModel Run
    ApplyModelToModelEditorSession AddGraphToModel CreateSessionFromArray
    RegisterCustomOpsLibrary CopyTensors beside
    """,
)

# Called inside calls whose allocations fail, or on what only a provider in C makes.
CALLED_INSIDE = re.findall(
    r"\w+",
    """
    EpGraphSupportInfo_AddNodesToFuse EpGraphSupportInfo_AddSingleNode
    EpGraphSupportInfo_LookUpKernel NodeComputeContext_NodeName
    CreateEnvWithCustomLoggerAndGlobalThreadPools CreateSession
    DeviceEpIncompatibilityDetails_GetErrorCode DeviceEpIncompatibilityDetails_GetNotes
    DeviceEpIncompatibilityDetails_GetReasonsBitmask EpAssignedNode_GetDomain
    EpAssignedNode_GetName EpAssignedNode_GetOperatorType EpAssignedSubgraph_GetEpName
    EpAssignedSubgraph_GetNodes EpDevice_GetMemoryCapacity GetHardwareDevices
    SetPerSessionThreadPoolCallbacks ShapeInferContext_GetAttribute
    ShapeInferContext_GetInputCount SyncStream_GetHandle
    """,
)

Insider = Callable[..., str]


pytestmark = pytest.mark.xdist_group("malloc")


@pytest.fixture(scope="module")
def insider(build_insider: Callable[..., Path]) -> Insider:
    """``insider(name, *arguments)`` is what a program says that is built with the arguments."""

    def insider(name: str, *arguments: str) -> str:
        return run(build_insider(name, *arguments)).stdout

    return insider


@pytest.fixture(scope="module")
def allocations(insider: Insider, build_insider: Callable[..., Path]) -> Counter[str]:
    """How many allocations of each slot that was called failed, each in its turn."""
    library = build_insider("faults.so", *ON_MALLOC)
    rows = [sys.executable, Path(fault_rows.__file__), library, "0", "1"]
    texts = [insider("faults", *ON_MALLOC), run(*rows, timeout=900).stdout]
    counts = Counter[str]()
    for text in texts:
        for name, count in re.findall(r"^(\w+): (\d+)$", text, re.M):
            counts[name] += int(count)
    return counts


def test_each_failing_allocation_gives_a_clean_answer(allocations):
    assert [name for name in ALLOCATES if allocations[name] == 0] == []


def test_every_function_that_the_core_implements_was_called(allocations):
    rows = [lib.ortcffi_slot_row(index) for index in range(lib.ORTCFFI_SLOTS)]
    ours = {ffi.string(row.name).decode() for row in rows if ffi.string(row.who) == b"HOST"}
    never = {name for name in ours - allocations.keys() if not name.startswith("Release")}
    assert never - {*CALLED_INSIDE} == set()


def test_each_failing_call_of_the_system_gives_a_clean_answer(insider):
    counts = re.findall(r": (\d+)", insider("system_faults", "USE_MIMALLOC=0"))
    assert [int(count) > 5 for count in counts] == [True, True]
