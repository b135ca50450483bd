# SPDX-License-Identifier: MIT
"""The names of the official package's module of that name."""

from ortcffi.compat._names import listed, names_of

_NAMES = {
    "_adapters": "AdapterFormat",
    "_binding": "IOBinding",
    "_compiler": "ModelCompiler",
    "_devices": "OrtDevice get_ort_device_type get_vendor_id_for_device_type",
    "_enums": "OrtDeviceVendorId",
    "_providers": "check_and_normalize_provider_args",
    "_session": "InferenceSession Session=InferenceSession",  # officially the base of that
    "_sparse": "SparseTensor",
    "_values": "OrtValue copy_tensors",
}
_PLACES = listed(_NAMES)
__all__ = list(_PLACES)
__getattr__, __dir__ = names_of(__name__, _PLACES)
