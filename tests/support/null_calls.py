# SPDX-License-Identifier: MIT
"""What a library answers to a NULL in the place of each pointer that a slot takes.

    python null_calls.py LIBRARY VERSION

All other pointers lead to zeroed memory and numbers are 0, so a call may end its process: each has
one of its own. A line for each call: slot, argument (empty for a call without NULL), code, message.
"""

import ctypes
import functools
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

if __name__ == "__main__":  # in a process of its own, which forks
    tests = Path(__file__).resolve().parents[1]
    sys.path += [str(tests), str(tests.parent / "tools")]

from slots import Slot, slots_of
from support.processes import fork

GETTERS = {
    "ort_slots.def": None,
    "ort_model_editor_slots.def": "GetModelEditorApi",
    "ort_compile_slots.def": "GetCompileApi",
    "ort_interop_slots.def": "GetInteropApi",
    "ort_ep_slots.def": "GetEpApi",
    "ort_model_package_slots.def": "GetModelPackageApi",
}
MOST_ARGUMENTS, ROOM = 12, 4096


def not_implemented() -> list[tuple[str, Slot]]:
    """The slots that the core answers with a status only, and the list of each."""
    rows = [(file, slot) for file in GETTERS for slot in slots_of(file)]
    return [
        (file, slot)
        for file, slot in rows
        if slot.who in ("ENGINE", "NOT_YET") and slot.signature.startswith("OrtStatus*")
    ]


def pointers(slot: Slot) -> list[str]:
    """The arguments that are pointers."""
    given = slot.signature.partition("(")[2]
    return [
        name
        for name in slot.arguments
        if re.search(rf"\*\s*(?:const )?{name}\b|\w+(?:Fn|Func) {name}\b", given)
    ]


def function(table: Any, index: int, returns: Any, count: int) -> Callable[..., Any]:
    made: Callable[..., Any] = ctypes.CFUNCTYPE(returns, *[ctypes.c_void_p] * count)(table[index])
    return made


def main(library: str, version: int) -> None:
    pointer = ctypes.POINTER(ctypes.c_void_p)
    get_base = ctypes.CDLL(library).OrtGetApiBase
    get_base.restype = ctypes.c_void_p
    base = ctypes.cast(get_base(), pointer)
    get = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_uint32)(base[0])
    api = ctypes.cast(get(version), pointer)
    index_of = {slot.name: slot.index for slot in slots_of("ort_slots.def")}
    code = function(api, index_of["GetErrorCode"], ctypes.c_int, 1)
    message = function(api, index_of["GetErrorMessage"], ctypes.c_char_p, 1)

    def ask(call: Callable[..., Any], arguments: list[int | None], about: bytes) -> bool:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # what a process that ends itself says
        status = call(*arguments, *[None] * (MOST_ARGUMENTS - len(arguments)))
        said = b"0\t" if status is None else b"%d\t%s" % (code(status), message(status))
        return os.write(1, about + said.replace(b"\n", b" ") + b"\n") > 0

    for file, slot in not_implemented():
        getter = GETTERS[file]
        table = api
        if getter is not None:
            table = ctypes.cast(function(api, index_of[getter], ctypes.c_void_p, 0)(), pointer)
        call = function(table, slot.index, ctypes.c_void_p, MOST_ARGUMENTS)
        room = ctypes.create_string_buffer(ROOM * len(slot.arguments))
        places = {name: ctypes.addressof(room) + ROOM * i for i, name in enumerate(pointers(slot))}
        for null in ["", *places]:
            arguments = [None if name == null else places.get(name) for name in slot.arguments]
            about = f"{file}\t{slot.name}\t{null}\t".encode()
            fork(functools.partial(ask, call, arguments, about), limit=10)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
