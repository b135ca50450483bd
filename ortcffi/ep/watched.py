# SPDX-License-Identifier: MIT
"""Libraries of execution providers behind a table that counts, notes leaks and makes calls fail."""

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from ortcffi._convert import absolute, decode, encode, integer, optional_mapping, path_of
from ortcffi._handle import Handle
from ortcffi._native import by_slot, ffi, lib
from ortcffi._public import meant, public
from ortcffi._table import HIGHEST_VERSION, core_api
from ortcffi.ep.registered import name_of
from ortcffi.errors import ErrorCode, check

if TYPE_CHECKING:
    import os

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

    __slots__ = ("library", "name")

    name: str
    library: str

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
        self.library = sys.modules["ortcffi._ort"].__file__ or ""
        text = encode("name", self.name)
        version = 0 if as_host is None else integer("as_host", as_host, (1, HIGHEST_VERSION))
        numbers = faults_by_slot(faults)
        out = self._begin_handle(core_api(), "ortcffi_watched_ep*", lib.ortcffi_unwatch_ep)
        own = ffi.cast("void*", id(self))
        status = lib.ortcffi_watch_ep(text, path_of("path", full), version, own, out)
        check(core_api().pointer, status, "WatchedEp")
        self._open_handle()
        set_faults(self._figures, numbers)

    @property
    def _figures(self) -> Any:
        return lib.ortcffi_watched_figures(self.handle)

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
