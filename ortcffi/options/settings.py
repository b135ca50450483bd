# SPDX-License-Identifier: MIT
"""`Options`, the base of the three kinds of options, and `Setting`, an attribute of options.

Most settings are options that the core lists (``core/src/options/session_options.def`` and its
like), with their types and the functions of the API that set and read them. Of the embedded core,
each of these can be read. Otherwise a setting is read if the API has a function for that, and else
its value is the one that was set through this object.
"""

import os
from collections.abc import Callable, Iterable, Mapping
from functools import cache, cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, Self, TypeVar, overload

from ortcffi._convert import (
    INT32,
    UINT32,
    callable_or_none,
    decode,
    decode_path,
    encode,
    integer,
    member,
    native,
    path_of,
)
from ortcffi._forks import fork_safe_lock
from ortcffi._handle import Handle
from ortcffi._native import address_of_function, ffi, lib
from ortcffi._public import Suggests, meant, public
from ortcffi._table import table_for

if TYPE_CHECKING:
    from ortcffi.callbacks.from_c import Context
    from ortcffi.table.api import Api

T = TypeVar("T")

# Held while options are read or changed: a library frees the old text of an option when another
# thread sets a new one. One lock for all options, so that a fork can wait for it.
lock = fork_safe_lock()
SHARED_ARENA = "session.use_env_allocators"


@public
class Options(Suggests, Handle):
    """The base of session options, run options and threading options."""

    __slots__ = ("_alive", "_values")

    _rows: ClassVar[int]  # which list of options of the core
    _values: dict[str, Any]  # what was set, by name
    _alive: dict[str, Any]  # what the library borrows, by name; a parent of the handle

    def _begin(self, api: "Api | None", create: str, *parents: object) -> None:
        """Have the library make the options, which `parents` outlive."""
        self._values, self._alive = {}, {}
        self._create(table_for(api), create, parents=(self._alive, *parents))

    def _wrap(self, api: "Api", handle: Any, release: Any, parent: object) -> None:
        self._values, self._alive = {}, {}
        super()._wrap(api, handle, release, (parent, self._alive))

    def _call(self, slot: str, *arguments: Any) -> None:
        with lock:
            super()._call(slot, *arguments)

    def _write(self, slot: str, *arguments: Any) -> None:
        """Call a function that changes the options."""
        self._call(slot, *arguments)

    def _keep(self, name: str, objects: Iterable[object]) -> None:
        """Keep alive what the library borrows, also if it then refuses a part of it."""
        self._alive[name] = [*self._alive.get(name, []), *objects]

    def _set_all(self, settings: Mapping[str, Any]) -> None:
        """Set the settings that were given as keyword arguments."""
        for name, value in settings.items():
            if not isinstance(getattr(type(self), name, None), Setting):
                names = list(self._settings())
                hint = meant(name, names)
                raise TypeError(
                    f"there is no option {name!r}{hint}; expected one of {', '.join(names)}"
                )
            setattr(self, name, value)

    @classmethod
    @cache
    def _settings(cls) -> "dict[str, Setting[Any]]":
        """Return the settings of this class and of its bases, by name."""
        found = (pair for base in reversed(cls.__mro__) for pair in vars(base).items())
        return {name: each for name, each in found if isinstance(each, Setting)}

    def to_dict(self) -> dict[str, Any]:
        """All settings, by name, including those that have their default."""
        self.handle  # noqa: B018  # raises if closed
        with lock:
            return {name: each.read(self) for name, each in self._settings().items()}

    def _changed(self) -> dict[str, Any]:
        """Return the settings that do not have their default, by name."""
        self.handle  # noqa: B018  # raises if closed
        with lock:
            changed = [each for each in self._settings().values() if not each.is_default(self)]
            found = [(each, each.read(self)) for each in changed]
        return {each.name: x for each, x in found if x != each.default}

    def _refuse_other_library(self, api: "Api") -> None:
        """Refuse to be copied for a library: only the core's options can be read completely."""
        if not self.api.is_core:
            raise ValueError(
                f"options belong to {self.api}, and the session to {api}: make them with api="
            )

    def _set_changed(self, copy: "Options") -> None:
        """Set the settings in a copy that do not have their default."""
        for name, value in self._changed().items():
            setattr(copy, name, value)

    def close(self) -> None:
        """Release the options and the objects that they kept alive."""
        super().close()
        self._values, self._alive = {}, {}

    def __repr__(self) -> str:
        name = type(self).__name__
        if self.closed:
            return f"<{name} closed>"
        listed = "".join(f" {key}={value!r}" for key, value in self._changed().items())
        return f"<{name} of {self.api}{listed}>"


class Setting(Generic[T]):
    """One setting, as an attribute of options."""

    name: str
    default: Any = None
    replaces = ""  # another setting, which goes back to its default when this one is set

    def __set_name__(self, owner: type[Options], name: str) -> None:
        self.name = name

    @overload
    def __get__(self, options: None, owner: type) -> Self: ...
    @overload
    def __get__(self, options: Options, owner: type) -> T: ...
    def __get__(self, options: Options | None, owner: type) -> Self | T:
        if options is None:
            return self
        options.handle  # noqa: B018  # raises if closed
        with lock:
            return self.read(options)

    def __set__(self, options: Options, value: T) -> None:
        converted = self.convert(value)
        with lock:
            self.write(options, converted)
            options._values[self.name] = converted
            for kept in (options._values, options._alive):
                kept.pop(self.replaces, None)

    def convert(self, value: Any) -> Any:
        """Check a value and return it in the type that users read."""
        raise NotImplementedError

    def read(self, options: Options) -> T:
        """Return the value in options."""
        return options._values.get(self.name, self.default)  # type: ignore[no-any-return]

    def is_default(self, options: Options) -> bool:
        """Whether options have the default, as far as that is seen sooner than by `read`."""
        del options
        return False

    def write(self, options: Options, value: T) -> None:
        """Pass a value to the library."""
        raise NotImplementedError


class _Row(NamedTuple):
    """An option as the core lists it."""

    pointer: Any
    kind: int
    slots: dict[int, str]  # the functions of the API for it, by what they do


@cache
def _rows(owner: int) -> dict[str, _Row]:
    """Return the options of a kind of options, by name."""
    found: dict[str, _Row] = {}
    row: Any = lib.core_option_rows(owner)
    slots: dict[int, str] = {}
    while row.name:
        name = decode(row.name)
        if row.kind >= lib.CORE_OPTION_SETTER:
            slots[row.kind] = name
        else:
            slots = {}
            found[name] = _Row(row, row.kind, slots)
        row += 1
    return found


_PATH, _OFF = lib.CORE_OPTION_PATH, lib.CORE_OPTION_OFF
_TEXTS = (lib.CORE_OPTION_TEXT, _PATH)
# Of the kinds that have one: the member of `ortcffi.options.kinds`.
_MEMBERS = {
    lib.CORE_OPTION_MODE: "ExecutionMode",
    lib.CORE_OPTION_LEVEL: "OptimizationLevel",
    lib.CORE_OPTION_POLICY: "DevicePolicy",
}


class Option(Setting[T]):
    """A setting that the core lists; one that is `meanwhile` can be set while a run uses it."""

    def __init__(self, *, replaces: str = "", meanwhile: bool = False) -> None:
        self.replaces, self.meanwhile = replaces, meanwhile

    def __set_name__(self, owner: type[Options], name: str) -> None:
        self.name, self.owner = name, owner._rows

    @cached_property
    def row(self) -> _Row:
        """What the core lists."""
        return _rows(self.owner)[self.name]

    @cached_property
    def default(self) -> Any:
        """The value in new options."""
        if self.row.kind in _TEXTS:
            return None if self.row.kind == _PATH else ""
        return self.convert(self.row.pointer.initial)

    def convert(self, value: Any) -> Any:
        """Check a value and return it in the type that users read."""
        kind = self.row.kind
        if kind in _MEMBERS:
            from ortcffi.options import kinds

            return member(self.name, value, getattr(kinds, _MEMBERS[kind]), UINT32)
        if kind == _PATH and _OFF not in self.row.slots:
            return path(self.name, value) or None  # a library's empty path is none
        return _CONVERSIONS[kind](self.name, value)

    def read(self, options: Options) -> T:
        """Return the value in options."""
        return self.convert(self._found(options))  # type: ignore[no-any-return]

    def is_default(self, options: Options) -> bool:
        """Whether options of the core have the initial value."""
        if not options.api.is_core or self.row.kind in _TEXTS:
            return False
        number = ffi.new("int*")
        lib.core_read_option(options.handle, self.row.pointer, number, ffi.NULL)
        return bool(number[0] == self.row.pointer.initial)

    def _found(self, options: Options) -> Any:
        is_text, getter = self.row.kind in _TEXTS, self.row.slots.get(lib.CORE_OPTION_GETTER)
        number, text = ffi.new("int*"), ffi.new("const char**")
        if options.api.is_core:
            lib.core_read_option(options.handle, self.row.pointer, number, text)
        elif getter is None or not options.api.supports(getter):
            return options._values.get(self.name, self.default)
        else:
            is_mode = self.row.kind == lib.CORE_OPTION_MODE
            out = ffi.cast("ExecutionMode*", number) if is_mode else number
            options._call(getter, text if is_text else out)
        if not is_text:
            return number[0]
        if self.row.kind == _PATH:
            return decode_path(ffi.cast("ORTCHAR_T*", text[0])) if text[0] else self.default
        return decode(text[0]) if text[0] else self.default

    def _encoded(self, value: Any) -> Any:
        if self.row.kind not in _TEXTS:
            return value
        return native((value or "").encode()) if self.row.kind == _PATH else (value or "").encode()

    def write(self, options: Options, value: Any) -> None:
        """Pass a value to the library."""
        slots, change = self.row.slots, options._call if self.meanwhile else options._write
        setter, switch = slots.get(lib.CORE_OPTION_SETTER), lib.CORE_OPTION_ON if value else _OFF
        if setter and (value is not None or _OFF not in slots):
            change(setter, self._encoded(value))
        elif switch in slots:
            change(slots[switch])
        elif value != self.read(options):
            on = "on" if value else "off"
            raise ValueError(f"{self.name} cannot be turned {on} again: the API has no function")


class SharedArena(Setting[bool]):
    """A setting that is a configuration entry, ``"1"`` or ``"0"``."""

    default = False

    def read(self, options: Any) -> bool:
        """Return whether the entry is there and ``"1"``."""
        return options.config.get(SHARED_ARENA) == "1"  # type: ignore[no-any-return]

    def __set__(self, options: Any, value: bool) -> None:
        options.config[SHARED_ARENA] = "1" if flag(self.name, value) else "0"


# --- functions in Python that the library calls ---------------------------------------------------


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
        from ortcffi.callbacks.from_c import Context, Subject

        import_module(self.module)
        return Context(Subject(value, api))

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


# --- kinds of values ------------------------------------------------------------------------------


def number(name: str, value: Any) -> int:
    """Convert to an int of 32 bits."""
    return integer(name, value, INT32)


def flag(name: str, value: Any) -> bool:
    """Convert True and False, or the 1 and 0 of C, to bool."""
    if isinstance(value, bool):
        return value
    if isinstance(value, int) and value in (0, 1):
        return value == 1
    kind = type(value)
    if kind.__module__ == "numpy" and kind.__name__ in ("bool", "bool_"):  # not imported for this
        return bool(value)
    raise TypeError(f"{name} must be a bool, not {value!r}")


def text(name: str, value: Any) -> str:
    """Check that a str can be passed to C."""
    encode(name, value)
    return value  # type: ignore[no-any-return]


def path(name: str, value: "str | os.PathLike[str] | None") -> str | None:
    """Convert a path to str; None stays None."""
    if value is None or value == "":
        return value
    return text(name, os.fsdecode(path_of(name, value)))


def severity(name: str, value: Any) -> int:
    """Convert an int to a `LogSeverity` if it has one."""
    from ortcffi.callbacks.logs import LogSeverity

    return member(name, value, LogSeverity, INT32)


_CONVERSIONS: dict[int, Callable[[str, Any], Any]] = {
    lib.CORE_OPTION_NUMBER: number,
    lib.CORE_OPTION_SEVERITY: severity,
    lib.CORE_OPTION_FLAG: flag,
    lib.CORE_OPTION_SHARED_FLAG: flag,
    lib.CORE_OPTION_TEXT: text,
    _PATH: path,
}
