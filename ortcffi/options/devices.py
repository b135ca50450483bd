# SPDX-License-Identifier: MIT
"""Execution providers of sessions, by the devices that they are to use."""

from collections.abc import Iterable, Mapping
from typing import Any

from ortcffi._convert import encode, of_type, optional_mapping
from ortcffi._native import ffi
from ortcffi.ep.devices import EpDevice
from ortcffi.errors import checked
from ortcffi.options.settings import Options, lock

__all__ = ["add_devices"]


def add_devices(
    options: Options, devices: Iterable[EpDevice], settings: Mapping[str, str] | None = None
) -> None:
    """Have sessions run nodes on devices of one execution provider where it can.

    Parameters
    ----------
    devices : iterable of EpDevice
        Of `Env.devices` or `RegisteredEp.devices`, all of the same execution provider. These
        options and their sessions keep them.
    settings : mapping of str to str, optional
        The execution provider's options, which come after those of the devices. The library has
        them as configuration entries ``ep.<provider in lower case>.<key>``.

    Raises
    ------
    InvalidArgument
        The devices are of several execution providers.
    ValueError
        There are no devices, or one was offered to a function that chooses devices.

    Notes
    -----
    API function: ``SessionOptionsAppendExecutionProvider_V2``, since version 22.
    """
    if not isinstance(devices, Iterable):
        raise TypeError(f"devices must be a sequence of EpDevice, not {type(devices).__name__}")
    chosen = [of_type(f"devices[{i}]", each, EpDevice) for i, each in enumerate(devices)]
    if not chosen:
        raise ValueError("devices must not be empty")
    for device in chosen:
        if not options.api.same_library(device.api):
            raise ValueError(f"{device!r} belongs to {device.api}, not to {options.api}")
    pairs = {str(key): str(value) for key, value in optional_mapping("settings", settings).items()}
    keys = [ffi.new("char[]", encode("a setting", key)) for key in pairs]
    values = [ffi.new("char[]", encode("a setting", value)) for value in pairs.values()]
    kept = [device.handle for device in chosen]
    handles: Any = ffi.new("const OrtEpDevice*[]", kept)
    options.api.require("SessionOptionsAppendExecutionProvider_V2")
    env = chosen[0]._env_handle()
    arrays = ffi.new("char*[]", keys), ffi.new("char*[]", values)
    with lock:
        options._keep("ep_devices", kept)
        checked.SessionOptionsAppendExecutionProvider_V2(
            options.api.pointer, options.handle, env, handles, len(kept), *arrays, len(pairs)
        )
