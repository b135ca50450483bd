# SPDX-License-Identifier: MIT
"""Configuration entries of options, as mappings; other lists of options."""

from collections.abc import Callable, Iterator, MutableMapping
from contextlib import contextmanager, nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, NoReturn

from ortcffi._convert import decode, encode
from ortcffi._handle import out_of, owner_of
from ortcffi._native import ffi, lib
from ortcffi._table import core_api, create_environment
from ortcffi.errors import check
from ortcffi.options.settings import lock

if TYPE_CHECKING:
    from ortcffi.options.settings import Options


class ConfigEntries(MutableMapping[str, str]):
    """The configuration entries of session options or run options: str to str.

    Keys have 1 to 1024 bytes, values up to 8192. Libraries also keep entries that they do not know.
    An entry can be replaced but not removed, because the API has no function for that.
    """

    __slots__ = ("_options",)

    ADD: ClassVar = ""

    def __init__(self, options: "Options") -> None:
        self._options = options

    def _read(self) -> "Callable[[Any], None] | None":
        """Return the function that reads all entries as pairs; None for a library without one."""
        raise NotImplementedError

    def to_dict(self) -> dict[str, str]:
        """Return a copy of all entries, in the library's order.

        Of a library that cannot list them, those that were set through this object.
        """
        from ortcffi.status import KeyValuePairs

        options = self._options
        kind, release = "OrtKeyValuePairs*", lib.ReleaseKeyValuePairs
        # The table of an older host has no functions for pairs.
        api = core_api() if options.api.is_core else options.api
        pairs, out = KeyValuePairs._blank(api, kind, release)
        with lock:
            here, read = self._set_here(), self._read()
            if read is None:
                return dict(here)
            read(out)
        pairs._open_handle()
        with pairs:
            found: dict[str, str] = pairs.to_dict()
            return found

    def _set_here(self) -> dict[str, str]:
        """Get the entries that were set through this object, for tables that cannot list them."""
        self._options.handle  # noqa: B018  # raises if closed
        kept: dict[str, str] = self._options._values.setdefault("config", {})
        return kept

    def __getitem__(self, key: str) -> str:
        encode("key", key)
        return self.to_dict()[key]

    def __setitem__(self, key: str, value: str) -> None:
        name, content = encode("key", key), encode(f"config[{key!r}]", value)
        with lock:
            kept = self._set_here()
            replaced = key in self
            if not replaced or self[key] != value:
                with _temporary_env(self._options) if replaced else nullcontext():
                    self._options._write(self.ADD, name, content)
            kept[key] = value  # also what other code has set, or a call that was interrupted

    def __delitem__(self, key: str) -> NoReturn:
        raise TypeError(f"the entry {key!r} cannot be removed: the API has no function for it")

    def __iter__(self) -> Iterator[str]:
        return iter(self.to_dict())

    def __len__(self) -> int:
        return len(self.to_dict())

    def __repr__(self) -> str:
        options = self._options
        return f"<entries of {options!r}>" if options.closed else repr(self.to_dict())


class SessionConfig(ConfigEntries):
    """The entries of session options.

    API functions: ``AddSessionConfigEntry``, ``GetSessionConfigEntry``, ``HasSessionConfigEntry``,
    ``GetSessionOptionsConfigEntries``.
    """

    __slots__ = ()

    ADD = "AddSessionConfigEntry"

    def _read(self) -> "Callable[[Any], None] | None":
        slot = "GetSessionOptionsConfigEntries"
        return partial(self._options._call, slot) if self._options.api.supports(slot) else None

    def __getitem__(self, key: str) -> str:
        name, options = encode("key", key), self._options
        if not options.api.supports("GetSessionConfigEntry"):
            return self._set_here()[key]
        size = ffi.new("size_t*")
        with lock:
            if key not in self:
                raise KeyError(key)
            options._call("GetSessionConfigEntry", name, ffi.NULL, size)
            value = ffi.new("char[]", size[0])
            options._call("GetSessionConfigEntry", name, value, size)
        return decode(value)

    def __contains__(self, key: object) -> bool:
        if not isinstance(key, str):
            return False
        options = self._options
        if not options.api.supports("HasSessionConfigEntry"):
            return key in self._set_here()
        out, name = ffi.new("int*"), encode("key", key)
        with lock:
            options._call("HasSessionConfigEntry", name, out)
        return bool(out[0])


class RunConfig(ConfigEntries):
    """The entries of run options.

    The API cannot list them: of other libraries than the embedded core, the entries that were set
    through this object are listed. API functions: ``AddRunConfigEntry``, ``GetRunConfigEntry``.
    """

    __slots__ = ()

    ADD = "AddRunConfigEntry"

    def _read(self) -> "Callable[[Any], None] | None":
        options = self._options
        if not options.api.is_core:
            return None
        return lambda out: check(options.api.pointer, lib.core_run_config(options.handle, out))

    def __getitem__(self, key: str) -> str:
        name, options = encode("key", key), self._options
        if not options.api.supports("GetRunConfigEntry"):
            return self._set_here()[key]
        with lock:  # the text belongs to the entry, which another thread may replace
            value = lib.GetRunConfigEntry(options.api.pointer, options.handle, name)
            if not value:
                raise KeyError(key)
            return decode(value)

    def __contains__(self, key: object) -> bool:
        if not isinstance(key, str):
            return False
        try:
            self[key]
        except KeyError:
            return False
        return True


@contextmanager
def _temporary_env(options: "Options") -> Iterator[None]:
    """Have an environment while an entry is replaced.

    ONNX Runtime then logs a warning, and ends the process if there is no environment to log to.
    """
    if options.api.is_core:
        yield
        return
    owner = owner_of("OrtEnv*", options.api, lib.ReleaseEnv)
    create_environment(options.api, "CreateEnv", (lib.ORT_LOGGING_LEVEL_FATAL, b""), out_of(owner))
    owner._open_handle()
    try:
        yield
    finally:
        owner.close()


class Item(NamedTuple):
    """An item of a list of session options."""

    name: str  # that it was added with
    number: int  # the dimension, or how many bytes a file has
    pointer: Any  # of the ``OrtValue``, or of the bytes of a file, borrowed from the options
    is_denotation: bool  # whether `name` is the denotation of a dimension


def read_items(options: "Options", kind: int) -> list[Item]:
    """Return the items of a list of session options, in the order in which they were added."""
    items: list[Item] = []
    item = ffi.new("core_session_item*")
    with lock:
        while lib.core_read_session_item(options.handle, kind, len(items), item):
            name = decode(item.key)
            items.append(Item(name, item.number, item.pointer, bool(item.mark)))
    return items
