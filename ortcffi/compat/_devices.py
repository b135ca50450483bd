# SPDX-License-Identifier: MIT
"""Devices and their memory, with the official package's names."""

from collections.abc import Mapping
from typing import Any

from ortcffi._convert import INT32, UINT32
from ortcffi.compat._arguments import INT8, INT16, INT64, SIZE
from ortcffi.compat._arguments import number as whole
from ortcffi.compat._delegates import fact, returned
from ortcffi.compat._environment import api, env, pairs
from ortcffi.compat._errors import as_runtime_error, translated
from ortcffi.errors import OrtError
from ortcffi.memory.info import MemoryInfo

_CPU, _GPU, _FPGA, _NPU, _DML = range(5)
_KINDS = {"cpu": _CPU, "cuda": _GPU, "gpu": _GPU, "webgpu": _GPU, "npu": _NPU, "cann": _NPU}
_KINDS["dml"] = _DML
_VENDORS = {"cuda": "NVIDIA", "dml": "MICROSOFT", "cann": "HUAWEI", "webgpu": "NONE"}


def get_ort_device_type(device_type: str) -> int:
    if device_type not in _KINDS:
        raise Exception("Unsupported device type: " + device_type)  # as officially
    return _KINDS[device_type]


def get_vendor_id_for_device_type(device_type: str) -> Any:
    """Return the `OrtDeviceVendorId` that the name of a kind of device stands for, or None."""
    name = _VENDORS.get(device_type)
    if name is None:
        return None
    from ortcffi.compat._enums import OrtDeviceVendorId

    return OrtDeviceVendorId[name]


def _number(number: int) -> Any:
    return staticmethod(lambda: number)


class OrtDevice:
    """Where memory is: a kind of device, a kind of its memory, a vendor, and a number.

    It is made of another one, or of these numbers; the vendor's may be left out.
    """

    def __init__(self, c_ort_device: "OrtDevice | int", *numbers: int) -> None:
        if isinstance(c_ort_device, OrtDevice) and not numbers:
            vars(self).update(vars(c_ort_device))
            return
        if not numbers:
            raise ValueError("c_ort_device must be an OrtDevice")
        if len(numbers) not in (2, 3):
            raise TypeError("incompatible constructor arguments: three or four numbers")
        mem_type, vendor, number = numbers if len(numbers) == 3 else (numbers[0], 0, numbers[1])
        self._kind = whole("device_type", _GPU if c_ort_device == _DML else c_ort_device, INT8)
        self._mem_type = whole("mem_type", mem_type, INT8)
        self._vendor = whole("vendor_id", vendor, UINT32)
        self._id = whole("device_id", number, INT16)

    @staticmethod
    def make(ort_device_name: str, device_id: int, vendor_id: int = -1) -> "OrtDevice":
        kind = get_ort_device_type(ort_device_name)
        if vendor_id < 0:
            vendor_id = get_vendor_id_for_device_type(ort_device_name) or 0
        return OrtDevice(kind, 0, vendor_id, device_id)

    def _get_c_device(self) -> "OrtDevice":
        return self

    _ort_device = property(_get_c_device)
    device_type = returned("_kind")
    mem_type = device_mem_type = returned("_mem_type")
    vendor_id = device_vendor_id = returned("_vendor")
    device_id = returned("_id")
    cpu, fpga, dml, default_memory = map(_number, (_CPU, _FPGA, _DML, 0))
    gpu = cuda = webgpu = _number(_GPU)
    npu = cann = _number(_NPU)


def device_of(device: str | OrtDevice, device_id: int, vendor_id: int = -1) -> OrtDevice:
    """Return a device: as it is given, or by the name of its kind and the numbers."""
    if isinstance(device, OrtDevice):
        return device
    return OrtDevice.make(device, device_id, vendor_id)


def is_cpu(device: OrtDevice) -> bool:
    """Whether a device's memory is the CPU's own."""
    return device._kind == _CPU


def memory_info_of(device: OrtDevice) -> MemoryInfo:
    """Return a description of a device's memory for the C API."""
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

    @as_runtime_error
    def __init__(self, name: str, allocator_type: int, id_: int, mem_type: int) -> None:
        kind, purpose = whole("allocator_type", allocator_type), whole("mem_type", mem_type)
        place = whole("id", id_)
        self._info = api().memory_info(name, kind, place, purpose)

    @classmethod
    def _of(cls, info: MemoryInfo) -> "OrtMemoryInfo":
        made = cls.__new__(cls)
        made._info = info
        return made

    @staticmethod
    @translated
    def create_v2(  # noqa: PLR0913, PLR0917  # as many as the official function
        name: str,
        device_type: int,
        vendor_id: int,
        device_id: int,
        device_mem_type: int,
        alignment: int,
        allocator_type: int,
    ) -> "OrtMemoryInfo":
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

    name = fact("_info.name")
    device_id = fact("_info.id")
    mem_type = fact("_info.mem_type", "OrtMemType")
    allocator_type = fact("_info.allocator_type", "OrtAllocatorType")
    device_mem_type = fact("_info.device_mem_type", "OrtDeviceMemoryType")
    device_vendor_id = fact("_info.vendor_id")


# The settings of an arena with their limits, and with their names in ortcffi.
_ARENA = {
    "max_mem": (SIZE, "max_bytes"),
    "arena_extend_strategy": (INT32, "strategy"),
    "initial_chunk_size_bytes": (INT32, "initial_chunk_bytes"),
    "max_dead_bytes_per_chunk": (INT32, "max_dead_bytes"),
    "initial_growth_chunk_size_bytes": (INT32, "growth_chunk_bytes"),
    "max_power_of_two_extend_bytes": (INT64, "max_power_of_two_bytes"),
}


class OrtArenaCfg:
    """How an arena grows, made of a mapping of these settings or of the first four in order."""

    __slots__ = ("__weakref__", *_ARENA)

    def __init__(self, *measures: Any) -> None:
        if len(measures) == 1 and isinstance(measures[0], Mapping):
            given = dict(measures[0])
        elif len(measures) == 4:
            given = dict(zip(_ARENA, measures, strict=False))
        else:
            raise TypeError("incompatible constructor arguments: four numbers or a dict")
        for name in given:
            if name not in _ARENA:
                raise RuntimeError(f"Invalid OrtArenaCfg option: {name}")
        try:
            for name in _ARENA:
                setattr(self, name, given.get(name, 0 if name == "max_mem" else -1))
        except TypeError as error:
            if len(measures) == 1:
                raise RuntimeError(str(error)) from None
            raise

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, whole(name, value, _ARENA.get(name, (INT32, ""))[0]))

    def _cfg(self) -> Any:
        from ortcffi.arena import ArenaCfg

        given: dict[str, Any] = {ours: getattr(self, name) for name, (_, ours) in _ARENA.items()}
        strategy = {0: "power_of_two", 1: "as_requested"}.get(given.pop("strategy"))
        measures = {name: number for name, number in given.items() if number >= 0}
        return ArenaCfg(api(), strategy=strategy, **measures)


def create_and_register_allocator(info: OrtMemoryInfo, cfg: OrtArenaCfg | None, /) -> None:
    _share_arena("create_and_register_allocator", info, cfg)


def create_and_register_allocator_v2(
    provider: str, info: OrtMemoryInfo, options: Mapping[str, str], cfg: OrtArenaCfg | None, /
) -> None:
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
        before = "Error when creating and registering allocator: "
        raise RuntimeError(before + str(error)) from error.__cause__
