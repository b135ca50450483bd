# SPDX-License-Identifier: MIT
"""The ONNX Runtime C API in Python: a C core, typed exceptions, aligned memory, any provider.

A module is imported when one of its names is first used, so that the import takes no time.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ortcffi import errors
    from ortcffi._native import ffi, lib
    from ortcffi.adaptors import Aligned, Failing, Limiting, Logging
    from ortcffi.api import Api, core_api, default_api, init_api
    from ortcffi.config import get_include, get_library
    from ortcffi.errors import ErrorCode, OrtError
    from ortcffi.hosts import emulate
    from ortcffi.key_values import KeyValuePairs
    from ortcffi.memory import Allocator, AllocatorStats
    from ortcffi.memory_info import AllocatorType, DeviceMemoryType, DeviceType, MemoryInfo, MemType
    from ortcffi.numpy_memory import numpy_allocator
    from ortcffi.providers import LibraryNotFound, LoadError, load
    from ortcffi.python_allocator import PythonAllocator
    from ortcffi.runtimes import Runtime, find_runtimes
    from ortcffi.status import Status
    from ortcffi.symbols import expose_symbols
    from ortcffi.tracing import trace
    from ortcffi.tracking import Leak, Scope, Tracking

_NAMES = {
    "_native": "ffi lib",
    "adaptors": "Aligned Failing Limiting Logging",
    "api": "Api core_api default_api init_api",
    "config": "get_include get_library",
    "errors": "ErrorCode OrtError",
    "hosts": "emulate",
    "key_values": "KeyValuePairs",
    "memory": "Allocator AllocatorStats",
    "memory_info": "AllocatorType DeviceMemoryType DeviceType MemoryInfo MemType",
    "numpy_memory": "numpy_allocator",
    "providers": "LibraryNotFound LoadError load",
    "python_allocator": "PythonAllocator",
    "runtimes": "Runtime find_runtimes",
    "status": "Status",
    "symbols": "expose_symbols",
    "tracing": "trace",
    "tracking": "Leak Scope Tracking",
}
_MODULES = {name: module for module, names in _NAMES.items() for name in names.split()}
__all__ = ["errors", *_MODULES]  # noqa: PLE0604  # strings all


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name == "errors":
        return import_module("ortcffi.errors")
    if name not in _MODULES:
        raise AttributeError(f"module 'ortcffi' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"ortcffi.{_MODULES[name]}"), name)
    return value
