# SPDX-License-Identifier: MIT
"""The names of the package onnxruntime: ``import ortcffi.compat as onnxruntime``.

`install` has ``import onnxruntime`` give this package, for programs that are not changed.

What stands here is thin: it gives ortcffi's sessions, options and values the official names,
arguments, results and exceptions. The page 'From onnxruntime to ortcffi' says what differs.
A module is imported, and the library loaded, when one of its names is first used.
"""

import contextlib as contextlib
from importlib import import_module as _import_module
from typing import Any as _Any

_NAMES = {
    "_adapters": "AdapterFormat",
    "_binding": "IOBinding SessionIOBinding",
    "_collection": "InferenceSession",
    "_compiler": "ModelCompiler OrtExternalInitializerInfo",
    "_context_data": "OrtEpContextData OrtEpContextDataBuffer",
    "_devices": (
        "OrtDevice OrtArenaCfg OrtMemoryInfo create_and_register_allocator "
        "create_and_register_allocator_v2"
    ),
    "_enums": (
        "OrtAllocatorType OrtCompileApiFlags OrtDeviceMemoryType OrtExecutionProviderDevicePolicy "
        "OrtHardwareDeviceType OrtMemoryInfoDeviceType OrtMemType OrtSparseFormat "
        "OrtDeviceVendorId"
    ),
    "_environment": (
        "disable_telemetry_events enable_telemetry_events get_all_providers "
        "get_available_providers get_build_info get_device get_version_string "
        "has_collective_ops register_execution_provider_library set_global_thread_pool_sizes "
        "set_seed unregister_execution_provider_library"
    ),
    "_install": "install",
    "_hardware": "OrtEpDevice OrtHardwareDevice OrtSyncStream get_ep_devices",
    "_logging": (
        "set_default_logger_callback set_default_logger_severity set_default_logger_verbosity"
    ),
    "_metadata": "ModelMetadata NodeArg OrtEpAssignedNode OrtEpAssignedSubgraph",
    "_model_package": "ModelPackageComponentContext ModelPackageContext ModelPackageOptions",
    "_option_enums": "ExecutionMode ExecutionOrder GraphOptimizationLevel",
    "_options": "LoraAdapter RunOptions SessionOptions",
    "_package": (
        "_get_nvidia_dll_paths cuda_version package_name preload_dlls print_debug_info version"
    ),
    "_sparse": "SparseTensor",
    "_values": "OrtValue copy_tensors",
}
_MODULES = {name: module for module, names in _NAMES.items() for name in names.split()}
_MODULES["__version__"] = "_package"
_SUBMODULES = {"capi": "capi", "onnxruntime_validation": "capi.onnxruntime_validation"}
# Without the one name that the official package has not.
__all__ = [
    name for name in [*_MODULES, *_SUBMODULES] if not name.startswith("_") and name != "install"
]

_MISSING = ("datasets", "quantization", "tools", "transformers")
import_capi_exception = None
__author__ = "Microsoft"  # of what these names are made after


def __getattr__(name: str) -> _Any:
    if name in _SUBMODULES:
        found = _import_module(f"{__name__}.{_SUBMODULES[name]}")
    elif name in _MODULES:
        found = getattr(_import_module(f"{__name__}.{_MODULES[name]}"), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}{_advice(name)}")
    globals()[name] = found
    return found


def _advice(name: str) -> str:
    if name in _MISSING:
        return f": import onnxruntime.{name}, which is the official package's after install() too"
    if name.startswith("ModelPackage"):
        return ": the C API has no functions that write model packages"
    return ""


def __dir__() -> list[str]:
    own = {name for name in globals() if not name.startswith("_") or name.startswith("__")}
    return sorted(own | {*_MODULES, *_SUBMODULES})
