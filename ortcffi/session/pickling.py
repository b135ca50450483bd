# SPDX-License-Identifier: MIT
"""Sessions as their model and options, for processes that are to make the same one."""

import os
from typing import TYPE_CHECKING, Any

from ortcffi.options.session import SessionOptions
from ortcffi.table.load import load

if TYPE_CHECKING:
    from ortcffi.session.session import Session
    from ortcffi.table.api import Api

__all__ = ["parts_of"]

# What options may hold that only their own process has.
_BOUND = (
    *("logger", "device_selector", "custom_ops", "op_domains"),
    "ep_context_reader",
    *("initializers", "external_initializers", "external_files", "weightless_source"),
    "ep_devices",
)


def parts_of(session: "Session") -> tuple[Any, ...]:
    """What `pickle` keeps of a session: the path or the bytes, the options, the library's path."""
    source = session._source
    if source is None:
        raise TypeError(
            "only a Session of a path or of bytes is pickled; Graph.to_bytes() gives bytes"
        )
    if not isinstance(source, (str, os.PathLike)):
        source = bytes(source)
    return _again, (type(session), source, _described(session._options), session.api.path)


def _described(options: SessionOptions | None) -> dict[str, Any] | None:
    if options is None:
        return None
    for name in _BOUND:
        if options._values.get(name) or options._alive.get(name):
            raise TypeError(f"a Session whose options have {name} is not pickled")
    fixed = [tuple(dimension) for dimension in options.free_dimensions]
    return {
        "settings": options._changed(),
        "config": dict(options.config),
        "dimensions": fixed,
        "providers": options._values.get("providers", []),
    }


def _again(kind: Any, source: Any, described: dict[str, Any] | None, path: str | None) -> "Session":
    """Make the session in another process, on the library of that path or else what is found."""
    api = _library(path)
    if described is None:
        return kind(source, api=api)  # type: ignore[no-any-return]
    options = SessionOptions(api, config=described["config"], **described["settings"])
    for name, value, is_denotation in described["dimensions"]:
        options.fix_dimension(name, value, is_denotation=is_denotation)
    for name, settings in described["providers"]:
        options.add_provider(name, settings)
    return kind(source, options, api=api)  # type: ignore[no-any-return]


def _library(path: str | None) -> "Api":
    return load(path) if path is not None and os.path.exists(path) else load()
