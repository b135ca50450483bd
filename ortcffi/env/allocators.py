# SPDX-License-Identifier: MIT
"""The allocators that an environment shares between sessions."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from ortcffi._convert import UINT32, encode, integer, mapping
from ortcffi._handle import Handle
from ortcffi._native import ffi
from ortcffi._public import public
from ortcffi.arena.cfg import ArenaCfg
from ortcffi.ep.devices import EpDevice
from ortcffi.memory.allocator import Allocator
from ortcffi.memory.foreign import allocator_for, same_library
from ortcffi.memory.info import AllocatorType, DeviceMemoryType, MemoryInfo

if TYPE_CHECKING:
    from ortcffi.env.sharing import Client

__all__ = ["EnvMemory"]


class _Registered(NamedTuple):
    """What the library borrows of an allocator that was registered."""

    allocator: Allocator  # the caller's
    lent: Allocator  # what the library has
    memory: tuple[Any, ...]


@public
class EnvMemory(Handle):
    """The part of an environment that is about memory."""

    __slots__ = ()

    _client: "Client"

    def register_allocator(self, allocator: Allocator) -> None:
        """Share an allocator with sessions whose entry ``session.use_env_allocators`` is 1.

        It takes the place of the one that is shared for the same memory under the same name.

        Parameters
        ----------
        allocator : Allocator
            Of this library or of any other. It is kept alive until it is unregistered or the
            library's environment ends.

        Notes
        -----
        API function: ``RegisterAllocator``, since version 9.
        """
        lent = allocator_for(self.api, allocator)
        self._call("RegisterAllocator", lent.handle)
        self._client.clients.keep(_Registered(allocator, lent, _memory(lent.info)))

    def unregister_allocator(self, what: Allocator | MemoryInfo) -> None:
        """End the sharing of an allocator. No session may use it any more.

        Parameters
        ----------
        what : Allocator or MemoryInfo
            An allocator that was registered, or a description of its memory: what counts are the
            device, the type of memory and the name.

        Raises
        ------
        InvalidArgument
            None is shared for that memory.

        Notes
        -----
        API function: ``UnregisterAllocator``, since version 9.
        """
        info = self._info_of(what) if isinstance(what, Allocator) else what
        self._call("UnregisterAllocator", self._info("what", info))
        memory = _memory(info)
        self._client.clients.drop([each for each in self._registered() if each.memory == memory])

    def shared_allocator(self, info: MemoryInfo | None = None) -> Allocator | None:
        """Find the allocator that the environment shares for a device.

        Parameters
        ----------
        info : MemoryInfo, optional
            A description of memory of the device, whose type of memory counts as well, and not its
            name; by default that of the CPU.

        Returns
        -------
        Allocator or None
            The one that was registered, one of the library's own, or None. It keeps the environment
            alive, and must not be used after it was released or unregistered.

        Notes
        -----
        API function: ``GetSharedAllocator``, since version 23.
        """
        out = ffi.new("OrtAllocator**")
        wanted = self.api.cpu_memory_info() if info is None else info
        self._call("GetSharedAllocator", self._info("info", wanted), out)
        return self._shared(out[0])

    def create_arena(
        self,
        info: MemoryInfo | None = None,
        cfg: ArenaCfg | None = None,
        *,
        provider: str | None = None,
        options: Mapping[str, str] | None = None,
    ) -> None:
        """Make an allocator of the library's and share it between sessions.

        Parameters
        ----------
        info : MemoryInfo, optional
            The memory; by default that of the CPU, from an arena. Only with a provider may it be
            that of another device.
        cfg : ArenaCfg, optional
            The measures of the arena, copied; by default the library's.
        provider : str, optional
            The execution provider that makes it, such as ``"CPUExecutionProvider"``.
        options : mapping of str to str, optional
            The provider's options.

        Notes
        -----
        API functions: ``CreateAndRegisterAllocator``, since version 5, and with a provider
        ``CreateAndRegisterAllocatorV2``, since version 16.
        """
        memory = self.api.cpu_memory_info(AllocatorType.ARENA) if info is None else info
        measures = ffi.NULL if cfg is None else self._of("cfg", cfg, ArenaCfg)
        wanted = self._info("info", memory)
        pairs = mapping("options", options)
        if provider is None:
            if pairs:
                raise ValueError("options are a provider's, and no provider was given")
            self._call("CreateAndRegisterAllocator", wanted, measures)
            return
        keys = [ffi.new("char[]", encode("an option", key)) for key in pairs]
        values = [ffi.new("char[]", encode(f"the option {key!r}", pairs[key])) for key in pairs]
        arrays = ffi.new("char*[]", keys), ffi.new("char*[]", values)
        name = encode("provider", provider)
        self._call("CreateAndRegisterAllocatorV2", name, wanted, measures, *arrays, len(pairs))

    def create_shared_allocator(
        self,
        device: EpDevice,
        mem_type: int = DeviceMemoryType.DEFAULT,
        allocator_type: int = AllocatorType.DEVICE,
        options: Mapping[str, str] | None = None,
    ) -> Allocator:
        """Make the allocator that is shared for memory of a device, in place of the one before.

        Parameters
        ----------
        device : EpDevice
            One of `Env.devices`.
        mem_type : DeviceMemoryType, optional
            Which memory of the device.
        allocator_type : AllocatorType, optional
            The kind of allocator.
        options : mapping of str to str, optional
            The execution provider's options.

        Returns
        -------
        Allocator
            The library's own; it keeps the environment alive. `release_shared_allocator` ends it.

        Raises
        ------
        InvalidArgument
            The execution provider has no such memory, as that of the CPU has none.

        Notes
        -----
        API function: ``CreateSharedAllocator``, since version 23.
        """
        out = ffi.new("OrtAllocator**")
        pairs = None if options is None else self.api.key_values(options)
        self._call(
            "CreateSharedAllocator",
            self._of("device", device, EpDevice),
            integer("mem_type", mem_type, UINT32),
            integer("allocator_type", allocator_type),
            ffi.NULL if pairs is None else pairs.handle,
            out,
        )
        return Allocator(self.api, out[0], lender=self.handle)

    def release_shared_allocator(
        self, device: EpDevice, mem_type: int = DeviceMemoryType.DEFAULT
    ) -> None:
        """End the allocator that is shared for memory of a device. Nothing may use it any more.

        Notes
        -----
        API function: ``ReleaseSharedAllocator``, since version 23.
        """
        memory = integer("mem_type", mem_type, UINT32)
        self._call("ReleaseSharedAllocator", self._of("device", device, EpDevice), memory)

    # --- what the arguments stand for -------------------------------------------------------------

    def _registered(self) -> list[_Registered]:
        alive = list(self._client.clients.alive)
        return [each for each in alive if isinstance(each, _Registered)]

    def _shared(self, handle: Any) -> Allocator | None:
        if not handle:
            return None
        known = (each.allocator for each in self._registered() if each.lent.handle == handle)
        return next(known, None) or Allocator(self.api, handle, lender=self.handle)

    def _info_of(self, allocator: Allocator) -> MemoryInfo:
        lent = (each.lent for each in self._registered() if each.allocator is allocator)
        return next(lent, allocator).info

    def _info(self, argument: str, info: Any) -> Any:
        return self._of(argument, info, MemoryInfo)

    def _of(self, argument: str, given: Any, kind: type[Handle]) -> Any:
        """The handle of an object of this library."""
        if not isinstance(given, kind):
            name = type(given).__name__
            raise TypeError(f"{argument} must be of type {kind.__name__}, not {name}")
        if not same_library(given.api, self.api):
            raise ValueError(
                f"{argument} belongs to {given.api}, and the environment to {self.api}"
            )
        return given.handle


def _memory(info: MemoryInfo) -> tuple[Any, ...]:
    """What libraries tell registered allocators apart by, as far as the table tells."""
    facts: list[Any] = [info.name, info.id, info.mem_type]
    if info.api.supports("MemoryInfoGetVendorId"):
        facts += [info.device_type, info.device_mem_type, info.vendor_id]
    return tuple(facts)
