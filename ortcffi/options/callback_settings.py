# SPDX-License-Identifier: MIT
"""Settings whose values are Python functions that the library calls."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ortcffi._convert import callable_or_none
from ortcffi._native import address_of_function, ffi
from ortcffi.options.settings import MemberSetting, Options, Setting

if TYPE_CHECKING:
    from ortcffi.callbacks.from_c import Context
    from ortcffi.callbacks.logs import Logger


def _logger(name: str, logger: Any) -> "Logger | None":
    if logger is not None and not callable(logger) and not hasattr(logger, "handle"):
        raise TypeError(f"{name} must be a logging.Logger or a callable, not {logger!r}")
    return logger  # type: ignore[no-any-return]


class FunctionSetting(Setting[Any]):
    """A setting that is a function in Python, for which C has one of its own and a number.

    Parameters
    ----------
    on : str
        The function of the API that sets it, with the function in C and its number.
    function : str
        The function in C, of ``lib``.
    context : callable
        ``context(value, api)`` makes the number.
    convert : callable, optional
        Checks the value.
    replaces : str, optional
        A setting that this one takes the place of.
    """

    def __init__(
        self,
        on: str,
        function: str,
        context: "Callable[[Any, Any], Context]",
        convert: Callable[[str, Any], Any] = callable_or_none,
        replaces: str = "",
    ) -> None:
        super().__init__(convert, None, on)
        self.function, self.context, self.replaces = function, context, replaces

    def write(self, options: Options, value: Any) -> None:
        """Pass the function and its context to the library."""
        context = None if value is None else self.context(value, options.api)
        function = ffi.NULL if context is None else address_of_function(self.function)
        options._call(self.on, function, context.pointer if context else ffi.NULL)
        options._alive[self.name] = context
        options._values.pop(self.replaces, None)


def _log_context(logger: Any, _api: object) -> "Context":
    from ortcffi.callbacks.logs import log_context  # defines what C calls

    return log_context(logger)


def logger_setting(on: str) -> FunctionSetting:
    """Return a setting that is a logger."""
    return FunctionSetting(on, "ortcffi_log", _log_context, _logger)


class PolicySetting(MemberSetting):
    """A setting that replaces a device selector."""

    def write(self, options: Options, value: Any) -> None:
        """Pass the policy to the library."""
        super().write(options, value)
        for kept in (options._values, options._alive):
            kept.pop("device_selector", None)
