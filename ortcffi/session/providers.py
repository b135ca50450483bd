# SPDX-License-Identifier: MIT
"""Execution providers of a session: by name with options, or by device."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ortcffi._convert import encode, optional_mapping
from ortcffi._native import ffi
from ortcffi.env.env import Env
from ortcffi.ep.devices import EpDevice
from ortcffi.errors import checked
from ortcffi.options.for_library import session_options_for
from ortcffi.options.session import SessionOptions
from ortcffi.options.settings import lock

if TYPE_CHECKING:
    from ortcffi.table.api import Api

__all__ = ["Provider", "add_devices", "with_providers"]

Provider = str | EpDevice | tuple[str | EpDevice, Mapping[str, str]]


def with_providers(
    api: "Api", options: SessionOptions | None, providers: Iterable[Provider]
) -> SessionOptions:
    """A copy of options with execution providers added, the preferred first."""
    if isinstance(providers, (str, EpDevice)) or not isinstance(providers, Iterable):
        raise TypeError(f"providers must be a list, not {type(providers).__name__}")
    chosen = session_options_for(api, options)
    copy = SessionOptions(api) if chosen is None else chosen.clone()
    for each in providers:
        given: Any = each
        if isinstance(given, EpDevice):
            add_devices(copy, [given])
        elif isinstance(given, str):
            copy.add_provider(given)
        elif isinstance(given, (tuple, list)) and len(given) == 2:
            name, settings = given
            if isinstance(name, EpDevice):
                add_devices(copy, [name], settings)
            else:
                copy.add_provider(name, settings)
        else:
            raise TypeError(
                f"providers has {given!r}; expected a name or an EpDevice, or a pair of one and "
                "its options"
            )
    return copy


def add_devices(
    options: SessionOptions, devices: list[EpDevice], settings: Mapping[str, str] | None = None
) -> None:
    """Add the execution provider of devices, all of which are its own.

    Notes
    -----
    API function: ``SessionOptionsAppendExecutionProvider_V2``, since version 22.
    """
    for device in devices:
        if not options.api.same_library(device.api):
            raise ValueError(f"{device!r} belongs to {device.api}, not to {options.api}")
    pairs = {str(key): str(value) for key, value in optional_mapping("settings", settings).items()}
    keys = [ffi.new("char[]", encode("a setting", key)) for key in pairs]
    values = [ffi.new("char[]", encode("a setting", value)) for value in pairs.values()]
    kept = [device.handle for device in devices]
    handles: Any = ffi.new("const OrtEpDevice*[]", kept)
    options.api.require("SessionOptionsAppendExecutionProvider_V2")
    with Env(api=options.api) as env, lock:
        options._lend("ep_devices", kept)
        checked.SessionOptionsAppendExecutionProvider_V2(
            options.api.pointer,
            options.handle,
            env.handle,
            handles,
            len(devices),
            ffi.new("char*[]", keys),
            ffi.new("char*[]", values),
            len(pairs),
        )
