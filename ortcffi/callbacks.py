# SPDX-License-Identifier: MIT
"""What C calls in Python. How an exception gets back from here is told in `ortcffi.errors`.

Each function finds its Python object behind the ``context`` that C hands on: a CFFI handle, or a
number of `ortcffi.contexts`, where the library may keep the context for longer than the object
lives. CFFI takes the interpreter lock, also in threads that Python did not start. None of them
runs under a lock of the core. Nothing may pass through C, so each catches all there is.
"""

import sys
import weakref
from typing import TYPE_CHECKING, Any

from ortcffi import ep_devices, thread_functions, work_functions
from ortcffi._native import decode, ffi
from ortcffi.contexts import find
from ortcffi.errors import forget, keep, status_for
from ortcffi.logs import LogMessage, severity_of
from ortcffi.sites import site_of_caller

if TYPE_CHECKING:
    from ortcffi._ort import Cdata


@ffi.def_extern(name="ortcffi_python_alloc")
def alloc(context: "Cdata", size: int) -> Any:
    """A block from `PythonAllocator.alloc`; NULL, and the exception kept, where it raises."""
    try:
        block = ffi.from_handle(context)._alloc(size)
        if block:
            forget()
        return block
    except BaseException as error:  # noqa: BLE001  # nothing may pass through C
        keep(error)
        return ffi.NULL


@ffi.def_extern(name="ortcffi_python_free")
def free(context: "Cdata", block: "Cdata") -> None:
    """Hand a block to `PythonAllocator.free`. It has no answer to fail with."""
    try:
        ffi.from_handle(context)._free(block)
    except BaseException:  # noqa: BLE001  # nothing may pass through C
        report("the free of an allocator")


@ffi.def_extern(name="ortcffi_python_stats")
def stats(context: "Cdata", out: "Cdata") -> Any:
    """Fill in key-value pairs from `PythonAllocator.figures`."""
    try:
        out[0] = ffi.from_handle(context)._stats()
    except BaseException as error:  # noqa: BLE001  # nothing may pass through C
        return status_for(error)
    return ffi.NULL


@ffi.def_extern(name="ortcffi_python_shrink")
def shrink(context: "Cdata") -> Any:
    """Call `PythonAllocator.shrink`."""
    try:
        ffi.from_handle(context)._shrink()
    except BaseException as error:  # noqa: BLE001  # nothing may pass through C
        return status_for(error)
    return ffi.NULL


@ffi.def_extern(name="ortcffi_python_observe")
def observe(context: "Cdata", event: int, block: "Cdata", size: int) -> None:
    """Tell a `Logging` allocator what happened."""
    try:
        ffi.from_handle(context).observe(event, block, size)
    except BaseException:  # noqa: BLE001  # nothing may pass through C
        report("the observe of an allocator")


@ffi.def_extern(name="ortcffi_python_site")
def site() -> int:
    """The number of the place in the program that is allocating; 0 if there is none."""
    try:
        return site_of_caller(1)
    except BaseException:  # noqa: BLE001  # nothing may pass through C
        return 0


@ffi.def_extern(name="ortcffi_python_log")
def log(  # noqa: PLR0913, PLR0917  # as many as the C function
    context: "Cdata",
    severity: int,
    category: "Cdata",
    logid: "Cdata",
    place: "Cdata",
    text: "Cdata",
) -> None:
    """Hand a message to the logger of an environment or of session options."""
    try:
        take = find(context)
        if take is not None:
            texts = map(decode, (category, logid, place, text))
            take(LogMessage(severity_of(severity), *texts))
    except BaseException:  # noqa: BLE001  # nothing may pass through C
        report("a logger")


@ffi.def_extern(name="ortcffi_python_create_thread")
def create_thread(context: "Cdata", worker: "Cdata", argument: "Cdata") -> Any:
    """Make a thread for a library; NULL, and the exception kept, where that raises."""
    try:
        return thread_functions.create(find(context), worker, argument)
    except BaseException as error:  # noqa: BLE001  # nothing may pass through C
        keep(error, "custom_create_thread_fn")
        return ffi.NULL


@ffi.def_extern(name="ortcffi_python_join_thread")
def join_thread(thread: "Cdata") -> None:
    """Wait for such a thread. C has no answer to fail with."""
    try:
        thread_functions.join(thread)
    except BaseException:  # noqa: BLE001  # nothing may pass through C
        report("a function that joins threads")


@ffi.def_extern(name="ortcffi_python_select")
def select(context: "Cdata", *arguments: Any) -> Any:
    """Choose devices for a session."""
    subject = find(context)
    try:
        ep_devices.select(subject, *arguments)
    except BaseException as error:  # noqa: BLE001  # nothing may pass through C
        return status_for(error, subject.api.pointer if subject else None)
    return ffi.NULL


@ffi.def_extern(name="ortcffi_python_enqueued")
def enqueued(context: "Cdata") -> Any:
    """Tell of work that was put into a queue; the answer goes with the work."""
    try:
        return work_functions.enqueued(find(context))
    except BaseException:  # noqa: BLE001  # nothing may pass through C
        report("a function around the work of threads")
        return ffi.NULL


@ffi.def_extern(name="ortcffi_python_work")
def work(context: "Cdata", event: int, data: "Cdata") -> None:
    """Tell of work that was started, stopped or abandoned."""
    try:
        work_functions.tell(find(context), event, data)
    except BaseException:  # noqa: BLE001  # nothing may pass through C
        report("a function around the work of threads")


def report(what: str) -> None:
    """Tell of an exception that has nowhere to go, the way Python does for destructors.

    Python itself calls `sys.unraisablehook`, whose default takes only what Python has made: here
    for the callback of a weak reference, which raises.
    """
    told = _Told(what, sys.exc_info()[1])
    subject = _Told(what, None)
    reference = weakref.ref(subject, told)  # which has to be there when its object goes
    del subject
    del reference


class _Told:
    """What raises an exception again, under a name that tells where it came from."""

    def __init__(self, what: str, error: BaseException | None) -> None:
        self.what = what
        self.error = error

    def __call__(self, _reference: object) -> None:
        error, self.error = self.error, None
        try:
            if error is not None:
                raise error
        finally:
            del error  # the traceback has this frame, and is the error's

    def __repr__(self) -> str:
        return self.what
