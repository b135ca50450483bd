# SPDX-License-Identifier: MIT
import contextlib as contextlib

from ortcffi.compat import capi as capi
from ortcffi.compat._adapters import AdapterFormat as AdapterFormat
from ortcffi.compat._binding import IOBinding as IOBinding
from ortcffi.compat._collection import InferenceSession as InferenceSession
from ortcffi.compat._compiler import ModelCompiler as ModelCompiler
from ortcffi.compat._devices import OrtDevice as OrtDevice
from ortcffi.compat._enums import OrtDeviceVendorId as OrtDeviceVendorId
from ortcffi.compat._install import install as install
from ortcffi.compat._model_package import (
    ModelPackageComponentContext as ModelPackageComponentContext,
)
from ortcffi.compat._model_package import (
    ModelPackageContext as ModelPackageContext,
)
from ortcffi.compat._model_package import (
    ModelPackageOptions as ModelPackageOptions,
)
from ortcffi.compat._package import (
    _get_nvidia_dll_paths as _get_nvidia_dll_paths,
)
from ortcffi.compat._package import (
    cuda_version as cuda_version,
)
from ortcffi.compat._package import (
    package_name as package_name,
)
from ortcffi.compat._package import (
    preload_dlls as preload_dlls,
)
from ortcffi.compat._package import (
    print_debug_info as print_debug_info,
)
from ortcffi.compat._package import (
    version as version,
)
from ortcffi.compat._sparse import SparseTensor as SparseTensor
from ortcffi.compat._values import (
    OrtValue as OrtValue,
)
from ortcffi.compat._values import (
    copy_tensors as copy_tensors,
)
from ortcffi.compat.capi import onnxruntime_validation as onnxruntime_validation
from ortcffi.compat.capi.onnxruntime_pybind11_state import (
    ExecutionMode as ExecutionMode,
)
from ortcffi.compat.capi.onnxruntime_pybind11_state import (
    ExecutionOrder as ExecutionOrder,
)
from ortcffi.compat.capi.onnxruntime_pybind11_state import (
    GraphOptimizationLevel as GraphOptimizationLevel,
)
from ortcffi.compat.capi.onnxruntime_pybind11_state import (
    LoraAdapter as LoraAdapter,
)
from ortcffi.compat.capi.onnxruntime_pybind11_state import (
    ModelMetadata as ModelMetadata,
)
from ortcffi.compat.capi.onnxruntime_pybind11_state import (
    NodeArg as NodeArg,
)
from ortcffi.compat.capi.onnxruntime_pybind11_state import (
    OrtAllocatorType as OrtAllocatorType,
)
from ortcffi.compat.capi.onnxruntime_pybind11_state import (
    OrtArenaCfg as OrtArenaCfg,
)
from ortcffi.compat.capi.onnxruntime_pybind11_state import (
    OrtCompileApiFlags as OrtCompileApiFlags,
)
from ortcffi.compat.capi.onnxruntime_pybind11_state import (
    OrtDeviceMemoryType as OrtDeviceMemoryType,
)
from ortcffi.compat.capi.onnxruntime_pybind11_state import (
    OrtEpAssignedNode as OrtEpAssignedNode,
)
from ortcffi.compat.capi.onnxruntime_pybind11_state import (
    OrtEpAssignedSubgraph as OrtEpAssignedSubgraph,
)
from ortcffi.compat.capi.onnxruntime_pybind11_state import (
    OrtEpContextData as OrtEpContextData,
)
from ortcffi.compat.capi.onnxruntime_pybind11_state import (
    OrtEpContextDataBuffer as OrtEpContextDataBuffer,
)
from ortcffi.compat.capi.onnxruntime_pybind11_state import (
    OrtEpDevice as OrtEpDevice,
)
from ortcffi.compat.capi.onnxruntime_pybind11_state import (
    OrtExecutionProviderDevicePolicy as OrtExecutionProviderDevicePolicy,
)
from ortcffi.compat.capi.onnxruntime_pybind11_state import (
    OrtExternalInitializerInfo as OrtExternalInitializerInfo,
)
from ortcffi.compat.capi.onnxruntime_pybind11_state import (
    OrtHardwareDevice as OrtHardwareDevice,
)
from ortcffi.compat.capi.onnxruntime_pybind11_state import (
    OrtHardwareDeviceType as OrtHardwareDeviceType,
)
from ortcffi.compat.capi.onnxruntime_pybind11_state import (
    OrtMemoryInfo as OrtMemoryInfo,
)
from ortcffi.compat.capi.onnxruntime_pybind11_state import (
    OrtMemoryInfoDeviceType as OrtMemoryInfoDeviceType,
)
from ortcffi.compat.capi.onnxruntime_pybind11_state import (
    OrtMemType as OrtMemType,
)
from ortcffi.compat.capi.onnxruntime_pybind11_state import (
    OrtSparseFormat as OrtSparseFormat,
)
from ortcffi.compat.capi.onnxruntime_pybind11_state import (
    OrtSyncStream as OrtSyncStream,
)
from ortcffi.compat.capi.onnxruntime_pybind11_state import (
    RunOptions as RunOptions,
)
from ortcffi.compat.capi.onnxruntime_pybind11_state import (
    SessionIOBinding as SessionIOBinding,
)
from ortcffi.compat.capi.onnxruntime_pybind11_state import (
    SessionOptions as SessionOptions,
)
from ortcffi.compat.capi.onnxruntime_pybind11_state import (
    create_and_register_allocator as create_and_register_allocator,
)
from ortcffi.compat.capi.onnxruntime_pybind11_state import (
    create_and_register_allocator_v2 as create_and_register_allocator_v2,
)
from ortcffi.compat.capi.onnxruntime_pybind11_state import (
    disable_telemetry_events as disable_telemetry_events,
)
from ortcffi.compat.capi.onnxruntime_pybind11_state import (
    enable_telemetry_events as enable_telemetry_events,
)
from ortcffi.compat.capi.onnxruntime_pybind11_state import (
    get_all_providers as get_all_providers,
)
from ortcffi.compat.capi.onnxruntime_pybind11_state import (
    get_available_providers as get_available_providers,
)
from ortcffi.compat.capi.onnxruntime_pybind11_state import (
    get_build_info as get_build_info,
)
from ortcffi.compat.capi.onnxruntime_pybind11_state import (
    get_device as get_device,
)
from ortcffi.compat.capi.onnxruntime_pybind11_state import (
    get_ep_devices as get_ep_devices,
)
from ortcffi.compat.capi.onnxruntime_pybind11_state import (
    get_version_string as get_version_string,
)
from ortcffi.compat.capi.onnxruntime_pybind11_state import (
    has_collective_ops as has_collective_ops,
)
from ortcffi.compat.capi.onnxruntime_pybind11_state import (
    register_execution_provider_library as register_execution_provider_library,
)
from ortcffi.compat.capi.onnxruntime_pybind11_state import (
    set_default_logger_callback as set_default_logger_callback,
)
from ortcffi.compat.capi.onnxruntime_pybind11_state import (
    set_default_logger_severity as set_default_logger_severity,
)
from ortcffi.compat.capi.onnxruntime_pybind11_state import (
    set_default_logger_verbosity as set_default_logger_verbosity,
)
from ortcffi.compat.capi.onnxruntime_pybind11_state import (
    set_global_thread_pool_sizes as set_global_thread_pool_sizes,
)
from ortcffi.compat.capi.onnxruntime_pybind11_state import (
    set_seed as set_seed,
)
from ortcffi.compat.capi.onnxruntime_pybind11_state import (
    unregister_execution_provider_library as unregister_execution_provider_library,
)

import_capi_exception: None
__author__: str
__version__: str
