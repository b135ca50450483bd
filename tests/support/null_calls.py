# SPDX-License-Identifier: MIT
"""What a library answers to a NULL in the place of each pointer that a slot takes.

    python null_calls.py LIBRARY VERSION

All other pointers lead to zeroed memory and numbers are 0, so a call may end its process: the calls
of a slot share one as long as they are refused. A line for each call that ends well: list, slot,
argument (empty for a call without NULL), answer, and whether the call wrote to the memory. The
answer is a status as its code and message, or a text, or a number.
"""

import ctypes
import os
import re
import sys
from collections.abc import Callable
from functools import partial
from multiprocessing.sharedctypes import RawValue
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
# As far as a call tells them apart. A pointer is read as a number, and a void call as nothing.
KINDS = {"OrtStatus*": "status", "const char*": "text", "void": "nothing"}


def all_slots() -> list[tuple[str, Slot]]:
    """The slots of all tables, and the list of each."""
    return [(file, slot) for file in GETTERS for slot in slots_of(file) if slot.who != "TABLE"]


def kind_of(slot: Slot) -> str:
    """What a slot returns: status, text, nothing or number."""
    return KINDS.get(slot.signature.partition(f" {slot.name}(")[0], "number")


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

    def say(kind: str, got: int | None) -> str:
        if kind == "status" and got is not None:
            return f"{code(got)} {message(got).decode()}".replace("\n", " ").replace("\t", " ")
        if kind == "text" and got is not None:
            return repr(ctypes.string_at(got).decode())
        return "" if kind == "nothing" else str(got or 0)

    def ask(slot: Slot, call: Callable[..., Any], file: str, null: str) -> bool:
        room = ctypes.create_string_buffer(ROOM * len(slot.arguments))
        places = {name: ctypes.addressof(room) + ROOM * i for i, name in enumerate(pointers(slot))}
        given = [None if name == null else places.get(name) for name in slot.arguments]
        said = say(kind_of(slot), call(*given, *[None] * (MOST_ARGUMENTS - len(given))))
        written = "written" if any(room.raw.strip(b"\0")) else ""
        os.write(1, f"{file}\t{slot.name}\t{null}\t{said}\t{written}\n".encode())
        return kind_of(slot) == "status" and said != "0"

    def ask_each(nulls: list[str], done: Any, ask: Callable[[str], bool]) -> bool:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # what a process that ends itself says
        for null in nulls:
            done.value += 1
            if not ask(null):
                break
        return True

    for file, slot in all_slots():
        getter = GETTERS[file]
        table = api
        if getter is not None:
            table = ctypes.cast(function(api, index_of[getter], ctypes.c_void_p, 0)(), pointer)
        call = function(table, slot.index, ctypes.c_void_p, MOST_ARGUMENTS)
        nulls = [*pointers(slot), ""]
        while nulls:
            done = RawValue("i", 0)  # how many were asked, also if the last one ended the process
            fork(partial(ask_each, nulls, done, partial(ask, slot, call, file)), limit=10)
            nulls = nulls[max(done.value, 1) :]


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
