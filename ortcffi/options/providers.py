# SPDX-License-Identifier: MIT
"""Execution providers of sessions, by name and options."""

from collections.abc import Mapping
from typing import Any

from ortcffi._convert import encode, optional_mapping
from ortcffi._handle import out_of, owned_by, owner_of
from ortcffi._native import ffi, lib
from ortcffi.ep.devices import available_providers
from ortcffi.errors import OrtError, checked
from ortcffi.options.settings import Options

__all__ = ["add_provider"]

CPU = "CPUExecutionProvider"
_SUFFIX = "ExecutionProvider"
# Those that the general function does not know: the end of their own functions' names.
_OWN = {"CUDA": "CUDA", "Tensorrt": "TensorRT"}


def add_provider(options: Options, name: str, settings: Mapping[str, str] | None = None) -> None:
    """Have sessions run nodes on an execution provider where it can.

    Parameters
    ----------
    name : str
        Its name, such as ``"CUDAExecutionProvider"`` or ``"XNNPACK"``. The CPU's needs none.
    settings : mapping of str to str, optional
        Its options.

    Raises
    ------
    OrtError
        The library was not built with it, or refuses the options.

    Notes
    -----
    API functions: ``SessionOptionsAppendExecutionProvider``, since version 12;
    ``CreateCUDAProviderOptions``, ``SessionOptionsAppendExecutionProvider_CUDA_V2`` and those of
    TensorRT.
    """
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
    """The error with the providers that there are: the library lists those that it has heard of."""
    from ortcffi.ep.installed import unknown_provider

    available = available_providers(options.api)
    if {name, f"{name}{_SUFFIX}"} & set(available):
        return error  # it is there, and refuses its settings
    message = (
        f"{name!r} is not there{unknown_provider(name)}; of the library: {', '.join(available)}"
    )
    return type(error)(message, error.function)


def _add_named(options: Options, name: str, short: str, arrays: tuple[Any, Any, int]) -> None:
    """By the name as given; or by a short one, since older releases know no others."""
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
    getattr(checked, create)(api, out_of(owner))
    own = owned_by(owner)
    getattr(checked, update)(api, own, *arrays)
    options._call(f"SessionOptionsAppendExecutionProvider_{kind}_V2", own)
