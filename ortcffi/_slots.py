# SPDX-License-Identifier: MIT
"""The list of the functions of OrtApi, which are called slots."""

from functools import cache

from ortcffi._convert import decode
from ortcffi._native import lib

__all__ = ["slots"]


@cache
def slots() -> dict[str, int]:
    """The API version that each slot came with, in the order of the table."""
    rows = (lib.ortcffi_slot_row(i) for i in range(lib.ORTCFFI_SLOTS))
    return {decode(row.name): row.since for row in rows}
