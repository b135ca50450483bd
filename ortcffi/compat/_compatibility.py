# SPDX-License-Identifier: MIT
"""Whether execution providers can use hardware and compiled models, with the official names."""

from collections.abc import Sequence
from typing import Any

from ortcffi._convert import decode
from ortcffi._handle import out_of, owned_by, owner_of
from ortcffi._native import ffi, lib
from ortcffi.compat._arguments import instance
from ortcffi.compat._enums import OrtCompiledModelCompatibility
from ortcffi.compat._environment import api, env, text
from ortcffi.compat._hardware import OrtEpDevice, OrtHardwareDevice
from ortcffi.errors import OrtError, checked
from ortcffi.memory.scratch import scratch_for

__all__ = [
    "get_compatibility_info_from_model",
    "get_compatibility_info_from_model_bytes",
    "get_hardware_device_ep_incompatibility_details",
    "get_hardware_devices",
    "get_model_compatibility_for_ep_devices",
]


def _call(slot: str, *arguments: Any) -> None:
    table = api()
    table.require(slot)
    try:
        getattr(checked, slot)(table.pointer, *arguments)
    except OrtError as error:
        raise RuntimeError(error.message) from error.__cause__


def get_hardware_devices() -> list[OrtHardwareDevice]:
    """Return the hardware that the library has found."""
    count = ffi.new("size_t*")
    _call("GetNumHardwareDevices", env().handle, count)
    out = ffi.new("const OrtHardwareDevice*[]", max(count[0], 1))
    _call("GetHardwareDevices", env().handle, out, count[0])
    return [OrtHardwareDevice(out[i], env().handle) for i in range(count[0])]


def get_hardware_device_ep_incompatibility_details(
    ep_name: str, device: OrtHardwareDevice, /
) -> dict[str, Any]:
    """Return why an execution provider cannot use a device: 0, None and 0 if it can."""
    release = lib.ReleaseDeviceEpIncompatibilityDetails
    owner = owner_of("OrtDeviceEpIncompatibilityDetails*", api(), release)
    slot = "GetHardwareDeviceEpIncompatibilityDetails"
    _call(slot, env().handle, text(ep_name).encode(), device._handle, out_of(owner))
    details = owned_by(owner)
    reasons, notes, code = ffi.new("uint32_t*"), ffi.new("const char**"), ffi.new("int32_t*")
    _call("DeviceEpIncompatibilityDetails_GetReasonsBitmask", details, reasons)
    _call("DeviceEpIncompatibilityDetails_GetNotes", details, notes)
    _call("DeviceEpIncompatibilityDetails_GetErrorCode", details, code)
    told = decode(notes[0]) if notes[0] else None
    return {"reasons_bitmask": reasons[0], "notes": told, "error_code": code[0]}


def get_model_compatibility_for_ep_devices(
    devices: Sequence[OrtEpDevice], info: str, /
) -> OrtCompiledModelCompatibility:
    """Return whether devices can use a compiled model that says this of itself."""
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
    """Return what a compiled model says of itself for an execution provider."""
    content = ffi.from_buffer("char[]", model)
    slot = "GetCompatibilityInfoFromModelBytes"
    return _info(slot, content, len(content), text(ep_type).encode())


def _info(slot: str, *arguments: Any) -> str | None:
    out, allocator = ffi.new("char**"), scratch_for(api())
    _call(slot, *arguments, allocator, out)
    return decode(out[0]) if out[0] else None
