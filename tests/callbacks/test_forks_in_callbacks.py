# SPDX-License-Identifier: MIT
"""Callbacks on a thread of a library that fork."""

import os

import pytest
from support.paths import finds_support
from support.processes import run_python

LIBRARY = """
#include <pthread.h>
typedef void (*log_function)(void*, int, const char*, const char*, const char*, const char*);
static void* log_once(void* given) {
  void** call = given;
  ((log_function)call[0])(call[1], 2, "", "", "", "");
  return 0;
}
void log_on_a_thread(void** call) {
  pthread_t thread;
  pthread_create(&thread, 0, log_once, call);
  pthread_join(thread, 0);
}
"""
FORK = """if True:
    import ctypes, os, sys, warnings

    from support.processes import wait_for

    from ortcffi import ffi, lib
    from ortcffi.callbacks.logs import log_context

    warnings.simplefilter("ignore")  # of a fork beside threads
    children = []
    context = log_context(lambda _message: children.append(os.fork()))
    pointers = ffi.addressof(lib, "ortcffi_log"), context.pointer
    numbers = [int(ffi.cast("uintptr_t", pointer)) for pointer in pointers]
    call = (ctypes.c_void_p * 2)(*numbers)
    ctypes.CDLL(sys.argv[1]).log_on_a_thread(call)  # the child ends with this thread, its only one
    print(wait_for(children[0]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_thread_of_a_library_may_fork_in_a_callback(compile_c):
    """Memory that is read after it was freed ends the process, as it is filled."""
    library, found = compile_c(LIBRARY, "-shared", "-fPIC", "-pthread"), finds_support()
    done = run_python(FORK, library, PYTHONPATH=found["PYTHONPATH"], PYTHONMALLOC="debug")
    assert done == "0"
