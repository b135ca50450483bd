# SPDX-License-Identifier: MIT
"""What does it cost to see the official package's sessions, and what does it save to run them?

Simulates a service that keeps ``import onnxruntime``: it sees a value, runs a session through this
package, has the log and the figures of a session, or shares an arena between sessions. Beside each
stands the same without this package. Subjects take turns, and the shortest turn counts.

Needs onnxruntime. Run ``python benchmarks/bench_what_does_attach_cost.py``.
"""

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnxruntime

import ortcffi as ort

TURNS = 400
SECONDS = 0.003  # of a turn: short, so that some are not interrupted on a busy machine
NODES = 50


def shortest(tasks: dict[str, Callable[[], object]]) -> dict[str, float]:
    """The seconds of one call of each task."""
    best = dict.fromkeys(tasks, float("inf"))
    for _ in range(TURNS):
        for name, task in tasks.items():
            end, count = time.perf_counter() + SECONDS, 0
            begin = time.perf_counter()
            while time.perf_counter() < end:
                for _ in range(20):
                    task()
                count += 20
            best[name] = min(best[name], (time.perf_counter() - begin) / count)
    return best


def model(path: Path, nodes: int) -> str:
    """A model of float[1,4] -> float[1,4] with so many additions."""
    graph = ort.Graph()
    last = graph.input("x", "f4", [1, 4])
    one = graph.initializer("one", np.ones((1, 4), np.float32))
    for i in range(nodes):
        (last,) = graph.node("Add", [last, one], [f"y{i}"])
    graph.output(last, "f4", [1, 4])
    graph.save(path)
    return str(path)


def tell(title: str, tasks: dict[str, Callable[[], object]]) -> None:
    figures = shortest(tasks)
    first = next(iter(figures.values()))
    print(title)
    for name, seconds in figures.items():
        print(f"  {name:44}{seconds * 1e6:9.3f} us {first / seconds:7.2f}x")


def session(path: str, options: object = None) -> onnxruntime.InferenceSession:
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def main() -> None:
    official = ort.attach()
    x = {"x": np.ones((1, 4), np.float32)}
    with tempfile.TemporaryDirectory() as folder:
        add, long = (model(Path(folder, f"{n}.onnx"), n) for n in (1, NODES))
        theirs = onnxruntime.OrtValue.ortvalue_from_numpy(x["x"])
        tell(
            "an official OrtValue as a Value",
            {
                "Value.from_dlpack": lambda: ort.Value.from_dlpack(theirs),
                "official.value": lambda: official.value(theirs),
            },
        )
        plain, logged = session(add), session(add, official.session_options(logger=print))
        ours, seen = official.session(plain), official.session(logged).allocator()
        bound = ours.bind(x, {"y0": np.empty((1, 4), np.float32)})
        tell(
            "a run of Add, float[1,4]",
            {
                "InferenceSession.run": lambda: plain.run(None, x),
                "the same, logger and figures attached": lambda: logged.run(None, x),
                "official.session(session).run": lambda: ours.run(x),
                "the same, with arrays bound once": bound.run,
            },
        )
        assert seen.stats.num_allocations is not None
        own = session(long)
        official.share_allocator(ort.Arena(ort.core_api().default_allocator))
        shared = session(long, official.session_options())
        tell(
            f"a run of {NODES} nodes",
            {
                "the package's own arena": lambda: own.run(None, x),
                "a shared arena of ours": lambda: shared.run(None, x),
            },
        )


if __name__ == "__main__":
    main()
