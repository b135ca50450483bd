# SPDX-License-Identifier: MIT
"""The custom ops that session options hold, and the libraries that register them."""

from collections.abc import Iterator
from typing import Any

from ortcffi._convert import AnyPath, absolute, decode, encode
from ortcffi._handle import out_of, owned_by, owner_of
from ortcffi._native import ffi, lib
from ortcffi._public import public
from ortcffi._table import highest_api_version
from ortcffi.custom_ops.describe import CustomOp, read_op
from ortcffi.custom_ops.domain import CustomOpDomain
from ortcffi.errors import OrtError, call
from ortcffi.options.settings import Options, lock

__all__ = ["CustomOps", "new_ops", "places"]


@public
class CustomOps(Options):
    """The part of session options that concerns custom ops."""

    __slots__ = ()

    def register_custom_ops(self, path: AnyPath) -> None:
        """Load a library and have it register its ops.

        The library stays loaded as long as these options or a copy of them exist. On failure it is
        unloaded, and nothing that it registered stays.

        Parameters
        ----------
        path : str, bytes or os.PathLike
            A library that exports ``RegisterCustomOps``.

        Raises
        ------
        Fail
            It cannot be loaded, or has no such function.
        OrtError
            The library's own function fails.

        Notes
        -----
        API function: ``RegisterCustomOpsLibrary_V2``, since version 14. The library is given the
        ``base`` of `api`. With another library than the embedded core, the op library is given a
        table that records what it registers and forwards each call, because that library's options
        cannot be read.
        """
        name = encode("path", absolute("path", path))
        slot = "RegisterCustomOpsLibrary_V2"
        if self.api.is_core:
            self._register(slot, lib.ortcffi_register_library, name)
            return
        self._record(slot, lib.ortcffi_record_library, name)

    def register_custom_ops_function(self, name: str) -> None:
        """Call a function that is already loaded, to register its ops.

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
            The function itself fails.

        Notes
        -----
        API function: ``RegisterCustomOpsUsingFunction``, since version 14; see
        `register_custom_ops`.
        """
        slot, symbol = "RegisterCustomOpsUsingFunction", encode("name", name)
        if self.api.is_core:
            self._register(slot, lib.ortcffi_register_function, symbol)
        elif function := lib.ortcffi_library_symbol(ffi.NULL, symbol):
            self._record(slot, lib.ortcffi_record_function, function)
        else:
            self._call(slot, symbol)

    def add_custom_op_domain(self, domain: CustomOpDomain) -> None:
        """Add a domain, whose ops sessions then know. The domain is kept alive.

        Notes
        -----
        API function: ``AddCustomOpDomain``.
        """
        if not isinstance(domain, CustomOpDomain):
            raise TypeError(f"domain must be a CustomOpDomain, not {type(domain).__name__}")
        if domain.api != self.api:
            raise ValueError(f"domain belongs to {domain.api}, and these options to {self.api}")
        handle = domain.handle
        with lock:
            self._lend("op_domains", [handle])
            self._call("AddCustomOpDomain", handle)
            self._values["op_domains"] = [*self._values.get("op_domains", []), domain]

    @property
    def custom_ops(self) -> list[CustomOp]:
        """The ops that were registered, with what they declare.

        Of options that another library than the embedded core made: the ops that were registered
        through this object, or through the one that it is a copy of.
        """
        handle = self.handle
        if self.api.is_core:
            return _listed(lib.ortcffi_options_ops(handle))
        recorded = self._alive.get("custom_ops")
        found = _listed(recorded) if recorded else []
        for domain in self._values.get("op_domains", []):
            found += domain.ops if not domain.closed else []
        return found

    def _register(self, slot: str, register: Any, what: bytes) -> None:
        """Register with options of the core; the op library is given the base of this table."""
        handle, api = self.handle, self.api
        api.require(slot)
        with lock:  # one registration that fails takes back what was registered since it began
            call(api.pointer, slot, register, handle, api.base, what)

    def _record(self, slot: str, record: Any, what: Any) -> None:
        handle, api = self.handle, self.api
        api.require(slot)
        # The library's own, which may be newer than the table that we have of it.
        version = highest_api_version(api.version_string)
        with lock:
            known = self._alive.get("custom_ops")
            ops = known or new_ops(ffi.NULL)
            self._alive["custom_ops"] = ops  # before an interrupt can come
            base, table = api.base, api.client_table
            try:
                call(api.pointer, slot, record, base, table, version, handle, what, ops)
            except OrtError:
                if not known:
                    self._alive.pop("custom_ops")
                raise


def copied(alive: dict[str, Any]) -> dict[str, Any]:
    """The objects that a copy of options keeps alive."""
    copy = dict(alive)
    if "custom_ops" in copy:
        copy["custom_ops"] = new_ops(copy["custom_ops"])
    return copy


def new_ops(origin: Any) -> Any:
    """A copy of a list of ops, or an empty one for NULL, as a cdata that owns it."""
    owner = owner_of("ortcffi_ops*", None, lib.ortcffi_end_ops)
    if not lib.ortcffi_new_ops(origin, out_of(owner)):
        raise MemoryError("there is no memory for a list of custom ops")
    return owned_by(owner)


def _listed(ops: Any) -> list[CustomOp]:
    # A copy keeps the libraries of the ops loaded, also if another thread drops them meanwhile.
    copy, found = new_ops(ops), []
    for place, i, name in places(copy):
        found.append(read_op(decode(name), lib.ortcffi_op_at(copy, place, i)))
    return found


def places(ops: Any) -> Iterator[tuple[int, int, Any]]:
    """The number of each domain, the number of each op in it, and the name of the domain."""
    place = 0
    while name := lib.ortcffi_op_domain(ops, place):
        i = 0
        while lib.ortcffi_op_at(ops, place, i):
            yield place, i, name
            i += 1
        place += 1
