# SPDX-License-Identifier: MIT
"""Execution providers of a session: by name with options, or by device."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ortcffi.ep.devices import EpDevice
from ortcffi.options.for_library import session_options_for
from ortcffi.options.session import SessionOptions

if TYPE_CHECKING:
    from ortcffi.table.api import Api

__all__ = ["Provider", "with_providers"]

Provider = str | EpDevice | tuple[str | EpDevice, Mapping[str, str]]


def with_providers(
    api: "Api", options: SessionOptions | None, providers: Iterable[Provider]
) -> SessionOptions:
    """A copy of options with execution providers added, the preferred first."""
    if isinstance(providers, (str, EpDevice)) or not isinstance(providers, Iterable):
        raise TypeError(f"providers must be a list, not {type(providers).__name__}")
    chosen = session_options_for(api, options)
    copy = SessionOptions(api) if chosen is None else chosen.clone()
    for each in providers:
        given: Any = each
        if isinstance(given, EpDevice):
            copy.add_devices([given])
        elif isinstance(given, str):
            copy.add_provider(given)
        elif isinstance(given, (tuple, list)) and len(given) == 2:
            name, settings = given
            if isinstance(name, EpDevice):
                copy.add_devices([name], settings)
            else:
                copy.add_provider(name, settings)
        else:
            raise TypeError(
                f"providers has {given!r}; expected a name or an EpDevice, or a pair of one and "
                "its options"
            )
    return copy
