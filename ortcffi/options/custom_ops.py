# SPDX-License-Identifier: MIT
"""Lists of the custom ops that session options hold."""

from collections.abc import Iterator
from typing import Any

from ortcffi._convert import decode
from ortcffi._handle import out_of, owned_by, owner_of
from ortcffi._native import lib
from ortcffi.custom_ops.describe import CustomOp, read_op

__all__ = ["copied", "listed", "new_ops", "places"]


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


def listed(ops: Any) -> list[CustomOp]:
    """The ops of a list, with what they declare."""
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
