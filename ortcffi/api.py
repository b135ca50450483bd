# SPDX-License-Identifier: MIT
"""`Api`: one function table and what can be made with it; the default table of the process."""

import os
from collections.abc import Iterable, Mapping
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

from ortcffi._native import INT32, SIZE, UINT32, decode, encode, ffi, integer, lib
from ortcffi.errors import NotImplemented, check, fail
from ortcffi.key_values import KeyValuePairs
from ortcffi.memory import Allocator
from ortcffi.memory_info import AllocatorType, DeviceMemoryType, DeviceType, MemoryInfo, MemType
from ortcffi.status import Status

if TYPE_CHECKING:
    from ortcffi._ort import OrtApi, OrtApiBase
    from ortcffi._value_type import Maker

__all__ = ["Api", "build_info", "core_api", "default_api", "init_api"]


@cache
def _slots() -> dict[str, int]:
    """The API version that each slot came with."""
    rows = (lib.ortcffi_slot_row(i) for i in range(lib.ORTCFFI_SLOTS))
    return {decode(row.name): row.since for row in rows}


class Api:
    """One function table of the ONNX Runtime C API. Equal if it is the same table.

    Made by `default_api`, `core_api`, `load`. Its methods make objects that belong to it.

    Parameters
    ----------
    pointer : cdata of ``const OrtApi *``
        The table, valid until the process ends.
    version : int
        The API version that it was asked for: the table has the slots up to this version.
    version_string : str
        What ``GetVersionString`` answered.
    path : str, optional
        The library's path; None for the embedded core.
    base : cdata of ``const OrtApiBase *``, optional
        Where the table came from: what ``RegisterCustomOps`` takes.
    """

    def __init__(
        self,
        pointer: "OrtApi",
        *,
        version: int,
        version_string: str,
        path: str | None = None,
        base: "OrtApiBase | None" = None,
    ) -> None:
        self.base = base
        self.pointer = pointer
        self.version = version
        self.version_string = version_string
        self.path = path

    def supports(self, slot: str) -> bool:
        """Whether the table has a slot.

        The core has all; those that need an inference engine answer with `NotImplemented`.

        Parameters
        ----------
        slot : str
            The name of a function of the C API, such as ``"CreateMemoryInfo_V2"``.

        Raises
        ------
        LookupError
            No API version up to 30 has such a slot.
        """
        since = _slots().get(slot)
        if since is None:
            raise LookupError(f"slot {slot!r} is in no API version up to {lib.ORTCFFI_API_VERSION}")
        return since <= self.version

    def require(self, slot: str) -> None:
        """Raise `NotImplemented` unless the table has a slot. Beyond its end there is no table."""
        if self.version < lib.ORTCFFI_API_VERSION and not self.supports(slot):
            raise NotImplemented(
                f"{slot} came with API version {_slots()[slot]}; this table has {self.version}",
                slot,
            )

    @property
    def build_info(self) -> str:
        """Free text about the build. API function: ``GetBuildInfoString``, since version 15."""
        self.require("GetBuildInfoString")
        return decode(lib.GetBuildInfoString(self.pointer))

    @cached_property
    def default_allocator(self) -> Allocator:
        """The library's allocator for the CPU. API function: ``GetAllocatorWithDefaultOptions``."""
        out = ffi.new("OrtAllocator**")
        status = lib.GetAllocatorWithDefaultOptions(self.pointer, out)
        check(self.pointer, status, "GetAllocatorWithDefaultOptions")
        return Allocator(self, out[0])

    @cached_property
    def _maker(self) -> "Maker":
        from ortcffi.value_base import maker_of

        return maker_of(self)

    def memory_info(
        self,
        name: str,
        allocator_type: int = AllocatorType.DEVICE,
        id: int = 0,  # noqa: A002
        mem_type: int = MemType.DEFAULT,
    ) -> MemoryInfo:
        """Describe memory of a device that the library knows by name.

        Parameters
        ----------
        name : str
            ``"Cpu"``, ``"Cuda"``, ``"CudaPinned"``, ``"DML"`` and others; upper and lower case
            differ.
        allocator_type : AllocatorType, optional
            The kind of allocator.
        id : int, optional
            The device's number, of which libraries keep 16 bits. The CPU has only 0.
        mem_type : MemType, optional
            What the memory is for.

        Raises
        ------
        InvalidArgument
            The library does not know the name.

        Notes
        -----
        API function: ``CreateMemoryInfo``.
        """
        out = ffi.new("OrtMemoryInfo**")
        text, kind = encode("name", name), integer("allocator_type", allocator_type)
        number, purpose = integer("id", id), integer("mem_type", mem_type)
        if status := lib.CreateMemoryInfo(self.pointer, text, kind, number, purpose, out):
            fail(self.pointer, status, "CreateMemoryInfo")
        return MemoryInfo(self, out[0])

    def cpu_memory_info(
        self, allocator_type: int = AllocatorType.DEVICE, mem_type: int = MemType.DEFAULT
    ) -> MemoryInfo:
        """Describe memory of the CPU. API function: ``CreateCpuMemoryInfo``."""
        out = ffi.new("OrtMemoryInfo**")
        kind, purpose = integer("allocator_type", allocator_type), integer("mem_type", mem_type)
        if status := lib.CreateCpuMemoryInfo(self.pointer, kind, purpose, out):
            fail(self.pointer, status, "CreateCpuMemoryInfo")
        return MemoryInfo(self, out[0])

    def device_memory_info(  # noqa: PLR0913  # as many as the C function
        self,
        name: str,
        device_type: int = DeviceType.CPU,
        *,
        vendor_id: int = 0,
        device_id: int = 0,
        device_mem_type: int = DeviceMemoryType.DEFAULT,
        alignment: int = 0,
        allocator_type: int = AllocatorType.DEVICE,
    ) -> MemoryInfo:
        """Describe memory of any device.

        Parameters
        ----------
        name : str
            Any name.
        device_type : DeviceType, optional
            CPU, GPU or NPU.
        vendor_id : int, optional
            The vendor's PCI number, 32 bits.
        device_id : int, optional
            The device's number, of which libraries keep 16 bits.
        device_mem_type : DeviceMemoryType, optional
            Whether the CPU reaches the memory.
        alignment : int, optional
            What addresses are a multiple of, in bytes; 0 for whatever is usual.
        allocator_type : AllocatorType, optional
            The kind of allocator.

        Notes
        -----
        API function: ``CreateMemoryInfo_V2``, since version 23.
        """
        self.require("CreateMemoryInfo_V2")
        out = ffi.new("OrtMemoryInfo**")
        status = lib.CreateMemoryInfo_V2(
            self.pointer,
            encode("name", name),
            integer("device_type", device_type, UINT32),
            integer("vendor_id", vendor_id, UINT32),
            integer("device_id", device_id, INT32),
            integer("device_mem_type", device_mem_type, UINT32),
            integer("alignment", alignment, SIZE),
            integer("allocator_type", allocator_type),
            out,
        )
        check(self.pointer, status, "CreateMemoryInfo_V2")
        return MemoryInfo(self, out[0])

    def status(self, code: int, message: str = "") -> Status:
        """Make a `Status`."""
        return Status(code, message, self)

    def key_values(
        self, pairs: Mapping[str, str] | Iterable[tuple[str, str]] = ()
    ) -> KeyValuePairs:
        """Make `KeyValuePairs`."""
        return KeyValuePairs(pairs, self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Api) and bool(self.pointer == other.pointer)

    def __hash__(self) -> int:
        return hash(self.pointer)

    def __repr__(self) -> str:
        place = "the embedded core" if self.path is None else self.path
        return f"<Api {self.version} of {place}, {self.version_string!r}>"


# --- the default of the process -------------------------------------------------------------------

MANUAL_INIT = "ORTCFFI_MANUAL_INIT"
_chosen: Api | None = None
_manual = os.environ.get(MANUAL_INIT, "") not in ("", "0")


@cache
def core_api() -> Api:
    """The table of the embedded core. API functions: ``GetApi``, ``GetVersionString``."""
    base: Any = lib.ortcffi_core_api_base()
    version = lib.ORTCFFI_API_VERSION
    version_string = decode(base.GetVersionString())
    return Api(base.GetApi(version), version=version, version_string=version_string, base=base)


def build_info() -> str:
    """What the embedded core was built with: compiler, flags, and the allocator in use.

    The same text as `core_api` has in `Api.build_info`.
    """
    return core_api().build_info


def default_api() -> Api:
    """The process's default table: what `init_api` chose, or the embedded core.

    Raises
    ------
    RuntimeError
        The environment variable ``ORTCFFI_MANUAL_INIT`` was 1 when this package was imported, and
        `init_api` has not been called.
    """
    if _chosen is None:
        if _manual:
            raise RuntimeError(
                f"{MANUAL_INIT} is set, so no API is chosen by itself: call ortcffi.init_api first"
            )
        return init_api()
    return _chosen


def init_api(api: Api | None = None) -> Api:
    """Choose the process's default table.

    Objects that exist keep theirs.

    Parameters
    ----------
    api : Api, optional
        By default the embedded core's.

    Returns
    -------
    Api
        The new default.
    """
    global _chosen  # noqa: PLW0603  # a choice of the whole process
    if api is not None and not isinstance(api, Api):
        raise TypeError(f"api must be an Api, not {type(api).__name__}")
    _chosen = core_api() if api is None else api
    return _chosen
