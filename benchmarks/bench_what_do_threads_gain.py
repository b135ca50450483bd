# SPDX-License-Identifier: MIT
"""What do two threads gain, with the GIL and without it?

Simulates a service whose threads make small calls: runs of one session, values, and an op in
Python. Each line has the time of a call of one thread, and how many times as many calls two
threads make in a second. Rounds of both alternate, and the best of each count.

In a free-threaded Python, ``PYTHON_GIL=1`` is the baseline.

Run ``python benchmarks/bench_what_do_threads_gain.py [--rounds 9]``.
"""

import argparse
import json
import sys
import threading
from collections.abc import Callable
from time import perf_counter

import numpy as np

import ortcffi as ort

Array = np.ndarray[tuple[int, ...], np.dtype[np.float32]]


def small_session() -> ort.Session:
    graph = ort.Graph()
    graph.input("x", "f4", ["n", 4])
    graph.node("Add", ["x", "x"], ["y"])
    graph.output("y", "f4", ["n", 4])
    api = ort.load()
    return ort.Session(graph.to_bytes(), ort.SessionOptions(api, intra_op_threads=1), api=api)


@ort.custom_op("doubled", inputs=["f4"], outputs=["f4"])
def doubled(x: Array) -> object:
    return x * 2


def seconds(call: Callable[[Array], object], threads: int, count: int) -> float:
    """How long threads need that make so many calls each, at the same time."""
    start, times = threading.Barrier(threads), []

    def work() -> None:
        x = np.ones((1, 4), np.float32)
        start.wait()
        times.append(perf_counter())
        for _ in range(count):
            call(x)
        times.append(perf_counter())

    workers = [threading.Thread(target=work) for _ in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return max(times) - min(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    rounds, count = parser.parse_args().rounds, 5000
    session, kernel = small_session(), doubled.kernel()
    calls: dict[str, Callable[[Array], object]] = {
        "run": lambda x: session.run({"x": x}),
        "value": lambda x: ort.Value.from_numpy(x).numpy(),
        "op": kernel,
    }
    has_gil: bool = getattr(sys, "_is_gil_enabled", lambda: True)()
    for name, call in calls.items():
        taken = [[seconds(call, threads, count) for threads in (1, 2)] for _ in range(rounds)]
        one, two = (min(each) for each in zip(*taken, strict=True))
        figures = {"ns of one thread": round(one / count * 1e9), "gain": round(2 * one / two, 2)}
        print(json.dumps({"call": name, "gil": has_gil, **figures}))


if __name__ == "__main__":
    main()
