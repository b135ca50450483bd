# SPDX-License-Identifier: MIT
"""The enums of the official package, with its names. To define them takes milliseconds."""

import enum

from ortcffi._native import lib
from ortcffi.compat._option_enums import Enum

__all__ = [
    "ArenaExtendStrategy",
    "OrtAllocatorType",
    "OrtCompileApiFlags",
    "OrtCompiledModelCompatibility",
    "OrtDeviceEpIncompatibilityReason",
    "OrtDeviceMemoryType",
    "OrtDeviceVendorId",
    "OrtExecutionProviderDevicePolicy",
    "OrtHardwareDeviceType",
    "OrtMemType",
    "OrtMemoryInfoDeviceType",
    "OrtSparseFormat",
    "kNextPowerOfTwo",
    "kSameAsRequested",
]


class ArenaExtendStrategy(Enum):
    """By how much an arena grows."""

    kNextPowerOfTwo = 0
    kSameAsRequested = 1


kNextPowerOfTwo = ArenaExtendStrategy.kNextPowerOfTwo  # noqa: N816  # the official name
kSameAsRequested = ArenaExtendStrategy.kSameAsRequested  # noqa: N816  # the official name


class OrtAllocatorType(Enum):
    """Kinds of allocator."""

    INVALID = lib.OrtInvalidAllocator
    ORT_DEVICE_ALLOCATOR = lib.OrtDeviceAllocator
    ORT_ARENA_ALLOCATOR = lib.OrtArenaAllocator


class OrtCompileApiFlags(Enum):
    """What compiling treats as a failure."""

    NONE = lib.OrtCompileApiFlags_NONE
    ERROR_IF_NO_NODES_COMPILED = lib.OrtCompileApiFlags_ERROR_IF_NO_NODES_COMPILED
    ERROR_IF_OUTPUT_FILE_EXISTS = lib.OrtCompileApiFlags_ERROR_IF_OUTPUT_FILE_EXISTS


class OrtCompiledModelCompatibility(Enum):
    """Whether an execution provider can use a compiled model."""

    EP_NOT_APPLICABLE = lib.OrtCompiledModelCompatibility_EP_NOT_APPLICABLE
    EP_SUPPORTED_OPTIMAL = lib.OrtCompiledModelCompatibility_EP_SUPPORTED_OPTIMAL
    EP_SUPPORTED_PREFER_RECOMPILATION = (
        lib.OrtCompiledModelCompatibility_EP_SUPPORTED_PREFER_RECOMPILATION
    )
    EP_UNSUPPORTED = lib.OrtCompiledModelCompatibility_EP_UNSUPPORTED


class OrtDeviceEpIncompatibilityReason(Enum):
    """Why an execution provider cannot use a device."""

    NONE = lib.OrtDeviceEpIncompatibility_NONE
    DRIVER_INCOMPATIBLE = lib.OrtDeviceEpIncompatibility_DRIVER_INCOMPATIBLE
    DEVICE_INCOMPATIBLE = lib.OrtDeviceEpIncompatibility_DEVICE_INCOMPATIBLE
    MISSING_DEPENDENCY = lib.OrtDeviceEpIncompatibility_MISSING_DEPENDENCY
    UNKNOWN = lib.OrtDeviceEpIncompatibility_UNKNOWN


class OrtDeviceMemoryType(Enum):
    """Whether the CPU can reach a device's memory."""

    DEFAULT = lib.OrtDeviceMemoryType_DEFAULT
    HOST_ACCESSIBLE = lib.OrtDeviceMemoryType_HOST_ACCESSIBLE


class OrtDeviceVendorId(enum.IntEnum):
    """The PCI numbers of vendors."""

    NONE = 0
    AMD = 0x1002
    NVIDIA = 0x10DE
    ARM = 0x13B5
    MICROSOFT = 0x1414
    HUAWEI = 0x19E5
    QUALCOMM = 0x5143
    INTEL = 0x8086


class OrtExecutionProviderDevicePolicy(Enum):
    """What to prefer where the library chooses devices."""

    DEFAULT = lib.OrtExecutionProviderDevicePolicy_DEFAULT
    PREFER_CPU = lib.OrtExecutionProviderDevicePolicy_PREFER_CPU
    PREFER_NPU = lib.OrtExecutionProviderDevicePolicy_PREFER_NPU
    PREFER_GPU = lib.OrtExecutionProviderDevicePolicy_PREFER_GPU
    MAX_PERFORMANCE = lib.OrtExecutionProviderDevicePolicy_MAX_PERFORMANCE
    MAX_EFFICIENCY = lib.OrtExecutionProviderDevicePolicy_MAX_EFFICIENCY
    MIN_OVERALL_POWER = lib.OrtExecutionProviderDevicePolicy_MIN_OVERALL_POWER


class OrtHardwareDeviceType(Enum):
    """Kinds of hardware."""

    CPU = lib.OrtHardwareDeviceType_CPU
    GPU = lib.OrtHardwareDeviceType_GPU
    NPU = lib.OrtHardwareDeviceType_NPU


class OrtMemType(Enum):
    """What memory is for, as seen from a device."""

    CPU_INPUT = lib.OrtMemTypeCPUInput
    CPU_OUTPUT = lib.OrtMemTypeCPUOutput
    CPU = lib.OrtMemTypeCPU
    DEFAULT = lib.OrtMemTypeDefault


class OrtMemoryInfoDeviceType(Enum):
    """Kinds of device."""

    CPU = lib.OrtMemoryInfoDeviceType_CPU
    GPU = lib.OrtMemoryInfoDeviceType_GPU
    NPU = lib.OrtMemoryInfoDeviceType_NPU
    FPGA = lib.OrtMemoryInfoDeviceType_FPGA


class OrtSparseFormat(Enum):
    """How a sparse tensor is laid out."""

    ORT_SPARSE_UNDEFINED = lib.ORT_SPARSE_UNDEFINED
    ORT_SPARSE_COO = lib.ORT_SPARSE_COO
    ORT_SPARSE_CSRC = lib.ORT_SPARSE_CSRC
    ORT_SPARSE_BLOCK_SPARSE = lib.ORT_SPARSE_BLOCK_SPARSE
