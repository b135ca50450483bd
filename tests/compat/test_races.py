# SPDX-License-Identifier: MIT
"""The drop-in in several threads, and in the child of a fork."""

import sys

import numpy as np
import pytest
from support.prepared import printed_by
from support.threads import run_threads

X = np.array([[1, 2], [3, 4], [5, 6]], np.float32)
CPU = ["CPUExecutionProvider"]


def test_threads_have_bindings_of_one_session(session):
    def work():
        binding = session.io_binding()
        for factor in range(1, 20):
            binding.bind_cpu_input("X", X * factor)
            binding.bind_output("Y")
            session.run_with_iobinding(binding)
            (y,) = binding.copy_outputs_to_cpu()
            np.testing.assert_array_equal(y, (X * factor) ** 2)

    run_threads(*[work] * 4)


def test_threads_make_and_drop_sessions_and_values(onnxruntime, squares):
    def work():
        for _ in range(5):
            session = onnxruntime.InferenceSession(squares, providers=CPU)
            value = onnxruntime.OrtValue.ortvalue_from_numpy(X)
            (y,) = session.run_with_ort_values(None, {"X": value})
            del session, value
            np.testing.assert_array_equal(y.numpy(), X * X)

    run_threads(*[work] * 4)


FORK = """
import os
import numpy as np
import ortcffi as ort
import ortcffi.compat as onnxruntime

graph = ort.Graph()
graph.input("X", "f4", [2])
graph.node("Neg", ["X"], ["Y"])
graph.output("Y", "f4", [2])
model, feed = graph.to_bytes(), {"X": np.ones(2, np.float32)}

def session(threads):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])

one, two = session(1), session(2)
child = os.fork()
if child == 0:
    assert one.run(None, feed)[0].tolist() == [-1, -1]
    assert two.run(None, feed)[0].tolist() == [-1, -1]
    assert session(2).run(None, feed)[0].tolist() == [-1, -1]
    os._exit(0)
_, status = os.waitpid(child, 0)
print(os.waitstatus_to_exitcode(status), two.run(None, feed)[0].tolist())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
def test_sessions_work_in_the_child_of_a_fork():
    assert printed_by(FORK) == "0 [-1.0, -1.0]"


AT_THE_END = """\
from ortcffi.compat import _environment

class Last:
    def __del__(self):
        found.append(_environment.env())

class Other:
    pass

found = []
_environment.Env = lambda *_arguments, **_named: Other()
_environment.state.environment = Last()
assert type(_environment.env()) is Last
_environment.close_environment()
print(*[type(each).__name__ for each in found])
"""


def test_an_environment_is_not_found_while_it_ends():
    assert printed_by(AT_THE_END) == "Other"
