# SPDX-License-Identifier: MIT
"""Programs whose runs end for Ctrl-C, or whose handlers of signals are their own."""

from textwrap import dedent

import pytest
from support.paths import finds_support
from support.prepared import run_program

ENDLESS = """
import os, signal, sys, time

import numpy as np
import ortcffi as ort
from support import models
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
    "a handler of the program's that has gone leaves runs to end for an interrupt": (
        "ended\n",
        """
        try:
            session.run({"x": x}, timeout=0.01)
        except TimeoutError:
            before = signal.signal(signal.SIGINT, print)
        signal.signal(signal.SIGINT, before)
        start(lambda: (time.sleep(0.1), send(signal.SIGINT)))
        try:
            session.run({"x": x})
        except KeyboardInterrupt:
            print("ended")
        """,
    ),
    "an event loop that has ended leaves runs to end for an interrupt": (
        "ended\n",
        """
        import asyncio

        async def main():
            loop = asyncio.get_running_loop()
            loop.add_signal_handler(signal.SIGTERM, print)
            session.run({"x": x}, timeout=0.1)

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
            session.run({"x": x}, timeout=0.1)
        except RuntimeError as error:
            print(error)
        resource.setrlimit(resource.RLIMIT_NOFILE, most)
        try:
            session.run({"x": x}, timeout=0.1)
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
                session.run({"x": x}, timeout=0.05)
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
                session.run({"x": x}, timeout=0.05)
            except TimeoutError:
                print("late", end=", ")

        graph = ort.Graph({"": 21, "test": 1})
        graph.input("x", "f4", ["n"])
        graph.node("wait", ["x"], ["y"], domain="test")
        graph.node("Identity", ["y"], ["z"])
        graph.output("z", "f4", ["n"])
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
