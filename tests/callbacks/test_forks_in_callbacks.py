# SPDX-License-Identifier: MIT
"""Callbacks on a thread of a library that fork."""

import os

import pytest
from support.paths import finds_support
from support.processes import run_python

FORK = """if True:
    import ctypes, os, warnings

    from support.processes import wait_for

    import ortcffi
    from ortcffi import ffi, lib
    from ortcffi.callbacks.thread_functions import thread_context, thread_functions

    warnings.simplefilter("ignore")  # of a fork beside threads
    children = []
    join = lambda _thread: children.append(os.fork())
    context = thread_context(thread_functions("functions", (lambda work: work(), join)))
    nothing = ffi.cast("OrtThreadWorkerFn", ffi.addressof(lib, "ortcffi_join_thread"))
    made = lib.ortcffi_create_thread(context.pointer, nothing, ffi.NULL)
    start, argument = (
        ctypes.c_void_p(int(ffi.cast("uintptr_t", pointer)))
        for pointer in (ffi.addressof(lib, "ortcffi_join_thread"), made)
    )
    system, thread = ctypes.CDLL(None), ctypes.c_ulong()
    assert system.pthread_create(ctypes.byref(thread), None, start, argument) == 0
    system.pthread_join(thread, None)  # the child ends with this thread, its only one
    print(wait_for(children[0]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_thread_of_a_library_may_fork_in_a_callback():
    """Memory that is read after it was freed ends the process, as it is filled."""
    found = finds_support()["PYTHONPATH"]
    assert run_python(FORK, PYTHONPATH=found, PYTHONMALLOC="debug") == "0"
