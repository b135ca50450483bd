# SPDX-License-Identifier: MIT
"""Graphs that several threads use, and in the child of a fork."""

import numpy as np
from support.graphs import graph_of
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
    graph = graph_of("y0 f4[1]", "y1 = Neg y0", "y1 f4[1]")

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
