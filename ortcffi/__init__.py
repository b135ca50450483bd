# SPDX-License-Identifier: MIT
"""The ONNX Runtime C API in Python: a C core, typed exceptions, aligned memory, any provider."""

from typing import TYPE_CHECKING, Any

from ortcffi._native import ffi, lib
from ortcffi.api import Api, core_api, default_api, init_api
from ortcffi.errors import ErrorCode, OrtError
from ortcffi.key_values import KeyValuePairs
from ortcffi.memory import Allocator, AllocatorStats
from ortcffi.memory_info import AllocatorType, DeviceMemoryType, DeviceType, MemoryInfo, MemType
from ortcffi.status import Status

if TYPE_CHECKING:
    from ortcffi.config import get_include, get_library
    from ortcffi.providers import LibraryNotFound, LoadError, load
    from ortcffi.runtimes import Runtime, find_runtimes

__all__ = [
    "Allocator",
    "AllocatorStats",
    "AllocatorType",
    "Api",
    "DeviceMemoryType",
    "DeviceType",
    "ErrorCode",
    "KeyValuePairs",
    "LibraryNotFound",
    "LoadError",
    "MemType",
    "MemoryInfo",
    "OrtError",
    "Runtime",
    "Status",
    "core_api",
    "default_api",
    "errors",
    "ffi",
    "find_runtimes",
    "get_include",
    "get_library",
    "init_api",
    "lib",
    "load",
]

# Not every program needs these; what needs none should start fast.
_LATER = {
    "config": ("get_include", "get_library"),
    "providers": ("LibraryNotFound", "LoadError", "load"),
    "runtimes": ("Runtime", "find_runtimes"),
}


def __getattr__(name: str) -> Any:
    for module, names in _LATER.items():
        if name in names:
            from importlib import import_module

            value = globals()[name] = getattr(import_module(f"ortcffi.{module}"), name)
            return value
    raise AttributeError(f"module 'ortcffi' has no attribute {name!r}")
