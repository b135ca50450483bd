# SPDX-License-Identifier: MIT
"""The names of the package onnxruntime: ``import ortcffi.compat as onnxruntime``.

What stands here is thin: it gives ortcffi's sessions, options and values the official names,
arguments, results and exceptions. The page 'From onnxruntime to ortcffi' says what differs.
"""

import contextlib as contextlib
import typing as _typing

from ortcffi.compat import capi as capi
from ortcffi.compat._adapters import AdapterFormat as AdapterFormat
from ortcffi.compat._binding import IOBinding as IOBinding
from ortcffi.compat._collection import InferenceSession as InferenceSession
from ortcffi.compat._compiler import ModelCompiler as ModelCompiler
from ortcffi.compat._devices import OrtDevice as OrtDevice
from ortcffi.compat._package import (
    _get_nvidia_dll_paths as _get_nvidia_dll_paths,
    cuda_version as cuda_version,
    package_name as package_name,
    preload_dlls as preload_dlls,
    print_debug_info as print_debug_info,
    version as version,
)
from ortcffi.compat._sparse import SparseTensor as SparseTensor
from ortcffi.compat._values import (
    OrtValue as OrtValue,
    copy_tensors as copy_tensors,
)
from ortcffi.compat.capi import onnxruntime_validation as onnxruntime_validation
from ortcffi.compat.capi.onnxruntime_pybind11_state import (
    ExecutionMode as ExecutionMode,
    ExecutionOrder as ExecutionOrder,
    GraphOptimizationLevel as GraphOptimizationLevel,
    LoraAdapter as LoraAdapter,
    ModelMetadata as ModelMetadata,
    NodeArg as NodeArg,
    OrtAllocatorType as OrtAllocatorType,
    OrtArenaCfg as OrtArenaCfg,
    OrtCompileApiFlags as OrtCompileApiFlags,
    OrtDeviceMemoryType as OrtDeviceMemoryType,
    OrtEpAssignedNode as OrtEpAssignedNode,
    OrtEpAssignedSubgraph as OrtEpAssignedSubgraph,
    OrtEpContextData as OrtEpContextData,
    OrtEpContextDataBuffer as OrtEpContextDataBuffer,
    OrtEpDevice as OrtEpDevice,
    OrtExecutionProviderDevicePolicy as OrtExecutionProviderDevicePolicy,
    OrtExternalInitializerInfo as OrtExternalInitializerInfo,
    OrtHardwareDevice as OrtHardwareDevice,
    OrtHardwareDeviceType as OrtHardwareDeviceType,
    OrtMemoryInfo as OrtMemoryInfo,
    OrtMemoryInfoDeviceType as OrtMemoryInfoDeviceType,
    OrtMemType as OrtMemType,
    OrtSparseFormat as OrtSparseFormat,
    OrtSyncStream as OrtSyncStream,
    RunOptions as RunOptions,
    SessionIOBinding as SessionIOBinding,
    SessionOptions as SessionOptions,
    create_and_register_allocator as create_and_register_allocator,
    create_and_register_allocator_v2 as create_and_register_allocator_v2,
    disable_telemetry_events as disable_telemetry_events,
    enable_telemetry_events as enable_telemetry_events,
    get_all_providers as get_all_providers,
    get_available_providers as get_available_providers,
    get_build_info as get_build_info,
    get_device as get_device,
    get_ep_devices as get_ep_devices,
    get_version_string as get_version_string,
    has_collective_ops as has_collective_ops,
    register_execution_provider_library as register_execution_provider_library,
    set_default_logger_callback as set_default_logger_callback,
    set_default_logger_severity as set_default_logger_severity,
    set_default_logger_verbosity as set_default_logger_verbosity,
    set_global_thread_pool_sizes as set_global_thread_pool_sizes,
    set_seed as set_seed,
    unregister_execution_provider_library as unregister_execution_provider_library,
)

OrtDeviceVendorId = capi.onnxruntime_pybind11_state.OrtDeviceVendorId
import_capi_exception = None
__author__ = "Microsoft"  # of what these names are made after
__version__ = version


_MISSING = ("datasets", "quantization", "tools", "transformers")

if not _typing.TYPE_CHECKING:  # a type checker would take every name for one that is there

    def __getattr__(name: str) -> _typing.NoReturn:
        advice = ""
        if name in _MISSING:
            advice = f": import onnxruntime.{name} of the official package"
        elif name.startswith("ModelPackage"):
            advice = ": the C API has no functions for model packages at version 30"
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}{advice}")


def __dir__() -> list[str]:
    return sorted(name for name in globals() if not _is_own(name))


def _is_own(name: str) -> bool:
    """Whether a name is that of a module of this package, which the official one does not have."""
    return name.startswith("_") and not name.startswith("__")
