# SPDX-License-Identifier: MIT
"""Options of runs and adapters, with the official package's names."""

from typing import Any

from ortcffi.compat._arguments import instance
from ortcffi.compat._environment import api, text
from ortcffi.compat._errors import translated
from ortcffi.compat._settings import Ignored, Setting
from ortcffi.errors import OrtError
from ortcffi.options.run import RunOptions as Run
from ortcffi.session.lora import LoraAdapter as Adapter

__all__ = ["LoraAdapter", "RunOptions"]


class LoraAdapter:
    """Weights that change a model's, from a file."""

    __slots__ = ("_adapter",)

    def __init__(self) -> None:
        self._adapter: Adapter | None = None

    def Load(self, path: Any, /) -> None:  # noqa: N802  # the official name
        """Load the file."""
        try:
            self._adapter = Adapter(text(path), api())
        except OrtError as error:
            raise RuntimeError(error.message) from None


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
        try:
            self._options.config[key] = value
        except OrtError as error:
            raise RuntimeError(error.message) from None

    def get_run_config_entry(self, key: str, /) -> str:
        """Return a configuration entry."""
        if key not in self._options.config:
            raise RuntimeError(f"RunOptions does not have configuration with key: {key}")
        return self._options.config[key]

    @translated
    def add_active_adapter(self, adapter: LoraAdapter, /) -> None:
        """Use an adapter in the runs."""
        loaded = instance("adapter", adapter, LoraAdapter)._adapter
        if loaded is None:
            raise RuntimeError("the adapter has not been loaded")
        self._options.add_adapter(loaded)
