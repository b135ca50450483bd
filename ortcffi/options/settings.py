# SPDX-License-Identifier: MIT
"""`Options`, the base of the three kinds of options, and `Setting`, an attribute of options.

A setting is read from the library if the API has a function for that. Of the embedded core, every
setting can be read. Otherwise the value is the one that was set through this object.
"""

import os
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar, overload

from ortcffi._convert import INT32, UINT32, decode, encode, integer, member, path_of
from ortcffi._forks import fork_safe_lock
from ortcffi._handle import Handle, Release, out_of, owner_of
from ortcffi._native import ffi, lib
from ortcffi._public import Suggests, meant, public
from ortcffi._table import table_for
from ortcffi.errors import check

if TYPE_CHECKING:
    from ortcffi.table.api import Api

T = TypeVar("T")

TEXT = "const char**"

# Held while options are read or changed: a library frees the old text of an option when another
# thread sets a new one. One lock for all options, so that a fork can wait for it.
lock = fork_safe_lock()


@public
class Options(Suggests, Handle):
    """The base of session options, run options and threading options."""

    __slots__ = ("_alive", "_values")

    _values: dict[str, Any]  # what was set, by name
    _alive: dict[str, Any]  # what the library borrows, by name; a parent of the handle

    def _begin(
        self,
        api: "Api | None",
        create: str,
        release: str,
        kind: str,
        *parents: object,
    ) -> None:
        """Have the library make the options, which `parents` outlive."""
        api = table_for(api)
        api.require(create)
        self._values, self._alive = {}, {}
        owner = owner_of(f"{kind}*", api, getattr(lib, release), self._alive, *parents)
        check(api.pointer, getattr(lib, create)(api.pointer, out_of(owner)))
        Handle.__init__(self, api, owner)

    def _wrap(self, api: "Api", handle: Any, release: Release | None, parent: object) -> None:
        self._values, self._alive = {}, {}
        Handle.__init__(self, api, handle, release=release, parent=(parent, self._alive))

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
        """The settings of this class and of its bases, by name."""
        found = (pair for base in reversed(cls.__mro__) for pair in vars(base).items())
        return {name: each for name, each in found if isinstance(each, Setting)}

    def _describe(self) -> Mapping[str, Any]:
        """The settings that can be read from the library, by name."""
        return {}

    def to_dict(self) -> dict[str, Any]:
        """All settings, by name, including those that have their default."""
        self.handle  # noqa: B018  # raises if closed
        with lock:
            described = self._describe()
            return {name: each.of(self, described) for name, each in self._settings().items()}

    def _changed(self) -> dict[str, Any]:
        """The settings that do not have their default, by name."""
        settings = self._settings()
        return {name: x for name, x in self.to_dict().items() if x != settings[name].default}

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
    """One setting, as an attribute of options.

    Parameters
    ----------
    convert : callable
        ``convert(name, value)`` checks a value and returns it in the type that users read.
    default : object
        The value in new options.
    on : str
        The function of the API that sets it.
    off : str, optional
        The function that is called instead for a value that is false or None.
    arguments : callable, optional
        ``arguments(value)`` makes the arguments of the function; by default the value alone.
    read : tuple of str, optional
        The function of the API that reads it, and the C type of its out-parameter.
    meanwhile : bool, optional
        Whether it can be set while a run uses the options.
    """

    name: str

    def __init__(  # noqa: PLR0913  # each is a column in the lists of settings
        self,
        convert: Callable[[str, Any], T],
        default: T,
        on: str,
        *,
        off: str | None = None,
        arguments: Callable[[T], tuple[Any, ...]] = lambda value: (value,),
        read: tuple[str, str] | None = None,
        meanwhile: bool = False,
    ) -> None:
        self.convert = convert
        self.default = default
        self.on = on
        self.off = off
        self.arguments = arguments
        self.read = read
        self.meanwhile = meanwhile

    def __set_name__(self, owner: type, name: str) -> None:
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
            return self.of(options, options._describe())

    def of(self, options: Options, described: Mapping[str, Any]) -> T:
        """Return the value in options, of which `described` is what can be read of all at once."""
        if self.name in described:
            return self.convert(self.name, described[self.name])
        if self.read and options.api.supports(self.read[0]):
            out = ffi.new(self.read[1])
            options._call(self.read[0], out)
            found = out[0]
            return self.convert(self.name, decode(found) if self.read[1] == TEXT else found)
        return options._values.get(self.name, self.default)  # type: ignore[no-any-return]

    def __set__(self, options: Options, value: T) -> None:
        converted = self.convert(self.name, value)
        with lock:
            self.write(options, converted)
            options._values[self.name] = converted

    def write(self, options: Options, value: T) -> None:
        """Pass a value to the library."""
        change = options._call if self.meanwhile else options._write
        if self.off is not None and not value and value != "":
            change(self.off)
        else:
            change(self.on, *self.arguments(value))


class MemberSetting(Setting[Any]):
    """A setting that is a member of an enum: of `kind` in `ortcffi.options.kinds`."""

    def __init__(
        self, kind: str, default: int, on: str, read: tuple[str, str] | None = None
    ) -> None:
        super().__init__(self._member, default, on, read=read)
        self.kind = kind

    def _member(self, name: str, value: Any) -> Any:
        from ortcffi.options import kinds

        return member(name, value, getattr(kinds, self.kind), UINT32)

    def of(self, options: Options, described: Mapping[str, Any]) -> Any:
        """Return the member, also where it is the default, which is a number."""
        return self._member(self.name, super().of(options, described))


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


def file(name: str, value: "str | os.PathLike[str] | None") -> str | None:
    """Convert a path to str; None, or a library's empty path, is None."""
    return path(name, value) or None


def severity(name: str, value: Any) -> int:
    """Convert an int to a `LogSeverity` if it has one."""
    from ortcffi.callbacks.logs import LogSeverity

    return member(name, value, LogSeverity, INT32)


def encoded(value: str | None) -> tuple[bytes]:
    """The arguments of a function that takes a string."""
    return ((value or "").encode(),)


def nothing(_value: object) -> tuple[()]:
    """The arguments of a function that takes none."""
    return ()
