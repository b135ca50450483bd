# SPDX-License-Identifier: MIT
"""What a session imports: little, and what works without the rest."""

import signal

import pytest
from support import models
from support.processes import run_python

FOREVER = 10**12  # trips
UNWANTED = ["asyncio", "concurrent.futures", "json", "logging", "threading", "ortcffi.errors.codes"]
UNWANTED += ["ortcffi.compat._options", "ortcffi.options.run", "ortcffi.options.session"]
RUN = """
import sys
import numpy as np
before = set(sys.modules)
import ortcffi
session = ortcffi.Session(sys.argv[1])
session.run({"x": np.zeros(2, np.float32)})
print(*sys.modules.keys() - before)
"""
DROP_IN = """
import sys
import numpy as np
before = set(sys.modules)
import ortcffi.compat as onnxruntime
session = onnxruntime.InferenceSession(sys.argv[1], providers=["CPUExecutionProvider"])
session.run(None, {"x": np.zeros(2, np.float32)})
print(*sys.modules.keys() - before)
"""
INTERRUPTED = """
import signal, sys
import numpy as np
before = set(sys.modules)
import ortcffi
options = ortcffi.SessionOptions(intra_op_threads=1, log_severity=4)
session = ortcffi.Session(sys.argv[1], options)
signal.signal(signal.SIGALRM, signal.default_int_handler)
signal.setitimer(signal.ITIMER_REAL, 0.2)
try:
    session.run({"x": np.eye(32, dtype=np.float32)}, timeout=30)
except KeyboardInterrupt:
    print("interrupted", "threading" in sys.modules.keys() - before)
"""
WITHOUT_MEMORY = """
import sys
import numpy
before = set(sys.modules)
import ortcffi
class Failing(ortcffi.PythonAllocator):
    def alloc(self, size):
        raise LookupError("there is none")
try:
    Failing().empty(3)
except MemoryError as error:
    print(repr(error.__cause__), "threading" in sys.modules.keys() - before)
"""


@pytest.mark.parametrize("program", [RUN, DROP_IN], ids=["session", "drop-in"])
def test_a_session_imports_nothing_that_a_run_does_not_need(tmp_path, program):
    path = tmp_path / "model.onnx"
    path.write_bytes(models.identity(shape=(2,)))
    loaded = run_python(program, path).split()
    assert "ortcffi.session.session" in loaded
    assert not [name for name in UNWANTED if name in loaded]


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no such timer")
def test_without_threading_a_signal_ends_a_long_run_of_the_main_thread(tmp_path):
    path = tmp_path / "model.onnx"
    path.write_bytes(models.loop(FOREVER, 32))
    assert run_python(INTERRUPTED, path) == "interrupted False"


def test_without_threading_the_exception_of_a_callback_is_the_cause():
    assert run_python(WITHOUT_MEMORY) == "LookupError('there is none') False"
