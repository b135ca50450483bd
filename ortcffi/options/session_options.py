# SPDX-License-Identifier: MIT
"""Options of sessions."""

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

from ortcffi._convert import (
    INT64,
    AnyPath,
    absolute,
    decode,
    encode,
    integer,
    mapping,
    native,
    of_type,
    optional_mapping,
)
from ortcffi._handle import FromHandle
from ortcffi._native import ffi, lib
from ortcffi._public import public
from ortcffi._table import host_function
from ortcffi.errors import call
from ortcffi.options.settings import (
    SHARED_ARENA,
    FunctionSetting,
    LoggerSetting,
    Option,
    Options,
    SharedArena,
    lock,
)

if TYPE_CHECKING:
    from ortcffi.custom_ops.describe import CustomOp
    from ortcffi.custom_ops.domain import CustomOpDomain
    from ortcffi.ep.devices import EpDevice
    from ortcffi.options.config_entries import SessionConfig
    from ortcffi.options.kinds import FreeDimension
    from ortcffi.table.api import Api
    from ortcffi.values.value import Value

_REGISTER = "RegisterCustomOpsLibrary_V2"


@public
class SessionOptions(Options, FromHandle):
    """Options of sessions. A session copies them when it is made.

    While a session is made of them, only `loading_cancelled` can be set.

    They keep alive what sessions borrow, such as initializers, loggers and functions that create
    threads. A `Session` keeps that too. A program that makes a session by functions of ``lib`` must
    keep the options as long as that session. API functions: ``CreateSessionOptions``,
    ``CloneSessionOptions``, ``ReleaseSessionOptions``.

    Parameters
    ----------
    **settings
        Any of the attributes below that can be set.

    Examples
    --------
    >>> with SessionOptions(intra_op_threads=2, config={"key": "value"}) as opts:
    ...     opts.intra_op_threads, opts.mem_pattern, dict(opts.config)
    (2, True, {'key': 'value'})
    """

    __slots__ = ()

    _elsewhere: ClassVar = {
        "add_session_config_entry": "config",
        "get_session_config_entry": "config",
    }

    _pointer, _release = "OrtSessionOptions*", lib.ReleaseSessionOptions
    _rows = lib.CORE_OF_SESSION
    intra_op_threads = Option[int]()
    """int: Threads that compute one node, including the caller's; 0: the library chooses."""
    inter_op_threads = Option[int]()
    """int: Threads that run nodes in parallel; 0: the library chooses."""
    execution_mode = Option[Any]()
    """ExecutionMode: Whether the nodes of a graph run one at a time or in parallel."""
    optimization_level = Option[Any]()
    """OptimizationLevel: How far graphs are optimized."""
    mem_pattern = Option[bool]()
    """bool: Whether a run allocates its memory in one block, of the size that the last run with
    inputs of the same shapes needed."""
    cpu_arena = Option[bool]()
    """bool: Whether CPU memory comes from an arena."""
    shared_arena = SharedArena()
    """bool: Whether CPU memory comes from the arena of the environment, which its sessions share
    (`Env.create_arena`). The entry ``session.use_env_allocators``."""
    deterministic = Option[bool]()
    """bool: Whether kernels should give the same results in each run. Since version 17."""
    per_session_threads = Option[bool]()
    """bool: Whether each session has its own threads. Set to False, sessions use the
    environment's, and it cannot be set to True again."""
    log_id = Option[str]()
    """str: The name of the sessions' logger."""
    log_severity = Option[int]()
    """LogSeverity or int: The least severity that is logged; -1: that of the environment."""
    log_verbosity = Option[int]()
    """int: How much is logged at `LogSeverity.VERBOSE`."""
    logger = LoggerSetting("SetUserLoggingFunction", "ortcffi_log")
    """logging.Logger or callable or None: Where sessions log; None: where the environment does.
    See `Env` for what it gets. Since version 17."""
    optimized_model_path = Option[str | None]()
    """str or None: The file that optimized models are written to."""
    profiling = Option[str | None]()
    """str or None: The prefix of the paths of profiles; None: no profiles."""
    loading_cancelled = Option[bool]()
    """bool: Set it to True from another thread to end the loading of a model. Since version 22."""
    device_policy = Option[Any](replaces="device_selector")
    """DevicePolicy: Which devices the library prefers. Setting it removes a `device_selector`.
    Since version 22."""
    device_selector = FunctionSetting(
        "SessionOptionsSetEpSelectionPolicyDelegate",
        "ortcffi_select_devices",
        "ortcffi.ep.devices",
        replaces="device_policy",
    )
    """callable or None: ``device_selector(devices, model, runtime)`` chooses devices for a
    session: it gets a list of `EpDevice` and two dicts of str, and returns some of the devices,
    the preferred first. Setting it removes a `device_policy`. Since version 22."""
    ep_context_reader = FunctionSetting(
        "SessionOptionsSetEpContextDataReadFunc", "ortcffi_read_named", "ortcffi.ep.devices"
    )
    """callable or None: ``ep_context_reader(name)`` gives the data of a compiled model, bytes-like,
    that the model names instead of holding it; called while a session is made. Since version 31."""

    def __init__(
        self,
        api: "Api | None" = None,
        *,
        config: Mapping[str, str] | None = None,
        free_dimensions: Mapping[str, int] | None = None,
        **settings: Any,
    ) -> None:
        self._begin(api, "CreateSessionOptions")
        self._set_all(settings)
        if config is not None:
            self.config.update(mapping("config", config))
        for name, value in optional_mapping("free_dimensions", free_dimensions).items():
            self.fix_dimension(name, value)

    @property
    def _chooses_devices(self) -> bool:
        """Whether a policy or a function is to choose devices."""
        values = self._values
        return "device_policy" in values or bool(values.get("device_selector"))

    @property
    def config(self) -> "SessionConfig":
        """The configuration entries: a mapping whose entries can be set, and not removed."""
        from ortcffi.options.config_entries import SessionConfig

        return SessionConfig(self)

    def add_provider(self, name: str, settings: Mapping[str, str] | None = None) -> None:
        """Have sessions run nodes on an execution provider where it can.

        API functions: ``SessionOptionsAppendExecutionProvider``, since version 12;
        ``CreateCUDAProviderOptions``, ``SessionOptionsAppendExecutionProvider_CUDA_V2`` and those
        of TensorRT.

        Parameters
        ----------
        name : str
            Its name, such as ``"CUDAExecutionProvider"`` or ``"XNNPACK"``. The CPU's needs none.
        settings : mapping of str to str, optional
            Its options.

        Raises
        ------
        OrtError
            The library was not built with it, or refuses the options.
        """
        from ortcffi.options.providers import add_provider

        add_provider(self, name, settings)

    def add_devices(
        self, devices: "Iterable[EpDevice]", settings: Mapping[str, str] | None = None
    ) -> None:
        """Have sessions run nodes on devices of one execution provider where it can.

        API function: ``SessionOptionsAppendExecutionProvider_V2``, since version 22.

        Parameters
        ----------
        devices : iterable of EpDevice
            Of `Env.devices` or `RegisteredEp.devices`, all of the same execution provider. These
            options and their sessions keep them.
        settings : mapping of str to str, optional
            The execution provider's options, which come after those of the devices. The library has
            them as configuration entries ``ep.<provider in lower case>.<key>``.

        Raises
        ------
        InvalidArgument
            The devices are of several execution providers.
        ValueError
            There are no devices, or one was offered to a function that chooses devices.
        """
        from ortcffi.options.providers import add_devices

        add_devices(self, devices, settings)

    # --- free dimensions --------------------------------------------------------------------------

    def fix_dimension(self, name: str, value: int, *, is_denotation: bool = False) -> None:
        """Fix the free dimensions with one name, in the inputs of the model, to a value.

        API functions: ``AddFreeDimensionOverrideByName``, since version 3, and
        ``AddFreeDimensionOverride``.

        Parameters
        ----------
        name : str
            The name that the model gives the dimension, such as ``"batch"``.
        value : int
            The value. Libraries do not check it here.
        is_denotation : bool, optional
            Whether `name` is the denotation of the dimension, such as ``"DATA_BATCH"``.
        """
        from ortcffi.options.kinds import FreeDimension

        slot = "AddFreeDimensionOverride" if is_denotation else "AddFreeDimensionOverrideByName"
        fixed = integer("value", value, INT64)
        dimension, text = FreeDimension(name, fixed, bool(is_denotation)), encode("name", name)
        with lock:
            self._call(slot, text, fixed)
            self._values.setdefault("free_dimensions", []).append(dimension)

    @property
    def free_dimensions(self) -> "list[FreeDimension]":
        """The dimensions that were fixed, oldest first. Of equal names, a model uses the first."""
        from ortcffi.options.kinds import FreeDimension

        kept, found = self._kept("free_dimensions", []), list[FreeDimension]()
        item, kind = ffi.new("core_session_item*"), lib.CORE_FREE_DIMENSIONS
        with lock:
            while lib.core_read_session_item(self.handle, kind, len(found), item):
                found.append(FreeDimension(decode(item.key), item.number, bool(item.mark)))
        return found or list(kept)

    # --- initializers -----------------------------------------------------------------------------

    def add_initializer(self, name: str, value: "Value") -> None:
        """Replace the model's initializer of that name by a tensor, which sessions can share.

        API function: ``AddInitializer``, since version 6.

        Parameters
        ----------
        name : str
            The name of the initializer.
        value : Value
            A tensor over memory that it does not own, such as one over a borrowed array. It is kept
            alive.

        Raises
        ------
        InvalidArgument
            The value is not a tensor or owns its memory, or that name was added before.
        """
        text, handle = encode("name", name), self._value("value", value)
        with lock:
            self._keep("initializers", [value])
            self._call("AddInitializer", text, handle)
            self._values.setdefault("initializers", {})[name] = value

    @property
    def initializers(self) -> "dict[str, Value]":
        """The values of `add_initializer`, by name."""
        return dict(self._kept("initializers", {}))

    def add_external_initializers(self, values: "Mapping[str, Value]") -> None:
        """Replace initializers that the model stores in external files by tensors.

        API function: ``AddExternalInitializers``, since version 12.
        """
        values = mapping("values", values)
        names = [ffi.from_buffer(encode("a name", name) + b"\0") for name in values]
        handles = [self._value(f"the value of {name!r}", value) for name, value in values.items()]
        arrays = ffi.new("char*[]", names), ffi.new("OrtValue*[]", handles)
        with lock:
            self._keep("external_initializers", values.values())
            self._call("AddExternalInitializers", *arrays, len(names))
            self._values.setdefault("external_initializers", {}).update(values)

    @property
    def external_initializers(self) -> "dict[str, Value]":
        """The values of `add_external_initializers`, by name."""
        return dict(self._kept("external_initializers", {}))

    def add_external_files(self, files: Mapping[str, Any]) -> None:
        """Give sessions the content of the external files in which a model stores initializers.

        API function: ``AddExternalInitializersFromFilesInMemory``, since version 18.

        Parameters
        ----------
        files : mapping of str to bytes-like
            The content, by the file name in the model. It is borrowed, not copied, so it is kept
            alive and must not change.

        Raises
        ------
        InvalidArgument
            A file of that name was added before.
        """
        files = mapping("files", files)
        names = [ffi.new("ORTCHAR_T[]", native(encode("a name", name))) for name in files]
        contents = [_bytes(f"the content of {name!r}", files[name]) for name in files]
        sizes = ffi.new("size_t[]", [len(content) for content in contents])
        arrays = ffi.new("ORTCHAR_T*[]", names), ffi.new("char*[]", contents), sizes
        with lock:
            self._keep("external_files", contents)
            self._call("AddExternalInitializersFromFilesInMemory", *arrays, len(names))
            self._values.setdefault("external_files", {}).update(files)

    @property
    def external_files(self) -> dict[str, Any]:
        """The contents of `add_external_files`, by name."""
        return dict(self._kept("external_files", {}))

    def set_weightless_source(self, model: Any) -> None:
        """Give execution providers the source model of a compiled model without weights.

        API function: ``SessionOptionsSetWeightlessSourceModelBuffer``, since version 29.

        Parameters
        ----------
        model : bytes-like
            The bytes of the model, at least one. Borrowed and kept alive.
        """
        held = _bytes("model", model)
        with lock:
            self._keep("weightless_source", [held])
            self._call("SessionOptionsSetWeightlessSourceModelBuffer", held, len(held))
            self._values["weightless_source"], self._alive["weightless_source"] = model, [held]

    @property
    def weightless_source(self) -> Any:
        """What `set_weightless_source` was given, or None."""
        return self._kept("weightless_source", None)

    def _kept(self, name: str, default: Any) -> Any:
        self.handle  # noqa: B018  # raises if closed
        return self._values.get(name, default)

    def _value(self, argument: str, value: Any) -> Any:
        """Return the handle of a value, which must be of the same table."""
        handle = getattr(value, "handle", None)
        if not isinstance(handle, ffi.CData) or ffi.typeof(handle) is not ffi.typeof("OrtValue*"):
            raise TypeError(f"{argument} must be a Value, not {type(value).__name__}")
        if value.api != self.api:
            raise ValueError(f"{argument} belongs to {value.api}, and these options to {self.api}")
        value._hold()  # so that close() does not release it while these options keep it
        return handle

    # --- custom ops -------------------------------------------------------------------------------

    def register_custom_ops(self, path: AnyPath) -> None:
        """Load a library and have it register its ops.

        The library stays loaded as long as these options or a copy of them exist. On failure it is
        unloaded, and nothing that it registered stays. API function:
        ``RegisterCustomOpsLibrary_V2``, since version 14. The library is given the ``base`` of
        `api`. Options of the embedded core open a private copy of the library, on Linux, as
        `CustomOpLibrary` does, but not of a module that Python has imported. Another library than
        the embedded core gives the op library its own base, and decides what stays on failure.

        Parameters
        ----------
        path : str, bytes or os.PathLike
            A library that exports ``RegisterCustomOps``. With another library than the embedded
            core, a name that is no file of the current folder is looked for by the system, as in
            ``LD_LIBRARY_PATH``.

        Raises
        ------
        Fail
            It cannot be loaded, or has no such function.
        OrtError
            The library's own function fails.
        """
        full, given = absolute("path", path), os.fsdecode(path)
        name, handle, api = os.fsencode(full), self.handle, self.api
        api.require(_REGISTER)
        if not api.is_core:
            is_file = os.path.dirname(given) or os.path.exists(full)
            to_open = name if is_file else os.fsencode(given)
            with lock:
                register = lib.ortcffi_register_ops
                call(api.pointer, _REGISTER, register, api.pointer, handle, native(to_open))
                self._values["custom_ops"] = True
            return
        from ortcffi.kernels.host import copy_for_options

        what = name, copy_for_options(name), ffi.NULL
        register = host_function("OrtcoreRegisterLibrary")
        with lock:  # one registration that fails takes back what was registered since it began
            call(api.pointer, _REGISTER, register, handle, api.base, *what)

    def add_custom_op_domain(self, domain: "CustomOpDomain") -> None:
        """Add a domain, whose ops sessions then know. The domain is kept alive.

        API function: ``AddCustomOpDomain``.
        """
        from ortcffi.custom_ops.domain import CustomOpDomain

        of_type("domain", domain, CustomOpDomain)
        if domain.api != self.api:
            raise ValueError(f"domain belongs to {domain.api}, and these options to {self.api}")
        handle = domain.handle
        with lock:
            self._keep("op_domains", [handle])
            self._call("AddCustomOpDomain", handle)
            self._values["op_domains"] = [*self._values.get("op_domains", []), domain]

    @property
    def custom_ops(self) -> "list[CustomOp]":
        """The ops that were registered, with what they declare.

        The options of another library than the embedded core cannot be read: these are the ops of
        the domains that were added, and `CustomOpLibrary` has those of a library.
        """
        from ortcffi.custom_ops.describe import listed

        handle = self.handle
        if self.api.is_core:
            return listed(lib.ortcffi_options_ops(handle))
        domains = self._values.get("op_domains", [])
        return [op for domain in domains if not domain.closed for op in domain.ops]

    # --- copies -----------------------------------------------------------------------------------

    def clone(self) -> Self:
        """Copy the options; the copy keeps the same objects alive. Also ``copy.copy(options)``.

        API function: ``CloneSessionOptions``.
        """
        api, copy = self.api, type(self).__new__(type(self))
        with lock:
            copy._values = {
                name: value.copy() if isinstance(value, (dict, list)) else value
                for name, value in self._values.items()
            }
            copy._alive = dict(self._alive)
            copy._create(api, "CloneSessionOptions", self.handle, parents=(copy._alive,))
            self.handle  # noqa: B018  # raises if closed meanwhile, so that these are not all
        return copy

    __copy__ = clone

    @property
    def _says_arena(self) -> bool:
        """Whether a session is to use the arena of the environment, or expressly not."""
        return SHARED_ARENA in self.config

    def _for_session(self) -> Self:
        """Return what a session is made of: a clone, so that these options may change meanwhile.

        Clones of releases before 1.22 lack custom ops, so that these need the options themselves.
        """
        has_ops = self._values.get("custom_ops") or self._alive.get("op_domains")
        return self if has_ops and self.api.version < 22 else self.clone()


def _bytes(argument: str, content: Any) -> Any:
    try:
        return ffi.from_buffer("char[]", content)
    except (TypeError, ValueError, BufferError):
        kind = type(content).__name__
        raise TypeError(f"{argument} must be bytes-like and contiguous, not {kind}") from None
