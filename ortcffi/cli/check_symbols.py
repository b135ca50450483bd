# SPDX-License-Identifier: MIT
"""Which symbols of a library none of the libraries that it needs defines, for ``ortcffi check``.

The loader says where those libraries are: the library is opened in a process of its own, without
its functions being resolved.
"""

import json
import os
import sys
from collections.abc import Iterable

from ortcffi.cli.check_file import FileFacts, read_facts
from ortcffi.kernels import child
from ortcffi.table import elf

__all__ = ["missing_symbols"]

SECONDS = 60
_PROBE = """
import ctypes, json, os, sys

class Info(ctypes.Structure):
    _fields_ = [("address", ctypes.c_size_t), ("name", ctypes.c_char_p)]

Visit = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Info), ctypes.c_size_t, ctypes.c_void_p)
paths = []

@Visit
def visit(info, size, data):
    paths.append(os.fsdecode(info.contents.name or b""))
    return 0

ctypes.CDLL(sys.argv[1], mode=os.RTLD_LAZY | os.RTLD_LOCAL)
ctypes.CDLL(None).dl_iterate_phdr(visit, None)
print()
print(json.dumps(paths), flush=True)
os._exit(0)
"""


def missing_symbols(path: str, facts: FileFacts, seconds: float = SECONDS) -> list[str] | None:
    """The undefined symbols that no needed library defines.

    None if they are not known: the library or one that it needs cannot be loaded within so many
    seconds, or has no list of its symbols.
    """
    loaded = _loaded(path, seconds)
    if loaded is None:
        return None
    defined, wanted, seen = set[str](), list(facts.needed), set[str]()
    while wanted:
        name = wanted.pop()
        if name in seen:
            continue
        seen.add(name)
        found = _exports(loaded.get(name, ""))
        if found is None:
            return None
        exports, needed = found
        defined |= exports
        wanted += needed
    own = elf.read(path).exports or frozenset()
    return [name for name in facts.undefined if name not in defined and name not in own]


def _exports(path: str) -> tuple[frozenset[str], Iterable[str]] | None:
    try:
        exports, facts = elf.read(path).exports, read_facts(path)
    except (OSError, elf.ElfError):
        return None
    return None if exports is None or facts is None else (exports, facts.needed)


def _loaded(path: str, seconds: float) -> dict[str, str] | None:
    """The libraries of a process that has opened the library, by the end of their paths."""
    done = child.run_command([sys.executable, "-I", "-S", "-c", _PROBE, path], seconds)
    try:
        paths = json.loads(done.output.splitlines()[-1])
    except (IndexError, ValueError):  # it crashed, or its time was up
        return None
    return {os.path.basename(each): each for each in paths if each}
