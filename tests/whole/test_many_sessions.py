# SPDX-License-Identifier: MIT
"""Many sessions, one after the other, in a process of its own.

``ORTCFFI_SESSIONS=10000`` makes as many; by default there are few enough for a run of all tests.
"""

import os
import sys

import pytest
from support.processes import run

COUNT = os.environ.get("ORTCFFI_SESSIONS", "400")

# A session that stayed would take tens of KiB and, every second one, a thread and its stack.
PROGRAM = """
import gc, os, sys
import numpy as np
import ortcffi as ort

graph = ort.Graph()
graph.input("x", "f4", [8, 16])
graph.initializer("w", np.ones((16, 16), np.float32))
graph.node("MatMul", ["x", "w"], ["y"])
graph.output("y", "f4", [8, 16])
model, x = graph.to_bytes(), np.ones((8, 16), np.float32)
alone = ort.SessionOptions(intra_op_threads=1)

def use(i):
    session = ort.Session(model, alone if i % 2 else None)
    session.run({"x": x})
    session.bind(x=x).run()
    if i % 3:
        session.close()

def held():
    gc.collect()
    resident = int(open("/proc/self/statm").read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return resident, len(os.listdir("/proc/self/task")), len(os.listdir("/proc/self/fd"))

for i in range(100):
    use(i)
memory, threads, files = held()
count = int(sys.argv[1])
for i in range(count):
    use(i)
after = held()
assert after[0] - memory < (2 << 20) + 1024 * count, (memory, after[0])
assert after[1] <= threads + 1 and after[2] <= files, ((threads, files), after)
print(*after)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="it reads /proc")
def test_sessions_that_are_made_and_closed_leave_nothing():
    run(sys.executable, "-c", PROGRAM, COUNT, timeout=300 + int(COUNT) // 5)
