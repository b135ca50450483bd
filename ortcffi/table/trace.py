# SPDX-License-Identifier: MIT
"""Traces: which slots of a table a client calls, and which API version it needs for that."""

import gc
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from ortcffi._convert import decode
from ortcffi._native import ffi, lib
from ortcffi._public import public
from ortcffi._table import core_api, default_api
from ortcffi.errors import Fail, check
from ortcffi.table.api import Api

if TYPE_CHECKING:
    from ortcffi._ort import OrtApiBase, OrtcoreFigures, OrtcoreTrace

__all__ = ["Needs", "Trace", "trace"]


class Needs(NamedTuple):
    """The API version that some slots need.

    Attributes
    ----------
    version : int
        The lowest version that has them all; 1 where there are none.
    slots : tuple of str
        Those of them that came with it, in the order of the table.
    """

    version: int
    slots: tuple[str, ...]


class Figures:
    """What `Trace` has counted, read when it is asked for."""

    def __init__(self, counted: "OrtcoreFigures") -> None:
        self._counted = counted

    @property
    def asked(self) -> tuple[int, ...]:
        """The API versions that ``GetApi`` of the base was asked for, ascending.

        All above 62 appear as 63.
        """
        bits = self._counted.asked
        return tuple(version for version in range(64) if bits >> version & 1)

    @property
    def called(self) -> dict[str, int]:
        """How often each slot was called, in the order of the table, for those that were."""
        counts = ffi.unpack(self._counted.calls, lib.ORTCFFI_SLOTS)
        return {decode(lib.ortcffi_slot_row(i).name): n for i, n in enumerate(counts) if n}

    @property
    def needs(self) -> Needs:
        """The lowest API version that has every slot that was called, and the slots it is for."""
        counts = ffi.unpack(self._counted.calls, lib.ORTCFFI_SLOTS)
        rows = [lib.ortcffi_slot_row(i) for i, n in enumerate(counts) if n]
        version = max((row.since for row in rows), default=1)
        return Needs(version, tuple(decode(row.name) for row in rows if row.since == version))


class Trace(Figures):
    """The calls of a table's slots, from `trace` until `close` or the end of a ``with`` block.

    Attributes
    ----------
    api : Api
        A table that counts each call and passes it on to the one that is traced, whose objects it
        takes and makes. To be used, or given to clients in C, in that one's place. It goes on
        working after `close`. If the library is newer than its table, it shows the version of the
        table.
    """

    def __init__(self, api: Api, counted: Any = ffi.NULL) -> None:
        begun = _begin(api, counted)
        self.api = _traced(api, begun)
        super().__init__(begun.figures)

    @property
    def base(self) -> "OrtApiBase | None":
        """For a client that takes an ``OrtApiBase``: it counts from ``GetApi`` on."""
        return self.api.base

    def close(self) -> None:
        """Stop counting. What was counted can still be read. Closing again does nothing."""
        kept = ffi.new("OrtcoreFigures*")
        ffi.memmove(kept, self._counted, ffi.sizeof("OrtcoreFigures"))
        self._counted = kept

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Trace of {self.api!r}: {sum(self.called.values())} calls>"


@public
def trace(api: Api | None = None) -> "Trace":
    """Count which slots of a table are called.

    Parameters
    ----------
    api : Api, optional
        The table, of any provider; by default that of `default_api`.

    Returns
    -------
    Trace
        It has ``api`` and ``base``, to be used in the place of the table's own, and the figures
        ``called``, ``asked`` and ``needs``. A slot that the table does not have, because it is of
        an older version, is counted too and answers as described at `emulate`.

    Raises
    ------
    Fail
        Two traces are open, which is as many as a process can have. A trace ends when it, its
        ``api`` and all objects made with it are gone.
    InvalidArgument
        The table is itself one of a trace.
    TypeError
        `api` is no Api.

    Notes
    -----
    A client in C that keeps the table calls it long after. That does no harm until a later trace
    takes the place of this one: then such calls go to that one's table. Trace one provider in one
    process if a client keeps more than a ``with`` block lasts.

    Slots of `OrtApi` alone are counted, not those of the tables that some of them lead to. C
    programs find the same in ``ortcore.h``.
    """
    if api is not None and not isinstance(api, Api):
        raise TypeError(f"api must be an Api, not {type(api).__name__}")
    return Trace(default_api() if api is None else api)


def _function(kind: str, name: bytes) -> Any:
    return ffi.cast(kind, lib.GetExperimentalFunction(core_api().pointer, name))


def _version_string(api: Api) -> str:
    """What the base answers. Clients read in it which version they can have."""
    begins = f"1.{api.version}."
    return api.version_string if api.version_string.startswith(begins) else f"{begins}0"


def _begin(api: Api, counted: Any) -> "OrtcoreTrace":
    begin = _function("OrtcoreTraceBegin", b"ortcore_trace_begin")
    out = ffi.new("OrtcoreTrace**")
    text = _version_string(api).encode()
    for attempt in (1, 2):
        status = begin(api.pointer, api.version, text, counted, out)
        try:
            check(core_api().pointer, status, "ortcore_trace_begin")
            break
        except Fail:
            if attempt == 2:
                raise
            gc.collect()  # an Api and its allocator refer to each other, and go late
    return out[0]


def _traced(api: Api, begun: "OrtcoreTrace") -> Api:
    end = _function("OrtcoreTraceEnd", b"ortcore_trace_end")
    # Whatever object is made with the table holds on to this pointer.
    pointer = ffi.gc(begun.api, lambda _: end(begun))
    return Api(
        pointer,
        version=api.version,
        version_string=_version_string(api),
        path=api.path,
        base=begun.base,
        library=api.library,
    )
