# SPDX-License-Identifier: MIT
"""The part of the process of ``ortcffi check`` that makes the factories of an EP library."""

import gc
import re
from typing import Any, NamedTuple

from ortcffi._convert import decode
from ortcffi._native import ffi
from ortcffi.errors import call, checked
from ortcffi.table.api import Api
from ortcffi.testing.live_objects import left_alive, live_objects

__all__ = ["EP_ENTRY", "Factory", "make_factories", "register_with_engine"]

EP_ENTRY, EP_END = "CreateEpFactories", "ReleaseEpFactory"
_MOST = 64
_REQUIRED = [
    (22, ("GetName", "GetVendor", "GetSupportedDevices", "CreateEp", "ReleaseEp")),
    (22, ("CreateDataTransfer",)),  # measured: a NULL ends the process at registration
    (23, ("GetVendorId", "GetVersion")),
]
_PAIRS = [
    ("CreateAllocator", "ReleaseAllocator", 23),
    ("GetNumCustomOpDomains", "GetCustomOpDomains", 24),
]
_SEMANTIC = re.compile(r"\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?")


class Factory(NamedTuple):
    """A factory of execution providers.

    Attributes
    ----------
    name, vendor : str
        What it says.
    ep_version : str
        The version of the execution provider; "" if its struct is too old to say.
    version : int
        The API version of its struct.
    problems : tuple of str
        What is wrong with it.
    """

    name: str
    vendor: str
    ep_version: str
    version: int
    problems: tuple[str, ...]


def make_factories(api: Api, base: Any, create: Any, end: Any) -> list[Factory]:
    """Make the factories of a library with the core as its host, look at them, and end them."""
    from ortcffi.kernels.host import host_function  # which imports NumPy

    before = live_objects()
    made, count = ffi.new("OrtEpFactory*[]", _MOST), ffi.new("size_t*")
    function = ffi.cast("CreateEpApiFactoriesFn", create)
    logger = host_function("OrtcoreLogger")()
    call(
        api.pointer,
        EP_ENTRY,
        function,
        ffi.from_buffer(b"ortcffi\0"),
        base,
        logger,
        made,
        _MOST,
        count,
    )
    if count[0] > _MOST:
        raise ValueError(f"{EP_ENTRY} says that it made {count[0]} factories; {_MOST} can be")
    factories = [_read(made[i]) for i in range(count[0])]
    seen = set[str]()
    for i, factory in enumerate(factories):
        if factory.name in seen:
            problems = (*factory.problems, "another factory has its name")
            factories[i] = factory._replace(problems=problems)
        seen.add(factory.name)
    if not end:
        raise ValueError(f"it does not define {EP_END}, with which the factories end")
    for i in range(count[0]):
        call(api.pointer, EP_END, ffi.cast("ReleaseEpApiFactoryFn", end), made[i])
    gc.collect()
    if left := left_alive(before):
        told = ", ".join(f"{n} of kind {kind!r}" for kind, n in left.items())
        raise ValueError(f"after {EP_END} it leaves {told}")
    return factories


def _read(factory: Any) -> Factory:
    if not factory:
        return Factory("", "", "", 0, ("it is NULL",))
    version = factory.ort_version_supported
    problems = [] if version >= 22 else [f"its struct has API version {version}; the first is 22"]
    for since, names in _REQUIRED:
        problems += [
            f"{name} is NULL, which ONNX Runtime calls"
            for name in names
            if version >= since and not getattr(factory, name)
        ]
    for one, other, since in _PAIRS:
        if version >= since and bool(getattr(factory, one)) != bool(getattr(factory, other)):
            problems.append(f"it has only one of {one} and {other}")
    name = _text(factory, "GetName", problems)
    vendor = _text(factory, "GetVendor", problems)
    ep_version = _text(factory, "GetVersion", problems) if version >= 23 else ""
    if ep_version and not _SEMANTIC.fullmatch(ep_version):
        problems.append(f"its version {ep_version!r} is no semantic version, such as 1.2.3")
    return Factory(name, vendor, ep_version, version, tuple(problems))


def _text(factory: Any, function: str, problems: list[str]) -> str:
    called = getattr(factory, function)
    if not called:
        return ""
    text = called(factory)
    if not text or not ffi.string(text):
        problems.append(f"{function} answers no text")
        return ""
    found = decode(text)
    if "\ufffd" in found:
        problems.append(f"{function} answers what is not UTF-8")
    return found


def register_with_engine(api: Api, env: Any, path: str) -> None:
    """Register a library with the environment of a real library, and unregister it."""
    name = b"ortcffi-check"
    checked.RegisterExecutionProviderLibrary(api.pointer, env, name, path.encode())
    checked.UnregisterExecutionProviderLibrary(api.pointer, env, name)
