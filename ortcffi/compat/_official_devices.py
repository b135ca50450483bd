# SPDX-License-Identifier: MIT
"""`OrtDevice` as programs see it."""

from ortcffi.compat._devices import OrtDevice as CDevice
from ortcffi.compat._enums import OrtDeviceVendorId

__all__ = ["OrtDevice", "get_ort_device_type", "get_vendor_id_for_device_type"]

_KINDS = {"cpu": 0, "cuda": 1, "gpu": 1, "webgpu": 1, "npu": 3, "cann": 3, "dml": 4}
_VENDORS = {
    "cuda": OrtDeviceVendorId.NVIDIA,
    "dml": OrtDeviceVendorId.MICROSOFT,
    "cann": OrtDeviceVendorId.HUAWEI,
    "webgpu": OrtDeviceVendorId.NONE,
}


def get_ort_device_type(device_type: str) -> int:
    """Return the number of a kind of device."""
    if device_type not in _KINDS:
        raise Exception("Unsupported device type: " + device_type)  # as officially
    return _KINDS[device_type]


def get_vendor_id_for_device_type(device_type: str) -> OrtDeviceVendorId | None:
    """Return the vendor that the name of a kind of device stands for."""
    return _VENDORS.get(device_type)


class OrtDevice:
    """Where memory is."""

    def __init__(self, c_ort_device: CDevice) -> None:
        if not isinstance(c_ort_device, CDevice):
            raise ValueError("c_ort_device must be an OrtDevice of the compiled module")
        self._ort_device = c_ort_device

    def _get_c_device(self) -> CDevice:
        return self._ort_device

    @staticmethod
    def make(ort_device_name: str, device_id: int, vendor_id: int = -1) -> "OrtDevice":
        """Describe a device by its kind, its number, and its vendor's."""
        kind = get_ort_device_type(ort_device_name)
        if vendor_id < 0:
            vendor_id = get_vendor_id_for_device_type(ort_device_name) or 0
        return OrtDevice(CDevice(kind, CDevice.default_memory(), vendor_id, device_id))

    def device_id(self) -> int:
        """Return the device's number."""
        return self._ort_device.device_id()

    def device_type(self) -> int:
        """Return the kind of device."""
        return self._ort_device.device_type()

    def device_vendor_id(self) -> int:
        """Return the vendor's PCI number, or 0."""
        return self._ort_device.vendor_id()

    def device_mem_type(self) -> int:
        """Return the kind of its memory."""
        return self._ort_device.mem_type()
