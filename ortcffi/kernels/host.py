# SPDX-License-Identifier: MIT
"""The core's kernel host: its C functions, and what they are given."""

import os
import sys
from typing import TYPE_CHECKING, Any

from ortcffi._native import by_slot, extension_path, ffi, lib
from ortcffi._table import core_api, host_function
from ortcffi.errors import call
from ortcffi.values.lifecycle import blank
from ortcffi.values.value import Value

if TYPE_CHECKING:
    from ortcffi.table.api import Api


def table_of_host(api: "Api", *, watch: bool = False) -> tuple[Any, Any]:
    """Return the base that a library registers with, and the table that its kernels get."""
    if not api.is_core:
        raise ValueError(
            f"api must be the embedded core's table or an emulated one, not {api}: kernels run on "
            f"the core; ortcffi.testing.compare_with_session compares with another library"
        )
    begun = vars(api).get("_trace")
    if begun is not None:
        return begun.base, begun.api
    base = host_function("OrtcoreWatchedBase" if watch else "OrtcoreKernelBase")(api.version)
    return base, base.GetApi(api.version)


def call_host(name: str, *arguments: Any, function: str = "") -> None:
    """Call a function of ``ortcore.h``; raise for a failing status, which `function` answered."""
    call(core_api().pointer, function or name, host_function(name), *arguments)


def call_host_on(owner: Any, name: str, *arguments: Any) -> None:
    """Do the same with the handle of an object first, which no other thread closes meanwhile."""
    owner._read_handle(
        lambda _table, handle: call_host(name, handle, *arguments), owner.api.pointer
    )


def empty_sequence_on_core(api: "Api", element: int) -> Value:
    """Return a sequence without tensors of an element type, of a table of the core."""
    value, out = blank(Value, api)
    call_host("OrtcoreEmptySequence", element, out)
    return value


def copy_for(path: bytes) -> int:
    """Whether a library is opened as a private copy: not ours, which has the ops of Python."""
    is_ours = path == os.fsencode(extension_path())
    return int(lib.ORTCORE_COPY_NEVER if is_ours else lib.ORTCORE_COPY_ALWAYS)


def copy_for_options(path: bytes) -> int:
    """Whether options of the core open a library as a private copy.

    A library keeps the table that it was given last. An imported extension module of Python is used
    as it is all the same: a copy would not have the ops that Python has added to it.
    """
    name = os.path.basename(path).decode(errors="surrogateescape")
    files = (getattr(module, "__file__", None) for module in list(sys.modules.values()))
    same = (file for file in files if isinstance(file, str) and os.path.basename(file) == name)
    if any(os.path.exists(file) and os.path.samefile(file, path) for file in same):
        return int(lib.ORTCORE_COPY_NEVER)
    return copy_for(path)


def made_by_slot() -> dict[str, int]:
    """How many objects each slot has made that watched libraries have not released."""
    counts = ffi.new("uint64_t[]", lib.ORTCFFI_SLOTS_AND_EP)
    host_function("OrtcoreWatchedObjects")(counts)  # writes those of OrtApi, the first ones
    return by_slot(counts)
