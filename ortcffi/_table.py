# SPDX-License-Identifier: MIT
"""For all topics: `Table`, one function table; the embedded core's, the default of the process.

`ortcffi.table.api` adds what makes objects: its class `Api` is the one that users see, and the one
that `core_api` makes.
"""

import os
import re
from functools import cache
from importlib import import_module
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any, Self

from ortcffi._convert import INT32, decode, integer
from ortcffi._convert import pointer as pointer_to
from ortcffi._native import address_of, answered_by_core, ffi, lib, slot_since
from ortcffi._public import public, refuse_pickle
from ortcffi.errors import NotImplemented, OrtError, check

if TYPE_CHECKING:
    from collections.abc import Hashable

    from ortcffi._compiled import Maker
    from ortcffi._ort import OrtApi, OrtApiBase
    from ortcffi.table.api import Api

HIGHEST_VERSION: int = lib.ORTCFFI_API_VERSION  # of the table that this package was compiled for
OLDEST_VERSION = 20  # of a library that `load` and `attach` take
_CORE = "the embedded core"
_TABLE, _BASE = "const OrtApi *", "const OrtApiBase *"
# Of each library (`Table.library`) the devices whose registration `ortcffi.ep.registered` knows, by
# their addresses. Here, so that that module is imported only where there are any.
registered_devices: "dict[Hashable, dict[int, Any]]" = {}
# What C is called with. Another pointer or version would have it read past the end of the table.
_FACTS = {"base", "pointer", "version", "version_string", "path"}
_FACTS |= {"library", "is_core"}


def api_version_of(version_string: str) -> int:
    """Get the highest API version of a library whose ``GetVersionString`` answers `version_string`.

    Raises `ValueError`, whose text completes 'the library ...'.
    """
    found = re.match(r"([0-9]{1,9})\.([0-9]{1,9})(?![0-9])", version_string)
    if not found:
        raise ValueError(f"says that its version is {version_string!r}, which is no version")
    major, minor = int(found[1]), int(found[2])
    if major > 1:
        raise ValueError(f"is of version {version_string!r}, whose API versions are not known here")
    return minor if major else 0  # release 1.n knows the API versions 1 to n


def supported_version(version_string: str) -> int:
    """As `api_version_of`, of a release that is not too old: 1.20 is the oldest supported one."""
    version = api_version_of(version_string)
    if version < OLDEST_VERSION:
        raise ValueError(
            f"is too old: its version is {version_string!r}, "
            f"and 1.{OLDEST_VERSION} is the oldest that ortcffi supports"
        )
    return version


@public
class Table:
    """One function table of the C API, as `Api` says. Equal if it is the same table."""

    def __init__(  # noqa: PLR0913  # as many as there are facts
        self,
        pointer: "OrtApi",
        *,
        version: int,
        version_string: str,
        path: str | None = None,
        base: "OrtApiBase | None" = None,
        library: "Hashable | None" = None,
    ) -> None:
        self.pointer = pointer_to("pointer", pointer, _TABLE)
        self.base = None if base is None else pointer_to("base", base, _BASE)
        self.version = integer("version", version, (1, INT32[1]))
        self.version_string = version_string
        self.path = path
        address = address_of(pointer)
        self.library: Hashable = library or path or f"the table at {address:#x}"
        self.is_core = self.library == _CORE

    __reduce__ = refuse_pickle

    def __copy__(self) -> Self:
        return self  # a table is what it is as long as the process lives

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __setattr__(self, name: str, value: object) -> None:
        self._refuse_change(name)
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        self._refuse_change(name)
        super().__delattr__(name)

    def _refuse_change(self, name: str) -> None:
        if name in _FACTS and name in self.__dict__:
            raise AttributeError(f"{name} of a table cannot be changed")

    def same_library(self, other: "Table") -> bool:
        """Whether two tables are of one library, so that they may share objects."""
        if not isinstance(other, Table):
            raise TypeError(f"other must be an Api, not {type(other).__name__}")
        return bool(self.library == other.library)

    def supports(self, slot: str) -> bool:
        """Whether the table has a slot, and the library does what the slot is for.

        The core's table has all slots of its version, and some only answer `NotImplemented`:
        those that need an inference engine, such as ``"CreateSession"``, are not supported.

        Parameters
        ----------
        slot : str
            The name of a function of the C API, such as ``"CreateMemoryInfo_V2"``.

        Raises
        ------
        LookupError
            No API version has such a slot, up to the one that this package was compiled for.
        """
        return _since(slot) <= self.version and (not self.is_core or slot in answered_by_core())

    def require(self, slot: str) -> None:
        """Raise `NotImplemented` unless the table has a slot. Beyond its end there is no table.

        Raises
        ------
        NotImplemented
            The table is of an API version before that of the slot.
        LookupError
            No API version has such a slot, up to the one that this package was compiled for.
        """
        since = _since(slot)
        if since > self.version:
            raise NotImplemented(
                f"{slot} came with API version {since}; this table has {self.version}", slot
            )

    def _call(self, slot: str, *arguments: Any) -> None:
        """Call a function of the table, which must have it; raise for a failing status."""
        self.require(slot)
        check(self.pointer, getattr(lib, slot)(self.pointer, *arguments))

    @property
    def _maker(self) -> "Maker":
        """What makes values of this table; `ortcffi.values.lifecycle` defines it."""
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Table) and bool(self.pointer == other.pointer)

    def __hash__(self) -> int:
        return hash(self.pointer)

    def __repr__(self) -> str:
        return f"<Api {self.version} of {self.library}, {self.version_string!r}>"


def _since(slot: str) -> int:
    """Return the API version that a slot came with."""
    since = slot_since(slot) if isinstance(slot, str) else 0
    if not since:
        raise LookupError(f"slot {slot!r} is in no API version up to {HIGHEST_VERSION}")
    return since


# --- the embedded core, and the default of the process --------------------------------------------

MANUAL_INIT = "ORTCFFI_MANUAL_INIT"
_chosen: "Api | None" = None  # the compiled types read it under this name
_manual = os.environ.get(MANUAL_INIT, "") not in ("", "0")


@cache
def _class() -> "type[Api]":
    """Return the class of tables. Its module is above this one: the first table imports it."""
    api: type[Api] = import_module("ortcffi.table.api").Api
    return api


def of_core(pointer: Any, base: Any, version: int) -> "Api":
    """Return a table whose functions are the core's: its own, or an emulated host's."""
    text = decode(base.GetVersionString())
    facts: Any = {"version": version, "version_string": text, "base": base, "library": _CORE}
    return _class()(pointer, **facts)


def table_at(pointer: Any, version: int, version_string: str = "") -> "Api":
    """Return a table of a library that is not known otherwise."""
    return _class()(pointer, version=version, version_string=version_string)


@public
@cache
def core_api() -> "Api":
    """Return the table of the embedded core. API functions: ``GetApi``, ``GetVersionString``."""
    base: Any = lib.ortcffi_core_api_base()
    return of_core(base.GetApi(HIGHEST_VERSION), base, HIGHEST_VERSION)


@cache
def host_function(name: str) -> Any:
    """Return a function of ``ortcore.h``, by its type, such as ``OrtcoreKernelCreate``."""
    words = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)
    found = lib.GetExperimentalFunction(core_api().pointer, words[1:].encode())
    return ffi.cast(name, found)


@public
def default_api() -> "Api":
    """Return the process's default table: what `init_api` chose, or the embedded core.

    Raises
    ------
    RuntimeError
        The environment variable ``ORTCFFI_MANUAL_INIT`` was 1 when this package was imported, and
        `init_api` has not been called.
    """
    if _chosen is None:
        if _manual:
            raise RuntimeError(
                f"{MANUAL_INIT} is set, so no API is chosen by itself: call ortcffi.init_api first"
            )
        return init_api()
    return _chosen


@public
def init_api(api: "Api | None" = None) -> "Api":
    """Choose the process's default table, by default the embedded core's. Objects keep theirs."""
    global _chosen  # noqa: PLW0603  # a choice of the whole process
    _chosen = core_api() if api is None else table_for(api)
    return _chosen


def made_by(api: "Api", argument: str = "api") -> "Api":
    """Return the table that a handle belongs to, which has no default; errors name the argument."""
    if not isinstance(api, Table):
        raise TypeError(f"{argument} must be an Api, not {type(api).__name__}")
    return api


def table_for(api: "Api | None") -> "Api":
    """Return the table that an argument names, or the default."""
    if api is None:
        return default_api()
    return made_by(api)


def editor_of(api: Table, slot: str) -> Any:
    """Return the model editor's table of a library, for a call of its function `slot`."""
    api.require("GetModelEditorApi")
    editor = lib.GetModelEditorApi(api.pointer)
    if not editor:
        raise NotImplemented("the library has no model editor", slot)
    return editor


def create_environment(api: Table, slot: str, arguments: tuple[Any, ...], out: Any) -> None:
    """Have the library create the environment.

    While a library ends its last environment, on another thread for example, it refuses to create a
    new one: then this waits and tries again.
    """
    end = monotonic() + 10
    while True:
        try:
            check(api.pointer, getattr(lib, slot)(api.pointer, *arguments, out))
        except OrtError as error:
            if "Only one instance of LoggingManager" not in str(error) or monotonic() > end:
                raise
        else:
            return
        sleep(0.001)
