# SPDX-License-Identifier: MIT
"""Options of runs."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from ortcffi._convert import mapping, of_type
from ortcffi._handle import FromHandle, Handle
from ortcffi._native import ffi, lib
from ortcffi._public import public
from ortcffi.errors import OrtError
from ortcffi.options.settings import Option, Options, lock

if TYPE_CHECKING:
    from ortcffi.options.config_entries import RunConfig
    from ortcffi.session.lora import LoraAdapter
    from ortcffi.table.api import Api


@public
class RunOptions(Options, FromHandle):
    """Options of runs. A run reads them until it ends, and meanwhile only `terminated` can be set.

    API functions: ``CreateRunOptions``, ``ReleaseRunOptions``.

    Parameters
    ----------
    **settings
        Any of the attributes below that can be set.

    Raises
    ------
    RuntimeError
        A run uses the options that are to be changed.

    Examples
    --------
    >>> with RunOptions(tag="first", config={"key": "value"}) as run:
    ...     run.tag, run.log_severity, run.config["key"]
    ('first', -1, 'value')
    """

    __slots__ = ("_adapters",)

    _elsewhere: ClassVar = {"add_run_config_entry": "config", "get_run_config_entry": "config"}

    _pointer, _release = "OrtRunOptions*", lib.ReleaseRunOptions
    _write = Handle._change

    _rows = lib.CORE_OF_RUN
    log_severity = Option[int]()
    """LogSeverity or int: The least severity that is logged; -1: that of the session."""
    log_verbosity = Option[int]()
    """int: How much is logged at `LogSeverity.VERBOSE`."""
    tag = Option[str]()
    """str: The name of the run in the log."""
    terminated = Option[bool](meanwhile=True)
    """bool: Set it to True, from any thread, to end the runs that use these options."""
    profiling = Option[str | None]()
    """str or None: The prefix of the path of the run's profile; None: no profile. Since version
    25."""

    def __init__(
        self,
        api: "Api | None" = None,
        *,
        config: Mapping[str, str] | None = None,
        adapters: "Iterable[LoraAdapter]" = (),
        **settings: Any,
    ) -> None:
        # The adapters are parents of the options, since a run may outlast this object.
        self._adapters: list[tuple[Handle, Any]] = []
        self._begin(api, "CreateRunOptions", self._adapters)
        self._set_all(settings)
        if config is not None:
            self.config.update(mapping("config", config))
        for adapter in of_type("adapters", adapters, Iterable, "an iterable"):
            self.add_adapter(adapter)

    def _wrap(self, *arguments: Any) -> None:
        super()._wrap(*arguments)
        self._adapters = []

    @property
    def config(self) -> "RunConfig":
        """The configuration entries: a mapping whose entries can be set but not removed.

        The API cannot list them: of other libraries than the embedded core, the entries that were
        set through this object are listed.
        """
        from ortcffi.options.config_entries import RunConfig

        return RunConfig(self)

    def add_adapter(self, adapter: "LoraAdapter") -> None:
        """Have runs use an adapter. A `Binding` refuses such options: most libraries ignore them.

        The options keep it, also if it is closed. The API cannot take it out again. API function:
        ``RunOptionsAddActiveLoraAdapter``, since version 20. Options of the embedded core hand
        adapters of another library to those that a run of that library copies from them.

        Parameters
        ----------
        adapter : LoraAdapter
            The adapter, of the library that runs the model.
        """
        self.handle  # noqa: B018  # raises if closed
        kind = ffi.typeof("OrtLoraAdapter*")
        handle = getattr(adapter, "handle", None)
        if not isinstance(handle, ffi.CData) or ffi.typeof(handle) is not kind:
            raise TypeError(f"adapter must be a LoraAdapter, not {type(adapter).__name__}")
        self._add_adapter(adapter, handle)

    def _add_adapter(self, adapter: Handle, handle: Any) -> None:
        at_once = self.api.same_library(adapter.api)
        if not at_once and not self.api.is_core:
            raise ValueError(f"adapter belongs to {adapter.api}, and these options to {self.api}")
        with lock:
            added = adapter, handle
            self._adapters.append(added)  # before a run can use it
            try:
                if at_once:
                    self._change("RunOptionsAddActiveLoraAdapter", handle)
            except (OrtError, RuntimeError, ValueError):
                self._adapters.remove(added)
                raise

    @property
    def adapters(self) -> list[Handle]:
        """What `add_adapter` was given, oldest first."""
        self.handle  # noqa: B018  # raises if closed
        return [adapter for adapter, _ in self._adapters]

    def _for_run(self, api: "Api") -> "RunOptions":
        """Options of the library that runs a model: these, or a copy of those of the core."""
        if api.same_library(self.api):
            for adapter, _ in self._adapters:
                if not api.same_library(adapter.api):
                    raise ValueError(
                        f"an adapter belongs to {adapter.api}, and the session to {api}"
                    )
            return self
        self._refuse_other_library(api)
        copy = RunOptions(api, config=dict(self.config))
        self._set_changed(copy)
        for adapter, handle in self._adapters:  # of which some may be closed
            copy._add_adapter(adapter, handle)
        return copy
