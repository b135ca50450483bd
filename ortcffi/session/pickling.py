# SPDX-License-Identifier: MIT
"""Sessions as their model and options, for processes that are to make the same one.

A worker of a pool gets a session as the argument of each task. So a process keeps the sessions that
it made of pickles last, and the pickle of the same model and options gives the same session.
"""

import os
import pickle
from collections import OrderedDict
from hashlib import blake2b
from threading import RLock
from typing import TYPE_CHECKING, Any

from ortcffi._forks import after_fork
from ortcffi.models.view import content_of
from ortcffi.options.session_options import SessionOptions
from ortcffi.table.load import load

if TYPE_CHECKING:
    from ortcffi.session.session import Session
    from ortcffi.table.api import Api

_MOST = 4  # sessions that a process keeps
kept: "OrderedDict[bytes, Session]" = OrderedDict()  # the one that was asked for last at the end
# Held while a session is made, so that threads make it once. A fork does not wait for that.
_lock = RLock()


def _begin_child() -> None:
    global _lock  # noqa: PLW0603  # another thread of the parent may hold it
    _lock = RLock()
    kept.clear()  # sessions have no threads in the child


after_fork(_begin_child)

# What options may hold that only their own process has.
_BOUND = (
    *("logger", "device_selector", "custom_ops", "op_domains", "ep_context_reader", "ep_devices"),
    *("initializers", "external_initializers", "external_files", "weightless_source"),
)


def parts_of(session: "Session") -> tuple[Any, ...]:
    """Return what `pickle` keeps: the path or the bytes, the options, the library's path."""
    source = session._source
    if source is None:
        raise TypeError(
            "only a Session of a path or of bytes is pickled; Graph.to_bytes() gives bytes"
        )
    if not isinstance(source, (str, os.PathLike)):
        source = bytes(content_of(source))
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
    key = _key(kind, source, described, path)
    with _lock:
        session = kept.pop(key, None)
        if session is None or session.closed:
            session = _made(kind, source, described, path)
        kept[key] = session
        while len(kept) > _MOST:
            kept.popitem(last=False)
    return session


def _key(kind: Any, source: Any, *settings: Any) -> bytes:
    """Get what tells one session from another; of a file also its size and when it was written."""
    if isinstance(source, bytes):
        content: Any = blake2b(source).digest()
    else:
        try:
            file = os.stat(source)
        except OSError:  # which the session's class says better
            content = os.fspath(source)
        else:
            content = os.path.abspath(source), file.st_ino, file.st_size, file.st_mtime_ns
    return pickle.dumps((kind, content, settings))


def _made(kind: Any, source: Any, described: dict[str, Any] | None, path: str | None) -> "Session":
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
