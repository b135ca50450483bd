# SPDX-License-Identifier: MIT
"""Hardware that a library has found, or that a host is to show to execution providers."""

from collections.abc import Mapping
from enum import IntEnum
from typing import TYPE_CHECKING, Any, Self

from ortcffi._convert import UINT32, decode, encode, integer, known, optional_mapping
from ortcffi._handle import Handle
from ortcffi._native import ffi, lib
from ortcffi._public import public
from ortcffi._table import table_for
from ortcffi.errors import check
from ortcffi.status import KeyValuePairs, fact_of_library

if TYPE_CHECKING:
    from ortcffi.table.api import Api


@public
class HardwareType(IntEnum):
    """Kinds of hardware (``OrtHardwareDeviceType``)."""

    CPU = lib.OrtHardwareDeviceType_CPU
    GPU = lib.OrtHardwareDeviceType_GPU
    NPU = lib.OrtHardwareDeviceType_NPU


@public
class HardwareDevice(Handle):
    """A piece of hardware, made here or found by a library.

    `Env.hardware` has what a library has found, `EpDevice.hardware` what an execution provider
    uses. One that is made is for `Env.register_ep`: the core shows it to the library of execution
    providers. API functions: ``CreateHardwareDevice``, ``ReleaseHardwareDevice`` of ``OrtEpApi``,
    since version 24; ``HardwareDevice_Type`` and its kin, since version 22.

    Parameters
    ----------
    kind : HardwareType or str
        The kind, such as ``"NPU"``.
    vendor_id : int, optional
        The vendor's PCI number: 0x8086 is Intel's, 0x1022 AMD's.
    device_id : int, optional
        The number of the model.

    Examples
    --------
    >>> HardwareDevice("NPU", vendor_id=0x8086, vendor="Intel")
    <HardwareDevice NPU vendor_id=0x8086 'Intel'>
    """

    __slots__ = ()

    _pointer, _release = "OrtHardwareDevice*", lib.ReleaseHardwareDevice

    def __init__(  # noqa: PLR0913  # as many as the C function
        self,
        kind: "HardwareType | str",
        *,
        vendor_id: int = 0,
        device_id: int = 0,
        vendor: str = "",
        metadata: Mapping[str, str] | None = None,
        api: "Api | None" = None,
    ) -> None:
        api = table_for(api)
        number = _kind_of(kind)
        numbers = integer("vendor_id", vendor_id, UINT32), integer("device_id", device_id, UINT32)
        name = encode("vendor", vendor)
        api.require("GetNumHardwareDevices")  # of the version that the function came with
        table = lib.GetEpApi(api.pointer)
        out = self._begin_handle(api, table=table)
        with KeyValuePairs(optional_mapping("metadata", metadata), api) as pairs:
            given = (number, *numbers, name, pairs.handle)
            create = lib.CreateHardwareDevice
            check(api.pointer, create(table, *given, out), create.__name__)
        self._open_handle()

    @classmethod
    def _of(cls, api: "Api", handle: Any, owner: object) -> Self:
        """One that belongs to a library, for as long as `owner`."""
        made = cls.__new__(cls)
        Handle.__init__(made, api, ffi.cast("OrtHardwareDevice*", handle), owner)
        return made

    @property
    def kind(self) -> HardwareType | int:
        """The kind."""
        return known(HardwareType, int(lib.HardwareDevice_Type(self.api.pointer, self.handle)))

    vendor: str = fact_of_library("HardwareDevice_Vendor", "The vendor's name.", decode)
    vendor_id: int = fact_of_library(
        "HardwareDevice_VendorId", "The vendor's PCI number; 0 if it is not known.", int
    )
    device_id: int = fact_of_library(
        "HardwareDevice_DeviceId", "The number of the model; 0 if it is not known.", int
    )
    metadata: dict[str, str] = fact_of_library(
        "HardwareDevice_Metadata", "What else the library knows of it."
    )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, HardwareDevice) and bool(self.handle == other.handle)

    def __hash__(self) -> int:
        return hash(self.handle)

    def __repr__(self) -> str:
        if self.closed:
            return "<HardwareDevice closed>"
        kind = self.kind
        name = kind.name if isinstance(kind, HardwareType) else kind
        return f"<HardwareDevice {name} vendor_id={self.vendor_id:#06x} {self.vendor!r}>"


def _kind_of(kind: Any) -> int:
    if isinstance(kind, str):
        if kind not in HardwareType.__members__:
            names = ", ".join(HardwareType.__members__)
            raise ValueError(f"kind must be one of {names}, not {kind!r}")
        return int(HardwareType[kind])
    return integer("kind", kind, UINT32)
