# SPDX-License-Identifier: MIT
"""`Api`: one function table and what can be made with it; the default table of the process."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ortcffi._convert import INT32, SIZE, UINT32, decode, encode, integer
from ortcffi._native import ffi, lib
from ortcffi._public import public
from ortcffi._table import Table, core_api
from ortcffi.errors import check
from ortcffi.memory.info import MemoryInfo

if TYPE_CHECKING:
    from ortcffi.memory.allocator import Allocator
    from ortcffi.status import KeyValuePairs, Status


@public
class Api(Table):
    """One function table of the ONNX Runtime C API. Equal if it is the same table.

    Made by `default_api`, `core_api`, `load`. Its methods make objects that belong to it.

    Attributes
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
    library : hashable
        Equal for tables of one library, and different for those of two.
    is_core : bool
        Whether the functions are the embedded core's, also behind an emulation or a trace. It says
        whose the objects are: the core's functions beyond the C API read only its own. `supports`
        says what a table can do.
    """

    @property
    def build_info(self) -> str:
        """Free text about the build. API function: ``GetBuildInfoString``, since version 15."""
        self.require("GetBuildInfoString")
        return decode(lib.GetBuildInfoString(self.pointer))

    @property
    def default_allocator(self) -> "Allocator":
        """The library's allocator for the CPU. API function: ``GetAllocatorWithDefaultOptions``."""
        # Not a cached_property: its lock could be held by another thread during a fork.
        found: Allocator | None = self.__dict__.get("_default_allocator")
        if found is None:
            found = self.__dict__.setdefault("_default_allocator", self._find_default())
        return found

    def _find_default(self) -> "Allocator":
        from ortcffi.memory.allocator import Allocator  # which imports NumPy

        if lib.ortcffi_is_table_of_kernels(self.pointer):  # it would give the running kernel's
            return Allocator(self, core_api().default_allocator.handle)
        out = ffi.new("OrtAllocator**")
        check(self.pointer, lib.GetAllocatorWithDefaultOptions(self.pointer, out))
        return Allocator(self, out[0])

    def memory_info(
        self,
        name: str,
        allocator_type: int = lib.OrtDeviceAllocator,
        id: int = 0,  # noqa: A002
        mem_type: int = lib.OrtMemTypeDefault,
    ) -> MemoryInfo:
        """Describe memory of a device that the library knows by name.

        API function: ``CreateMemoryInfo``.

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
        """
        text, kind = encode("name", name), integer("allocator_type", allocator_type)
        number, purpose = integer("id", id), integer("mem_type", mem_type)
        made, out = MemoryInfo._blank(self)
        status = lib.CreateMemoryInfo(self.pointer, text, kind, number, purpose, out)
        check(self.pointer, status)
        made._open_handle()
        return made

    def _memory_info(self, slot: str, *arguments: Any) -> MemoryInfo:
        return MemoryInfo.__new__(MemoryInfo)._create(self, slot, *arguments)

    def cpu_memory_info(
        self, allocator_type: int = lib.OrtDeviceAllocator, mem_type: int = lib.OrtMemTypeDefault
    ) -> MemoryInfo:
        """Describe memory of the CPU. API function: ``CreateCpuMemoryInfo``."""
        kind, purpose = integer("allocator_type", allocator_type), integer("mem_type", mem_type)
        return self._memory_info("CreateCpuMemoryInfo", kind, purpose)

    def device_memory_info(  # noqa: PLR0913  # as many as the C function
        self,
        name: str,
        device_type: int = lib.OrtMemoryInfoDeviceType_CPU,
        *,
        vendor_id: int = 0,
        device_id: int = 0,
        device_mem_type: int = lib.OrtDeviceMemoryType_DEFAULT,
        alignment: int = 0,
        allocator_type: int = lib.OrtDeviceAllocator,
    ) -> MemoryInfo:
        """Describe memory of any device.

        API function: ``CreateMemoryInfo_V2``, since version 23.

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
        """
        return self._memory_info(
            "CreateMemoryInfo_V2",
            encode("name", name),
            integer("device_type", device_type, UINT32),
            integer("vendor_id", vendor_id, UINT32),
            integer("device_id", device_id, INT32),
            integer("device_mem_type", device_mem_type, UINT32),
            integer("alignment", alignment, SIZE),
            integer("allocator_type", allocator_type),
        )

    def status(self, code: int, message: str = "") -> "Status":
        """Make a `Status`."""
        from ortcffi.status import Status

        return Status(code, message, self)

    def key_values(
        self, pairs: Mapping[str, str] | Iterable[tuple[str, str]] = ()
    ) -> "KeyValuePairs":
        """Make `KeyValuePairs`."""
        from ortcffi.status import KeyValuePairs

        return KeyValuePairs(pairs, self)
