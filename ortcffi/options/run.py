# SPDX-License-Identifier: MIT
"""Options of runs, and containers of prepacked weights."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

from ortcffi._convert import INT32, mapping
from ortcffi._handle import Handle
from ortcffi._native import ffi, lib
from ortcffi._public import public
from ortcffi._table import table_for
from ortcffi.callbacks.logs import LogSeverity
from ortcffi.errors import fail
from ortcffi.options.config_entries import RunConfig
from ortcffi.options.read_back import read_settings
from ortcffi.options.settings import (
    TEXT,
    Options,
    Setting,
    encoded,
    flag,
    member,
    nothing,
    number,
    path,
    text,
)

if TYPE_CHECKING:
    from ortcffi.table.api import Api

__all__ = ["PrepackedWeights", "RunOptions"]

STREAM = "OrtSyncStream *"


@public
class RunOptions(Options):
    """Options of runs. A run reads them until it ends.

    Parameters
    ----------
    api : Api, optional
        The table that makes the options, by default the one of `default_api`.
    config : mapping of str to str, optional
        Initial configuration entries.
    **settings
        Any of the attributes below that can be set.

    Raises
    ------
    TypeError
        There is no such setting, or a value has a wrong type.
    ValueError
        A value cannot be passed to C.

    Notes
    -----
    API functions: ``CreateRunOptions``, ``ReleaseRunOptions``.

    Examples
    --------
    >>> with RunOptions(tag="first", config={"key": "value"}) as run:
    ...     run.tag, run.log_severity, run.config["key"]
    ('first', -1, 'value')
    """

    __slots__ = ()

    log_severity = Setting(
        member(LogSeverity, INT32),
        -1,
        "RunOptionsSetRunLogSeverityLevel",
        read=("RunOptionsGetRunLogSeverityLevel", "int*"),
    )
    """LogSeverity or int: The least severity that is logged; -1: that of the session."""
    log_verbosity = Setting(
        number,
        0,
        "RunOptionsSetRunLogVerbosityLevel",
        read=("RunOptionsGetRunLogVerbosityLevel", "int*"),
    )
    """int: How much is logged at `LogSeverity.VERBOSE`."""
    tag = Setting(
        text,
        "",
        "RunOptionsSetRunTag",
        arguments=encoded,
        read=("RunOptionsGetRunTag", TEXT),
    )
    """str: The name of the run in the log."""
    terminated = Setting(
        flag, False, "RunOptionsSetTerminate", off="RunOptionsUnsetTerminate", arguments=nothing
    )
    """bool: Set it to True, from any thread, to end the runs that use these options."""
    profiling = Setting(
        path,
        None,
        "RunOptionsEnableProfiling",
        off="RunOptionsDisableProfiling",
        arguments=encoded,
    )
    """str or None: The prefix of the path of the run's profile; None: no profile. Since version
    25."""

    def __init__(
        self,
        api: "Api | None" = None,
        *,
        config: Mapping[str, str] | None = None,
        **settings: Any,
    ) -> None:
        self._begin(api, "CreateRunOptions", "ReleaseRunOptions", "OrtRunOptions")
        self._set_all(settings)
        self.config.update(mapping("config", config))

    @classmethod
    def from_handle(cls, api: "Api", handle: Any, lender: object = None) -> Self:
        """Wrap what a function gave.

        Parameters
        ----------
        api : Api
            The table that `handle` came from.
        handle : cdata of ``OrtRunOptions *``
            Owned by the new object unless there is a lender.
        lender : object, optional
            What `handle` belongs to. It is kept alive.
        """
        options = cls.__new__(cls)
        options._take(api, handle, lib.ReleaseRunOptions if lender is None else None, lender)
        return options

    def _describe(self) -> dict[str, Any]:
        return read_settings(self, lib.ortcffi_describe_run_options)

    @property
    def config(self) -> RunConfig:
        """The configuration entries: a mapping whose entries can be set but not removed.

        The API cannot list them: of other libraries than the embedded core, the entries that were
        set through this object are listed.
        """
        return RunConfig(self)

    def set_sync_stream(self, stream: Any) -> None:
        """Have runs queue their work for a device on a stream.

        Parameters
        ----------
        stream : cdata of ``OrtSyncStream *`` or None
            The stream, which must outlive the runs; None for one of the library's own.

        Notes
        -----
        API function: ``RunOptionsSetSyncStream``, since version 24. It has no status.
        """
        handle = self.handle
        kind = ffi.typeof(STREAM)
        if stream is not None and not (
            isinstance(stream, ffi.CData) and ffi.typeof(stream) is kind
        ):
            raise TypeError(f"stream must be a cdata of {STREAM} or None, not {stream!r}")
        given: Any = stream if stream is not None else ffi.NULL
        self.api.require("RunOptionsSetSyncStream")
        lib.RunOptionsSetSyncStream(self.api.pointer, handle, given)
        self._values["sync_stream"] = stream

    @property
    def sync_stream(self) -> Any:
        """What `set_sync_stream` was given, or None."""
        self.handle  # noqa: B018  # raises if closed
        return self._values.get("sync_stream")


@public
class PrepackedWeights(Handle):
    """A container in which sessions share prepacked weights.

    Close the sessions that use it before you close it.

    Parameters
    ----------
    api : Api, optional
        The table that makes the container, by default the one of `default_api`.

    Notes
    -----
    API functions: ``CreatePrepackedWeightsContainer``, ``ReleasePrepackedWeightsContainer``, since
    version 8.
    """

    __slots__ = ()

    def __init__(self, api: "Api | None" = None) -> None:
        api = table_for(api)
        api.require("CreatePrepackedWeightsContainer")
        out = ffi.new("OrtPrepackedWeightsContainer**")
        if status := lib.CreatePrepackedWeightsContainer(api.pointer, out):
            fail(api.pointer, status, "CreatePrepackedWeightsContainer")
        super().__init__(api, out[0], release=lib.ReleasePrepackedWeightsContainer)

    def __repr__(self) -> str:
        return f"<PrepackedWeights {'closed' if self.closed else f'of {self.api}'}>"
