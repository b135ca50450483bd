# SPDX-License-Identifier: MIT
"""Hardware, and the execution providers that can use it or a compiled model, officially named."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ortcffi._convert import decode
from ortcffi._handle import out_of, owned_by, owner_of
from ortcffi._native import address_of, ffi, lib
from ortcffi.compat._arguments import instance
from ortcffi.compat._devices import OrtMemoryInfo
from ortcffi.compat._environment import api, env, text
from ortcffi.compat._errors import translated
from ortcffi.ep.devices import EpDevice
from ortcffi.ep.hardware import HardwareDevice
from ortcffi.errors import OrtError, check
from ortcffi.memory.blocks import scratch_for

if TYPE_CHECKING:
    from ortcffi.compat._enums import (
        OrtCompiledModelCompatibility,
        OrtDeviceMemoryType,
        OrtHardwareDeviceType,
    )


class OrtHardwareDevice:
    """A piece of hardware."""

    def __init__(self, device: HardwareDevice) -> None:
        self._device = device

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OrtHardwareDevice) and self._device == other._device

    def __hash__(self) -> int:
        return hash(self._device)

    @property
    def type(self) -> "OrtHardwareDeviceType":
        """The kind of device."""
        from ortcffi.compat._enums import OrtHardwareDeviceType

        return OrtHardwareDeviceType(self._device.kind)

    @property
    def vendor(self) -> str:
        """The vendor's name."""
        return self._device.vendor

    @property
    def vendor_id(self) -> int:
        """The vendor's PCI number."""
        return self._device.vendor_id

    @property
    def device_id(self) -> int:
        """The model's number."""
        return self._device.device_id

    @property
    def metadata(self) -> dict[str, str]:
        """What the library knows of it besides."""
        return self._device.metadata


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

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OrtEpDevice) and self._device == other._device

    def __hash__(self) -> int:
        return hash(self._device)

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
        """Metadata that the execution provider gives."""
        return self._device.metadata

    @property
    def ep_options(self) -> dict[str, str]:
        """The execution provider's options for the device."""
        return self._device.options

    @property
    def device(self) -> OrtHardwareDevice:
        """The hardware."""
        return OrtHardwareDevice(self._device.hardware)

    def memory_info(self, mem_type: "OrtDeviceMemoryType", /) -> OrtMemoryInfo | None:
        """Describe memory of the device, or return None if it has no such memory."""
        found = self._device.memory_info(int(mem_type))
        return None if found is None else OrtMemoryInfo._of(found)

    def create_sync_stream(self) -> OrtSyncStream:
        """Make a queue of work for the device."""
        device = self._device.handle
        owner = owner_of("OrtSyncStream*", api(), lib.ReleaseSyncStream, device)
        _call("CreateSyncStreamForEpDevice", device, ffi.NULL, out_of(owner))
        return OrtSyncStream(owner, self._device)


@translated
def get_ep_devices() -> list[OrtEpDevice]:
    """Return what execution providers can use."""
    return [OrtEpDevice(device) for device in env().devices]


# --- compiled models -----------------------------------------------------------------------------


def _call(slot: str, *arguments: Any) -> None:
    table = api()
    table.require(slot)
    try:
        check(table.pointer, getattr(lib, slot)(table.pointer, *arguments))
    except OrtError as error:
        raise RuntimeError(str(error)) from error.__cause__


@translated
def get_hardware_devices() -> list[OrtHardwareDevice]:
    """Return the hardware that the library has found."""
    return [OrtHardwareDevice(each) for each in env().hardware]


@translated
def get_hardware_device_ep_incompatibility_details(
    ep_name: str, device: OrtHardwareDevice, /
) -> dict[str, Any]:
    """Return why an execution provider cannot use a device: 0, None and 0 if it can."""
    table = api()
    table.require("GetHardwareDeviceEpIncompatibilityDetails")
    release = lib.ReleaseDeviceEpIncompatibilityDetails
    owner = owner_of("OrtDeviceEpIncompatibilityDetails*", table, release)
    given = env().handle, text(ep_name).encode(), device._device.handle
    get = lib.GetHardwareDeviceEpIncompatibilityDetails
    check(table.pointer, get(table.pointer, *given, out_of(owner)))
    details = owned_by(owner)
    reasons, notes, code = ffi.new("uint32_t*"), ffi.new("const char**"), ffi.new("int32_t*")
    _call("DeviceEpIncompatibilityDetails_GetReasonsBitmask", details, reasons)
    _call("DeviceEpIncompatibilityDetails_GetNotes", details, notes)
    _call("DeviceEpIncompatibilityDetails_GetErrorCode", details, code)
    text_of = decode(notes[0]) if notes[0] else None
    return {"reasons_bitmask": reasons[0], "notes": text_of, "error_code": code[0]}


def get_model_compatibility_for_ep_devices(
    devices: Sequence[OrtEpDevice], info: str, /
) -> "OrtCompiledModelCompatibility":
    """Return whether devices can use a compiled model that says this of itself."""
    from ortcffi.compat._enums import OrtCompiledModelCompatibility

    kept = [instance("devices", device, OrtEpDevice)._device.handle for device in devices]
    handles = ffi.new("const OrtEpDevice*[]", kept)
    out = ffi.new("OrtCompiledModelCompatibility*")
    encoded = text(info).encode()
    _call("GetModelCompatibilityForEpDevices", handles, len(kept), encoded, out)
    return OrtCompiledModelCompatibility(out[0])


def get_compatibility_info_from_model(path: Any, ep_type: str, /) -> str | None:
    """Return what a compiled model in a file says of itself for an execution provider."""
    encoded = text(path).encode()
    return _info("GetCompatibilityInfoFromModel", encoded, text(ep_type).encode())


def get_compatibility_info_from_model_bytes(model: Any, ep_type: str, /) -> str | None:
    """Return the entry of a compiled model's metadata for an execution provider."""
    content = ffi.from_buffer("char[]", model)
    slot = "GetCompatibilityInfoFromModelBytes"
    return _info(slot, content, len(content), text(ep_type).encode())


def _info(slot: str, *arguments: Any) -> str | None:
    out, allocator = ffi.new("char**"), scratch_for(api())
    _call(slot, *arguments, allocator, out)
    return decode(out[0]) if out[0] else None
