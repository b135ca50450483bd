# SPDX-License-Identifier: MIT
"""Devices and their memory, with the official package's names."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ortcffi._convert import INT32, UINT32
from ortcffi.compat._arguments import INT8, INT16, INT64, SIZE
from ortcffi.compat._arguments import number as whole
from ortcffi.compat._environment import api, env, pairs
from ortcffi.compat._errors import translated
from ortcffi.errors import OrtError
from ortcffi.memory.info import MemoryInfo

if TYPE_CHECKING:
    from ortcffi.arena import ArenaCfg
    from ortcffi.compat._enums import (
        OrtAllocatorType,
        OrtDeviceMemoryType,
        OrtDeviceVendorId,
        OrtMemoryInfoDeviceType,
        OrtMemType,
    )


_CPU, _GPU, _FPGA, _NPU = 0, 1, 2, 3
_NO_ARENA = "Error when creating and registering allocator: "


_KINDS = {"cpu": 0, "cuda": 1, "gpu": 1, "webgpu": 1, "npu": 3, "cann": 3, "dml": 4}
_VENDORS = {"cuda": "NVIDIA", "dml": "MICROSOFT", "cann": "HUAWEI", "webgpu": "NONE"}


def get_ort_device_type(device_type: str) -> int:
    """Return the number of a kind of device."""
    if device_type not in _KINDS:
        raise Exception("Unsupported device type: " + device_type)  # as officially
    return _KINDS[device_type]


def get_vendor_id_for_device_type(device_type: str) -> "OrtDeviceVendorId | None":
    """Return the vendor that the name of a kind of device stands for."""
    name = _VENDORS.get(device_type)
    if name is None:
        return None
    from ortcffi.compat._enums import OrtDeviceVendorId

    return OrtDeviceVendorId[name]


class OrtDevice:
    """Where memory is: a kind of device, a kind of its memory, a vendor, and a number.

    It is made of another one, or of these numbers; the vendor's may be left out.
    """

    _facts: tuple[int, int, int, int]

    def __init__(self, c_ort_device: "OrtDevice | int", *numbers: int) -> None:
        if isinstance(c_ort_device, OrtDevice) and not numbers:
            self._facts = c_ort_device._facts
            return
        if not numbers:
            raise ValueError("c_ort_device must be an OrtDevice")
        if len(numbers) not in (2, 3):
            raise TypeError("incompatible constructor arguments: three or four numbers")
        mem_type, vendor, number = numbers if len(numbers) == 3 else (numbers[0], 0, numbers[1])
        self._facts = (
            whole("device_type", _GPU if c_ort_device == self.dml() else c_ort_device, INT8),
            whole("mem_type", mem_type, INT8),
            whole("vendor_id", vendor, UINT32),
            whole("device_id", number, INT16),
        )

    @staticmethod
    def make(ort_device_name: str, device_id: int, vendor_id: int = -1) -> "OrtDevice":
        """Describe a device by its kind, its number, and its vendor's."""
        kind = get_ort_device_type(ort_device_name)
        if vendor_id < 0:
            vendor_id = get_vendor_id_for_device_type(ort_device_name) or 0
        return OrtDevice(kind, OrtDevice.default_memory(), vendor_id, device_id)

    def _get_c_device(self) -> "OrtDevice":
        return self

    _ort_device = property(_get_c_device)

    def device_type(self) -> int:
        """Return the kind of device."""
        return self._facts[0]

    def mem_type(self) -> int:
        """Return the kind of its memory."""
        return self._facts[1]

    def vendor_id(self) -> int:
        """Return the vendor's PCI number, or 0."""
        return self._facts[2]

    def device_id(self) -> int:
        """Return the device's number."""
        return self._facts[3]

    device_mem_type, device_vendor_id = mem_type, vendor_id

    @staticmethod
    def cpu() -> int:
        """Return the number of this kind of device."""
        return _CPU

    @staticmethod
    def gpu() -> int:
        """Return the number of this kind of device."""
        return _GPU

    @staticmethod
    def fpga() -> int:
        """Return the number of this kind of device."""
        return _FPGA

    @staticmethod
    def npu() -> int:
        """Return the number of this kind of device."""
        return _NPU

    cuda = webgpu = gpu
    cann = npu

    @staticmethod
    def dml() -> int:
        """Return the number of this kind of device."""
        return 4

    @staticmethod
    def default_memory() -> int:
        """Return the number of a device's own memory."""
        return 0


def device_of(device: str | OrtDevice, device_id: int, vendor_id: int = -1) -> OrtDevice:
    """A device: as it is given, or by the name of its kind and the numbers."""
    if isinstance(device, OrtDevice):
        return device
    return OrtDevice.make(device, device_id, vendor_id)


def is_cpu(device: OrtDevice) -> bool:
    """Whether a device's memory is the CPU's own."""
    return device.device_type() == _CPU


def memory_info_of(device: OrtDevice) -> MemoryInfo:
    """A description of a device's memory for the C API."""
    if is_cpu(device):
        return api().cpu_memory_info()
    kind = device.device_type()
    names = {_GPU: "Gpu", _NPU: "Npu", _FPGA: "Fpga"}
    return api().device_memory_info(
        names.get(kind, "Device"),
        kind,
        vendor_id=device.vendor_id(),
        device_id=device.device_id(),
        device_mem_type=device.mem_type(),
    )


class OrtMemoryInfo:
    """A description of where memory is."""

    _info: MemoryInfo

    def __init__(
        self, name: str, allocator_type: "OrtAllocatorType", id_: int, mem_type: "OrtMemType"
    ) -> None:
        kind, purpose = whole("allocator_type", allocator_type), whole("mem_type", mem_type)
        place = whole("id", id_)
        try:
            self._info = api().memory_info(name, kind, place, purpose)
        except OrtError as error:
            raise RuntimeError(str(error)) from None

    @classmethod
    def _of(cls, info: MemoryInfo) -> "OrtMemoryInfo":
        made = cls.__new__(cls)
        made._info = info
        return made

    @staticmethod
    @translated
    def create_v2(  # noqa: PLR0913, PLR0917  # as many as the official function
        name: str,
        device_type: "OrtMemoryInfoDeviceType",
        vendor_id: int,
        device_id: int,
        device_mem_type: "OrtDeviceMemoryType",
        alignment: int,
        allocator_type: "OrtAllocatorType",
    ) -> "OrtMemoryInfo":
        """Describe memory of any device."""
        info = api().device_memory_info(
            name,
            whole("device_type", device_type),
            vendor_id=whole("vendor_id", vendor_id, UINT32),
            device_id=whole("device_id", device_id),
            device_mem_type=whole("device_mem_type", device_mem_type),
            alignment=whole("alignment", alignment, SIZE),
            allocator_type=whole("allocator_type", allocator_type),
        )
        return OrtMemoryInfo._of(info)

    @property
    def name(self) -> str:
        """Its name."""
        return self._info.name

    @property
    def device_id(self) -> int:
        """The device's number."""
        return self._info.id

    @property
    def mem_type(self) -> "OrtMemType":
        """What the memory is for."""
        from ortcffi.compat._enums import OrtMemType

        return OrtMemType(self._info.mem_type)

    @property
    def allocator_type(self) -> "OrtAllocatorType":
        """The kind of allocator."""
        from ortcffi.compat._enums import OrtAllocatorType

        return OrtAllocatorType(self._info.allocator_type)

    @property
    def device_mem_type(self) -> "OrtDeviceMemoryType":
        """Whether the CPU can reach it."""
        from ortcffi.compat._enums import OrtDeviceMemoryType

        return OrtDeviceMemoryType(self._info.device_mem_type)

    @property
    def device_vendor_id(self) -> int:
        """The vendor's PCI number, or 0."""
        return self._info.vendor_id


class OrtArenaCfg:
    """How an arena grows, made of a mapping of these settings or of the first four in order."""

    _NAMES = (
        "max_mem",
        "arena_extend_strategy",
        "initial_chunk_size_bytes",
        "max_dead_bytes_per_chunk",
        "initial_growth_chunk_size_bytes",
        "max_power_of_two_extend_bytes",
    )
    __slots__ = ("__weakref__", *_NAMES)

    max_mem: int
    arena_extend_strategy: int
    initial_chunk_size_bytes: int
    max_dead_bytes_per_chunk: int
    initial_growth_chunk_size_bytes: int
    max_power_of_two_extend_bytes: int

    def __init__(self, *measures: Any) -> None:
        if len(measures) == 1 and isinstance(measures[0], Mapping):
            given = dict(measures[0])
        elif len(measures) == 4:
            given = dict(zip(self._NAMES, measures, strict=False))
        else:
            raise TypeError("incompatible constructor arguments: four numbers or a dict")
        for name in given:
            if name not in self._NAMES:
                raise RuntimeError(f"Invalid OrtArenaCfg option: {name}")
        try:
            for name in self._NAMES:
                setattr(self, name, given.get(name, 0 if name == "max_mem" else -1))
        except TypeError as error:
            if len(measures) == 1:
                raise RuntimeError(str(error)) from None
            raise

    def __setattr__(self, name: str, value: Any) -> None:
        limits = SIZE if name == "max_mem" else INT32
        if name == "max_power_of_two_extend_bytes":
            limits = INT64
        super().__setattr__(name, whole(name, value, limits))

    def _cfg(self) -> "ArenaCfg":
        from ortcffi.arena import ArenaCfg

        def positive(number: int) -> int | None:
            return number if number >= 0 else None

        strategy = {0: "power_of_two", 1: "as_requested"}.get(self.arena_extend_strategy)
        return ArenaCfg(
            api(),
            max_bytes=positive(self.max_mem),
            strategy=strategy,
            initial_chunk_bytes=positive(self.initial_chunk_size_bytes),
            growth_chunk_bytes=positive(self.initial_growth_chunk_size_bytes),
            max_dead_bytes=positive(self.max_dead_bytes_per_chunk),
            max_power_of_two_bytes=positive(self.max_power_of_two_extend_bytes),
        )


def create_and_register_allocator(info: OrtMemoryInfo, cfg: OrtArenaCfg | None, /) -> None:
    """Make an arena and share it between sessions."""
    _share_arena("create_and_register_allocator", info, cfg)


def create_and_register_allocator_v2(
    provider: str, info: OrtMemoryInfo, options: Mapping[str, str], cfg: OrtArenaCfg | None, /
) -> None:
    """Have an execution provider make an allocator, and share it between sessions."""
    _share_arena("create_and_register_allocator_v2", info, cfg, provider, options)


def _share_arena(
    function: str, info: Any, cfg: Any, provider: str | None = None, options: Any = None
) -> None:
    if not isinstance(info, OrtMemoryInfo) or not isinstance(cfg, OrtArenaCfg | None):
        raise TypeError(f"{function}(): incompatible function arguments")
    try:
        measures = None if cfg is None else cfg._cfg()
        env().create_arena(info._info, measures, provider=provider, options=pairs(options))
    except OrtError as error:
        raise RuntimeError(_NO_ARENA + str(error)) from error.__cause__
