# SPDX-License-Identifier: MIT
"""The enums of the official package, each made when its name is first used: that takes time."""

import enum
from typing import Any

from ortcffi._native import lib
from ortcffi.compat._arguments import number

# Of each enum what it is about, what the names in C begin with, and the members: a name is that of
# a member, or it is a member's with the rest of the name in C, or with a number, behind "=".
_ENUMS = {
    "ArenaExtendStrategy": (
        "By how much an arena grows.",
        "",
        "kNextPowerOfTwo=0 kSameAsRequested=1",
    ),
    "ExecutionMode": (
        "Whether the nodes of a graph run one after the other.",
        "",
        "ORT_SEQUENTIAL ORT_PARALLEL",
    ),
    "ExecutionOrder": (
        "In which order the nodes of a graph run.",
        "",
        "DEFAULT=0 PRIORITY_BASED=1 MEMORY_EFFICIENT=2",
    ),
    "GraphOptimizationLevel": (
        "How far graphs are optimized.",
        "",
        "ORT_DISABLE_ALL ORT_ENABLE_BASIC ORT_ENABLE_EXTENDED ORT_ENABLE_LAYOUT ORT_ENABLE_ALL",
    ),
    "OrtAllocatorType": (
        "Kinds of allocator.",
        "Ort",
        (
            "INVALID=InvalidAllocator ORT_DEVICE_ALLOCATOR=DeviceAllocator "
            "ORT_ARENA_ALLOCATOR=ArenaAllocator"
        ),
    ),
    "OrtCompileApiFlags": (
        "What compiling treats as a failure.",
        "OrtCompileApiFlags_",
        "NONE ERROR_IF_NO_NODES_COMPILED ERROR_IF_OUTPUT_FILE_EXISTS",
    ),
    "OrtCompiledModelCompatibility": (
        "Whether an execution provider can use a compiled model.",
        "OrtCompiledModelCompatibility_",
        "EP_NOT_APPLICABLE EP_SUPPORTED_OPTIMAL EP_SUPPORTED_PREFER_RECOMPILATION EP_UNSUPPORTED",
    ),
    "OrtDeviceEpIncompatibilityReason": (
        "Why an execution provider cannot use a device.",
        "OrtDeviceEpIncompatibility_",
        "NONE DRIVER_INCOMPATIBLE DEVICE_INCOMPATIBLE MISSING_DEPENDENCY UNKNOWN",
    ),
    "OrtDeviceMemoryType": (
        "Whether the CPU can reach a device's memory.",
        "OrtDeviceMemoryType_",
        "DEFAULT HOST_ACCESSIBLE",
    ),
    "OrtDeviceVendorId": (
        "The PCI numbers of vendors.",
        "",
        (
            "NONE=0 AMD=0x1002 NVIDIA=0x10DE ARM=0x13B5 MICROSOFT=0x1414 HUAWEI=0x19E5 "
            "QUALCOMM=0x5143 INTEL=0x8086"
        ),
    ),
    "OrtExecutionProviderDevicePolicy": (
        "What to prefer where the library chooses devices.",
        "OrtExecutionProviderDevicePolicy_",
        "DEFAULT PREFER_CPU PREFER_NPU PREFER_GPU MAX_PERFORMANCE MAX_EFFICIENCY MIN_OVERALL_POWER",
    ),
    "OrtHardwareDeviceType": ("Kinds of hardware.", "OrtHardwareDeviceType_", "CPU GPU NPU"),
    "OrtMemType": (
        "What memory is for, as seen from a device.",
        "OrtMemType",
        "CPU_INPUT=CPUInput CPU_OUTPUT=CPUOutput CPU DEFAULT=Default",
    ),
    "OrtMemoryInfoDeviceType": (
        "Kinds of device.",
        "OrtMemoryInfoDeviceType_",
        "CPU GPU NPU FPGA",
    ),
    "OrtSparseFormat": (
        "How a sparse tensor is laid out.",
        "",
        "ORT_SPARSE_UNDEFINED ORT_SPARSE_COO ORT_SPARSE_CSRC ORT_SPARSE_BLOCK_SPARSE",
    ),
}


class Enum(enum.IntEnum):
    """A base: members are written with the name of their enum, and true, whatever their number.

    Any other number of C's int is a member, too, whose name is ``???``.
    """

    __str__ = enum.Enum.__str__

    def __bool__(self) -> bool:
        return True

    @classmethod
    def _missing_(cls, value: object) -> "Enum":
        member = int.__new__(cls, number("value", value))
        member._name_, member._value_ = "???", int(member)
        return member


def __getattr__(name: str) -> Any:
    if name.startswith("k"):
        found = getattr(__getattr__("ArenaExtendStrategy"), name)
    elif name in _ENUMS:
        about, prefix, members = _ENUMS[name]
        pairs = [
            (each, in_c or each) for each, _, in_c in (m.partition("=") for m in members.split())
        ]
        numbers = {n: int(c, 0) if c[0].isdigit() else getattr(lib, prefix + c) for n, c in pairs}
        kind: Any = enum.IntEnum if name == "OrtDeviceVendorId" else Enum  # as officially
        found = kind(name, numbers, module=__name__)
        found.__doc__ = about
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return globals().setdefault(name, found)
