# SPDX-License-Identifier: MIT
"""The allocators that an environment shares between sessions."""

import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ortcffi._convert import UINT32, encode, integer, optional_mapping
from ortcffi._handle import Handle
from ortcffi._native import ffi, lib
from ortcffi._public import public
from ortcffi.env import state
from ortcffi.env.state import Registered
from ortcffi.ep.devices import EpDevice
from ortcffi.errors import OrtError
from ortcffi.memory.allocator import Allocator
from ortcffi.memory.info import MemoryInfo

if TYPE_CHECKING:
    from ortcffi.arena.cfg import ArenaCfg
    from ortcffi.env.state import EnvState

__all__ = ["EnvMemory"]


@public
class EnvMemory(Handle):
    """The part of an environment that concerns memory."""

    __slots__ = ()

    if TYPE_CHECKING:

        @property
        def _state(self) -> "EnvState": ...

    def register_allocator(self, allocator: Allocator) -> None:
        """Share an allocator with sessions whose entry ``session.use_env_allocators`` is 1.

        It replaces the one that is shared for the same memory with the same name.

        ONNX Runtime ends the process when a shared allocator answers NULL, which `Limiting`,
        `Failing`, a `PythonAllocator` and a bounded `Arena` do. To bound the memory of its
        sessions, use `create_arena` with ``ArenaCfg(max_bytes=...)``: then the session raises.

        Parameters
        ----------
        allocator : Allocator
            An allocator of this library or of any other. The environment keeps it alive until it is
            unregistered or replaced, or the environment ends. An adaptor around an allocator that
            the environment owns keeps the environment until it is unregistered or replaced. One
            that is replaced in the environment of the official package stays until the process
            ends, since no one tells which official sessions use it.

        Warns
        -----
        RuntimeWarning
            The library is not the embedded core, and the allocator can answer NULL.

        Notes
        -----
        API function: ``RegisterAllocator``, since version 9.
        """
        self._register(allocator)

    def _register(self, allocator: Allocator, for_good: bool = False) -> None:
        """Register an allocator, which may have to stay alive when it is unregistered."""
        from ortcffi.env.null_answers import can_answer_null  # which imports all adaptors
        from ortcffi.memory.foreign import allocator_for

        translated = allocator_for(self.api, allocator)
        # One that the environment owns must not be kept: it would keep the environment.
        owners = [getattr(each, "_handle_address", 0) for each in translated._handle_parents]
        is_own = self._handle_address in owners
        if not self.api.is_core and (bounded := can_answer_null(allocator)):
            warnings.warn(
                f"{bounded} can answer NULL, and then {self.api} ends the process; to bound its "
                "memory, use Env.create_arena with ArenaCfg(max_bytes=...)",
                RuntimeWarning,
                stacklevel=3,
            )
        memory = _memory(translated.info)
        registered = Registered(allocator, translated, memory, for_good)
        with state.allocators:
            replaced = [each for each in self._registered() if each.memory == registered.memory]
            if not is_own:  # before a session can use it
                self._state.add(registered)
            try:
                self._call("RegisterAllocator", translated.handle)
            except (OrtError, ValueError):  # refused, or this Env is closed
                self._state.remove([registered])
                raise
            self._state.take_out(replaced, is_replaced=True)
            self._count(translated.info)

    def unregister_allocator(self, what: Allocator | MemoryInfo) -> None:
        """Stop sharing an allocator. Sessions that use it must be closed before.

        Parameters
        ----------
        what : Allocator or MemoryInfo
            A registered allocator, or a description of its memory, of which the device, the memory
            type and the name are compared.

        Raises
        ------
        InvalidArgument
            No allocator is registered for that memory.

        Notes
        -----
        API function: ``UnregisterAllocator``, since version 9.
        """
        with state.allocators:
            info = self._info_of(what) if isinstance(what, Allocator) else what
            self._call("UnregisterAllocator", self._info("what", info))
            memory = _memory(info)
            gone = [each for each in self._registered() if each.memory == memory]
            self._state.take_out(gone, is_replaced=False)
            if not gone:  # it was an arena of the library
                self._state.arena_limit = 0

    def shared_allocator(self, info: MemoryInfo | None = None) -> Allocator | None:
        """Find the allocator that the environment shares for a device.

        Parameters
        ----------
        info : MemoryInfo, optional
            A description of the memory; by default that of the CPU. The device and the memory type
            are compared, the name is not.

        Returns
        -------
        Allocator or None
            The registered allocator, or the library's own, or None. Unless it is the default
            allocator, it keeps the environment alive. Do not use one of another library than the
            embedded core after it was unregistered.

        Notes
        -----
        API function: ``GetSharedAllocator``, since version 23.
        """
        out = ffi.new("OrtAllocator**")
        wanted = self.api.cpu_memory_info() if info is None else info
        with state.allocators:
            self._call("GetSharedAllocator", self._info("info", wanted), out)
            return self._shared(out[0])

    def create_arena(
        self,
        info: MemoryInfo | None = None,
        cfg: "ArenaCfg | None" = None,
        *,
        provider: str | None = None,
        options: Mapping[str, str] | None = None,
    ) -> None:
        """Have the library create an allocator and share it between sessions.

        With ``ArenaCfg(max_bytes=...)`` this bounds the memory of sessions: one that would need
        more raises. With the core `shared_allocator` finds the arena.

        Parameters
        ----------
        info : MemoryInfo, optional
            The memory; by default that of the CPU, from an arena. Memory of another device needs a
            provider.
        cfg : ArenaCfg, optional
            The configuration of the arena, copied; by default the library's.
        provider : str, optional
            The execution provider that creates it, such as ``"CPUExecutionProvider"``.
        options : mapping of str to str, optional
            The provider's options.

        Notes
        -----
        API functions: ``CreateAndRegisterAllocator``, since version 5, and with a provider
        ``CreateAndRegisterAllocatorV2``, since version 16.
        """
        from ortcffi.arena.cfg import ArenaCfg

        memory = self.api.cpu_memory_info(lib.OrtArenaAllocator) if info is None else info
        measures = ffi.NULL if cfg is None else self._of("cfg", cfg, ArenaCfg)
        wanted = self._info("info", memory)
        pairs = optional_mapping("options", options)
        if provider is None:
            if pairs:
                raise ValueError("options are a provider's, and no provider was given")
            self._call("CreateAndRegisterAllocator", wanted, measures)
            self._count(memory)
            if info is None and cfg is not None:
                self._state.arena_limit = cfg.measures.get("max_mem", 0)
            return
        keys = [ffi.new("char[]", encode("an option", key)) for key in pairs]
        values = [ffi.new("char[]", encode(f"the option {key!r}", pairs[key])) for key in pairs]
        arrays = ffi.new("char*[]", keys), ffi.new("char*[]", values)
        name = encode("provider", provider)
        self._call("CreateAndRegisterAllocatorV2", name, wanted, measures, *arrays, len(pairs))
        self._count(memory)

    def _count(self, memory: MemoryInfo) -> None:
        """Note that an allocator was registered."""
        self._state.arena += memory.name == "Cpu"

    def create_shared_allocator(
        self,
        device: EpDevice,
        mem_type: int = lib.OrtDeviceMemoryType_DEFAULT,
        allocator_type: int = lib.OrtDeviceAllocator,
        options: Mapping[str, str] | None = None,
    ) -> Allocator:
        """Have the library create the shared allocator for memory of a device, replacing the last.

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
            The library's own. It keeps the environment alive. `release_shared_allocator` frees it.

        Raises
        ------
        InvalidArgument
            The execution provider has no such memory, like that of the CPU.

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
        return Allocator(self.api, out[0], parent=self)

    def release_shared_allocator(
        self, device: EpDevice, mem_type: int = lib.OrtDeviceMemoryType_DEFAULT
    ) -> None:
        """Free the shared allocator for memory of a device. Nothing may use it any more.

        Notes
        -----
        API function: ``ReleaseSharedAllocator``, since version 23.
        """
        memory = integer("mem_type", mem_type, UINT32)
        self._call("ReleaseSharedAllocator", self._of("device", device, EpDevice), memory)

    # --- conversion of arguments -------------------------------------------------------------

    def _registered(self) -> list[Registered]:
        return [each for each in self._state.borrowed if isinstance(each, Registered)]

    def _shared(self, handle: Any) -> Allocator | None:
        if not handle:
            return None
        for each in self._registered():
            if each.handle == handle:
                if each.translated.closed or each.allocator.closed:
                    return Allocator(self.api, handle, parent=each.handle)
                return each.allocator
        if handle == self.api.default_allocator.handle:  # it outlives every environment
            return self.api.default_allocator
        return Allocator(self.api, handle, parent=self)

    def _info_of(self, allocator: Allocator) -> MemoryInfo:
        found = (each.translated for each in self._registered() if each.allocator is allocator)
        return next(found, allocator).info

    def _info(self, argument: str, info: Any) -> Any:
        return self._of(argument, info, MemoryInfo)

    def _of(self, argument: str, given: Any, kind: type[Handle]) -> Any:
        """The handle of an object of this library."""
        if not isinstance(given, kind):
            name = type(given).__name__
            raise TypeError(f"{argument} must be of type {kind.__name__}, not {name}")
        if not given.api.same_library(self.api):
            raise ValueError(
                f"{argument} belongs to {given.api}, and the environment to {self.api}"
            )
        return given.handle


def _memory(info: MemoryInfo) -> tuple[Any, ...]:
    """What libraries compare to tell registered allocators apart, if the table can read it."""
    facts: list[Any] = [info.name, info.id, info.mem_type]
    if info.api.supports("MemoryInfoGetVendorId"):
        facts += [info.device_type, info.device_mem_type, info.vendor_id]
    return tuple(facts)
