# SPDX-License-Identifier: MIT
"""The only importer of the compiled module; all modules take it from here."""

import _thread
import os
import sys
from functools import cache
from importlib.machinery import ExtensionFileLoader, ModuleSpec
from typing import TYPE_CHECKING, Any

_NEEDED = (
    "ortcffi needs the libortcore that is beside it: import ortcffi before what loads another "
    "library of that name; if nothing does, reinstall ortcffi"
)
try:
    from ortcffi._ort import ffi, lib
except ModuleNotFoundError as error:
    if error.name != "ortcffi._ort":
        raise
    raise ImportError(
        f"{os.path.dirname(__file__)} holds the sources of ortcffi, without the compiled module "
        "_ort: leave their folder to import an installed ortcffi, or build the module in it with "
        "'pip install -e .'"
    ) from error
except ImportError as error:  # the loader's words: a library is missing, or lacks a function
    raise ImportError(f"{error}. {_NEEDED}") from error
if not lib.ortcffi_has_own_core():
    raise ImportError(f"the libortcore in this process is of another build. {_NEEDED}")

__all__ = [
    "Owner",
    "address_of",
    "address_of_function",
    "answered_by_core",
    "by_slot",
    "compiled",
    "extension_path",
    "ffi",
    "lib",
    "main_thread",
    "slot_since",
    "slots",
]


def extension_path() -> str:
    """Return the path of the extension module, which is linked with the embedded core."""
    return str(sys.modules["ortcffi._ort"].__file__)


def _import_compiled() -> Any:
    """Import the other module of the compiled file: the types, and what takes Python objects."""
    name, file = "ortcffi._compiled", extension_path()
    loader = ExtensionFileLoader(name, file)
    module = loader.create_module(ModuleSpec(name, loader, origin=file))
    loader.exec_module(module)
    sys.modules[name] = module
    return module


if TYPE_CHECKING:
    from ortcffi import _compiled as compiled
else:
    compiled = _import_compiled()
Owner = compiled.Owner


def address_of(pointer: Any) -> int:
    """Return the address in a pointer of CFFI's, as the compiled types take it."""
    return int(ffi.cast("uintptr_t", pointer))


compiled.use_cffi(ffi.from_buffer, ffi.cast, address_of)

# --- the list of the functions of OrtApi, which are called slots ---


def _text(text: Any) -> str:
    return str(ffi.string(text).decode())


@cache
def slots() -> dict[str, int]:
    """Return the API version that each slot came with, in the order of the table."""
    rows = (lib.ortcffi_slot_row(i) for i in range(lib.ORTCFFI_SLOTS))
    return {_text(row.name): row.since for row in rows}


@cache
def slot_since(slot: str) -> int:
    """Return the API version that a slot came with; 0 if there is none. Asks for no other slot."""
    return int(lib.ortcffi_slot_since(slot.encode()))


@cache
def answered_by_core() -> frozenset[str]:
    """Return the slots that the embedded core does not answer with `NotImplemented`."""
    rows = (lib.ortcffi_slot_row(i) for i in range(lib.ORTCFFI_SLOTS))
    return frozenset(_text(row.name) for row in rows if _text(row.who) in ("HOST", "TABLE"))


def by_slot(numbers: Any) -> dict[str, int]:
    """Those of the numbers that are not 0, by the name of their slot."""
    counts = ffi.unpack(numbers, lib.ORTCFFI_SLOTS_AND_EP)
    return {_text(lib.ortcffi_slot_row(i).name): n for i, n in enumerate(counts) if n}


# --- what is done once ---


_importing = _thread.get_ident()


def main_thread() -> int:
    """Get the number of Python's main thread, as `threading` says, which is not imported for that.

    Its import takes longer than that of any module here. Where nothing has imported it, there are
    no threads of it, and the main thread is the one that imports this.
    """
    if "threading" in sys.modules:
        import threading  # which another thread may be importing

        return threading.main_thread().ident or 0
    return _importing


# Functions that libraries call, whose types are built with their addresses.
_CALLED_BY_C = (
    "ortcffi_locate",
    "ortcffi_log",
    "ortcffi_read_named",
    "ortcffi_select_devices",
    "ortcffi_write",
    "ortcffi_write_named",
)


def address_of_function(name: str) -> Any:
    """Get the address of a function of the boundary that libraries call, as a cdata of its type."""
    if name not in _CALLED_BY_C:
        raise LookupError(f"{name} must be in _CALLED_BY_C, for which types are built")
    return ffi.addressof(lib, name)


def _build_types() -> None:
    """Have CFFI build the types that this package uses: `tools/generate.py` lists them.

    It would build each at its first use. But if the collector or another thread comes in between,
    and uses the same type, CFFI ends the process. Since Python 3.12 the collector runs between
    instructions of Python only, and threads change there, so that nothing comes in between.

    Of the fields of tables none is built, which would take longer than all else: functions of
    tables are called as functions of `lib`.
    """
    ffi.typeof("ortcffi_types")
    for name in _CALLED_BY_C:
        ffi.addressof(lib, name)


if sys.version_info < (3, 12):
    _build_types()
lib.ortcffi_references_begin()
