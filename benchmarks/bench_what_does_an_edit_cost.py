# SPDX-License-Identifier: MIT
"""What does it cost to edit a model, beside the package onnx?

A model of 100,000 nodes is built, opened, listed, and written with one name changed; one of 1 GB of
weights is opened, listed, and written with one name changed. Both packages do the same in one
process, so that the ratio holds on a busy machine, and then once more, each in a process of its
own, whose memory is read. Prints one JSON object: seconds of both, and the ratio; MB that the
work added to the process at its peak (of a mapped file, those that were read).

Linux only: ``python benchmarks/bench_what_does_an_edit_cost.py [NODES] [BYTES]``
"""

import json
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import onnx

import ortcffi as ort


def seconds(work: Callable[[], Any], times: int = 3) -> float:
    """The shortest time of a few."""
    found = []
    for _ in range(times):
        start = perf_counter()
        work()
        found.append(perf_counter() - start)
    return min(found)


def peak(work: Callable[[], Any]) -> int:
    """MB that the work adds to the most that this process had."""

    def most() -> int:
        lines = Path("/proc/self/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:"))

    before = most()
    work()
    return (most() - before) >> 10


def peak_alone(function: Callable[..., Any], *given: Any) -> int:
    """The same in a process of its own."""
    with get_context("spawn").Pool(1) as pool:
        return pool.apply(peak, (partial(function, *given),))


def built_by_onnx(nodes: int) -> bytes:
    made = [
        onnx.helper.make_node("Add", [f"v{i}", "one"], [f"v{i + 1}"], name=f"node {i}")
        for i in range(nodes)
    ]
    ends = [onnx.helper.make_tensor_value_info(f"v{i}", 1, ["n"]) for i in (0, nodes)]
    one = onnx.numpy_helper.from_array(np.ones(1, np.float32), "one")
    graph = onnx.helper.make_graph(made, "graph", ends[:1], ends[1:], [one])
    return bytes(onnx.helper.make_model(graph).SerializeToString())


def built_here(nodes: int) -> bytes:
    graph = ort.Graph()
    graph.input("v0", "f4", ["n"])
    graph.initializer("one", np.ones(1, np.float32))
    for i in range(nodes):
        graph.node("Add", [f"v{i}", "one"], [f"v{i + 1}"], name=f"node {i}")
    graph.output(f"v{nodes}", "f4", ["n"])
    return graph.to_bytes()


def opened_by_onnx(path: Path) -> None:
    onnx.load(path)


def opened_here(path: Path) -> None:
    _ = ort.Model.load(path).graph


def renamed_by_onnx(path: Path, out: Path) -> None:
    model = onnx.load(path)
    model.graph.node[0].name = "renamed"
    onnx.save(model, out)


def renamed_here(path: Path, out: Path) -> None:
    graph = ort.Graph(path)
    graph.nodes[0].name = "renamed"
    graph.save(out)


def listed_by_onnx(path: Path) -> None:
    for node in onnx.load(path).graph.node:
        _ = node.op_type, list(node.input), list(node.output)


def listed_here(path: Path) -> None:
    for node in ort.Model.load(path).graph.nodes:
        _ = node.op_type, node.inputs, node.outputs


def main(nodes: int = 100_000, size: int = 1 << 30) -> None:
    """Measure all of it."""
    with tempfile.TemporaryDirectory() as folder:
        path, large, out = (Path(folder, name) for name in ("nodes", "weights", "out"))
        path.write_bytes(built_here(nodes))
        graph = ort.Graph()
        graph.initializer("w", np.ones(size // 4, np.float32))
        graph.node("Identity", ["w"], ["y"], name="node")
        graph.output("y", "f4", [size // 4])
        graph.save(large)
        pairs: dict[str, tuple[tuple[Any, ...], tuple[Any, ...]]] = {
            "build": ((built_here, nodes), (built_by_onnx, nodes))
        }
        for name, given in (("nodes", path), ("weights", large)):
            pairs[f"open {name}"] = (opened_here, given), (opened_by_onnx, given)
            pairs[f"list {name}"] = (listed_here, given), (listed_by_onnx, given)
            pairs[f"rename in {name}"] = (renamed_here, given, out), (renamed_by_onnx, given, out)
        found = {}
        for name, (ours, theirs) in pairs.items():
            a, b = (seconds(partial(each[0], *each[1:])) for each in (ours, theirs))
            found[name] = {"ortcffi": round(a, 4), "onnx": round(b, 4), "ratio": round(a / b, 2)}
            found[name] |= {"ortcffi MB": peak_alone(*ours), "onnx MB": peak_alone(*theirs)}
        print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
