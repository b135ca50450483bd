# SPDX-License-Identifier: MIT
"""Options of runs and adapters, with the official package's names."""

from typing import Any

from ortcffi._native import ffi, lib
from ortcffi.compat._environment import api, text
from ortcffi.compat._errors import translated
from ortcffi.compat._settings import Ignored, Setting
from ortcffi.errors import OrtError, fail
from ortcffi.options.run import RunOptions as Run

__all__ = ["LoraAdapter", "RunOptions"]


class LoraAdapter:
    """Weights that change a model's, from a file."""

    __slots__ = ("_handle",)

    def __init__(self) -> None:
        self._handle: Any = None

    def Load(self, path: Any, /) -> None:  # noqa: N802  # the official name
        """Load the file."""
        out, table = ffi.new("OrtLoraAdapter**"), api()
        slot = "CreateLoraAdapter"
        table.require(slot)
        try:
            if status := lib.CreateLoraAdapter(table.pointer, text(path).encode(), ffi.NULL, out):
                fail(table.pointer, status, slot)
        except OrtError as error:
            raise RuntimeError(error.message) from None
        pointer = table.pointer
        self._handle = ffi.gc(out[0], lambda each: lib.ReleaseLoraAdapter(pointer, each))


class RunOptions:
    """Options of runs."""

    __slots__ = ("__weakref__", "_ignored", "_options")

    log_severity_level = Setting("log_severity", int, "The least severity that is logged.")
    log_verbosity_level = Setting("log_verbosity", int, "How much is logged at severity 0.")
    logid = Setting("tag", str, "The name of the run in the log.")
    terminate = Setting("terminated", bool, "Whether the runs that use these options end.")
    only_execute_path_to_fetches = Ignored(False, "Whether only nodes that outputs need run.")

    @translated
    def __init__(self) -> None:
        self._options = Run(api())
        self._ignored: dict[str, Any] = {}

    @translated
    def add_run_config_entry(self, key: str, value: str, /) -> None:
        """Add a configuration entry."""
        self._options.config[key] = value

    def get_run_config_entry(self, key: str, /) -> str:
        """Return a configuration entry."""
        if key not in self._options.config:
            raise RuntimeError(f"RunOptions does not have configuration with key: {key}")
        return self._options.config[key]

    @translated
    def add_active_adapter(self, adapter: LoraAdapter, /) -> None:
        """Use an adapter in the runs."""
        slot, table = "RunOptionsAddActiveLoraAdapter", api()
        table.require(slot)
        if adapter._handle is None:
            raise RuntimeError("the adapter has not been loaded")
        handle = self._options.handle
        if status := lib.RunOptionsAddActiveLoraAdapter(table.pointer, handle, adapter._handle):
            fail(table.pointer, status, slot)
        self._options._lend("adapters", [adapter._handle])
