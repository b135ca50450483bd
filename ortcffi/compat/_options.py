# SPDX-License-Identifier: MIT
"""Options of sessions and runs, and adapters, with the official package's names."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from ortcffi._public import refuse_pickle
from ortcffi.compat._arguments import function, instance, mapping, number, string, switch
from ortcffi.compat._environment import (
    ALL_PROVIDERS,
    api,
    built_in_providers,
    env,
    get_available_providers,
    pairs,
    registered,
    text,
)
from ortcffi.compat._errors import as_runtime_error, each_method, translated
from ortcffi.compat._values import OrtValue
from ortcffi.errors import InvalidArgument, OrtError
from ortcffi.options.run_options import RunOptions as Run
from ortcffi.options.session_options import SessionOptions as Options

if TYPE_CHECKING:
    from ortcffi.compat._hardware import OrtEpDevice
    from ortcffi.ep.devices import EpDevice
    from ortcffi.session.lora import LoraAdapter as Adapter


def _kind(kind: type | str) -> type:
    """Get a type, or the enum of that name: to make one takes time, and few programs set these."""
    if isinstance(kind, type):
        return kind
    from ortcffi.compat import _enums

    return getattr(_enums, kind)  # type: ignore[no-any-return]


_CONVERSIONS: dict[type, Callable[[str, Any], Any]] = {bool: switch, int: number, str: string}


class Setting:
    """An attribute that is one of ortcffi's options.

    One that has a default is none: the C API has no function for it. It keeps what it is set to.
    """

    def __init__(self, name: str, kind: type | str, default: Any = None) -> None:
        self.name, self.kind, self.default = name, kind, default

    def __set_name__(self, owner: type, name: str) -> None:
        self.official = name

    def __get__(self, options: Any, owner: type) -> Any:
        if options is None:
            return self
        if self.default is None:
            return _kind(self.kind)(getattr(options._options, self.name))
        return _kind(self.kind)(options._ignored.get(self.name, self.default))

    def __set__(self, options: Any, value: Any) -> None:
        official, kind = self.official, _kind(self.kind)
        convert = _CONVERSIONS.get(kind)
        converted = convert(official, value) if convert else instance(official, value, kind)
        if self.default is not None:
            if converted != self.default:
                message = f"{official} has no effect: the C API has no function for it"
                warnings.warn(message, UserWarning, stacklevel=2)
            options._ignored[self.name] = converted
            return
        try:
            setattr(options._options, self.name, converted)
        except (OrtError, ValueError) as error:
            message = str(error)
            if official not in message:
                message = message.replace(self.name, official, 1)
            raise RuntimeError(message) from None


@as_runtime_error
def _set_entry(options: Run | Options, key: str, value: str) -> None:
    options.config[string("key", key)] = string("value", value)


def _entry(kind: str, options: Run | Options, key: str) -> str:
    name = string("key", key)
    if name not in options.config:
        raise RuntimeError(f"{kind} does not have configuration with key: {name}")
    return options.config[name]


@each_method(translated)
class SessionOptions:
    """Options of sessions."""

    __reduce__ = refuse_pickle  # a copy would share the library's options

    __slots__ = (
        "__weakref__",
        "_ignored",
        "_options",
        "_prefix",
        "_profiling",
        "_providers",
        "_selects",
        "_threads",
    )

    intra_op_num_threads = Setting("intra_op_threads", int)
    inter_op_num_threads = Setting("inter_op_threads", int)
    execution_mode = Setting("execution_mode", "ExecutionMode")
    graph_optimization_level = Setting("optimization_level", "GraphOptimizationLevel")
    enable_mem_pattern = Setting("mem_pattern", bool)
    enable_cpu_mem_arena = Setting("cpu_arena", bool)
    use_deterministic_compute = Setting("deterministic", bool)
    logid = Setting("log_id", str)
    log_severity_level = Setting("log_severity", int)
    log_verbosity_level = Setting("log_verbosity", int)
    enable_mem_reuse = Setting("mem_reuse", bool, True)
    execution_order = Setting("order", "ExecutionOrder", 0)

    def __init__(self) -> None:
        self._options = Options(api())
        self._ignored: dict[str, Any] = {}
        self._providers: list[Callable[[Options], str | None]] = []
        self._prefix, self._profiling, self._threads = "onnxruntime_profile_", False, True
        self._selects = False

    # --- settings ---------------------------------------------------------------------------------

    @property
    def optimized_model_filepath(self) -> str:
        return self._options.optimized_model_path or ""

    @optimized_model_filepath.setter
    def optimized_model_filepath(self, path: Any) -> None:
        self._options.optimized_model_path = text(path)

    def _set_profiling(self, on: bool) -> None:
        self._profiling = switch("enable_profiling", on)
        self._options.profiling = self._prefix if self._profiling else None

    def _set_prefix(self, prefix: Any) -> None:
        self._prefix = text(prefix)
        if self._profiling:
            self._options.profiling = self._prefix

    def _set_threads(self, on: bool) -> None:
        self._threads = switch("use_per_session_threads", on)

    enable_profiling = property(attrgetter("_profiling"), _set_profiling)
    profile_file_prefix = property(attrgetter("_prefix"), _set_prefix)
    use_per_session_threads = property(attrgetter("_threads"), _set_threads)

    def add_session_config_entry(self, key: str, value: str, /) -> None:
        _set_entry(self._options, key, value)

    def get_session_config_entry(self, key: str, /) -> str:
        return _entry("SessionOptions", self._options, key)

    def add_free_dimension_override_by_name(self, name: str, value: int, /) -> None:
        self._options.fix_dimension(string("name", name), value)

    def add_free_dimension_override_by_denotation(self, name: str, value: int, /) -> None:
        self._options.fix_dimension(string("name", name), value, is_denotation=True)

    def add_initializer(self, name: str, value: Any, /) -> None:
        self._options.add_initializer(name, _value(value))

    def add_external_initializers(self, names: list[Any], values: list[Any], /) -> None:
        if len(names) != len(values):
            raise RuntimeError("names and values must be of the same length")
        found = {name: _value(value) for name, value in zip(names, values, strict=True)}
        self._options.add_external_initializers(found)

    def add_external_initializers_from_files_in_memory(
        self, names: Sequence[str], contents: Sequence[Any], lengths: Sequence[int], /
    ) -> None:
        if not len(names) == len(contents) == len(lengths):
            raise RuntimeError("names, contents and lengths must be of the same length")
        files = zip(names, contents, lengths, strict=True)
        self._options.add_external_files({n: memoryview(c)[:size] for n, c, size in files})

    def register_custom_ops_library(self, path: Any, /) -> None:
        self._options.register_custom_ops(text(path))

    def set_load_cancellation_flag(self, on: bool, /) -> None:
        self._options.loading_cancelled = switch("on", on)

    # --- execution providers ----------------------------------------------------------------------

    def add_provider(self, name: str, options: Mapping[str, str], /) -> None:
        name, given = string("name", name), pairs(mapping("options", options))
        if name in ALL_PROVIDERS and name not in get_available_providers():
            raise InvalidArgument(
                f"Failed to add provider of type '{name}' to SessionOptions. "
                "Provider configuration is not supported.",
                None,
            )
        self._add(lambda to: append_provider(to, name, given))

    def add_provider_for_devices(
        self, devices: Sequence["OrtEpDevice"], options: Mapping[str, str], /
    ) -> None:
        from ortcffi.compat._hardware import OrtEpDevice

        chosen = [instance("a device", each, OrtEpDevice)._device for each in devices]
        given = pairs(options)
        if not chosen:
            raise InvalidArgument("devices must not be empty")
        self._add(lambda to: append_devices(to, chosen, given))

    def _append(self, name: str, given: dict[str, str]) -> str | None:
        """Add an execution provider for one session, and return its name, as `append_provider`."""
        return append_provider(self._options, name, given)

    def _add(self, append: Callable[[Options], str | None]) -> None:
        append(self._options.clone())  # raises where the library refuses it
        self._providers.append(append)

    def set_provider_selection_policy(self, policy: Any, /) -> None:
        from ortcffi.compat._enums import OrtExecutionProviderDevicePolicy

        chosen = instance("policy", policy, OrtExecutionProviderDevicePolicy)
        self._options.device_policy = int(chosen)
        self._selects = True

    def set_provider_selection_policy_delegate(self, delegate: Callable[..., Any], /) -> None:
        """Have a function choose devices: it gets them, two dicts, and how many it may choose."""
        from ortcffi.compat._hardware import OrtEpDevice

        choose = function("delegate", delegate)

        def select(devices: Any, model: Any, runtime: Any) -> Any:
            offered = [OrtEpDevice(device) for device in devices]
            return [each._device for each in choose(offered, model, runtime, len(offered))]

        self._options.device_selector = select
        self._selects = True

    def set_ep_context_data_read_func(
        self, read_func: Callable[..., None] | None, max_data_size: int, /
    ) -> None:
        if not callable(read_func) and read_func is not None:
            raise TypeError("set_ep_context_data_read_func(): read_func must be a function")
        if read_func is None or max_data_size <= 0:
            raise RuntimeError("read_func must be a function, and max_data_size more than 0")
        from ortcffi.compat._context_data import reader_of

        self._options.ep_context_reader = reader_of(read_func, int(max_data_size))

    def clear_ep_context_data_read_func(self) -> None:
        if self._options.ep_context_reader is not None:
            self._options.ep_context_reader = None

    def has_providers(self) -> bool:
        return bool(self._providers) or self._selects

    def _twin(self) -> "SessionOptions":
        """Copy the options with the providers that were added, which are not asked for yet."""
        copy = SessionOptions.__new__(SessionOptions)
        for name in self.__slots__[1:]:
            setattr(copy, name, getattr(self, name))
        copy._options, copy._ignored = self._options.clone(), dict(self._ignored)
        copy._providers = list(self._providers)
        return copy

    def _copy(self, keep_providers: bool = True) -> tuple["SessionOptions", list[str]]:
        """Return a copy for a session, and the names of the execution providers that it has."""
        copy = self._twin()
        if not keep_providers:
            copy._providers = []
        added = [append(copy._options) for append in copy._providers]
        if not copy._threads:
            copy._options.per_session_threads = False
        return copy, [name for name in added if name is not None]


def _value(value: Any) -> Any:
    if not isinstance(value, OrtValue):
        raise RuntimeError("The provided Python object must be an OrtValue")
    return value._value


def append_provider(options: Options, name: str, given: dict[str, str]) -> str | None:
    """Add an execution provider to a session's options.

    Returns its name; None for one that other libraries have, which is ignored as officially.
    """
    if name in built_in_providers() and not options.api.is_core:
        options.add_provider(name, given)
        return name
    from ortcffi.session.providers import add_named, defaults_of, is_for_core

    if devices := registered(name):
        return append_devices(options, devices, defaults_of(name) | given)
    if name in ALL_PROVIDERS:
        return None
    if not is_for_core(name):
        from ortcffi.ep.installed import unknown_provider

        raise RuntimeError(f"Unknown Provider Type: {name}{unknown_provider(name)}")
    add_named(options, name, given, env())
    return name


def append_devices(options: Options, devices: "list[EpDevice]", given: dict[str, str]) -> str:
    """Add the execution provider of some devices to a session's options, and return its name."""
    options.add_devices(devices, given)
    return devices[0].name


# --- runs ----------------------------------------------------------------------------------------


class LoraAdapter:
    """Weights that change a model's, from a file."""

    __slots__ = ("__weakref__", "_adapter")

    def __init__(self) -> None:
        self._adapter: Adapter | None = None

    @as_runtime_error
    def Load(self, path: Any, /) -> None:  # noqa: N802  # the official name
        """Load the file."""
        from ortcffi.session.lora import LoraAdapter as Adapter

        self._adapter = Adapter(text(path), api())


@each_method(translated)
class RunOptions:
    """Options of runs."""

    __reduce__ = refuse_pickle  # a copy would share the library's options

    __slots__ = ("__weakref__", "_ignored", "_options")

    log_severity_level = Setting("log_severity", int)
    log_verbosity_level = Setting("log_verbosity", int)
    logid = Setting("tag", str)
    terminate = Setting("terminated", bool)
    only_execute_path_to_fetches = Setting("path_to_fetches", bool, False)

    def __init__(self) -> None:
        self._options = Run(api())
        self._ignored: dict[str, Any] = {}

    def add_run_config_entry(self, key: str, value: str, /) -> None:
        _set_entry(self._options, key, value)

    def get_run_config_entry(self, key: str, /) -> str:
        return _entry("RunOptions", self._options, key)

    def add_active_adapter(self, adapter: LoraAdapter, /) -> None:
        loaded = instance("adapter", adapter, LoraAdapter)._adapter
        if loaded is None:
            raise RuntimeError("the adapter has not been loaded")
        self._options.add_adapter(loaded)
