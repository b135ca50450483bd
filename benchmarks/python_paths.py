# SPDX-License-Identifier: MIT
"""Walks paths through the package in Python: python_paths.py MARKS OPS MODEL WALKS ROUNDS.

bench_how_many_instructions.py starts it under callgrind. MARKS is the compiled c/marks.c, OPS the
library of docs/guide/scale_op.c, MODEL the file of a model. Each path is walked WALKS times, each
time first to warm it up, and then for so many rounds between two marks.
"""

import ctypes
import gc
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np

from ortcffi import (
    CustomOpLibrary,
    Graph,
    Model,
    OrtError,
    Session,
    SessionOptions,
    Value,
    custom_op,
    default_api,
    load,
)

WARM = 50  # more than CPython needs to specialize code


def paths(ops: str, model: str) -> dict[str, Callable[[], object]]:
    """What is called for each path; the names are those of bench_how_many_instructions.py."""
    api, x = default_api(), np.ones(4, np.float32)
    info = api.cpu_memory_info()
    scale = CustomOpLibrary(ops)["my.domain", "Scale"]
    same = custom_op("hot", inputs=[np.float32], outputs=[np.float32], name="Same")(lambda x: x)
    return {
        "nothing": lambda: None,
        "call": lambda: info.id,
        "failure": partial(fail, api.memory_info),
        "empty": partial(api.default_allocator.empty, (4,), np.float32),
        "from-numpy": partial(Value.from_numpy, x),
        "to-numpy": Value.from_numpy(x).numpy,
        "kernel": partial(scale.kernel({"factor": 2.0}), x),
        "op": partial(same.kernel(), x),
        **runs(x),
        **models(model),
    }


def fail(call: Callable[[str], object]) -> None:
    try:
        call("NoSuchDevice")
    except OrtError as error:
        assert error.message  # noqa: PT017 - part of the path


def runs(x: "np.ndarray[Any, Any]") -> dict[str, Callable[[], object]]:
    graph = Graph()
    graph.input("x", "f4", [4])
    graph.node("Add", ["x", "x"], ["y"])
    graph.output("y", "f4", [4])
    with SessionOptions(load(), intra_op_threads=1) as options:
        session = Session(graph.to_bytes(), options)
    bound = session.bind(x=x, y=np.empty_like(x))
    return {"run": partial(session.run, {"x": x}), "bound-run": bound.run}


def models(path: str) -> dict[str, Callable[[], object]]:
    content = Path(path).read_bytes()
    model = Model.load(content)
    node = model.graph.nodes[0]
    return {
        "model": partial(Model.load, content),
        "model-graph": partial(read, content),
        "model-attributes": lambda: node.attributes,
        "model-write": model.to_bytes,
    }


def read(content: bytes) -> object:
    return [(n.op_type, n.inputs, n.outputs) for n in Model.load(content).graph.nodes]


def walker() -> Callable[[Callable[[], object], int], None]:
    """A loop whose code CPython has not specialized yet for other calls."""

    def walk(call: Callable[[], object], count: int) -> None:
        for _ in range(count):
            call()

    return FunctionType(walk.__code__.replace(), globals())


def main() -> None:
    marks, ops, model, walks, rounds = sys.argv[1:]
    mark = ctypes.PyDLL(marks).mark
    gc.disable()
    for i in range(int(walks)):
        calls = paths(ops, model)  # of new objects: a session remembers that a run took long
        gc.collect()
        for name, call in calls.items():
            walk = walker()
            walk(call, WARM)
            mark(b"between")
            walk(call, int(rounds))
            mark(f"{name} {i}".encode())


if __name__ == "__main__":
    main()
