# SPDX-License-Identifier: MIT
"""What a session needs of the modules of Python, and what works without the rest."""

import signal

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


def test_a_session_needs_no_modules_later_and_no_threading(tmp_path):
    """In a child, a module that another thread was importing at the fork can never be imported.

    Without threading, the exception of a callback is a cause, and a signal ends a long run.
    """
    (tmp_path / "model.onnx").write_bytes(models.identity(shape=(2,)))
    (tmp_path / "endless.onnx").write_bytes(models.loop(FOREVER, 32))
    files = tmp_path / "model.onnx", tmp_path / "endless.onnx"
    expected = ["more:", "LookupError('there is none') False"]
    expected += ["interrupted False"] if hasattr(signal, "setitimer") else []
    assert run_python(PROGRAM, *files).splitlines() == expected
