# SPDX-License-Identifier: MIT
"""Graphs that several threads use, and in the child of a fork."""

import sys

import numpy as np
import pytest
from support.prepared import printed_by
from support.threads import run_threads

import ortcffi as ort


def test_threads_make_sessions_of_one_graph(real_api, dense):
    x, found = np.zeros((1, 64), np.float32), []

    def work():
        for _ in range(3):
            with ort.Session(dense, api=real_api) as session:
                found.append(session.run({"x": x})[0].sum())

    run_threads(*[work] * 4)
    np.testing.assert_allclose(found, [1] * 12, rtol=1e-5)


def test_a_graph_that_grows_meanwhile_is_whole_or_refused(real_api):
    graph = ort.Graph()
    graph.input("y0", "f4", [1])
    graph.node("Neg", ["y0"], ["y1"])
    graph.output("y1", "f4", [1])

    def grow():
        for i in range(1, 60):
            graph.node("Neg", [f"y{i}"], [f"y{i + 1}"])
            graph.initializer(f"w{i}", np.zeros(64, np.float32))

    def read():
        for _ in range(10):
            try:
                content = graph.to_bytes()
            except (RuntimeError, ort.OrtError, ValueError):
                continue
            ort.Session(content, api=real_api).close()

    run_threads(grow, read, read)
    with ort.Session(graph, api=real_api) as session:
        assert session.run({"y0": np.ones(1, np.float32)})[0].tolist() == [-1]


FORK = """
import os, sys
import numpy as np
import ortcffi as ort

graph = ort.Graph()
graph.input("x", "f4", [2])
graph.initializer("w", np.full(2, 3, np.float32))
graph.node("Add", ["x", "w"], ["y"])
graph.output("y", "f4", [2])
options = ort.SessionOptions(ort.load(), intra_op_threads=1)

def run():
    with ort.Session(graph, options) as session:
        return session.run({"x": np.ones(2, np.float32)})[0].tolist()

before = run()
child = os.fork()
if child == 0:
    os._exit(0 if run() == before == [4, 4] else 1)
_, status = os.waitpid(child, 0)
print(os.waitstatus_to_exitcode(status), run())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
def test_a_graph_makes_sessions_in_the_child_of_a_fork():
    assert printed_by(FORK) == "0 [4.0, 4.0]"
