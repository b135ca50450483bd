# SPDX-License-Identifier: MIT
"""The names of the official package's compiled module."""

from ortcffi.compat._names import NAMES, listed, names_of

_NAMES = {  # that the package has not, or of other classes
    "_enums": (
        "ArenaExtendStrategy OrtCompiledModelCompatibility OrtDeviceEpIncompatibilityReason "
        "kNextPowerOfTwo kSameAsRequested"
    ),
    "_errors": (
        "DeviceReset EPFail EngineError Fail InvalidArgument InvalidGraph InvalidProtobuf "
        "ModelLoadCanceled ModelLoaded ModelRequiresCompilation NoModel NoSuchFile NotFound "
        "NotImplemented RuntimeException"
    ),
    "_hardware": (
        "get_compatibility_info_from_model get_compatibility_info_from_model_bytes "
        "get_hardware_device_ep_incompatibility_details get_hardware_devices "
        "get_model_compatibility_for_ep_devices"
    ),
    # The C API has no functions for these: they are those of the installed package.
    "_install": (
        "get_all_operator_schema get_all_opkernel_def opkernel schemadef quantize_matmul_2bits "
        "quantize_matmul_4bits quantize_matmul_8bits quantize_matmul_bnb4 "
        "quantize_qdq_matmul_2bits quantize_qdq_matmul_4bits pack_fp4_weights_for_cuda_moe_gemm"
    ),
    "_options": "get_default_session_options=SessionOptions",
    "_session": "InferenceSession=CSession",
    "_sparse": "SparseTensor=CSparseTensor SparseBlockSparseView SparseCooView SparseCsrView",
    "_values": "OrtValueVector is_dlpack_uint8_tensor",
}
_ELSEWHERE = {"_install", "_package", "capi", "capi.onnxruntime_validation"}
_PLACES = listed({module: names for module, names in NAMES.items() if module not in _ELSEWHERE})
_PLACES |= listed(_NAMES)
__all__ = [name for name, place in _PLACES.items() if not place.startswith("_install")]
__getattr__, __dir__ = names_of(__name__, _PLACES)
