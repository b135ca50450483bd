# SPDX-License-Identifier: MIT
"""Sessions in programs of their own: signals, imports, contexts, another binding."""

import importlib.util
import os
import sys
from textwrap import dedent

import pytest
from support import eps, models
from support.paths import finds_support
from support.prepared import run_program
from support.processes import run, run_python

import ortcffi as ort

# --- Ctrl-C, and handlers of signals --------------------------------------------------------------


ENDLESS = """
import os, signal, sys, time

import numpy as np
import ortcffi as ort
from support import models
from support.graphs import graph_of
from support.threads import join, start, wait_until

options = ort.SessionOptions(intra_op_threads=1, log_severity=ort.LogSeverity.FATAL)
session, x = ort.Session(models.loop(10**12, 32), options), np.eye(32, dtype=np.float32)

def send(number):
    wait_until(lambda: session.running)
    time.sleep(0.01)  # until the run is in C
    os.kill(os.getpid(), number)
"""


SIGNALS = {  # what each program prints
    "a descriptor of the program gets the signals too": (
        "[2] default_int_handler\n",
        """
        reader, writer = os.pipe()
        for end in (reader, writer):
            os.set_blocking(end, False)
        signal.set_wakeup_fd(writer)
        start(lambda: send(signal.SIGINT))
        try:
            session.run({"x": x})
        except KeyboardInterrupt:
            print(list(os.read(reader, 9)), signal.getsignal(signal.SIGINT).__name__)
        """,
    ),
    "an event loop that has ended leaves runs to end for an interrupt": (
        "ended\n",
        """
        import asyncio

        async def main():
            loop = asyncio.get_running_loop()
            loop.add_signal_handler(signal.SIGTERM, print)
            session.run({"x": x}, timeout=0.02)

        try:
            asyncio.run(main())
        except TimeoutError:
            start(lambda: send(signal.SIGINT))
        try:
            session.run({"x": x})
        except KeyboardInterrupt:
            print("ended")
        """,
    ),
    "a timeout for which there is no thread is an error, and the next one is not": (
        "timeout: the thread that ends runs cannot be started\nended\n",
        """
        import resource

        used, most = len(os.listdir("/proc/self/fd")), resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (used, most[1]))
        try:
            session.run({"x": x}, timeout=0.02)
        except RuntimeError as error:
            print(error)
        resource.setrlimit(resource.RLIMIT_NOFILE, most)
        try:
            session.run({"x": x}, timeout=0.02)
        except TimeoutError:
            print("ended")
        """,
    ),
    "a handler that calls the one before it": (
        "ended once\n",
        """
        import faulthandler

        def run():
            try:
                session.run({"x": x}, timeout=0.02)
            except TimeoutError:
                pass

        run()
        faulthandler.register(signal.SIGINT, chain=True, file=open(os.devnull, "w"))
        run()
        try:
            os.kill(os.getpid(), signal.SIGINT)
        except KeyboardInterrupt:
            print("ended", end=" ")
        run()
        print("once")
        """,
    ),
    "the interrupt of a run in a kernel ends no run around it": (
        "inner, late, [array([3.], dtype=float32)]\n",
        """
        @ort.custom_op("test", inputs=[np.float32], outputs=[np.float32])
        def wait(value):
            start(lambda: send(signal.SIGINT))
            try:
                session.run({"x": x})
            except KeyboardInterrupt:
                print("inner", end=", ")
            join(*start(time_out))
            return value

        def time_out():
            try:
                session.run({"x": x}, timeout=0.02)
            except TimeoutError:
                print("late", end=", ")

        nodes = "y = test.wait x; z = Identity y"
        graph = graph_of("x f4[n]", nodes, "z f4[n]", {"": 21, "test": 1})
        with ort.Session(graph, custom_ops=[wait]) as outer:
            print(outer.run(x=[3.0]))
        """,
    ),
    "the child of a fork ends its runs for an interrupt": (
        "0 True\n",
        """
        from support.processes import fork_quietly

        def run():
            start(lambda: send(signal.SIGINT))
            try:
                session.run({"x": x})
            except KeyboardInterrupt:
                return True

        run()
        if not (child := fork_quietly()):
            os._exit(0 if run() else 1)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), run())
        """,
    ),
}


@pytest.mark.parametrize("case", SIGNALS)
def test_in_a_program_of_its_own(case):
    expected, code = SIGNALS[case]
    done = run_program(ENDLESS + dedent(code), env=finds_support())
    assert (done.stdout, done.stderr) == (expected, "")


# --- modules --------------------------------------------------------------------------------------


FOREVER = 10**12  # trips
# One process for all, since to start it takes longest. What a part must not import, no part before
# it may import.
IMPORTING = """
import os, signal, sys, time
import numpy as np
before = set(sys.modules)
import ortcffi
session = ortcffi.Session(sys.argv[1])
made = set(sys.modules)
session.run({"x": np.zeros(2, np.float32)}, timeout=30)
session.run(x=[1, 2])
print("more:", *sys.modules.keys() - made)

class Failing(ortcffi.PythonAllocator):
    def alloc(self, size):
        raise LookupError("there is none")
try:
    Failing().empty(3)
except MemoryError as error:
    print(repr(error.__cause__), "threading" in sys.modules.keys() - before)

options = ortcffi.SessionOptions(intra_op_threads=1, log_severity=4)
session = ortcffi.Session(sys.argv[2], options)
if hasattr(os, "fork"):
    if os.fork() == 0:
        time.sleep(0.2)
        os.kill(os.getppid(), signal.SIGINT)
        os._exit(0)
    try:
        session.run({"x": np.eye(32, dtype=np.float32)}, timeout=30)
    except KeyboardInterrupt:
        print("interrupted", "threading" in sys.modules.keys() - before)
"""


def test_a_session_needs_no_modules_later_and_no_threading(tmp_path):
    """In a child, a module that another thread was importing at the fork can never be imported.

    Without threading, the exception of a callback is a cause, and a signal ends a long run.
    """
    (tmp_path / "model.onnx").write_bytes(models.identity(shape=(2,)))
    (tmp_path / "endless.onnx").write_bytes(models.loop(FOREVER, 32))
    files = tmp_path / "model.onnx", tmp_path / "endless.onnx"
    expected = ["more:", "LookupError('there is none') False"]
    expected += ["interrupted False"] if hasattr(os, "fork") else []
    assert run_python(IMPORTING, *files).splitlines() == expected


# --- contexts of the library's threads ------------------------------------------------------------


LOGGING = """if True:
    import asyncio, gc, threading

    import numpy as np

    import ortcffi as ort
    from support import models
    from ortcffi.testing.live_objects import left_alive, live_objects

    main, entered = threading.get_ident(), []
    memory = ort.core_api().default_allocator

    def enter(*_message):
        if threading.get_ident() != main and not entered:
            entered.append(ort.numpy_allocator(ort.Tracking(memory)))
            entered.pop().__enter__()
            entered.append("once")

    def run():
        api = ort.load()
        options = ort.SessionOptions(api, intra_op_threads=2)
        settings = ort.RunOptions(api)
        settings.log_severity = 0

        async def work(session):
            await session.run_async({"x": np.ones((1, 4), np.float32)}, options=settings)

        with ort.Env("x", api, logger=enter, severity=0):
            with ort.Session(models.add(), options, api=api) as session:
                asyncio.run(asyncio.wait_for(work(session), 60))

    memory.info
    before = live_objects()
    run()
    gc.collect()
    print(entered, left_alive(before))
"""


@pytest.mark.usefixtures("real_api")
def test_a_library_thread_may_end_with_an_allocator_in_its_context():
    printed = run_program(LOGGING, env=finds_support()).stdout
    assert printed == "['once'] {}\n"


# --- a binding of others --------------------------------------------------------------------------


OTHER_BINDING = """
import sys
import numpy as np
import ortpy

library, model = sys.argv[1:]
ortpy.register_execution_provider_library("adding", library)
devices = [each for each in ortpy.get_ep_devices() if each.ep_vendor == "the guide"]
options = ortpy.SessionOptions()
options.append_execution_provider_v2(devices[:1], {})
messages = []
options.set_session_log_severity_level(0)
options.set_user_logging_function(lambda *message: messages.append(message[-1]))
session = ortpy.Session(model, options)
print([(name, info.shape, info.dtype) for name, info in session.get_input_info().items()])
x = np.arange(3, dtype=np.float32)
print(session.run({"x": x})["y"].numpy())
binding = session.create_io_binding()
binding.bind_input("x", ortpy.Value(x))
binding.bind_output_to_device("y", ortpy.MemoryInfo())
run_options = ortpy.RunOptions()
run_options.run_tag = "bound"
session.run_with_binding(binding, run_options=run_options)
print(binding.get_outputs()["y"].numpy())
print(any("placed on" in each for each in messages))


def choose(devices, model, runtime, maximum):
    return [each for each in devices if each.ep_vendor == "the guide"][:1]


chosen = ortpy.SessionOptions()
chosen.set_ep_selection_policy_delegate(choose)
print(ortpy.Session(model, chosen).run({"x": x})["y"].numpy())
print(ortpy.Value.from_strings(["a", "\u6f22"]).get_strings())
for wrong in [{"z": x}, {"x": x[:2]}, {"x": x.astype(np.float64)}]:
    try:
        session.run(wrong)
    except RuntimeError as error:
        print(str(error).splitlines()[0])
"""


@pytest.mark.skipif(
    importlib.util.find_spec("ortpy") is None, reason="the package ortpy is not installed"
)
def test_a_binding_that_is_linked_with_onnxruntime_runs_on_the_core(c_compiler, tmp_path):
    # Takes a second.
    (tmp_path / "libonnxruntime.so.1").symlink_to(ort.get_library())
    eps.added().save(tmp_path / "model.onnx")
    library = eps.build(c_compiler, eps.ADDING)
    environment = {**os.environ, "LD_LIBRARY_PATH": str(tmp_path)}
    command = [sys.executable, "-c", OTHER_BINDING, library, tmp_path / "model.onnx"]
    assert run(*command, env=environment).stdout.splitlines() == [
        "[('x', [3], 'float32')]",
        "[0. 2. 4.]",
        "[0. 2. 4.]",
        "True",
        "[0. 2. 4.]",
        "['a', '\u6f22']",
        "Invalid input name: z",
        "Got invalid dimensions for input: x for the following indices",
        "Unexpected input data type. Actual: (tensor(double)) , expected: (tensor(float))",
    ]
