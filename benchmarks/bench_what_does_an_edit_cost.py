# SPDX-License-Identifier: MIT
"""What does it cost to edit a model, beside the package onnx?

A model of 100,000 nodes is built, listed, and written with one name changed; one of 1 GB of weights
is opened and written with one name changed. Both packages do the same in one process, so that the
ratio holds on a busy machine. Prints one JSON object: seconds of both, and the ratio.

    python benchmarks/bench_what_does_an_edit_cost.py [NODES] [BYTES]
"""

import json
import sys
import tempfile
from collections.abc import Callable
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
        pairs = {
            "build": (lambda: built_here(nodes), lambda: built_by_onnx(nodes)),
            "list": (lambda: listed_here(path), lambda: listed_by_onnx(path)),
            "rename in nodes": (
                lambda: renamed_here(path, out),
                lambda: renamed_by_onnx(path, out),
            ),
            "rename in weights": (
                lambda: renamed_here(large, out),
                lambda: renamed_by_onnx(large, out),
            ),
        }
        found = {}
        for name, (ours, theirs) in pairs.items():
            a, b = seconds(ours), seconds(theirs)
            found[name] = {"ortcffi": round(a, 4), "onnx": round(b, 4), "ratio": round(a / b, 2)}
        print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
