# SPDX-License-Identifier: MIT
"""Settings whose values are Python functions that the library calls."""

from typing import Any

from ortcffi._native import ffi, lib
from ortcffi.callbacks.logs import Logger, log_context
from ortcffi.callbacks.thread_functions import ThreadFunctions, thread_context, thread_functions
from ortcffi.ep.devices import Selector, selector_context
from ortcffi.options.settings import Options, Setting


def _logger(name: str, logger: Any) -> Logger | None:
    if logger is not None and not callable(logger) and not hasattr(logger, "handle"):
        raise TypeError(f"{name} must be a logging.Logger or a callable, not {logger!r}")
    return logger  # type: ignore[no-any-return]


def _callable(name: str, function: Any) -> Any:
    if function is not None and not callable(function):
        raise TypeError(f"{name} must be a callable, not {function!r}")
    return function


class LoggerSetting(Setting[Logger | None]):
    """A setting that is a logger."""

    def __init__(self, on: str) -> None:
        super().__init__(_logger, None, on)

    def write(self, options: Options, value: Logger | None) -> None:
        """Pass the function and its context to the library."""
        context = None if value is None else log_context(value)
        function = ffi.NULL if context is None else ffi.addressof(lib, "ortcffi_log")
        options._call(self.on, function, context.pointer if context else ffi.NULL)
        options._alive[self.name] = context


class SelectorSetting(Setting[Selector | None]):
    """A setting that is a function which chooses devices."""

    def __init__(self, on: str) -> None:
        super().__init__(_callable, None, on)

    def write(self, options: Options, value: Selector | None) -> None:
        """Pass the function and its context to the library."""
        context = None if value is None else selector_context(value, options.api)
        function = ffi.NULL if context is None else ffi.addressof(lib, "ortcffi_select_devices")
        options._call(self.on, function, context.pointer if context else ffi.NULL)
        options._alive[self.name] = context
        options._values.pop("device_policy", None)


class PolicySetting(Setting[Any]):
    """A setting that replaces a device selector."""

    def write(self, options: Options, value: Any) -> None:
        """Pass the policy to the library."""
        super().write(options, value)
        for kept in (options._values, options._alive):
            kept.pop("device_selector", None)


class ThreadsSetting(Setting[ThreadFunctions | None]):
    """A setting that is a pair of functions which create and join threads."""

    def __init__(self, prefix: str) -> None:
        super().__init__(thread_functions, None, f"{prefix}CustomCreateThreadFn")
        self.others = (f"{prefix}CustomThreadCreationOptions", f"{prefix}CustomJoinThreadFn")

    def write(self, options: Options, value: ThreadFunctions | None) -> None:
        """Pass both functions and their context to the library."""
        context = None if value is None else thread_context(value)
        create, join = "ortcffi_create_thread", "ortcffi_join_thread"
        options._call(self.on, ffi.addressof(lib, create) if context else ffi.NULL)
        options._call(self.others[0], context.pointer if context else ffi.NULL)
        options._call(self.others[1], ffi.addressof(lib, join) if context else ffi.NULL)
        options._alive[self.name] = context
