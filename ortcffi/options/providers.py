# SPDX-License-Identifier: MIT
"""Execution providers of sessions: by name and options, and by the devices they are to use."""

from collections.abc import Iterable, Mapping
from typing import Any

from ortcffi._convert import encode, of_type, optional_mapping
from ortcffi._handle import out_of, owned_by, owner_of
from ortcffi._native import ffi, lib
from ortcffi.ep.devices import EpDevice, available_providers
from ortcffi.errors import OrtError, check
from ortcffi.options.settings import Options, lock

CPU = "CPUExecutionProvider"
_SUFFIX = "ExecutionProvider"
# Those that the general function does not know: the end of their own functions' names.
_OWN = {"CUDA": "CUDA", "Tensorrt": "TensorRT"}


def add_provider(options: Options, name: str, settings: Mapping[str, str] | None = None) -> None:
    """As `SessionOptions.add_provider`."""
    encode("name", name)
    pairs = {str(key): str(value) for key, value in optional_mapping("settings", settings).items()}
    if name == CPU:
        return
    short = name.removesuffix(_SUFFIX)
    keys = [ffi.new("char[]", encode("a setting", key)) for key in pairs]
    values = [ffi.new("char[]", encode("a setting", value)) for value in pairs.values()]
    arrays = (ffi.new("char*[]", keys), ffi.new("char*[]", values), len(pairs))
    try:
        if short in _OWN:
            _add_own(options, _OWN[short], arrays)
        else:
            _add_named(options, name, short, arrays)
    except OrtError as error:
        raise _with_available(options, name, error) from None
    options._values["providers"] = [*options._values.get("providers", []), (name, pairs)]


def _with_available(options: Options, name: str, error: OrtError) -> OrtError:
    """Return the error with the providers that the library has."""
    from ortcffi.ep.installed import unknown_provider

    available = available_providers(options.api)
    if {name, f"{name}{_SUFFIX}"} & set(available):
        return error  # it is there, and refuses its settings
    message = f"{name!r} is not there{unknown_provider(name, available)}"
    return type(error)(message, error.function)


def _add_named(options: Options, name: str, short: str, arrays: tuple[Any, Any, int]) -> None:
    """By the name as given; or by a short one, since release 1.20 knows no others."""
    errors: list[OrtError] = []
    for each in dict.fromkeys((name, short, short.upper())):
        try:
            options._call("SessionOptionsAppendExecutionProvider", each.encode(), *arrays)
        except OrtError as error:
            errors.append(error)
        else:
            return
    try:
        raise errors[0]
    finally:
        del errors  # which its traceback would keep, and it the list


def _add_own(options: Options, kind: str, arrays: tuple[Any, Any, int]) -> None:
    api = options.api.pointer
    create, update = f"Create{kind}ProviderOptions", f"Update{kind}ProviderOptions"
    options.api.require(create)
    release = getattr(lib, f"Release{kind}ProviderOptions")
    owner = owner_of(f"Ort{kind}ProviderOptionsV2*", options.api, release)
    check(api, getattr(lib, create)(api, out_of(owner)))
    own = owned_by(owner)
    check(api, getattr(lib, update)(api, own, *arrays))
    options._call(f"SessionOptionsAppendExecutionProvider_{kind}_V2", own)


def add_devices(
    options: Options, devices: Iterable[EpDevice], settings: Mapping[str, str] | None = None
) -> None:
    """As `SessionOptions.add_devices`."""
    of_type("devices", devices, Iterable, "a sequence of EpDevice")
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
    env = chosen[0]._env_handle()
    arrays = ffi.new("char*[]", keys), ffi.new("char*[]", values)
    with lock:
        options._keep("ep_devices", kept)
        given = options.handle, env, handles, len(kept), *arrays, len(pairs)
        options.api._call("SessionOptionsAppendExecutionProvider_V2", *given)
