# SPDX-License-Identifier: MIT
"""`Env`: the environment of a library, with its logger, thread pools and shared allocators."""

import warnings
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ortcffi._convert import INT32, encode, integer, of_type, optional_mapping
from ortcffi._handle import Handle
from ortcffi._native import address_of_function, ffi, lib
from ortcffi._public import public
from ortcffi._table import create_environment, table_for
from ortcffi.env.state import EnvState, Registered, allocators_lock, state_of
from ortcffi.errors import OrtError
from ortcffi.memory.allocator import Allocator
from ortcffi.memory.info import MemoryInfo

if TYPE_CHECKING:
    import os

    from ortcffi.arena import ArenaCfg
    from ortcffi.callbacks.from_c import Context
    from ortcffi.callbacks.logs import Logger, LogSeverity
    from ortcffi.ep.devices import EpDevice
    from ortcffi.ep.hardware import HardwareDevice
    from ortcffi.ep.registered import RegisteredEp
    from ortcffi.options.shared import ThreadingOptions
    from ortcffi.table.api import Api


@public
class Env(Handle):
    """The environment of a library: its logger, its thread pools, its shared allocators.

    A library has only one. The first `Env` creates it; further ones are references to it, whose
    arguments the library ignores. It ends when the last of them is closed and no allocator that it
    shares, and no array in such memory, is left. API functions: ``CreateEnv``,
    ``CreateEnvWithCustomLogger``, ``CreateEnvWithGlobalThreadPools``,
    ``CreateEnvWithCustomLoggerAndGlobalThreadPools``, ``CreateEnvWithOptions``, ``ReleaseEnv``.

    Parameters
    ----------
    log_id : str, optional
        The name of the default logger, which is part of each message.
    logger : logging.Logger or callable, optional
        Receives log messages, by default stderr. Called from any thread that logs, including those
        that Python did not start, and from several at once.

        A callable gets a `LogMessage`. A `logging.Logger` gets a record at the level DEBUG, INFO,
        WARNING, ERROR or CRITICAL, with the path, line and function of the library's source if they
        are known. The record also has the attributes ``severity`` (a `LogSeverity`), ``category``,
        ``log_id`` and ``code_location``, as in `LogMessage`.

        Exceptions go to ``sys.unraisablehook``. It stays as long as the environment.
    severity : LogSeverity, optional
        The lowest severity that is logged.
    threading : ThreadingOptions, optional
        Options of thread pools that sessions share; by default there are none.
    config : mapping of str to str, optional
        Configuration entries. Since version 24.

    Raises
    ------
    OrtError
        The library cannot create the environment; for example, creating its threads fails.

    Examples
    --------
    >>> with Env("app", severity=LogSeverity.ERROR) as env:
    ...     env.severity.name
    'ERROR'
    """

    __slots__ = ("log_id",)

    _pointer, _release = "OrtEnv*", lib.ReleaseEnv

    def __init__(  # noqa: PLR0913  # as many as the C struct has
        self,
        log_id: str = "ortcffi",
        api: "Api | None" = None,
        *,
        logger: "Logger | None" = None,
        severity: int = lib.ORT_LOGGING_LEVEL_WARNING,
        threading: "ThreadingOptions | None" = None,
        config: Mapping[str, str] | None = None,
    ) -> None:
        api = table_for(api)
        name, least = encode("log_id", log_id), integer("severity", severity, INT32)
        context: Context | None = None
        if logger is not None:
            from ortcffi.callbacks.logs import log_context  # defines what C calls

            context = log_context(logger)
        threads = _threads(api, threading)
        given = [context, *(threading._alive.values() if threading is not None else ())]
        given = [each for each in given if each is not None]
        slot, arguments, _kept = _creation(api, context, least, name, threads, config)
        api.require(slot)
        state = state_of(api)
        out = self._begin_handle(api, state)
        _held = state.begin(given, least)
        create_environment(api, slot, arguments, out)
        self._open_handle()
        self.log_id = log_id
        state.established(self)

    @property
    def _state(self) -> EnvState:
        """What the environment borrows; it ends with the last `Env`."""
        _held = self.handle  # raises if closed, and keeps the parents
        state: EnvState = self._handle_parents[0]
        return state

    # --- logging ----------------------------------------------------------------------------------

    @property
    def severity(self) -> "LogSeverity | int":
        """The lowest severity that the library's default logger logs. It can be set.

        Its value is the one that any `Env` of the library set last. API function:
        ``UpdateEnvWithCustomLogLevel``, since version 14.
        """
        from ortcffi.callbacks.logs import severity_of

        return severity_of(self._state.severity)

    @severity.setter
    def severity(self, severity: int) -> None:
        least = integer("severity", severity, INT32)
        self._call("UpdateEnvWithCustomLogLevel", ffi.cast("OrtLoggingLevel", least))
        self._state.severity = least

    # --- memory that sessions share ---------------------------------------------------------------

    def register_allocator(self, allocator: Allocator) -> None:
        """Share an allocator with sessions whose entry ``session.use_env_allocators`` is 1.

        It replaces the one that is shared for the same memory with the same name.

        ONNX Runtime ends the process when a shared allocator answers NULL, which `Limiting`,
        `Failing`, a `PythonAllocator` and a bounded `Arena` do. To bound the memory of its
        sessions, use `create_arena` with ``ArenaCfg(max_bytes=...)``: then the session raises. API
        function: ``RegisterAllocator``, since version 9.

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
        """
        self._register(allocator)

    def _register(self, allocator: Allocator, for_good: bool = False) -> None:
        """Register an allocator, which may have to stay alive when it is unregistered."""
        from ortcffi.memory.foreign import allocator_for

        translated = allocator_for(self.api, allocator)
        # One that the environment owns must not be kept: it would keep the environment.
        owners = [getattr(each, "_handle_address", 0) for each in translated._handle_parents]
        is_own = self._handle_address in owners
        if not self.api.is_core and (bounded := allocator._null_answers()):
            warnings.warn(
                f"{bounded} can answer NULL, and then {self.api} ends the process; to bound its "
                "memory, use Env.create_arena with ArenaCfg(max_bytes=...)",
                RuntimeWarning,
                stacklevel=3,
            )
        memory = _memory(translated.info)
        registered = Registered(allocator, translated, memory, for_good)
        with allocators_lock:
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

        API function: ``UnregisterAllocator``, since version 9.

        Parameters
        ----------
        what : Allocator or MemoryInfo
            A registered allocator, or a description of its memory, of which the device, the memory
            type and the name are compared.

        Raises
        ------
        InvalidArgument
            No allocator is registered for that memory.
        """
        with allocators_lock:
            info = self._info_of(what) if isinstance(what, Allocator) else what
            self._call("UnregisterAllocator", self._of("what", info, MemoryInfo))
            memory = _memory(info)
            gone = [each for each in self._registered() if each.memory == memory]
            self._state.take_out(gone, is_replaced=False)
            if not gone:  # it was an arena of the library
                self._state.arena_limit = 0

    def shared_allocator(self, info: MemoryInfo | None = None) -> Allocator | None:
        """Find the allocator that the environment shares for a device.

        API function: ``GetSharedAllocator``, since version 23.

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
        """
        out = ffi.new("OrtAllocator**")
        wanted = self.api.cpu_memory_info() if info is None else info
        with allocators_lock:
            self._call("GetSharedAllocator", self._of("info", wanted, MemoryInfo), out)
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
        more raises. With the core `shared_allocator` finds the arena. API functions:
        ``CreateAndRegisterAllocator``, since version 5, and with a provider
        ``CreateAndRegisterAllocatorV2``, since version 16.

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
        """
        from ortcffi.arena import ArenaCfg

        memory = self.api.cpu_memory_info(lib.OrtArenaAllocator) if info is None else info
        measures = ffi.NULL if cfg is None else self._of("cfg", cfg, ArenaCfg)
        wanted = self._of("info", memory, MemoryInfo)
        pairs = optional_mapping("options", options)
        keys = [ffi.new("char[]", encode("an option", key)) for key in pairs]
        values = [ffi.new("char[]", encode(f"the option {key!r}", pairs[key])) for key in pairs]
        arrays = ffi.new("char*[]", keys), ffi.new("char*[]", values)
        slot = "CreateAndRegisterAllocator"
        given: tuple[Any, ...] = wanted, measures
        if provider is not None:
            given = encode("provider", provider), *given, *arrays, len(pairs)
            slot = "CreateAndRegisterAllocatorV2"
        elif pairs:
            raise ValueError("options are a provider's, and no provider was given")
        with allocators_lock:  # the core's takes the place of one that another thread looks up
            self._call(slot, *given)
        self._count(memory)
        if provider is None and info is None and cfg is not None:
            self._state.arena_limit = cfg.measures.get("max_mem", 0)

    def _count(self, memory: MemoryInfo) -> None:
        """Note that an allocator was registered."""
        self._state.arena += memory.name == "Cpu"

    def _registered(self) -> list[Registered]:
        return [each for each in self._state.shared.objects if isinstance(each, Registered)]

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

    def _of(self, argument: str, given: Any, kind: type[Handle]) -> Any:
        """Return the handle of an object of this library."""
        if not of_type(argument, given, kind).api.same_library(self.api):
            raise ValueError(
                f"{argument} belongs to {given.api}, and the environment to {self.api}"
            )
        return given.handle

    # --- telemetry and devices --------------------------------------------------------------------

    def set_telemetry(self, on: bool) -> None:
        """Enable or disable the library's telemetry, which builds for Windows have.

        The wheels of 1.32 have it on Linux, too: a thread of theirs stores an event of each session
        in ``~/.cache/Microsoft``. With the environment variable ``ORT_DISABLE_TELEMETRY=1`` they
        open no file there. API functions: ``EnableTelemetryEvents``, ``DisableTelemetryEvents``.
        """
        self._call("EnableTelemetryEvents" if on else "DisableTelemetryEvents")

    @property
    def devices(self) -> "list[EpDevice]":
        """The devices of execution providers. API function: ``GetEpDevices``, since version 22."""
        from ortcffi.ep.registered import devices_of

        return devices_of(self, self._find_devices)

    def _find_devices(self) -> list[Any]:
        out, count = ffi.new("const OrtEpDevice* const**"), ffi.new("size_t*")
        self._call("GetEpDevices", out, count)
        return [out[0][i] for i in range(count[0])]

    @property
    def hardware(self) -> "list[HardwareDevice]":
        """The hardware that the library has found.

        API functions: ``GetNumHardwareDevices``, ``GetHardwareDevices``, since version 24.
        """
        from ortcffi.ep.hardware import HardwareDevice

        count = self._get("GetNumHardwareDevices", "size_t*")
        out = ffi.new("const OrtHardwareDevice*[]", max(count, 1))
        self._call("GetHardwareDevices", out, count)
        return [HardwareDevice._of(self.api, out[i], self) for i in range(count)]

    def register_ep(  # noqa: PLR0913  # what only some callers want has a name
        self,
        path: "str | os.PathLike[str]",
        name: str | None = None,
        *,
        hardware: "Iterable[HardwareDevice] | None" = None,
        host: "Api | None" = None,
        watch: bool = False,
        as_host: int | None = None,
        faults: Mapping[str, int] | None = None,
    ) -> "RegisteredEp":
        """Register a library with execution providers.

        API function: ``RegisterExecutionProviderLibrary``, since version 22.

        Libraries keep the table of their host in global variables. If another library of the API
        in this process, or the official package, has registered the file, a copy is loaded (on
        Linux), and metadata ``library_path`` of its devices is not the path of the file.

        Parameters
        ----------
        path : str or os.PathLike
            The path of the library.
        name : str, optional
            The name to register it under, by default that of the file. Some execution providers
            take it as their own. After a name in ``.virtual`` some list devices without hardware.
        hardware : iterable of HardwareDevice, optional
            What hardware the library is to find, by default `hardware`. Only the embedded
            core can do that.
        host : Api, optional
            The host that the library sees, such as that of ``emulate(24)``, by default the core.
            Only the embedded core can do that.
        watch : bool, optional
            Put a table of ours between the library and its host, on any library: `WatchedEp`, the
            attribute ``watched`` of the result, tells what the library did.
        as_host, faults : optional
            As `WatchedEp` takes them; either implies `watch`.

        Returns
        -------
        RegisteredEp
            Unregisters the library when it is closed or collected, and no device of it is in use.
            In the child of a fork a library that the parent has registered is registered already:
            it is not done again, and not undone as long as objects of the parent have it.

        Raises
        ------
        Fail
            The library cannot be loaded, is none with execution providers, makes none, or the name
            is in use.
        OrtError
            The library fails.
        """
        from ortcffi.ep.registered import register

        watched = None
        if watch or as_host is not None or faults is not None:
            from ortcffi.ep.watched import WatchedEp

            watched = WatchedEp(path, name, as_host=as_host, faults=faults)
        return register(self, self._find_devices, path, name, hardware, host, watched)

    def __repr__(self) -> str:
        return f"<Env {'closed' if self.closed else f'{self.log_id!r} of {self.api}'}>"


def _threads(api: "Api", threading: Any) -> Any:
    if threading is None:
        return ffi.NULL
    from ortcffi.options.shared import ThreadingOptions

    of_type("threading", threading, ThreadingOptions)
    if threading.api != api:
        raise ValueError(f"threading belongs to {threading.api}, and the environment to {api}")
    return threading.handle


def _creation(  # noqa: PLR0913, PLR0917  # as many as the C struct
    api: "Api", context: Any, severity: int, name: bytes, threads: Any, config: Any
) -> tuple[str, tuple[Any, ...], object]:
    """Return the function that creates an environment, its arguments, and what it borrows."""
    function = address_of_function("ortcffi_log") if context else ffi.NULL
    parameter = context.pointer if context else ffi.NULL
    level = ffi.cast("OrtLoggingLevel", severity)  # any number, also a negative one
    if config is not None:
        api.require("CreateEnvWithOptions")
        pairs, text = api.key_values(optional_mapping("config", config)), ffi.new("char[]", name)
        options = (api.version, severity, text, function, parameter, threads, pairs.handle)
        struct = ffi.new("OrtEnvCreationOptions*", options)
        return "CreateEnvWithOptions", (struct,), (pairs, text)
    if context and threads:
        slot = "CreateEnvWithCustomLoggerAndGlobalThreadPools"
        return slot, (function, parameter, level, name, threads), None
    if context:
        return "CreateEnvWithCustomLogger", (function, parameter, level, name), None
    if threads:
        return "CreateEnvWithGlobalThreadPools", (level, name, threads), None
    return "CreateEnv", (level, name), None


def _memory(info: MemoryInfo) -> tuple[Any, ...]:
    """Get what libraries compare to tell registered allocators apart, if the table can read it."""
    facts: list[Any] = [info.name, info.id, info.mem_type]
    if info.api.supports("MemoryInfoGetVendorId"):
        facts += [info.device_type, info.device_mem_type, info.vendor_id]
    return tuple(facts)
