# SPDX-License-Identifier: MIT
"""Execution providers: names, devices, and functions in Python that libraries call for them."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self

from ortcffi._convert import UINT32, decode, integer
from ortcffi._handle import Handle
from ortcffi._native import ffi, lib
from ortcffi._public import public
from ortcffi._table import table_for
from ortcffi.callbacks.from_c import Subject, called_from_c, find, make_status_of_subject
from ortcffi.errors import check
from ortcffi.memory.info import MemoryInfo
from ortcffi.status import fact_of_library, pairs_of

if TYPE_CHECKING:
    from ortcffi._ort import Cdata, OrtAllocator
    from ortcffi.ep.hardware import HardwareDevice
    from ortcffi.table.api import Api


@public
class EpDevice(Handle):
    """A device together with an execution provider that can use it.

    An environment owns it. Two are equal if they are the same object of the library. API functions:
    ``GetEpDevices``, ``EpDevice_EpName``, ``EpDevice_EpVendor``, ``EpDevice_EpMetadata``,
    ``EpDevice_EpOptions``, since version 22.
    """

    __slots__ = ()

    _pointer = "OrtEpDevice*"

    @classmethod
    def _of(cls, api: "Api", handle: Any, owner: object, env: Handle) -> Self:
        """One that belongs to `owner`, in an environment."""
        return cls(api, handle, parent=(owner, env))

    def _env_handle(self) -> Any:
        """Return the environment that the device is of."""
        _held = self.handle  # raises if closed, and keeps the parents
        env = self._handle_parents[1]
        if not isinstance(env, Handle):
            raise ValueError(f"{self!r} was offered to a function; take one of Env.devices")
        return env.handle

    name: str = fact_of_library("EpDevice_EpName", "The name of the execution provider.", decode)
    vendor: str = fact_of_library(
        "EpDevice_EpVendor", "The vendor of the execution provider.", decode
    )
    metadata: dict[str, str] = fact_of_library(
        "EpDevice_EpMetadata", "What the execution provider says about itself and the device."
    )
    options: dict[str, str] = fact_of_library(
        "EpDevice_EpOptions", "The execution provider's options for the device."
    )

    @property
    def hardware(self) -> "HardwareDevice":
        """The hardware. API function: ``EpDevice_Device``, since version 22."""
        from ortcffi.ep.hardware import HardwareDevice

        handle = lib.EpDevice_Device(self.api.pointer, self.handle)
        return HardwareDevice._of(self.api, handle, self)

    def memory_info(self, mem_type: int = lib.OrtDeviceMemoryType_DEFAULT) -> MemoryInfo | None:
        """Describe memory of the device, or return None if it has no such memory of its own.

        API function: ``EpDevice_MemoryInfo``, since version 23.
        """
        self.api.require("EpDevice_MemoryInfo")
        kind = integer("mem_type", mem_type, UINT32)
        found = lib.EpDevice_MemoryInfo(self.api.pointer, self.handle, kind)
        return MemoryInfo(self.api, ffi.cast("OrtMemoryInfo*", found), self) if found else None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, EpDevice) and bool(self.handle == other.handle)

    def __hash__(self) -> int:
        return hash(self.handle)

    def __repr__(self) -> str:
        return "<EpDevice closed>" if self.closed else f"<EpDevice {self.name!r}>"


NamedWriter = Callable[[str, bytes], object]


def _subject_of(context: "Cdata") -> Subject:
    subject: Subject | None = find(context)
    if subject is None:
        raise RuntimeError("the options with the function that is called were deleted")
    return subject


@called_from_c("ortcffi_python_select", make_status_of_subject)
def _select(  # noqa: PLR0913, PLR0917  # as many as the C function
    context: "Cdata",
    devices: "Cdata",
    count: int,
    model: "Cdata",
    runtime: "Cdata",
    selected: "Cdata",
    room: int,
    out: "Cdata",
) -> Any:
    """Choose devices for a session."""
    subject = _subject_of(context)
    parent = object()  # the devices belong to the caller, and are valid until the call ends
    offered = [EpDevice(subject.api, devices[i], parent=parent) for i in range(count)]
    try:
        api = subject.api
        chosen = list(subject.function(offered, pairs_of(api, model), pairs_of(api, runtime)))
        if len(chosen) > room:
            raise ValueError(f"device_selector chose {len(chosen)} devices; at most {room} fit")
        for i, device in enumerate(chosen):
            # By identity first: an object of another class may claim to equal anything.
            same = [each for each in offered if type(device) is EpDevice and each == device]
            if not same:
                raise ValueError(f"device_selector chose {device!r}, which was not offered")
            selected[i] = same[0].handle
        out[0] = len(chosen)
    finally:
        for device in offered:
            device.close()
    return ffi.NULL


@called_from_c("ortcffi_python_read_named", make_status_of_subject)
def _read(
    context: "Cdata", name: "Cdata", allocator: "OrtAllocator", buffer: "Cdata", size: "Cdata"
) -> Any:
    """Copy the data into a block of the library's allocator."""
    subject = _subject_of(context)
    answer = subject.function(decode(name))
    try:
        content = ffi.from_buffer("char[]", answer)
    except (TypeError, ValueError, BufferError):
        kind = type(answer).__name__
        raise TypeError(f"the function must return bytes-like, not {kind}") from None
    block = ffi.new("void**")
    if len(content):
        subject.api._call("AllocatorAlloc", allocator, len(content), block)
        ffi.memmove(block[0], content, len(content))
    buffer[0], size[0] = block[0], len(content)
    return ffi.NULL


@called_from_c("ortcffi_python_write_named", make_status_of_subject)
def _write(context: "Cdata", name: "Cdata", content: "Cdata", size: int) -> Any:
    """Pass the data on."""
    data = bytes(ffi.buffer(ffi.cast("char*", content), size)) if size else b""
    _subject_of(context).function(decode(name), data)
    return ffi.NULL


@public
def available_providers(api: "Api | None" = None) -> list[str]:
    """Return the execution providers that a library was built with, the preferred ones first.

    Notes
    -----
    The core has no kernels, and answers the CPU's provider all the same, which programs look for;
    `installed_eps` lists what can run models on it.

    API functions: ``GetAvailableProviders``, ``ReleaseAvailableProviders``, since version 4.

    Examples
    --------
    >>> available_providers()
    ['CPUExecutionProvider']
    """
    api = table_for(api)
    api.require("GetAvailableProviders")
    out, count = ffi.new("char***"), ffi.new("int*")
    check(api.pointer, lib.GetAvailableProviders(api.pointer, out, count))
    names = [decode(out[0][i]) for i in range(count[0])]
    check(api.pointer, lib.ReleaseAvailableProviders(api.pointer, out[0], count[0]))
    return names
