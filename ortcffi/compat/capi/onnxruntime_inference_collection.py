# SPDX-License-Identifier: MIT
"""The names of the official package's module of that name."""

from ortcffi.compat._adapters import AdapterFormat
from ortcffi.compat._binding import IOBinding
from ortcffi.compat._collection import InferenceSession, Session
from ortcffi.compat._compiler import ModelCompiler
from ortcffi.compat._devices import (
    OrtDevice,
    get_ort_device_type,
    get_vendor_id_for_device_type,
)
from ortcffi.compat._enums import OrtDeviceVendorId
from ortcffi.compat._providers import check_and_normalize_provider_args
from ortcffi.compat._sparse import SparseTensor
from ortcffi.compat._values import OrtValue, copy_tensors

__all__ = [
    "AdapterFormat",
    "IOBinding",
    "InferenceSession",
    "ModelCompiler",
    "OrtDevice",
    "OrtDeviceVendorId",
    "OrtValue",
    "Session",
    "SparseTensor",
    "check_and_normalize_provider_args",
    "copy_tensors",
    "get_ort_device_type",
    "get_vendor_id_for_device_type",
]
