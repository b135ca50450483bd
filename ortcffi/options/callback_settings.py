# SPDX-License-Identifier: MIT
"""Settings whose values are Python functions that the library calls."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ortcffi._convert import callable_or_none
from ortcffi._native import address_of_function, ffi
from ortcffi.options.settings import Options, Setting

if TYPE_CHECKING:
    from ortcffi.callbacks.from_c import Context
    from ortcffi.table.api import Api


class FunctionSetting(Setting[Any]):
    """A setting that is a function in Python, for which C has one of its own and a number.

    The function `on` of the API gets `function`, one of ``lib``, which calls what `module` defines.
    """

    def __init__(self, on: str, function: str, module: str = "", replaces: str = "") -> None:
        self.on, self.function, self.module, self.replaces = on, function, module, replaces

    def convert(self, value: Any) -> Any:
        """Check that a value can be called."""
        return callable_or_none(self.name, value)

    def context(self, value: Any, api: "Api") -> "Context":
        """Make the number."""
        from ortcffi.callbacks.from_c import subject_context

        import_module(self.module)
        return subject_context(value, api)

    def write(self, options: Options, value: Any) -> None:
        """Pass the function and its context to the library."""
        context = None if value is None else self.context(value, options.api)
        function = ffi.NULL if context is None else address_of_function(self.function)
        options._call(self.on, function, context.pointer if context else ffi.NULL)
        options._alive[self.name] = context


class LoggerSetting(FunctionSetting):
    """A setting that is a logger."""

    def convert(self, value: Any) -> Any:
        """Check a logger."""
        if value is not None and not callable(value) and not hasattr(value, "handle"):
            raise TypeError(f"{self.name} must be a logging.Logger or a callable, not {value!r}")
        return value

    def context(self, value: Any, api: "Api") -> "Context":  # noqa: ARG002
        """Make the number."""
        from ortcffi.callbacks.logs import log_context  # defines what C calls

        return log_context(value)
