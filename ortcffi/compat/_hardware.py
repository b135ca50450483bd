# SPDX-License-Identifier: MIT
"""Hardware, and the execution providers that can use it or a compiled model, officially named."""

from collections.abc import Sequence
from typing import Any

from ortcffi._convert import decode, native
from ortcffi._handle import out_of, owned_by, owner_of
from ortcffi._native import address_of, ffi, lib
from ortcffi.compat._arguments import instance
from ortcffi.compat._delegates import fact
from ortcffi.compat._devices import OrtMemoryInfo
from ortcffi.compat._environment import api, env, text
from ortcffi.compat._errors import as_runtime_error, translated
from ortcffi.ep.devices import EpDevice
from ortcffi.ep.hardware import HardwareDevice
from ortcffi.memory.blocks import scratch_for


class _Around:
    """An object around one of ortcffi's, as which it compares."""

    def __init__(self, device: Any) -> None:
        self._device = device

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._device == other._device

    def __hash__(self) -> int:
        return hash(self._device)


class OrtHardwareDevice(_Around):
    """A piece of hardware."""

    _device: HardwareDevice
    type = fact("_device.kind", "OrtHardwareDeviceType")
    vendor = fact("_device.vendor")
    vendor_id = fact("_device.vendor_id")
    device_id = fact("_device.device_id")
    metadata = fact("_device.metadata")


class OrtSyncStream:
    """A queue of work for a device."""

    def __init__(self, owner: Any) -> None:
        self._handle = owned_by(owner)

    def get_handle(self) -> int:
        return address_of(lib.SyncStream_GetHandle(api().pointer, self._handle))


class OrtEpDevice(_Around):
    """A device together with an execution provider that can use it."""

    _device: EpDevice
    ep_name = fact("_device.name")
    ep_vendor = fact("_device.vendor")
    ep_metadata = fact("_device.metadata")
    ep_options = fact("_device.options")

    @property
    def device(self) -> OrtHardwareDevice:
        return OrtHardwareDevice(self._device.hardware)

    def memory_info(self, mem_type: int, /) -> OrtMemoryInfo | None:
        """Describe memory of the device, or return None if it has no such memory."""
        found = self._device.memory_info(int(mem_type))
        return None if found is None else OrtMemoryInfo._of(found)

    def create_sync_stream(self) -> OrtSyncStream:
        device = self._device.handle
        owner = owner_of("OrtSyncStream*", api(), lib.ReleaseSyncStream, device)
        call("CreateSyncStreamForEpDevice", device, ffi.NULL, out_of(owner))
        return OrtSyncStream(owner)


@translated
def get_ep_devices() -> list[OrtEpDevice]:
    return [OrtEpDevice(device) for device in env().devices]


@as_runtime_error
def call(slot: str, *arguments: Any) -> None:
    """Call a function of the API."""
    api()._call(slot, *arguments)


@translated
def get_hardware_devices() -> list[OrtHardwareDevice]:
    return [OrtHardwareDevice(each) for each in env().hardware]


@translated
def get_hardware_device_ep_incompatibility_details(
    ep_name: str, device: OrtHardwareDevice, /
) -> dict[str, Any]:
    """Return why an execution provider cannot use a device: 0, None and 0 if it can."""
    table = api()
    release = lib.ReleaseDeviceEpIncompatibilityDetails
    owner = owner_of("OrtDeviceEpIncompatibilityDetails*", table, release)
    given = env().handle, text(ep_name).encode(), device._device.handle
    table._call("GetHardwareDeviceEpIncompatibilityDetails", *given, out_of(owner))
    details = owned_by(owner)
    reasons, notes, code = ffi.new("uint32_t*"), ffi.new("const char**"), ffi.new("int32_t*")
    call("DeviceEpIncompatibilityDetails_GetReasonsBitmask", details, reasons)
    call("DeviceEpIncompatibilityDetails_GetNotes", details, notes)
    call("DeviceEpIncompatibilityDetails_GetErrorCode", details, code)
    text_of = decode(notes[0]) if notes[0] else None
    return {"reasons_bitmask": reasons[0], "notes": text_of, "error_code": code[0]}


def get_model_compatibility_for_ep_devices(devices: Sequence[OrtEpDevice], info: str, /) -> Any:
    from ortcffi.compat._enums import OrtCompiledModelCompatibility

    kept = [instance("devices", device, OrtEpDevice)._device.handle for device in devices]
    handles = ffi.new("const OrtEpDevice*[]", kept)
    out = ffi.new("OrtCompiledModelCompatibility*")
    encoded = text(info).encode()
    call("GetModelCompatibilityForEpDevices", handles, len(kept), encoded, out)
    return OrtCompiledModelCompatibility(out[0])


def get_compatibility_info_from_model(path: Any, ep_type: str, /) -> str | None:
    encoded = native(text(path).encode())
    return _info("GetCompatibilityInfoFromModel", encoded, text(ep_type).encode())


def get_compatibility_info_from_model_bytes(model: Any, ep_type: str, /) -> str | None:
    content = ffi.from_buffer("char[]", model)
    slot = "GetCompatibilityInfoFromModelBytes"
    return _info(slot, content, len(content), text(ep_type).encode())


def _info(slot: str, *arguments: Any) -> str | None:
    out, allocator = ffi.new("char**"), scratch_for(api())
    call(slot, *arguments, allocator, out)
    return decode(out[0]) if out[0] else None
