# SPDX-License-Identifier: MIT
"""Domains of custom ops: ``OrtCustomOpDomain``."""

from typing import TYPE_CHECKING, Any

from ortcffi._convert import encode
from ortcffi._handle import Handle
from ortcffi._native import ffi, lib
from ortcffi._public import public
from ortcffi._table import table_for
from ortcffi.custom_ops.describe import CustomOp, read_op

if TYPE_CHECKING:
    from ortcffi.table.api import Api


@public
class CustomOpDomain(Handle):
    """A domain of custom ops that are given as C structs.

    API functions: ``CreateCustomOpDomain``, ``CustomOpDomain_Add``, ``ReleaseCustomOpDomain``.

    Parameters
    ----------
    name : str
        The name of the domain; "" stands for ONNX's own.

    Attributes
    ----------
    name : str
        As given.
    """

    __slots__ = ("_kept", "_ops", "name")

    _pointer, _release = "OrtCustomOpDomain*", lib.ReleaseCustomOpDomain

    def __init__(self, name: str, api: "Api | None" = None) -> None:
        api = table_for(api)
        kept: list[Any] = []  # what the domain uses, to which `add` adds
        self._create(api, "CreateCustomOpDomain", encode("name", name), parents=(kept,))
        self.name = name
        self._kept = kept
        self._ops: list[Any] = []

    def add(self, op: Any) -> None:
        """Add an op.

        Parameters
        ----------
        op : PythonOp or cdata of ``OrtCustomOp *``
            The op. A struct is not copied: the domain keeps the cdata alive, but not the objects
            that its functions use.
        """
        if hasattr(op, "_struct_for"):
            struct = op._struct_for(self.api)
            self._kept.append(struct)
            op = ffi.cast("OrtCustomOp*", struct.address)
        kinds = [ffi.typeof("OrtCustomOp*"), ffi.typeof("const OrtCustomOp*")]
        if not isinstance(op, ffi.CData) or ffi.typeof(op) not in kinds or not op:
            raise TypeError(f"op must be a cdata of OrtCustomOp *, not {op!r}")
        self._kept.append(op)
        self._change("CustomOpDomain_Add", op)
        self._ops.append(op)

    @property
    def ops(self) -> list[CustomOp]:
        """The ops that were added, with what they declare."""
        self.handle  # noqa: B018  # raises if closed
        return [read_op(self.name, op) for op in self._ops]

    def __repr__(self) -> str:
        return f"<CustomOpDomain {'closed' if self.closed else repr(self.name)}>"
