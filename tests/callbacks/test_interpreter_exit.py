# SPDX-License-Identifier: MIT
"""Callbacks while the interpreter ends, from another interpreter, and with forks."""

import os
import sys

import pytest
from support.paths import CHECKOUT, finds_support
from support.prepared import run_program
from support.processes import run_python

LIMIT = 120  # seconds

# A thread is in a callback that waits, below frames of C++, when the interpreter ends. An object
# that goes last then waits for longer, so that the thread wants the GIL back meanwhile.
PROGRAM = f"""
import builtins, sys, threading, time, warnings
sys.path.insert(0, {str(CHECKOUT / "tests")!r})
import numpy as np
import ortcffi as ort
from support import models
from support.graphs import graph_of

api, kind, started, inside = ort.load(), sys.argv[1], threading.Event(), threading.Event()
kept = []


def wait(sleep=time.sleep):
    if started.is_set():
        inside.set()
        sleep(0.3)


class Late:
    def __del__(self, sleep=time.sleep):
        sleep(1)


class Waits(ort.PythonAllocator):
    def alloc(self, size):
        wait()
        kept.append(ort.ffi.new("char[]", size + 64))
        address = int(ort.ffi.cast("uintptr_t", kept[-1]))
        return address + -address % 64

    def free(self, pointer):
        pass


def shapes(x):
    wait()
    return x


@ort.custom_op("d", inputs=["f4"], outputs=["f4"], name="Same", op_set=None, shapes=shapes)
def same(x):
    return x


verbose = ort.LogSeverity.VERBOSE if kind == "logger" else ort.LogSeverity.FATAL
env = ort.Env("app", api, logger=lambda message: wait(), severity=verbose)
options, model = ort.SessionOptions(api), models.add()
if kind == "future":
    options = ort.SessionOptions(api, intra_op_threads=2)
elif kind == "shapes":
    domain = ort.CustomOpDomain("d", api)
    domain.add(same)
    options.add_custom_op_domain(domain)
    model = graph_of("x f4", "y = d.Same x", "y f4").to_bytes()
elif kind == "allocator":
    warnings.simplefilter("ignore")
    env.register_allocator(Waits(api))
    options.config["session.use_env_allocators"] = "1"


def make():
    started.set()
    session = ort.Session(model, options, api=api, env=env)
    feed = {{"x": np.ones((1, 4), np.float32)}}
    if kind == "future":
        session.run_future(feed).add_done_callback(lambda future: wait())
        return
    session.run(feed)


threading.Thread(target=make, daemon=True).start()
assert inside.wait({LIMIT})
builtins.late = Late()
"""


@pytest.mark.usefixtures("real_library")
@pytest.mark.parametrize("kind", ["logger", "shapes", "allocator", "future"])
def test_the_interpreter_may_end_while_a_library_waits_for_a_callback(kind):
    run_program(PROGRAM, kind, timeout=LIMIT)


INTERPRETERS = """
import sys
import ortcffi
from ortcffi import ffi, lib

import _xxsubinterpreters as interpreters

api, logged = ortcffi.core_api(), []
env = ortcffi.Env("app", api, logger=lambda message: logged.append(message.text))
log = lib.GetExperimentalFunction(api.pointer, b"ortcore_log")
other = f'''
import ctypes
texts = [ctypes.c_char_p] * 3
log = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, *texts)({int(ffi.cast("uintptr_t", log))})
log(3, b"category", b"place", b"from another interpreter")
'''
interpreters.run_string(interpreters.create(), other)
print(*logged)
"""


@pytest.mark.skipif(
    sys.version_info >= (3, 12), reason="CFFI looks for a callback in the interpreter that calls it"
)
def test_a_logger_runs_in_its_interpreter_whichever_one_has_called_the_library():
    done = run_program(INTERPRETERS, timeout=LIMIT)
    assert done.stdout == "from another interpreter\n"


# --- forks ----------------------------------------------------------------------------------------


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
