# SPDX-License-Identifier: MIT
"""Kinds of memory, allocators and devices. Functions import them, so that a session need not."""

from enum import IntEnum

from ortcffi._native import lib
from ortcffi._public import public

__all__ = ["AllocatorType", "DeviceMemoryType", "DeviceType", "MemType"]


@public
class AllocatorType(IntEnum):
    """Kinds of allocator (``OrtAllocatorType``)."""

    INVALID = lib.OrtInvalidAllocator
    DEVICE = lib.OrtDeviceAllocator
    ARENA = lib.OrtArenaAllocator
    READ_ONLY = lib.OrtReadOnlyAllocator


@public
class MemType(IntEnum):
    """What memory is for, as seen from a device (``OrtMemType``)."""

    CPU_INPUT = lib.OrtMemTypeCPUInput
    CPU_OUTPUT = lib.OrtMemTypeCPUOutput
    CPU = lib.OrtMemTypeCPU
    DEFAULT = lib.OrtMemTypeDefault


@public
class DeviceMemoryType(IntEnum):
    """Whether the CPU can reach a device's memory (``OrtDeviceMemoryType``)."""

    DEFAULT = lib.OrtDeviceMemoryType_DEFAULT
    HOST_ACCESSIBLE = lib.OrtDeviceMemoryType_HOST_ACCESSIBLE


@public
class DeviceType(IntEnum):
    """Kinds of device (``OrtMemoryInfoDeviceType``)."""

    CPU = lib.OrtMemoryInfoDeviceType_CPU
    GPU = lib.OrtMemoryInfoDeviceType_GPU
    FPGA = lib.OrtMemoryInfoDeviceType_FPGA
    NPU = lib.OrtMemoryInfoDeviceType_NPU
