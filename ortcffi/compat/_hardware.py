# SPDX-License-Identifier: MIT
"""Hardware, and the execution providers that can use it, with the official package's names."""

from typing import Any

from ortcffi._convert import decode
from ortcffi._handle import out_of, owned_by, owner_of
from ortcffi._native import address_of, ffi, lib
from ortcffi.compat._devices import OrtMemoryInfo
from ortcffi.compat._enums import OrtDeviceMemoryType, OrtHardwareDeviceType
from ortcffi.compat._environment import api, env
from ortcffi.compat._errors import translated
from ortcffi.ep.devices import EpDevice
from ortcffi.errors import OrtError, checked
from ortcffi.memory.info import MemoryInfo
from ortcffi.status.key_values import KeyValuePairs

__all__ = ["OrtEpDevice", "OrtHardwareDevice", "OrtSyncStream", "get_ep_devices"]


class OrtHardwareDevice:
    """A piece of hardware."""

    def __init__(self, handle: Any, lender: object) -> None:
        self._handle, self._lender = handle, lender

    @property
    def type(self) -> OrtHardwareDeviceType:
        """The kind of device."""
        return OrtHardwareDeviceType(lib.HardwareDevice_Type(api().pointer, self._handle))

    @property
    def vendor(self) -> str:
        """The vendor's name."""
        return decode(lib.HardwareDevice_Vendor(api().pointer, self._handle))

    @property
    def vendor_id(self) -> int:
        """The vendor's PCI number."""
        return lib.HardwareDevice_VendorId(api().pointer, self._handle)

    @property
    def device_id(self) -> int:
        """The model's number."""
        return lib.HardwareDevice_DeviceId(api().pointer, self._handle)

    @property
    def metadata(self) -> dict[str, str]:
        """What the library knows of it besides."""
        handle = lib.HardwareDevice_Metadata(api().pointer, self._handle)
        with KeyValuePairs.from_handle(api(), ffi.cast("OrtKeyValuePairs*", handle), self) as found:
            return found.to_dict()


class OrtSyncStream:
    """A queue of work for a device."""

    def __init__(self, owner: Any, device: EpDevice) -> None:
        self._handle = owned_by(owner)
        self._device = device

    def get_handle(self) -> int:
        """Return the address of the device library's own stream."""
        return address_of(lib.SyncStream_GetHandle(api().pointer, self._handle))


class OrtEpDevice:
    """A device together with an execution provider that can use it."""

    def __init__(self, device: EpDevice) -> None:
        self._device = device

    @property
    def ep_name(self) -> str:
        """The name of the execution provider."""
        return self._device.name

    @property
    def ep_vendor(self) -> str:
        """Who made the execution provider."""
        return self._device.vendor

    @property
    def ep_metadata(self) -> dict[str, str]:
        """What the execution provider says of itself."""
        return self._device.metadata

    @property
    def ep_options(self) -> dict[str, str]:
        """The execution provider's options for the device."""
        return self._device.options

    @property
    def device(self) -> OrtHardwareDevice:
        """The hardware."""
        handle = lib.EpDevice_Device(api().pointer, self._device.handle)
        return OrtHardwareDevice(handle, self._device)

    def memory_info(self, mem_type: OrtDeviceMemoryType, /) -> OrtMemoryInfo | None:
        """Describe memory of the device, or return None if it has no such memory."""
        api().require("EpDevice_MemoryInfo")
        found = lib.EpDevice_MemoryInfo(api().pointer, self._device.handle, int(mem_type))
        if not found:
            return None
        handle = ffi.cast("OrtMemoryInfo*", found)
        return OrtMemoryInfo._of(MemoryInfo(api(), handle, lender=self._device))

    def create_sync_stream(self) -> OrtSyncStream:
        """Make a queue of work for the device."""
        api().require("CreateSyncStreamForEpDevice")
        device = self._device.handle
        owner = owner_of("OrtSyncStream*", api(), lib.ReleaseSyncStream, keeps=device)
        out = out_of(owner)
        try:
            checked.CreateSyncStreamForEpDevice(api().pointer, device, ffi.NULL, out)
        except OrtError as error:
            raise RuntimeError(error.message) from error.__cause__
        return OrtSyncStream(owner, self._device)


@translated
def get_ep_devices() -> list[OrtEpDevice]:
    """Return what execution providers can use."""
    return [OrtEpDevice(device) for device in env().devices]
