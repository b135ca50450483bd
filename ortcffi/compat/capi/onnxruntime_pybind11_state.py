# SPDX-License-Identifier: MIT
"""The names of the official package's compiled module."""

from typing import Any

from ortcffi.compat._metadata import (
    OrtEpAssignedNode as OrtEpAssignedNode,
    OrtEpAssignedSubgraph as OrtEpAssignedSubgraph,
)
from ortcffi.compat._adapters import AdapterFormat as AdapterFormat
from ortcffi.compat._binding import SessionIOBinding as SessionIOBinding
from ortcffi.compat._compiler import (
    ModelCompiler as ModelCompiler,
    OrtExternalInitializerInfo as OrtExternalInitializerInfo,
)
from ortcffi.compat._context_data import (
    OrtEpContextData as OrtEpContextData,
    OrtEpContextDataBuffer as OrtEpContextDataBuffer,
)
from ortcffi.compat._devices import (
    OrtArenaCfg as OrtArenaCfg,
    OrtDevice as OrtDevice,
    OrtMemoryInfo as OrtMemoryInfo,
    create_and_register_allocator as create_and_register_allocator,
    create_and_register_allocator_v2 as create_and_register_allocator_v2,
)
from ortcffi.compat._enums import (
    ArenaExtendStrategy as ArenaExtendStrategy,
    OrtAllocatorType as OrtAllocatorType,
    OrtCompileApiFlags as OrtCompileApiFlags,
    OrtCompiledModelCompatibility as OrtCompiledModelCompatibility,
    OrtDeviceEpIncompatibilityReason as OrtDeviceEpIncompatibilityReason,
    OrtDeviceMemoryType as OrtDeviceMemoryType,
    OrtDeviceVendorId as OrtDeviceVendorId,
    OrtExecutionProviderDevicePolicy as OrtExecutionProviderDevicePolicy,
    OrtHardwareDeviceType as OrtHardwareDeviceType,
    OrtMemoryInfoDeviceType as OrtMemoryInfoDeviceType,
    OrtMemType as OrtMemType,
    OrtSparseFormat as OrtSparseFormat,
    kNextPowerOfTwo as kNextPowerOfTwo,
    kSameAsRequested as kSameAsRequested,
)
from ortcffi.compat._environment import (
    disable_telemetry_events as disable_telemetry_events,
    enable_telemetry_events as enable_telemetry_events,
    get_all_providers as get_all_providers,
    get_available_providers as get_available_providers,
    get_build_info as get_build_info,
    get_device as get_device,
    get_version_string as get_version_string,
    has_collective_ops as has_collective_ops,
    register_execution_provider_library as register_execution_provider_library,
    set_global_thread_pool_sizes as set_global_thread_pool_sizes,
    set_seed as set_seed,
    unregister_execution_provider_library as unregister_execution_provider_library,
)
from ortcffi.compat._errors import (
    DeviceReset as DeviceReset,
    EngineError as EngineError,
    EPFail as EPFail,
    Fail as Fail,
    InvalidArgument as InvalidArgument,
    InvalidGraph as InvalidGraph,
    InvalidProtobuf as InvalidProtobuf,
    ModelLoadCanceled as ModelLoadCanceled,
    ModelLoaded as ModelLoaded,
    ModelRequiresCompilation as ModelRequiresCompilation,
    NoModel as NoModel,
    NoSuchFile as NoSuchFile,
    NotFound as NotFound,
    NotImplemented as NotImplemented,
    RuntimeException as RuntimeException,
)
from ortcffi.compat._hardware import (
    OrtEpDevice as OrtEpDevice,
    OrtHardwareDevice as OrtHardwareDevice,
    OrtSyncStream as OrtSyncStream,
    get_compatibility_info_from_model as get_compatibility_info_from_model,
    get_compatibility_info_from_model_bytes as get_compatibility_info_from_model_bytes,
    get_ep_devices as get_ep_devices,
    get_hardware_device_ep_incompatibility_details as get_hardware_device_ep_incompatibility_details,  # noqa: E501
    get_hardware_devices as get_hardware_devices,
    get_model_compatibility_for_ep_devices as get_model_compatibility_for_ep_devices,
)
from ortcffi.compat._logging import (
    set_default_logger_callback as set_default_logger_callback,
    set_default_logger_severity as set_default_logger_severity,
    set_default_logger_verbosity as set_default_logger_verbosity,
)
from ortcffi.compat._metadata import (
    ModelMetadata as ModelMetadata,
    NodeArg as NodeArg,
)
from ortcffi.compat._model_package import (
    ModelPackageComponentContext as ModelPackageComponentContext,
)
from ortcffi.compat._model_package import ModelPackageContext as ModelPackageContext
from ortcffi.compat._model_package import ModelPackageOptions as ModelPackageOptions
from ortcffi.compat._option_enums import (
    ExecutionMode as ExecutionMode,
    ExecutionOrder as ExecutionOrder,
    GraphOptimizationLevel as GraphOptimizationLevel,
)
from ortcffi.compat._options import (
    LoraAdapter as LoraAdapter,
    RunOptions as RunOptions,
    SessionOptions as SessionOptions,
    get_default_session_options as get_default_session_options,
)
from ortcffi.compat._session import InferenceSession as InferenceSession
from ortcffi.compat._sparse import (
    CSparseTensor as SparseTensor,  # noqa: F401  # handed on
    SparseBlockSparseView as SparseBlockSparseView,
    SparseCooView as SparseCooView,
    SparseCsrView as SparseCsrView,
)
from ortcffi.compat._values import (
    OrtValue as OrtValue,
    OrtValueVector as OrtValueVector,
    copy_tensors as copy_tensors,
    is_dlpack_uint8_tensor as is_dlpack_uint8_tensor,
)

# The C API has no functions for these: they are those of the installed package.
_OFFICIAL = {
    *("get_all_operator_schema", "get_all_opkernel_def", "opkernel", "schemadef"),
    *("quantize_matmul_2bits", "quantize_matmul_4bits", "quantize_matmul_8bits"),
    *("quantize_matmul_bnb4", "quantize_qdq_matmul_2bits", "quantize_qdq_matmul_4bits"),
    "pack_fp4_weights_for_cuda_moe_gemm",
}


def __getattr__(name: str) -> Any:
    reason = ""
    if name in _OFFICIAL:
        from ortcffi.compat._install import compiled_module

        try:
            return getattr(compiled_module(), name)
        except (ImportError, AttributeError) as error:
            reason = f": it is the official package's: {error}"
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}{reason}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_OFFICIAL})
