# SPDX-License-Identifier: MIT
"""The ONNX Runtime C API in Python: a C core, typed exceptions, aligned memory, any provider.

A module is imported when one of its names is first used, so that the import takes no time.
"""

from typing import Any

__all__ = ["Aligned", "Allocator", "AllocatorStats", "AllocatorType", "Api", "Arena", "ArenaCfg"]
__all__ += ["Characteristic", "CustomOp", "CustomOpDomain", "DeviceMemoryType", "DevicePolicy"]
__all__ += ["DeviceType", "ElementType", "Env", "EpDevice", "ErrorCode", "ExecutionMode"]
__all__ += ["Failing", "FreeDimension", "KeyValuePairs", "Leak", "LibraryNotFound", "Limiting"]
__all__ += ["LoadError", "LogMessage", "LogSeverity", "Logging", "MemType", "MemoryInfo"]
__all__ += ["OpAttr", "OpAttrType", "Operand", "OptimizationLevel", "OrtError"]
__all__ += ["PrepackedWeights", "PythonAllocator", "RunOptions", "Runtime", "Scope"]
__all__ += ["SessionOptions", "SparseFormat", "Status", "TensorTypeInfo", "ThreadFunctions"]
__all__ += ["ThreadingOptions", "Tracking", "TypeInfo", "Value", "ValueKind"]
__all__ += ["available_providers", "build_info", "core_api", "default_api", "emulate", "errors"]
__all__ += ["expose_symbols", "ffi", "find_runtimes", "get_include", "get_library", "init_api"]
__all__ += ["lib", "load", "numpy_allocator", "trace"]

_NAMES = {
    "_native": "ffi lib",
    "adaptors": "Aligned Failing Limiting Logging",
    "api": "Api build_info core_api default_api init_api",
    "arena": "Arena",
    "arena_cfg": "ArenaCfg",
    "config": "get_include get_library",
    "custom_op": "Characteristic CustomOp Operand",
    "custom_ops": "CustomOpDomain",
    "element_types": "ElementType SparseFormat ValueKind",
    "env": "available_providers Env",
    "ep_devices": "EpDevice",
    "errors": "ErrorCode OrtError",
    "hosts": "emulate",
    "key_values": "KeyValuePairs",
    "logs": "LogMessage LogSeverity",
    "memory": "Allocator AllocatorStats",
    "memory_info": "AllocatorType DeviceMemoryType DeviceType MemoryInfo MemType",
    "numpy_memory": "numpy_allocator",
    "op_attr": "OpAttr OpAttrType",
    "options": "DevicePolicy ExecutionMode OptimizationLevel SessionOptions",
    "providers": "LibraryNotFound load LoadError",
    "python_allocator": "PythonAllocator",
    "run_options": "PrepackedWeights RunOptions",
    "runtimes": "find_runtimes Runtime",
    "session_inputs": "FreeDimension",
    "status": "Status",
    "symbols": "expose_symbols",
    "tensor_type_info": "TensorTypeInfo",
    "thread_functions": "ThreadFunctions",
    "threading_options": "ThreadingOptions",
    "tracing": "trace",
    "tracking": "Leak Scope Tracking",
    "type_info": "TypeInfo",
    "value": "Value",
}
_MODULES = {name: module for module, names in _NAMES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name == "errors":
        return import_module("ortcffi.errors")
    if name not in _MODULES:
        raise AttributeError(f"module 'ortcffi' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"ortcffi.{_MODULES[name]}"), name)
    return value


def __dir__() -> list[str]:
    return __all__
