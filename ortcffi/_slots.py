# SPDX-License-Identifier: MIT
"""The list of the functions of OrtApi, which are called slots."""

from functools import cache

from ortcffi._convert import decode
from ortcffi._native import lib

__all__ = ["answered_by_core", "slots"]


@cache
def slots() -> dict[str, int]:
    """The API version that each slot came with, in the order of the table."""
    rows = (lib.ortcffi_slot_row(i) for i in range(lib.ORTCFFI_SLOTS))
    return {decode(row.name): row.since for row in rows}


@cache
def answered_by_core() -> frozenset[str]:
    """The slots that the embedded core does not answer with `NotImplemented`."""
    rows = (lib.ortcffi_slot_row(i) for i in range(lib.ORTCFFI_SLOTS))
    return frozenset(decode(row.name) for row in rows if decode(row.who) in ("HOST", "TABLE"))
