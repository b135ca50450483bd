# SPDX-License-Identifier: MIT
"""What does a model save that an execution provider runs on the core, without onnxruntime?

The task: the same provider, in the core and in the real library with the fallback to the CPU off.
"start" is a process from its start to the end of its first run, "load" the part of it after the
imports of Python; "memory" what that process has
resident above one that has only loaded NumPy and the provider's library; "run" one bound run of a
node of the guide's provider, on 1, 2 and 4 threads; "node" a node of a chain of 1,000.

    python benchmarks/bench_what_does_a_model_without_onnxruntime_save.py [--json FILE]

Needs a C compiler, and the packages nxrt-ep-cpu, onnx and onnxruntime.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter
from timeit import repeat
from typing import Any

import numpy as np

import ortcffi as ort

GUIDE = Path(__file__).parents[1] / "docs/guide"
F, X = np.float32, np.ones(4, np.float32)
STARTS, TIMES, CALLS, CHAIN = 11, 15, 2000, 1000
STRICT = {"session.disable_cpu_ep_fallback": "1"}
RESIDENT = "print(next(l for l in open('/proc/self/status') if l.startswith('VmRSS')).split()[1])"
START = f"""
import sys, time
import numpy as np, ortcffi as ort
ort.Session
imported = time.perf_counter()
options = ort.SessionOptions(config={STRICT}) if sys.argv[2] == "real" else None
api = ort.load() if sys.argv[2] == "real" else None
session = ort.Session(sys.argv[1], options, api=api, providers=["nxrt"])
session.run(x=np.ones(4, np.float32))
print(time.perf_counter() - imported)
{RESIDENT}
"""
LIBRARY = f"import sys, ctypes, numpy; ctypes.CDLL(sys.argv[1]); {RESIDENT}"


def chain(count: int) -> ort.Model:
    """So many nodes, each of which adds a constant."""
    graph = ort.Graph()
    graph.input("v0", F, [4])
    graph.initializer("w", np.ones(4, F))
    for i in range(count):
        graph.node("Add", [f"v{i}", "w"], [f"v{i + 1}"])
    graph.output(f"v{count}", F, [4])
    return ort.Model.load(graph.to_bytes()).prepare()


def started(model: str, which: str) -> tuple[float, float, int]:
    """Seconds of the process, and after the imports, and KiB that are resident at the end."""
    begin = perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", START, model, which], check=True, capture_output=True, text=True
    )
    after, resident = done.stdout.split()[-2:]
    return perf_counter() - begin, float(after), int(resident)


def starts(folder: str) -> dict[str, dict[str, float]]:
    graph = ort.Graph()
    graph.input("x", F, [4])
    graph.initializer("w", np.ones(4, F))
    graph.node("Add", ["x", "w"], ["y"])
    graph.output("y", F, [4])
    graph.save(f"{folder}/model.onnx")
    [path] = [each.path for each in ort.installed_eps() if each.name == "nxrt"]
    alone = subprocess.run(
        [sys.executable, "-c", LIBRARY, path], check=True, capture_output=True, text=True
    )
    found: dict[str, list[tuple[float, float, int]]] = {"core": [], "real": []}
    for _ in range(STARTS):
        for which, times in found.items():
            times.append(started(f"{folder}/model.onnx", which))
    base = int(alone.stdout)
    return {
        "start, ms": {name: median(t[0] for t in each) * 1e3 for name, each in found.items()},
        "load, ms": {name: median(t[1] for t in each) * 1e3 for name, each in found.items()},
        "memory, KiB": {name: median(t[2] for t in each) - base for name, each in found.items()},
    }


def opened(library: str, which: str, count: int) -> ort.Binding:
    api, options = None, None
    if which == "real":
        api = ort.load()
        options = ort.SessionOptions(api, config=STRICT, intra_op_threads=1)
    session = ort.Session(chain(count), options, api=api, providers=[library])
    return session.bind({"v0": X}, {f"v{count}": np.zeros(4, F)})


def best(call: Callable[[], object], number: int) -> float:
    return min(repeat(call, number=number, repeat=1)) / number


def in_turns(calls: dict[str, Callable[[], object]], number: int) -> dict[str, float]:
    """The shortest time of each in nanoseconds."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(TIMES):
        for name, call in calls.items():
            times[name].append(best(call, number))
    return {name: min(each) * 1e9 for name, each in times.items()}


def on_threads(bindings: list[ort.Binding]) -> Callable[[], object]:
    """All at once, `CALLS` runs each."""

    def work(binding: ort.Binding) -> None:
        for _ in range(CALLS):
            binding.run()

    def call() -> None:
        threads = [threading.Thread(target=work, args=[each]) for each in bindings]
        for each in threads:
            each.start()
        for each in threads:
            each.join()

    return call


def runs(folder: str) -> dict[str, dict[str, float]]:
    library = f"{folder}/libadd_ep.so"
    flags = [f"-I{ort.get_include()}", "-O2", "-shared", "-fPIC"]
    subprocess.run(["cc", *flags, GUIDE / "add_ep.c", "-o", library], check=True)
    names = ("core", "real")
    rows = {"run, ns": in_turns({name: opened(library, name, 1).run for name in names}, CALLS)}
    for count in (2, 4):
        calls = {
            name: on_threads([opened(library, name, 1) for _ in range(count)]) for name in names
        }
        found = in_turns(calls, 1)
        rows[f"run on {count} threads, ns"] = {k: v / CALLS / count for k, v in found.items()}
    long = in_turns({name: opened(library, name, CHAIN).run for name in names}, 20)
    rows["node, ns"] = {name: time / CHAIN for name, time in long.items()}
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", metavar="FILE")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rows: dict[str, Any] = {**starts(folder), **runs(folder)}
    for name, row in rows.items():
        ratio = row["core"] / row["real"]
        sys.stdout.write(f"{name:24} {row['core']:10.1f} {row['real']:10.1f} {ratio:7.2f}\n")
    if given.json:
        Path(given.json).write_text(json.dumps(rows, indent=2))


if __name__ == "__main__":
    main()
