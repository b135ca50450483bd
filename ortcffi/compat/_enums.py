# SPDX-License-Identifier: MIT
"""The enums of the official package, each made when its name is first used: that takes time."""

import enum
from typing import Any

from ortcffi._native import lib
from ortcffi.compat._arguments import number

# Of each enum what the names in C begin with, and the members: a name is that of a member, or it is
# a member's with the rest of the name in C, or with a number, behind "=".
_ENUMS = {
    "ArenaExtendStrategy": ": kNextPowerOfTwo=0 kSameAsRequested=1",
    "ExecutionMode": ": ORT_SEQUENTIAL ORT_PARALLEL",
    "ExecutionOrder": ": DEFAULT=0 PRIORITY_BASED=1 MEMORY_EFFICIENT=2",
    "GraphOptimizationLevel": (
        ": ORT_DISABLE_ALL ORT_ENABLE_BASIC ORT_ENABLE_EXTENDED ORT_ENABLE_LAYOUT ORT_ENABLE_ALL"
    ),
    "OrtAllocatorType": (
        "Ort: INVALID=InvalidAllocator ORT_DEVICE_ALLOCATOR=DeviceAllocator "
        "ORT_ARENA_ALLOCATOR=ArenaAllocator"
    ),
    "OrtCompileApiFlags": (
        "OrtCompileApiFlags_: NONE ERROR_IF_NO_NODES_COMPILED ERROR_IF_OUTPUT_FILE_EXISTS"
    ),
    "OrtCompiledModelCompatibility": (
        "OrtCompiledModelCompatibility_: EP_NOT_APPLICABLE EP_SUPPORTED_OPTIMAL "
        "EP_SUPPORTED_PREFER_RECOMPILATION EP_UNSUPPORTED"
    ),
    "OrtDeviceEpIncompatibilityReason": (
        "OrtDeviceEpIncompatibility_: NONE DRIVER_INCOMPATIBLE DEVICE_INCOMPATIBLE "
        "MISSING_DEPENDENCY UNKNOWN"
    ),
    "OrtDeviceMemoryType": "OrtDeviceMemoryType_: DEFAULT HOST_ACCESSIBLE",
    "OrtDeviceVendorId": (
        ": NONE=0 AMD=0x1002 NVIDIA=0x10DE ARM=0x13B5 MICROSOFT=0x1414 HUAWEI=0x19E5 "
        "QUALCOMM=0x5143 INTEL=0x8086"
    ),
    "OrtExecutionProviderDevicePolicy": (
        "OrtExecutionProviderDevicePolicy_: DEFAULT PREFER_CPU PREFER_NPU PREFER_GPU "
        "MAX_PERFORMANCE MAX_EFFICIENCY MIN_OVERALL_POWER"
    ),
    "OrtHardwareDeviceType": "OrtHardwareDeviceType_: CPU GPU NPU",
    "OrtMemType": "OrtMemType: CPU_INPUT=CPUInput CPU_OUTPUT=CPUOutput CPU DEFAULT=Default",
    "OrtMemoryInfoDeviceType": "OrtMemoryInfoDeviceType_: CPU GPU NPU FPGA",
    "OrtSparseFormat": (
        ": ORT_SPARSE_UNDEFINED ORT_SPARSE_COO ORT_SPARSE_CSRC ORT_SPARSE_BLOCK_SPARSE"
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
        prefix, _, members = _ENUMS[name].partition(":")
        pairs = [
            (each, in_c or each) for each, _, in_c in (m.partition("=") for m in members.split())
        ]
        numbers = {n: int(c, 0) if c[0].isdigit() else getattr(lib, prefix + c) for n, c in pairs}
        kind: Any = enum.IntEnum if name == "OrtDeviceVendorId" else Enum  # as officially
        found = kind(name, numbers, module=__name__)
        found.__doc__ = f"``{name}`` of the package onnxruntime."
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return globals().setdefault(name, found)
