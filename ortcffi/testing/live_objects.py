# SPDX-License-Identifier: MIT
"""Counts of what the embedded core holds, by kind."""

import ctypes

from ortcffi._convert import decode
from ortcffi._native import lib


def live_objects() -> dict[str, int]:
    """How many objects of each kind are alive in the core, and ops and kernels of Python."""
    alive, kind = {}, 0
    while name := lib.ortcffi_kind_name(kind):
        alive[decode(name)] = int(lib.ortcffi_live_objects(kind))
        kind += 1
    alive["op written in Python"] = int(lib.ortcffi_live_python_ops())
    alive["kernel written in Python"] = int(lib.ortcffi_live_python_kernels())
    alive["execution provider written in Python"] = int(lib.ortcffi_live_python_eps())
    return alive


def left_alive(before: dict[str, int]) -> dict[str, int]:
    """How many more there are of each kind than before."""
    now = live_objects()
    return {kind: now[kind] - count for kind, count in before.items() if now[kind] > count}


def left_in_words(before: dict[str, int]) -> str:
    """Do the same in words, of which there are none where nothing is left."""
    return ", ".join(f"{count} of kind {kind!r}" for kind, count in left_alive(before).items())


def made_since(before: dict[str, int], now: dict[str, int]) -> str:
    """Which slots of watched libraries made more than before, as the end of a sentence."""
    more = {slot: count - before.get(slot, 0) for slot, count in now.items()}
    slots = [f"{slot} ({count})" for slot, count in more.items() if count > 0]
    return f", made by {', '.join(slots)}" if slots else ""


class _Mallinfo(ctypes.Structure):
    """The figures of glibc's ``mallinfo2``."""

    _fields_ = [(name, ctypes.c_size_t) for name in "abcdefghij"]


def malloced() -> int:
    """Bytes that ``malloc`` has given and not got back; 0 where the C library does not say."""
    read = getattr(ctypes.CDLL(None), "mallinfo2", None)
    if read is None:
        return 0
    read.restype = _Mallinfo
    figures = read()
    return int(figures.e + figures.h)  # in mappings of their own, and in arenas
