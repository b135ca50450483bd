# SPDX-License-Identifier: MIT
"""The modules that programs import from ``onnxruntime.capi``."""

from ortcffi.compat._names import listed, names_of

_NAMES = (
    "_pybind_state build_and_package_info onnxruntime_inference_collection "
    "onnxruntime_pybind11_state onnxruntime_validation"
)
_PLACES = listed({f"capi.{name}": f"{name}=*" for name in _NAMES.split()})
__getattr__, __dir__ = names_of(__name__, _PLACES)
