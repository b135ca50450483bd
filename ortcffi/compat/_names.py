# SPDX-License-Identifier: MIT
"""The public names, and modules that import another one when a name of it is first used."""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

# Packages in Python that are the installed one's, over the sessions of this one.
TOOLS = ("backend", "datasets", "quantization", "tools", "transformers")

NAMES = {  # of the package, by the module that has them; NAME=OTHER has another name there
    "_adapters": "AdapterFormat",
    "_binding": "IOBinding SessionIOBinding",
    "_compiler": "ModelCompiler OrtExternalInitializerInfo",
    "_context_data": "OrtEpContextData OrtEpContextDataBuffer",
    "_devices": (
        "OrtDevice OrtArenaCfg OrtMemoryInfo create_and_register_allocator "
        "create_and_register_allocator_v2"
    ),
    "_enums": (
        "ExecutionMode ExecutionOrder GraphOptimizationLevel OrtAllocatorType OrtCompileApiFlags "
        "OrtDeviceMemoryType OrtDeviceVendorId OrtExecutionProviderDevicePolicy "
        "OrtHardwareDeviceType OrtMemoryInfoDeviceType OrtMemType OrtSparseFormat"
    ),
    "_environment": (
        "disable_telemetry_events enable_telemetry_events get_all_providers "
        "get_available_providers get_build_info get_device get_version_string "
        "has_collective_ops register_execution_provider_library set_global_thread_pool_sizes "
        "set_seed unregister_execution_provider_library"
    ),
    "_hardware": "OrtEpDevice OrtHardwareDevice OrtSyncStream get_ep_devices",
    "_install": "install",
    "_logging": (
        "set_default_logger_callback set_default_logger_severity set_default_logger_verbosity"
    ),
    "_metadata": "ModelMetadata NodeArg OrtEpAssignedNode OrtEpAssignedSubgraph",
    "_model_package": "ModelPackageComponentContext ModelPackageContext ModelPackageOptions",
    "_options": "LoraAdapter RunOptions SessionOptions",
    "_package": (
        "_get_nvidia_dll_paths cuda_version package_name preload_dlls print_debug_info version "
        "__version__=version"
    ),
    "_session": "InferenceSession",
    "_sparse": "SparseTensor",
    "_values": "OrtValue copy_tensors",
    "capi": "capi=*",
    "capi.onnxruntime_validation": "onnxruntime_validation=*",
}


def listed(names: Mapping[str, str]) -> dict[str, str]:
    """By name where it is from; ``NAME=OTHER`` in a list has another name there."""
    found = {}
    for module, text in names.items():
        for each in text.split():
            name, _, other = each.partition("=")
            found[name] = f"{module}:{other or name}"
    return found


def names_of(
    module: str, places: Mapping[str, str], why_not: Callable[[str], str] = lambda _: ""
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Get the functions ``__getattr__`` and ``__dir__`` of a module whose names are from others."""
    own = vars(sys.modules[module])

    def get(name: str) -> Any:
        if name not in places:
            raise AttributeError(f"module {module!r} has no attribute {name!r}{why_not(name)}")
        source, _, other = places[name].partition(":")
        found = import_module(f"ortcffi.compat.{source}")
        own[name] = found if other == "*" else getattr(found, other)
        return own[name]

    def names() -> list[str]:
        mine = {name for name in own if not name.startswith("_") or name.startswith("__")}
        return sorted(mine | places.keys())

    return get, names
