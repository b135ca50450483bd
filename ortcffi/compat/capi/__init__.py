# SPDX-License-Identifier: MIT
"""The modules that programs import from ``onnxruntime.capi``."""

from ortcffi.compat.capi import _pybind_state as _pybind_state
from ortcffi.compat.capi import build_and_package_info as build_and_package_info
from ortcffi.compat.capi import onnxruntime_inference_collection as onnxruntime_inference_collection
from ortcffi.compat.capi import onnxruntime_pybind11_state as onnxruntime_pybind11_state
from ortcffi.compat.capi import onnxruntime_validation as onnxruntime_validation
