# SPDX-License-Identifier: MIT
"""Execution providers of a session: by name with options, or by device."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ortcffi._native import ffi, lib
from ortcffi.env.env import Env
from ortcffi.ep.devices import EpDevice
from ortcffi.errors import fail
from ortcffi.options.session import SessionOptions
from ortcffi.session.library import session_options_for

if TYPE_CHECKING:
    from ortcffi.table.api import Api

__all__ = ["Provider", "with_providers"]

Provider = str | tuple[str, Mapping[str, str]] | EpDevice


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
            _add_devices(copy, [given])
        elif isinstance(given, str):
            copy.add_provider(given)
        elif isinstance(given, (tuple, list)) and len(given) == 2:
            copy.add_provider(*given)
        else:
            raise TypeError(
                f"providers has {given!r}; expected a name, a pair of name and options, or an "
                "EpDevice"
            )
    return copy


def _add_devices(options: SessionOptions, devices: list[EpDevice]) -> None:
    """Notes: API function ``SessionOptionsAppendExecutionProvider_V2``, since version 22."""
    for device in devices:
        if not options.api.same_library(device.api):
            raise ValueError(f"{device!r} belongs to {device.api}, not to {options.api}")
    with Env(api=options.api) as env:
        handles: Any = ffi.new("const OrtEpDevice*[]", [device.handle for device in devices])
        slot = "SessionOptionsAppendExecutionProvider_V2"
        options.api.require(slot)
        if status := lib.SessionOptionsAppendExecutionProvider_V2(
            options.api.pointer,
            options.handle,
            env.handle,
            handles,
            len(devices),
            ffi.NULL,
            ffi.NULL,
            0,
        ):
            fail(options.api.pointer, status, slot)
    options._lend("ep_devices", devices)
