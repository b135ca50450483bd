# SPDX-License-Identifier: MIT
"""Custom ops: what libraries register with session options."""

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from ortcffi._convert import decode, encode
from ortcffi._handle import Handle
from ortcffi._native import ffi, lib
from ortcffi._table import table_for
from ortcffi.custom_ops.describe import CustomOp, read_op
from ortcffi.errors import fail
from ortcffi.options.settings import Options

if TYPE_CHECKING:
    from ortcffi._convert import AnyPath
    from ortcffi.table.api import Api

__all__ = ["CustomOpDomain", "CustomOps"]


class CustomOpDomain(Handle):
    """A namespace of custom ops that are made here, as structs.

    Parameters
    ----------
    name : str
        The name of the domain; "" stands for that of ONNX.
    api : Api, optional
        The table that makes the object, by default the one of `default_api`.

    Attributes
    ----------
    name : str
        As given.

    Notes
    -----
    API functions: ``CreateCustomOpDomain``, ``CustomOpDomain_Add``, ``ReleaseCustomOpDomain``.
    """

    __slots__ = ("_ops", "name")

    def __init__(self, name: str, api: "Api | None" = None) -> None:
        api = table_for(api)
        out = ffi.new("OrtCustomOpDomain**")
        if status := lib.CreateCustomOpDomain(api.pointer, encode("name", name), out):
            fail(api.pointer, status, "CreateCustomOpDomain")
        super().__init__(api, out[0], release=lib.ReleaseCustomOpDomain)
        self.name = name
        self._ops: list[Any] = []

    def add(self, op: Any) -> None:
        """Add an op.

        Parameters
        ----------
        op : cdata of ``OrtCustomOp *``
            The op, which is not copied: the domain keeps the cdata alive, not what its functions
            need.
        """
        kinds = [ffi.typeof("OrtCustomOp*"), ffi.typeof("const OrtCustomOp*")]
        if not isinstance(op, ffi.CData) or ffi.typeof(op) not in kinds or not op:
            raise TypeError(f"op must be a cdata of OrtCustomOp *, not {op!r}")
        self._call("CustomOpDomain_Add", op)
        self._ops.append(op)

    @property
    def ops(self) -> list[CustomOp]:
        """The ops that were added, as they describe themselves."""
        self.handle  # noqa: B018  # raises if closed
        return [read_op(self.name, op) for op in self._ops]

    def __repr__(self) -> str:
        return f"<CustomOpDomain {'closed' if self.closed else repr(self.name)}>"


class CustomOps(Options):
    """The part of session options that is about custom ops."""

    __slots__ = ()

    def register_custom_ops(self, path: "AnyPath") -> None:
        """Load a library and have it register its ops.

        It stays open as long as these options or a copy of them. If it fails, nothing of it stays.

        Parameters
        ----------
        path : str, bytes or os.PathLike
            A library that exports ``RegisterCustomOps``.

        Raises
        ------
        Fail
            It cannot be loaded, or has no such function.
        OrtError
            What the library itself says.

        Notes
        -----
        API function: ``RegisterCustomOpsLibrary_V2``, since version 14. Of another library than the
        embedded core, which does not tell what was registered, the same is done here: the library
        that registers is given a table that notes what it registers and passes each call on.
        """
        from ortcffi._convert import absolute

        name = encode("path", absolute("path", path))
        slot = "RegisterCustomOpsLibrary_V2"
        if self.api.is_core:
            self._call(slot, name)
            return
        self._record(slot, lib.ortcffi_record_library, name)

    def register_custom_ops_function(self, name: str) -> None:
        """Have a function of this process register its ops.

        Parameters
        ----------
        name : str
            The symbol of a function such as ``RegisterCustomOps``, in the program or in a library
            that was opened with ``RTLD_GLOBAL``.

        Raises
        ------
        Fail
            There is no such symbol.
        OrtError
            What the function itself says.

        Notes
        -----
        API function: ``RegisterCustomOpsUsingFunction``, since version 14; see
        `register_custom_ops`.
        """
        slot, symbol = "RegisterCustomOpsUsingFunction", encode("name", name)
        function = (
            lib.ortcffi_library_symbol(ffi.NULL, symbol) if not self.api.is_core else ffi.NULL
        )
        if function:
            self._record(slot, lib.ortcffi_record_function, function)
        else:
            self._call(slot, symbol)

    def add_custom_op_domain(self, domain: CustomOpDomain) -> None:
        """Make the ops of a domain known to sessions. It is kept alive.

        Notes
        -----
        API function: ``AddCustomOpDomain``.
        """
        if not isinstance(domain, CustomOpDomain):
            raise TypeError(f"domain must be a CustomOpDomain, not {type(domain).__name__}")
        if domain.api != self.api:
            raise ValueError(f"domain belongs to {domain.api}, and these options to {self.api}")
        self._call("AddCustomOpDomain", domain.handle)
        self._values["op_domains"] = [*self._values.get("op_domains", []), domain]
        self._lend("op_domains", [domain.handle])

    @property
    def custom_ops(self) -> list[CustomOp]:
        """The ops that were registered, as they describe themselves.

        Of options that another library than the embedded core made, those that were registered
        through this object or the one that it is a copy of.
        """
        handle = self.handle
        if self.api.is_core:
            return list(_listed(lib.ortcffi_options_ops(handle)))
        noted = self._alive.get("custom_ops")
        found = list(_listed(noted)) if noted else []
        for domain in self._values.get("op_domains", []):
            found += domain.ops if not domain.closed else []
        return found

    def _record(self, slot: str, record: Any, what: Any) -> None:
        from ortcffi.table.load import highest_api_version

        handle, api = self.handle, self.api
        api.require(slot)
        ops = self._alive.get("custom_ops") or _new_ops(ffi.NULL)
        # The library's own, which may be newer than the table that we have of it.
        version = highest_api_version(api.version_string)
        if status := record(api.base, version, handle, what, ops):
            fail(api.pointer, status, slot)
        self._alive["custom_ops"] = ops


def copied(alive: dict[str, Any]) -> dict[str, Any]:
    """What a copy of options keeps alive."""
    copy = dict(alive)
    if "custom_ops" in copy:
        copy["custom_ops"] = _new_ops(copy["custom_ops"])
    return copy


def _end(end: Any, ops: Any) -> None:
    end(ops)


def _new_ops(origin: Any) -> Any:
    ops = lib.ortcffi_new_ops(origin)
    if not ops:
        raise MemoryError("there is no memory for a list of custom ops")
    # At the end of the interpreter this module may have no names any more.
    return ffi.gc(ops, partial(_end, lib.ortcffi_end_ops))


def _listed(ops: Any) -> Iterator[CustomOp]:
    place = 0
    while name := lib.ortcffi_op_domain(ops, place):
        i = 0
        while op := lib.ortcffi_op_at(ops, place, i):
            yield read_op(decode(name), op)
            i += 1
        place += 1
