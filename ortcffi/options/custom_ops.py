# SPDX-License-Identifier: MIT
"""The custom ops that session options hold, and the libraries that register them."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from ortcffi._convert import AnyPath, absolute, decode, encode
from ortcffi._native import ffi, lib
from ortcffi._public import public
from ortcffi._table import highest_api_version
from ortcffi.custom_ops.describe import CustomOp, read_op
from ortcffi.custom_ops.domain import CustomOpDomain
from ortcffi.errors import fail
from ortcffi.options.settings import Options

__all__ = ["CustomOps"]


@public
class CustomOps(Options):
    """The part of session options that is about custom ops."""

    __slots__ = ()

    def register_custom_ops(self, path: AnyPath) -> None:
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
