# SPDX-License-Identifier: MIT
"""A library of execution providers, whose functions are called as a host does, at times wrongly."""

import os
import re
import sys
from typing import Any, NamedTuple, Self

from ortcffi._convert import decode
from ortcffi._native import ffi, lib
from ortcffi._table import core_api
from ortcffi.errors import call
from ortcffi.table.load import expose_symbols

EP_ENTRY, EP_END = "CreateEpFactories", "ReleaseEpFactory"
MOST = 4  # factories for which ONNX Runtime has room
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
    """A factory of execution providers."""

    name: str
    vendor: str
    ep_version: str  # of the execution provider; "" if its struct is too old to say
    version: int  # the API version of its struct
    problems: list[str]  # what is wrong with it


def opened(path: str) -> Any:
    """Open a library, which stays open, also where it finds ``OrtGetApiBase`` by its name."""
    reason = ffi.new("char[]", 4096)
    library = lib.ortcffi_library_open(os.fsencode(path), reason, len(reason))
    if not library and "undefined symbol: OrtGetApiBase" in decode(reason):
        expose_symbols()
        sys.stderr.write("it finds OrtGetApiBase by name: it needs ortcffi.expose_symbols()\n")
        library = lib.ortcffi_library_open(os.fsencode(path), reason, len(reason))
    if not library:
        raise OSError(f"it cannot be loaded: {decode(reason)}")
    return library


class FactoryLibrary:
    """The two functions of a library; NULL if the library lacks them."""

    def __init__(self, library: Any) -> None:
        self.create = lib.ortcffi_library_symbol(library, EP_ENTRY.encode())
        self.end = lib.ortcffi_library_symbol(library, EP_END.encode())

    @classmethod
    def open(cls, path: str) -> Self:
        """Open a library, which stays open."""
        return cls(opened(path))

    def make(self, base: Any, logger: Any, room: int = MOST) -> list[Any]:
        """Call ``CreateEpFactories``; the core reads its status."""
        made, count = ffi.new("OrtEpFactory*[]", MOST + 1), ffi.new("size_t*")
        function = ffi.cast("CreateEpApiFactoriesFn", self.create)
        name = ffi.from_buffer(b"ortcffi\0")
        given = (function, name, base, logger, made, room, count)
        call(core_api().pointer, EP_ENTRY, *given)
        if count[0] > room:
            raise ValueError(f"{EP_ENTRY} says that it made {count[0]} factories; {room} can be")
        return [made[i] for i in range(count[0])]

    def release(self, factory: Any) -> None:
        """Call ``ReleaseEpFactory``."""
        if not self.end:
            raise ValueError(f"it does not define {EP_END}, with which the factories end")
        call(core_api().pointer, EP_END, ffi.cast("ReleaseEpApiFactoryFn", self.end), factory)


def make_factories(library: FactoryLibrary, base: Any, logger: Any) -> list[Factory]:
    """Make the factories of a library with the core as its host, look at them, and end them."""
    made = library.make(base, logger)
    factories = list(map(read_factory, made))
    for each in made:
        library.release(each)
    return factories


def read_factory(factory: Any) -> Factory:
    """Return what a factory says, and what is wrong with it."""
    if not factory:
        return Factory("", "", "", 0, ["it is NULL"])
    version = factory.ort_version_supported
    problems = [] if version >= 22 else [f"its struct has API version {version}; the first is 22"]
    problems += missing_functions(factory, version, _REQUIRED)
    for one, other, since in _PAIRS:
        if version >= since and bool(getattr(factory, one)) != bool(getattr(factory, other)):
            problems.append(f"it has only one of {one} and {other}")
    name, vendor = (_text(factory, each, problems) for each in ("GetName", "GetVendor"))
    ep_version = _text(factory, "GetVersion", problems) if version >= 23 else ""
    if ep_version and not _SEMANTIC.fullmatch(ep_version):
        problems.append(f"its version {ep_version!r} is no semantic version, such as 1.2.3")
    return Factory(name, vendor, ep_version, version, problems)


def missing_functions(
    struct: Any, version: int, required: list[tuple[int, tuple[str, ...]]]
) -> list[str]:
    """Return the functions that a struct of a version must have, and that are NULL."""
    names = [name for since, names in required if version >= since for name in names]
    return [f"{n} is NULL, which ONNX Runtime calls" for n in names if not getattr(struct, n)]


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
