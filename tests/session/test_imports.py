# SPDX-License-Identifier: MIT
"""What a session imports: little, and what works without the rest."""

import signal

import pytest
from support import models
from support.processes import run_python

FOREVER = 10**12  # trips
UNWANTED = ["asyncio", "concurrent.futures", "json", "logging", "threading"]
UNWANTED += ["ortcffi.compat._options", "ortcffi.options.run", "ortcffi.options.session"]
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
print(*sys.modules.keys() - before)
print(*sys.modules.keys() - made)

import ortcffi.compat as onnxruntime
session = onnxruntime.InferenceSession(sys.argv[1], providers=["CPUExecutionProvider"])
session.run(None, {"x": np.zeros(2, np.float32)})
print(*sys.modules.keys() - before)

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


@pytest.mark.parametrize("line", [0, 2], ids=["session", "drop-in"])
def test_a_session_imports_nothing_that_a_run_does_not_need(lines, line):
    loaded = lines[line].split()
    assert "ortcffi.session.session" in loaded
    assert not [name for name in UNWANTED if name in loaded]


def test_what_a_run_needs_is_imported_before_the_session_exists(lines):
    # In a child, a module that another thread was importing at the fork can never be imported.
    assert lines[1] == ""


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no such timer")
def test_without_threading_a_signal_ends_a_long_run_of_the_main_thread(lines):
    assert lines[4] == "interrupted False"


def test_without_threading_the_exception_of_a_callback_is_the_cause(lines):
    assert lines[3] == "LookupError('there is none') False"
