# SPDX-License-Identifier: MIT
"""Traces: which slots of a table a client in C calls, and which API version it needs for them."""

import gc
from typing import TYPE_CHECKING, Any, NamedTuple

from ortcffi._convert import decode, pointer
from ortcffi._handle import Closing, out_of, owned_by, owner_of
from ortcffi._native import by_slot, ffi, lib
from ortcffi._public import public, refuse_pickle
from ortcffi._table import core_api, default_api, host_function, made_by
from ortcffi.custom_ops.describe import FIELDS
from ortcffi.errors import Fail, check
from ortcffi.table.api import Api

if TYPE_CHECKING:
    from ortcffi._ort import OrtApi, OrtApiBase, OrtcoreFigures, OrtcoreTrace


class Needs(NamedTuple):
    """The API version that a client needs.

    Attributes
    ----------
    version : int
        The lowest version that has all slots it called, and all fields of `OrtCustomOp` that its
        ops rely on; 1 if there are none. Fields without which an op still runs do not count:
        ``InferOutputShapeFn`` and those of version 18.
    """

    version: int
    slots: tuple[str, ...]
    fields: tuple[str, ...] = ()


class Figures:
    """The counts of a trace, read from the memory in which C counts."""

    def __init__(self, counted: "OrtcoreFigures") -> None:
        self._counted = counted

    @property
    def asked(self) -> tuple[int, ...]:
        """The API versions that were passed to ``GetApi`` of the base, ascending.

        All above 62 appear as 63.
        """
        bits = self._counted.asked
        return tuple(version for version in range(64) if bits >> version & 1)

    @property
    def called(self) -> dict[str, int]:
        """The number of calls of each slot that was called, in the order of the tables."""
        return by_slot(self._counted.calls)

    @property
    def needs(self) -> Needs:
        """The lowest API version that has what was used.

        That is every slot that was called, and every field on which an op relies that was added to
        a domain.
        """
        counts = ffi.unpack(self._counted.calls, lib.ORTCFFI_SLOTS)
        rows = [lib.ortcffi_slot_row(i) for i, n in enumerate(counts) if n]
        structs = self._counted.op_structs.bit_length() - 1
        version = max([1, structs, *(row.since for row in rows)])
        slots = tuple(decode(row.name) for row in rows if row.since == version)
        return Needs(version, slots, FIELDS.get(version, ()) if version == structs else ())


class Trace(Figures, Closing):
    """Counts the calls that clients in C make, until `close` or the end of a ``with`` block.

    Attributes
    ----------
    api : Api
        The traced table for objects of this package. Op libraries that are registered with its
        `SessionOptions` are given `base`, so their calls are counted. The calls that this package
        itself makes for its objects are not.
    """

    def __init__(self, api: Api, counted: "OrtcoreFigures | None" = None) -> None:
        owner = _begin(made_by(api), counted)
        begun: OrtcoreTrace = owned_by(owner)
        self._base, self._table = begun.base, begun.api
        facts: Any = {"version": api.version, "version_string": _version_string(api)}
        facts |= {"path": api.path, "base": self._base, "library": api.library}
        self.api = Api(api.pointer, **facts)
        # Objects made with the table keep its Api, and with it the owner, which ends the trace.
        self._begun = vars(self.api)["_trace"] = begun
        super().__init__(begun.figures)

    @property
    def base(self) -> "OrtApiBase":
        """The base to give to a client that takes an ``OrtApiBase``. It counts ``GetApi`` too.

        It works after `close`, without counting. If the library is newer than the table that this
        package knows, the base shows the version of that table.
        """
        base: OrtApiBase = self._base
        return base

    @property
    def table(self) -> "OrtApi":
        """The table to give to a client that takes an ``OrtApi``: it counts and forwards calls."""
        return self._table

    def close(self) -> None:
        """Stop counting. The counts can still be read. Closing again does nothing."""
        kept = ffi.new("OrtcoreFigures*")
        ffi.memmove(kept, self._counted, ffi.sizeof("OrtcoreFigures"))
        self._counted = kept

    __reduce__ = refuse_pickle

    def __repr__(self) -> str:
        return f"<Trace of {self.api!r}: {sum(self.called.values())} calls>"


@public
def trace(api: Api | None = None) -> "Trace":
    """Count which slots of a table clients in C call.

    Parameters
    ----------
    api : Api, optional
        The table, of any library; by default that of `default_api`.

    Returns
    -------
    Trace
        Give a client its ``base`` or ``table``, or register an op library with `SessionOptions` of
        its ``api``, if that is of the embedded core. The counts are ``called``, ``asked`` and
        ``needs``. A slot that the table does not have, because it is of an older version, is
        counted too and answers as described at `emulate`. Calls that this package makes for its
        own objects are not counted.

    Raises
    ------
    Fail
        Two traces are open, which is the most that a process can have. A trace ends when it, its
        ``api`` and all objects made with that are deleted.
    InvalidArgument
        The table is itself one of a trace.
    TypeError
        `api` is not an Api.

    Notes
    -----
    A client that keeps the table may call it after the trace has ended. That does no harm until a
    later trace reuses the table: such calls then go to the library of that trace. So trace only one
    library in a process if clients keep the table.

    Slots of `OrtApi` and `OrtEpApi` are counted, not those of other tables such as
    `OrtModelEditorApi`; `needs` is about `OrtApi`. C programs use the same traces
    through ``ortcore.h``.
    """
    return Trace(default_api() if api is None else api)


def _version_string(api: Api) -> str:
    """Get the version string of the trace's base, in which clients read the highest API version."""
    begins = f"1.{api.version}."
    return api.version_string if api.version_string.startswith(begins) else f"{begins}0"


def _begin(api: Api, counted: Any) -> Any:
    # C counts there as long as the trace is open; of a list CFFI would make a temporary struct.
    figures = ffi.NULL if counted is None else pointer("counted", counted, "OrtcoreFigures *")
    begin = host_function("OrtcoreTraceBegin")
    end = host_function("OrtcoreTraceEnd")
    owner = owner_of("OrtcoreTrace*", None, end, figures)
    text = _version_string(api).encode()
    for attempt in (1, 2):
        given = (api.pointer, api.version, text, figures, out_of(owner))
        try:
            check(core_api().pointer, begin(*given), "ortcore_trace_begin")
            break
        except Fail:
            if attempt == 2:
                raise
            gc.collect()  # an Api and its allocator form a cycle, which may hold an old trace
    return owner
