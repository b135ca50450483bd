# SPDX-License-Identifier: MIT
"""What does an execution provider written in Python cost, beside an op in Python and one in C?

The task: one addition of four numbers to a constant, by a provider in Python, by an op in Python,
by the guide's provider in C, and by the real library's own kernel. "kernel" is a call on the core
without a session, "session" a run of the real library.

    python benchmarks/bench_what_does_a_python_provider_cost.py [--json FILE]
"""

import argparse
import json
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from timeit import repeat

import numpy as np

import ortcffi as ort

F = np.float32
X = np.arange(4, dtype=F)
GUIDE = Path(__file__).parents[1] / "docs/guide"
CALLS, TIMES = 5000, 9


def graph(op: str = "Add", domain: str = "") -> ort.Graph:
    made = ort.Graph({"": 21, **({domain: 1} if domain else {})})
    made.input("x", F, [4])
    made.initializer("w", np.ones(4, F))
    made.node(op, ["x", "w"], ["y"], domain=domain)
    made.output("y", F, [4])
    return made


class Adds:
    """Takes each addition of a constant."""

    def capability(self, graph: ort.ModelGraph) -> list[ort.ModelNode]:
        return [node for node in graph.nodes if node.op_type == "Add"]

    def compile(self, graph: ort.ModelGraph) -> Callable[[object], object]:
        [constant] = graph.initializers.values()
        return lambda x: x + constant


in_python = ort.execution_provider("adds")(Adds)


def in_c(folder: str) -> str:
    library = f"{folder}/libadd_ep.so"
    flags = [f"-I{ort.get_include()}", "-O2", "-shared", "-fPIC"]
    command = [*shlex.split("cc"), *flags, GUIDE / "add_ep.c", "-o", library]
    subprocess.run(command, check=True)
    return library


@ort.custom_op("bench", inputs=[F, F], outputs=[F], op_set=None)
def add(x: object, w: object) -> object:
    return x + w  # type: ignore[operator]


def on_the_core(ep: object) -> Callable[[], object]:
    """The kernel of a compiled node."""
    env = ort.Env("bench", ort.core_api())
    provider = ort.Ep(env.register_ep(ep).devices)  # type: ignore[arg-type]
    [node] = provider.compile(provider.capability(ort.Model.load(graph().to_bytes())))
    given = [X if name not in node.constants else None for name in node.inputs]
    return lambda: node.kernel(*given)


@contextmanager
def in_a_session(ep: object) -> Iterator[Callable[[], object]]:
    api = ort.load()
    with ort.Env("bench", api) as env, ort.SessionOptions(api, log_severity=3) as options:
        content = graph("add", "bench") if ep is add else graph()
        if ep is add:
            domain = ort.CustomOpDomain("bench", api)
            domain.add(add)
            options.add_custom_op_domain(domain)
        elif ep is not None:
            options.add_devices(env.register_ep(ep).devices)  # type: ignore[arg-type]
        session = ort.Session(content.to_bytes(), options)
        assert session.run({"x": X})[0].tolist() == [1, 2, 3, 4]
        yield partial(session.run, {"x": X})
        session.close()


def nanoseconds(call: Callable[[], object]) -> int:
    return round(min(repeat(call, number=CALLS, repeat=TIMES)) / CALLS * 1e9)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    found: dict[str, int] = {}
    with tempfile.TemporaryDirectory() as folder:
        compiled = in_c(folder)
        kernel = add.kernel()
        found["kernel: op in Python"] = nanoseconds(lambda: kernel(X, X))
        found["kernel: provider in Python"] = nanoseconds(on_the_core(in_python))
        found["kernel: provider in C"] = nanoseconds(on_the_core(compiled))
        for name, each in (
            ("ONNX Runtime's own", None),
            ("op in Python", add),
            ("provider in Python", in_python),
            ("provider in C", compiled),
        ):
            with in_a_session(each) as call:
                found[f"session: {name}"] = nanoseconds(call)
    for what, time in found.items():
        print(f"{what:42}{time:8} ns")
    if arguments.json:
        arguments.json.write_text(json.dumps({"python": sys.version, "ns": found}, indent=2))


if __name__ == "__main__":
    main()
