# SPDX-License-Identifier: MIT
"""Where memory is: ``OrtMemoryInfo``, and the kinds of memory, allocators and devices."""

from enum import IntEnum

from ortcffi._convert import known
from ortcffi._handle import Handle
from ortcffi._native import ffi, lib
from ortcffi._public import public
from ortcffi.errors import check


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


@public
class MemoryInfo(Handle):
    """A description of where memory is.

    `Api.memory_info`, `Api.cpu_memory_info` and `Api.device_memory_info` make one; `Allocator.info`
    borrows one. Two are equal if they belong to the same table and its ``CompareMemoryInfo`` says
    so. Those of different tables are never equal, because neither table can read the other's.

    Every property raises `ValueError` after `close`.
    """

    __slots__ = ()

    _pointer, _release = "OrtMemoryInfo*", lib.ReleaseMemoryInfo

    @property
    def name(self) -> str:
        """The device's or the allocator's name. API function: ``MemoryInfoGetName``."""
        return self._text("MemoryInfoGetName")

    @property
    def id(self) -> int:
        """The device's number. API function: ``MemoryInfoGetId``."""
        return self._get("MemoryInfoGetId", "int*")  # type: ignore[no-any-return]

    @property
    def mem_type(self) -> "MemType | int":
        """What the memory is for. API function: ``MemoryInfoGetMemType``."""
        return known(MemType, self._get("MemoryInfoGetMemType", "OrtMemType*"))

    @property
    def allocator_type(self) -> "AllocatorType | int":
        """The kind of allocator. API function: ``MemoryInfoGetType``."""
        return known(AllocatorType, self._get("MemoryInfoGetType", "OrtAllocatorType*"))

    @property
    def device_type(self) -> "DeviceType | int":
        """The kind of device. API function: ``MemoryInfoGetDeviceType``, since version 14."""
        self.api.require("MemoryInfoGetDeviceType")
        out = ffi.new("OrtMemoryInfoDeviceType*")
        lib.MemoryInfoGetDeviceType(self.api.pointer, self.handle, out)
        return known(DeviceType, out[0])

    @property
    def device_mem_type(self) -> "DeviceMemoryType | int":
        """Whether the CPU reaches it. API function: ``MemoryInfoGetDeviceMemType``, since 23."""
        self.api.require("MemoryInfoGetDeviceMemType")
        number = lib.MemoryInfoGetDeviceMemType(self.api.pointer, self.handle)
        return known(DeviceMemoryType, number)

    @property
    def vendor_id(self) -> int:
        """The vendor's PCI number or 0. API function: ``MemoryInfoGetVendorId``, since 23."""
        self.api.require("MemoryInfoGetVendorId")
        return lib.MemoryInfoGetVendorId(self.api.pointer, self.handle)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, MemoryInfo) or self.api != other.api:
            return False
        out = ffi.new("int*")
        api = self.api.pointer
        check(api, lib.CompareMemoryInfo(api, self.handle, other.handle, out))
        return out[0] == 0  # type: ignore[no-any-return]

    def __hash__(self) -> int:
        return hash((self.name, self.id, self.mem_type, self.allocator_type))

    def __repr__(self) -> str:
        if self.closed:
            return "<MemoryInfo closed>"
        facts = [repr(self.name)]
        names = ["id", "device_type", "mem_type", "allocator_type", "device_mem_type", "vendor_id"]
        for name in names:
            getter = GETTERS.get(name)
            if getter is None or self.api.supports(getter):
                value = getattr(self, name)
                facts.append(f"{name}={getattr(value, 'name', value)}")
        return f"<MemoryInfo {' '.join(facts)}>"


# The properties that not every table has.
GETTERS = {
    "device_type": "MemoryInfoGetDeviceType",
    "device_mem_type": "MemoryInfoGetDeviceMemType",
    "vendor_id": "MemoryInfoGetVendorId",
}
