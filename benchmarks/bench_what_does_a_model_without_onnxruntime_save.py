# SPDX-License-Identifier: MIT
"""What does a model save that an execution provider runs on the core, without onnxruntime?

The task: the same provider, in the core and in the real library with the fallback to the CPU off.
"start" is a process from its start to its first result, with the bytecode of Python cached as it is
after an installation; "start, above" without what a process needs that only imports NumPy and loads
the provider's library. "memory" is what is resident at the first result above such a process;
"memory, above" without what the provider itself has taken by then: its pages, and the memory of
malloc, which the core does not use. "run" is one bound run of a node of the guide's provider, on 1,
2 and 4 threads; "node" a node of a chain of 1,000, half of whose instructions are the provider's
calls.

    python benchmarks/bench_what_does_a_model_without_onnxruntime_save.py [--json FILE]

Needs a C compiler, and the packages nxrt-ep-cpu, onnx and onnxruntime.
"""

import argparse
import json
import os
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
# What a process prints last: when, how much is resident, and pages of the provider.
REPORT = """
now, pages, is_of_provider = time.perf_counter(), 0, False
for line in open("/proc/self/smaps"):
    if line[0] in "0123456789abcdef":
        is_of_provider = line.rstrip().endswith(library)
    elif is_of_provider and line.startswith("Rss:"):
        pages += int(line.split()[1])
resident = next(line for line in open("/proc/self/status") if line.startswith("VmRSS"))
print(now, resident.split()[1], pages, held)
"""
START = f"""
import sys, time
import numpy as np, ortcffi as ort
library, held = sys.argv[3], 0
options = ort.SessionOptions(config={STRICT}) if sys.argv[2] == "real" else None
api = ort.load() if sys.argv[2] == "real" else None
session = ort.Session(sys.argv[1], options, api=api, providers=["nxrt"])
session.run(x=np.ones(4, np.float32))
"""
LIBRARY = """
import sys, time, ctypes, numpy
library, held = sys.argv[3], 0
ctypes.CDLL(library)
"""
# What malloc has taken of the system after a session of the core, less that before, in KiB.
BLOCKS = """
import ctypes, ortcffi.session.on_core, ortcffi.session.providers
class Info(ctypes.Structure):
    _fields_ = [(f"field{i}", ctypes.c_size_t) for i in range(10)]
ask = ctypes.CDLL(None).mallinfo2
ask.restype = Info
blocks = lambda: (ask().field0 + ask().field4) // 1024
before = blocks()
"""


def chain(count: int) -> ort.Model:
    """So many nodes, each of which adds a constant."""
    graph = ort.Graph()
    graph.input("v0", F, [4])
    graph.initializer("w", np.ones(4, F))
    for i in range(count):
        graph.node("Add", [f"v{i}", "w"], [f"v{i + 1}"])
    graph.output(f"v{count}", F, [4])
    return ort.Model.load(graph.to_bytes()).prepare()


def started(script: str, folder: str, *arguments: str) -> list[float]:
    """Seconds from the start of a process to the end of a script, and what REPORT prints after."""
    known = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    begin = perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", script + REPORT, f"{folder}/model.onnx", *arguments],
        check=True,
        capture_output=True,
        text=True,
        env={**known, "PYTHONPYCACHEPREFIX": f"{folder}/bytecode"},
    )
    end, *figures = (float(text) for text in done.stdout.split()[-4:])
    return [end - begin, *figures]  # Linux has one clock for all processes


def starts(folder: str) -> dict[str, dict[str, float]]:
    graph = ort.Graph()
    graph.input("x", F, [4])
    graph.initializer("w", np.ones(4, F))
    graph.node("Add", ["x", "w"], ["y"])
    graph.output("y", F, [4])
    graph.save(f"{folder}/model.onnx")
    [path] = [each.path for each in ort.installed_eps() if each.name == "nxrt"]
    scripts = {"core": START, "real": START, "library": LIBRARY}
    found: dict[str, list[list[float]]] = {name: [] for name in scripts}
    for i in range(STARTS + 1):
        for name, script in scripts.items():
            figures = started(script, folder, name, path)
            if i > 0:  # the first one compiles Python
                found[name].append(figures)
    time, resident, pages = (
        {name: median(each[k] for each in figures) for name, figures in found.items()}
        for k in range(3)
    )
    counting = START.replace("options =", BLOCKS + "options =") + "held = blocks() - before\n"
    own = started(counting, folder, "core", path)[3] + pages["core"] - pages["library"]
    sys.stdout.write(
        f"Python, NumPy and the library: {time['library'] * 1e3:.1f} ms; "
        f"the provider itself: {own:.0f} KiB\n"
    )
    names = ("core", "real")
    return {
        "start, ms": {name: time[name] * 1e3 for name in names},
        "start, above, ms": {name: (time[name] - time["library"]) * 1e3 for name in names},
        "memory, KiB": {name: resident[name] - resident["library"] for name in names},
        "memory, above, KiB": {name: resident[name] - resident["library"] - own for name in names},
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
