# SPDX-License-Identifier: MIT
"""Options of sessions."""

from collections.abc import Mapping
from enum import IntEnum
from typing import TYPE_CHECKING, Any, Self

from ortcffi._convert import INT32, optional_mapping
from ortcffi._handle import out_of, owner_of
from ortcffi._native import lib
from ortcffi._public import described_by, public
from ortcffi.callbacks.logs import LogSeverity
from ortcffi.errors import checked
from ortcffi.options.callback_settings import (
    LoggerSetting,
    PolicySetting,
    SelectorSetting,
    ThreadsSetting,
)
from ortcffi.options.config_entries import SessionConfig
from ortcffi.options.custom_ops import CustomOps, copied
from ortcffi.options.providers import add_provider
from ortcffi.options.read_back import read_settings
from ortcffi.options.session_inputs import SessionInputs
from ortcffi.options.settings import (
    Options,
    Setting,
    encoded,
    file,
    flag,
    lock,
    member,
    nothing,
    number,
    path,
    text,
)

if TYPE_CHECKING:
    from ortcffi.table.api import Api

__all__ = [
    "DevicePolicy",
    "ExecutionMode",
    "OptimizationLevel",
    "SessionOptions",
]


@public
class ExecutionMode(IntEnum):
    """Whether the nodes of a graph run one at a time or in parallel (``ExecutionMode``)."""

    SEQUENTIAL = lib.ORT_SEQUENTIAL
    PARALLEL = lib.ORT_PARALLEL


@public
class OptimizationLevel(IntEnum):
    """How far graphs are optimized (``GraphOptimizationLevel``)."""

    DISABLE_ALL = lib.ORT_DISABLE_ALL
    BASIC = lib.ORT_ENABLE_BASIC
    EXTENDED = lib.ORT_ENABLE_EXTENDED
    LAYOUT = lib.ORT_ENABLE_LAYOUT
    ALL = lib.ORT_ENABLE_ALL


@public
class DevicePolicy(IntEnum):
    """Which devices a library prefers (``OrtExecutionProviderDevicePolicy``)."""

    DEFAULT = lib.OrtExecutionProviderDevicePolicy_DEFAULT
    PREFER_CPU = lib.OrtExecutionProviderDevicePolicy_PREFER_CPU
    PREFER_NPU = lib.OrtExecutionProviderDevicePolicy_PREFER_NPU
    PREFER_GPU = lib.OrtExecutionProviderDevicePolicy_PREFER_GPU
    MAX_PERFORMANCE = lib.OrtExecutionProviderDevicePolicy_MAX_PERFORMANCE
    MAX_EFFICIENCY = lib.OrtExecutionProviderDevicePolicy_MAX_EFFICIENCY
    MIN_OVERALL_POWER = lib.OrtExecutionProviderDevicePolicy_MIN_OVERALL_POWER


class _OneWay(Setting[bool]):
    """A setting that can be turned off but not on again."""

    def write(self, options: Options, value: bool) -> None:
        if not value:
            options._call(self.on)
        elif not self.__get__(options, type(options)):
            raise ValueError(f"{self.name} cannot be turned on again: the API has no function")


@public
class SessionOptions(SessionInputs, CustomOps):
    """Options of sessions. A session copies them when it is made.

    Meanwhile only `loading_cancelled` can be set, as long as a `ModelEditor` has them, too.

    They keep alive what sessions borrow, such as initializers, loggers and functions that create
    threads. A `Session` keeps that too. Whoever makes a session by functions of ``lib`` keeps the
    options as long as that session.

    Parameters
    ----------
    api : Api, optional
        The table that makes the options, by default the one of `default_api`.
    config : mapping of str to str, optional
        Initial configuration entries.
    free_dimensions : mapping of str to int, optional
        Free dimensions to fix, by name.
    **settings
        Any of the attributes below that can be set.

    Raises
    ------
    TypeError
        There is no such setting, or a value has a wrong type.
    ValueError
        A value cannot be passed to C.
    InvalidArgument
        The library refuses a value.

    Notes
    -----
    API functions: ``CreateSessionOptions``, ``CloneSessionOptions``, ``ReleaseSessionOptions``.

    Examples
    --------
    >>> with SessionOptions(intra_op_threads=2, config={"key": "value"}) as opts:
    ...     opts.intra_op_threads, opts.mem_pattern, dict(opts.config)
    (2, True, {'key': 'value'})
    """

    __slots__ = ()

    _pointer = "OrtSessionOptions*"
    intra_op_threads = Setting(number, 0, "SetIntraOpNumThreads")
    """int: Threads that compute one node, including the caller's; 0: the library chooses."""
    inter_op_threads = Setting(number, 0, "SetInterOpNumThreads")
    """int: Threads that run nodes in parallel; 0: the library chooses."""
    execution_mode = Setting(
        member(ExecutionMode),
        ExecutionMode.SEQUENTIAL,
        "SetSessionExecutionMode",
        read=("GetSessionExecutionMode", "ExecutionMode*"),
    )
    """ExecutionMode: Whether the nodes of a graph run one at a time or in parallel."""
    optimization_level = Setting(
        member(OptimizationLevel), OptimizationLevel.ALL, "SetSessionGraphOptimizationLevel"
    )
    """OptimizationLevel: How far graphs are optimized."""
    mem_pattern = Setting(
        flag,
        True,
        "EnableMemPattern",
        off="DisableMemPattern",
        arguments=nothing,
        read=("GetMemPatternEnabled", "int*"),
    )
    """bool: Whether a run allocates its memory in one block, of the size that the last run with
    inputs of the same shapes needed."""
    cpu_arena = Setting(
        flag, True, "EnableCpuMemArena", off="DisableCpuMemArena", arguments=nothing
    )
    """bool: Whether CPU memory comes from an arena."""
    deterministic = Setting(flag, False, "SetDeterministicCompute")
    """bool: Whether kernels should give the same results in each run. Since version 17."""
    per_session_threads = _OneWay(flag, True, "DisablePerSessionThreads")
    """bool: Whether each session has its own threads. Set to False, sessions use the
    environment's, and it cannot be set to True again."""
    log_id = Setting(text, "", "SetSessionLogId", arguments=encoded)
    """str: The name of the sessions' logger."""
    log_severity = Setting(member(LogSeverity, INT32), -1, "SetSessionLogSeverityLevel")
    """LogSeverity or int: The least severity that is logged; -1: that of the environment."""
    log_verbosity = Setting(number, 0, "SetSessionLogVerbosityLevel")
    """int: How much is logged at `LogSeverity.VERBOSE`."""
    logger = LoggerSetting("SetUserLoggingFunction")
    """logging.Logger or callable or None: Where sessions log; None: where the environment does.
    See `Env` for what it gets. Since version 17."""
    optimized_model_path = Setting(file, None, "SetOptimizedModelFilePath", arguments=encoded)
    """str or None: The file that optimized models are written to."""
    profiling = Setting(path, None, "EnableProfiling", off="DisableProfiling", arguments=encoded)
    """str or None: The prefix of the paths of profiles; None: no profiles."""
    thread_functions = ThreadsSetting("SessionOptionsSet")
    """ThreadFunctions or None: Functions that create and join the library's threads; None: the
    library's own. Since version 10."""
    loading_cancelled = Setting(flag, False, "SessionOptionsSetLoadCancellationFlag")
    """bool: Set it to True from another thread to end the loading of a model. Since version 22."""
    device_policy = PolicySetting(
        member(DevicePolicy), DevicePolicy.DEFAULT, "SessionOptionsSetEpSelectionPolicy"
    )
    """DevicePolicy: Which devices the library prefers. Setting it removes a `device_selector`.
    Since version 22."""
    device_selector = SelectorSetting("SessionOptionsSetEpSelectionPolicyDelegate")
    """callable or None: ``device_selector(devices, model, runtime)`` chooses devices for a
    session: it gets a list of `EpDevice` and two dicts of str, and returns some of the devices,
    the preferred first. Setting it removes a `device_policy`. Since version 22."""

    def __init__(
        self,
        api: "Api | None" = None,
        *,
        config: Mapping[str, str] | None = None,
        free_dimensions: Mapping[str, int] | None = None,
        **settings: Any,
    ) -> None:
        create, release = "CreateSessionOptions", "ReleaseSessionOptions"
        self._begin(api, create, release, "OrtSessionOptions")
        self._set_all(settings)
        self.config.update(optional_mapping("config", config))
        for name, value in optional_mapping("free_dimensions", free_dimensions).items():
            self.fix_dimension(name, value)

    @classmethod
    def from_handle(cls, api: "Api", handle: Any, lender: object = None) -> Self:
        """Wrap a handle, such as the one that ``RegisterCustomOps`` is given.

        Parameters
        ----------
        api : Api
            The table that `handle` came from.
        handle : cdata of ``OrtSessionOptions *``
            Owned by the new object unless `lender` is given.
        lender : object, optional
            The owner of `handle`, which is kept alive.
        """
        options = cls.__new__(cls)
        release = lib.ReleaseSessionOptions if lender is None else None
        options._take(api, handle, release, lender)
        return options

    def _describe(self) -> dict[str, Any]:
        return read_settings(self, lib.ortcffi_describe_session_options)

    @property
    def config(self) -> SessionConfig:
        """The configuration entries: a mapping whose entries can be set, and not removed."""
        return SessionConfig(self)

    @described_by(add_provider)
    def add_provider(self, name: str, settings: Mapping[str, str] | None = None) -> None:
        add_provider(self, name, settings)

    def clone(self) -> Self:
        """Copy the options; the copy keeps the same objects alive. Also ``copy.copy(options)``.

        Notes
        -----
        API function: ``CloneSessionOptions``.
        """
        owner = owner_of("OrtSessionOptions*", self.api, lib.ReleaseSessionOptions)
        with lock:
            checked.CloneSessionOptions(self.api.pointer, self.handle, out_of(owner))
            copy = self.from_handle(self.api, owner)
            for name, value in self._values.items():
                copy._values[name] = value.copy() if isinstance(value, (dict, list)) else value
            copy._alive.update(copied(self._alive))
            self.handle  # noqa: B018  # raises if closed meanwhile, so that these are not all
        return copy

    __copy__ = clone

    def _for_creation(self) -> Self:
        """What a session is made of: a clone, so that these options may change meanwhile.

        Clones of releases before 1.20 lack custom ops, so that these need the options themselves.
        """
        has_ops = self._alive.get("custom_ops") or self._alive.get("op_domains")
        return self if has_ops and self.api.version < 20 else self.clone()
