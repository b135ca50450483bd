# SPDX-License-Identifier: MIT
"""Libraries of execution providers behind a table that counts, notes leaks and makes calls fail."""

import atexit
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakValueDictionary

from ortcffi._convert import absolute, decode, encode, integer, optional_mapping, path_of
from ortcffi._forks import fork_safe_lock
from ortcffi._handle import Handle, out_of, owned_by, owner_of
from ortcffi._native import address_of, by_slot, compiled, extension_path, ffi, lib
from ortcffi._public import meant, public
from ortcffi._table import HIGHEST_VERSION, core_api, host_function
from ortcffi.ep.registered import name_of
from ortcffi.errors import ErrorCode, Fail, InvalidArgument, check

if TYPE_CHECKING:
    import os

_lock = fork_safe_lock()  # held while a name is taken
_named: "WeakValueDictionary[str, WatchedEp]" = WeakValueDictionary()
# By name. Each change is one step: a host calls with locks of its own, and must wait for none.
_open: "dict[str, _Opened]" = {}
_EACH_CALL = 2**64 - 1
_NEVER = "CreateStatus"  # with which clients answer that something has failed


@public
class LeftStatus(NamedTuple):
    """A status that was not released.

    Attributes
    ----------
    slot : str
        The slot that made it.
    message : str
        Its message, up to 511 bytes.
    """

    slot: str
    code: ErrorCode
    message: str


@public
class WatchedEp(Handle):
    """A library of execution providers, to be watched in a host of any kind.

    A host that opens `library` under `name` gets the factories of the author's library, which sees
    the host's tables, `OrtApi` and `OrtEpApi`, through one of ours. ``Env.register_ep(watch=True)``
    does all of this. For a host of your own, or the official package::

        watched = ortcffi.WatchedEp("libmy_ep.so", "mine")
        onnxruntime.register_execution_provider_library(watched.name, watched.library)

    Parameters
    ----------
    path : str or os.PathLike
        The path of the author's library.
    name : str, optional
        The name to register it under, by default that of the file.
    as_host : int, optional
        The API version that the library is to see, such as 24 for ONNX Runtime 1.24; by default
        the host's own, as far as this package knows it.
    faults : mapping of str to int, optional
        As `fail` takes them, from the first call on.

    Attributes
    ----------
    library : str
        What the host is to open: the extension of this package.

    Notes
    -----
    Two libraries can be watched at a time, `Trace` objects included. The figures begin anew when a
    host asks for the factories again. A library that answers no factory is an error of the host,
    which names the API version that it asked for. Metadata ``library_path`` of devices is the path
    of the extension.
    """

    __slots__ = ("_as_host", "_path", "library", "name")

    _pointer, _release = "OrtcoreFigures*", lib.ortcffi_free_figures
    name: str
    library: str
    _path: str
    _as_host: int  # 0 for the host's own version

    def __init__(
        self,
        path: "str | os.PathLike[str]",
        name: str | None = None,
        *,
        as_host: int | None = None,
        faults: Mapping[str, int] | None = None,
    ) -> None:
        full = absolute("path", path)
        self.name = name_of(path, full) if name is None else name
        self.library = extension_path()
        encode("name", self.name)
        self._path = full
        version = 0 if as_host is None else integer("as_host", as_host, (1, HIGHEST_VERSION))
        self._as_host = version
        numbers = faults_by_slot(faults)
        out = self._begin_handle(core_api(), table=ffi.NULL)
        with _lock:
            if (other := _named.get(self.name)) is not None and not other.closed:
                message = f"a library is already watched under the name {self.name}"
                raise Fail(message, "WatchedEp")
            if not lib.ortcffi_new_figures(out):
                raise MemoryError("there is no memory for the figures of a library")
            self._open_handle()
            _named[self.name] = self
        set_faults(self._figures, numbers)

    @property
    def _figures(self) -> Any:
        """What the trace counts into; valid until the library has been closed."""
        return self.handle

    @property
    def calls(self) -> dict[str, int]:
        """How often the library called each slot, in the order of the tables."""
        return by_slot(self._figures.calls)

    def left_alive(self) -> dict[str, int]:
        """How many objects of each slot the library has not released.

        That is values, types, key-value pairs, memory infos, graph views, metadata, kernel
        registries and the like, and on the core statuses, which `left_statuses` lists. Not devices,
        and attributes, which nodes take. What it keeps for its whole life counts until its
        factories are released.
        """
        return by_slot(self._figures.alive)

    def left_statuses(self) -> list[LeftStatus]:
        """Which statuses neither the library nor the host has released.

        On the core only. With a real library there are none: it does not tell when it releases what
        it is answered.
        """
        return left_statuses(self._figures)

    @property
    def wanted_version(self) -> int:
        """The highest API version that the library asked for; 0 before, 63 for all above 62."""
        asked: int = self._figures.asked
        return max(asked.bit_length() - 1, 0)

    def fail(self, faults: Mapping[str, int] | None) -> None:
        """Have slots answer the library a status with ``FAIL``, and not do anything.

        Parameters
        ----------
        faults : mapping of str to int, or None
            For each slot, which of its calls is to fail: 1 for the next, 0 for all from now on. It
            replaces earlier faults. ``CreateStatus`` and slots without a status cannot fail.
        """
        set_faults(self._figures, faults_by_slot(faults))

    def __repr__(self) -> str:
        return f"<WatchedEp {'closed' if self.closed else repr(self.name)}>"


class _Opened:
    """A watched library, from ``CreateEpFactories`` until its last factory is released."""

    def __init__(self, watched: WatchedEp) -> None:
        self.name, self.path, self.as_host = watched.name, watched._path, watched._as_host
        self.figures = watched.handle  # stays when it is closed
        self.trace: Any = None
        self.library = self.release = ffi.NULL
        self.factories: set[int] = set()
        self.unreleased: list[bool] = []  # one for each factory; what is popped last is true

    def begin_trace(self, base: Any) -> None:
        """Put the table of a trace between the host and the library."""
        host = decode(base.GetVersionString())
        found = re.match(r"\d+\.(\d+)", host)
        newest = min(int(found[1]) if found else 0, HIGHEST_VERSION)
        if not newest or self.as_host > newest:
            raise InvalidArgument(f"the host is older than as_host: its version is {host}")
        version = self.as_host or newest
        shown = host if version == newest else f"1.{version}.0"
        faults = ffi.unpack(self.figures.fails, lib.ORTCFFI_SLOTS_AND_EP)
        end = host_function("OrtcoreTraceEnd")
        owner = owner_of("OrtcoreTrace*", None, end, self.figures)
        given = base.GetApi(newest), version, shown.encode(), self.figures, out_of(owner)
        check(core_api().pointer, host_function("OrtcoreTraceBegin")(*given), "WatchedEp")
        self.trace = owned_by(owner)
        self.figures.fails = faults  # which the trace has set to zero
        self.figures.notes = 1

    def open_library(self) -> Any:
        """Open the library; return its ``CreateEpFactories``."""
        reason = ffi.new("char[]", 4096)
        path = path_of("path", self.path)
        self.library = lib.ortcffi_library_open(path, reason, len(reason))
        if not self.library:
            raise Fail(decode(reason))
        names = (b"CreateEpFactories", b"ReleaseEpFactory")
        create, release = (lib.ortcffi_library_symbol(self.library, name) for name in names)
        if not create or not release:
            raise Fail(f"the library exports no execution provider: {self.path}")
        self.release = ffi.cast("ReleaseEpApiFactoryFn", release)
        return ffi.cast("CreateEpApiFactoriesFn", create)

    def create(self, base: Any, logger: Any, factories: Any, room: int, out: Any) -> int:
        """Have the library make its factories; return the address of its status."""
        self.begin_trace(base)
        create = self.open_library()
        status = create(self.name.encode(), self.trace.base, logger, factories, room, out)
        if not status:
            made = [factories[i] for i in range(min(out[0], room))]
            self.factories = {address_of(each) for each in made if each}
            self.unreleased = [i == 0 for i in range(len(self.factories))]
            if not self.factories:  # a library that wants a newer table may answer success
                wanted = self.figures.asked.bit_length() - 1
                message = f"no factory was made; the library asked for API version {wanted}"
                raise Fail(message)
        return address_of(status)

    def close(self) -> None:
        """Close the library, and then end the trace."""
        if self.library:
            lib.ortcffi_library_close(self.library)
        self.trace = None
        del _open[self.name]


def create(  # noqa: PLR0913, PLR0917  # as many as the C function
    name: str, base: int, logger: int, factories: int, room: int, out: int
) -> int | None:
    """Serve ``CreateEpFactories``: the address of the library's status; None for other names."""
    watched = _named.get(name)
    if watched is None or watched.closed:
        return None
    opened = _Opened(watched)
    if _open.setdefault(name, opened) is not opened:
        return None
    status = None
    try:
        status = opened.create(
            ffi.cast("OrtApiBase*", base),
            ffi.cast("OrtLogger*", logger),
            ffi.cast("OrtEpFactory**", factories),
            room,
            ffi.cast("size_t*", out),
        )
    finally:
        if status != 0:
            opened.close()
    return status


def release(factory: int) -> int | None:
    """Serve ``ReleaseEpFactory``: the address of the library's status; None for other factories."""
    opened = next((each for each in list(_open.values()) if factory in each.factories), None)
    if opened is None:
        return None
    opened.factories.discard(factory)  # first: the library may be this extension, which asks again
    status = address_of(opened.release(ffi.cast("OrtEpFactory*", factory)))
    if opened.unreleased.pop():
        opened.close()
    return status


@atexit.register
def _keep_open() -> None:
    """Have traces outlive the interpreter: hosts may call their libraries after it."""
    for each in list(_open.values()):
        compiled.keep_forever(each)


def left_statuses(figures: Any = ffi.NULL) -> list[LeftStatus]:
    """Return the statuses that a trace with these figures notes, or all watched libraries."""
    room = lib.ortcffi_left_statuses(figures, ffi.NULL, 0)
    found: Any = ffi.new("ortcffi_left_status[]", max(room, 1))
    count = min(lib.ortcffi_left_statuses(figures, found, room), room)
    slots = [decode(lib.ortcffi_slot_row(found[i].slot).name) for i in range(count)]
    return sorted(
        LeftStatus(slot, ErrorCode(found[i].code), decode(found[i].message))
        for i, slot in enumerate(slots)
    )


def set_faults(figures: Any, numbers: dict[int, int]) -> None:
    """Have calls of slots fail that a trace with these figures forwards, and no others."""
    for i in range(lib.ORTCFFI_SLOTS_AND_EP):
        number = numbers.get(i)
        figures.fails[i] = (
            0 if number is None else figures.calls[i] + number if number else _EACH_CALL
        )


def faults_by_slot(faults: Mapping[str, int] | None) -> dict[int, int]:
    """Return the faults by the index of their slot."""
    rows = range(lib.ORTCFFI_SLOTS_AND_EP)
    indexes = {decode(lib.ortcffi_slot_row(i).name): i for i in rows}
    found = {}
    for slot, number in optional_mapping("faults", faults).items():
        if slot not in indexes or slot == _NEVER:
            why = "can never fail" if slot == _NEVER else "is no slot"
            raise ValueError(f"faults: {slot!r} {why}{meant(str(slot), list(indexes))}")
        found[indexes[slot]] = integer(f"faults[{slot!r}]", number, (0, 2**32))
    return found
