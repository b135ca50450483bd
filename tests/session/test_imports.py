# SPDX-License-Identifier: MIT
"""What a session needs of the modules of Python, and what works without the rest."""

import signal

import pytest
from support import models
from support.processes import run_python

FOREVER = 10**12  # trips
# One process for all, since to start it takes longest. What a part must not import, no part before
# it may import.
PROGRAM = """
import signal, sys
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
if hasattr(signal, "setitimer"):
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        session.run({"x": np.eye(32, dtype=np.float32)}, timeout=30)
    except KeyboardInterrupt:
        print("interrupted", "threading" in sys.modules.keys() - before)
"""


@pytest.fixture(scope="module")
def lines(tmp_path_factory):
    """What the program prints."""
    folder = tmp_path_factory.mktemp("models")
    (folder / "model.onnx").write_bytes(models.identity(shape=(2,)))
    (folder / "endless.onnx").write_bytes(models.loop(FOREVER, 32))
    return run_python(PROGRAM, folder / "model.onnx", folder / "endless.onnx").splitlines()


def test_what_a_run_needs_is_imported_before_the_session_exists(lines):
    # In a child, a module that another thread was importing at the fork can never be imported.
    assert lines[0] == "more:"


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no such timer")
def test_without_threading_a_signal_ends_a_long_run_of_the_main_thread(lines):
    assert lines[2] == "interrupted False"


def test_without_threading_the_exception_of_a_callback_is_the_cause(lines):
    assert lines[1] == "LookupError('there is none') False"
