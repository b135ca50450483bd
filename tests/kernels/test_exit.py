# SPDX-License-Identifier: MIT
"""The interpreter ends what kernels use."""

import pytest
from support.paths import finds_support
from support.prepared import run_program

DAEMONS = """
import atexit, sys, threading
import numpy as np
import ortcffi as ort
from ortcffi._native import compiled, lib
from support import models

F = np.float32
started = threading.Event()


@ort.custom_op("d", inputs=[F], outputs=[F], name="Same", op_set=None)
def same(x):
    started.set()
    while True:
        pass


x = np.ones(4, F)
if sys.argv[1] == "core":
    call = same.kernel()
else:
    options, domain = ort.SessionOptions(ort.load()), ort.CustomOpDomain("d", ort.load())
    domain.add(same)
    options.add_custom_op_domain(domain)
    node = models.node("Same", ["x"], ["y"], "d")
    model = models.of_ops([node], {"x": "f4"}, {"y": "f4"}, "d")
    session = ort.Session(model, options, api=ort.load())
    call = lambda x: session.run({"x": x})
    atexit.unregister(compiled.end_runs)  # which waits for runs, for some seconds
for _ in range(2):
    threading.Thread(target=call, args=[x], daemon=True).start()
assert started.wait(300)
"""


@pytest.mark.parametrize("host", ["core", "real"])
@pytest.mark.usefixtures("real_library")
def test_the_interpreter_may_end_while_daemon_threads_are_in_an_op(host):
    done = run_program(DAEMONS, host, env=finds_support())
    # What the library logs of a run whose op begins after the end.
    printed = [line for line in done.stderr.splitlines() if "interpreter has ended" not in line]
    assert printed == []
