# SPDX-License-Identifier: MIT
"""What does a model save that an execution provider runs on the core, without onnxruntime?

The task: the same provider, in the core and in the real library with the fallback to the CPU off.
"start" is a process from its start to its first result, with the bytecode of Python cached as it is
after an installation; "start, above" without what a process needs that only imports NumPy and loads
the provider's library. "memory" is what is resident at the first result above such a process. "C"
is a program in C, without Python and NumPy; "library" is how much of the file of the core, or of
the real library, is resident in it. "nxrt" is a provider whose own start takes most of the time
and the memory; "add", that of the guide, takes none, so what is left is the host's. "values" is the
most memory of a run of 100 nodes whose values have 1 MiB each, its result among them. "run" is one
bound run of a node of the guide's provider, on 1, 2 and 4 threads; "node" a node of a chain of
1,000, half of whose instructions are the provider's calls.

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
# What a process prints last: when, and how much is resident.
REPORT = """
now = time.perf_counter()
resident = next(line for line in open("/proc/self/status") if line.startswith("VmRSS"))
print(now, resident.split()[1])
"""
START = f"""
import sys, time
import numpy as np, ortcffi as ort
options = ort.SessionOptions(config={STRICT}) if sys.argv[2] == "real" else None
api = ort.load() if sys.argv[2] == "real" else None
session = ort.Session(sys.argv[1], options, api=api, providers=[sys.argv[3]])
session.run(v0=np.ones(4, np.float32))
"""
LIBRARY = """
import sys, time, ctypes, numpy
ctypes.CDLL(sys.argv[3])
"""


def chain(count: int, length: int = 4) -> ort.Model:
    """So many nodes, each of which adds a constant."""
    graph = ort.Graph()
    graph.input("v0", F, [length])
    graph.initializer("w", np.ones(length, F))
    for i in range(count):
        graph.node("Add", [f"v{i}", "w"], [f"v{i + 1}"])
    graph.output(f"v{count}", F, [length])
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
    end, *figures = (float(text) for text in done.stdout.split()[-2:])
    return [end - begin, *figures]  # Linux has one clock for all processes


def starts(folder: str, path: str, prefix: str) -> dict[str, dict[str, float]]:
    scripts = {"core": START, "real": START, "alone": LIBRARY}
    found: dict[str, list[list[float]]] = {name: [] for name in scripts}
    for i in range(STARTS + 1):
        for name, script in scripts.items():
            figures = started(script, folder, name, path)
            if i > 0:  # the first one compiles Python
                found[name].append(figures)
    return above(found, prefix, "Python, NumPy")


def above(
    found: dict[str, list[list[float]]], prefix: str, others: str
) -> dict[str, dict[str, float]]:
    """The medians of seconds and KiB, and what is above those of the provider's library alone."""
    time, memory = (
        {name: median(each[k] for each in figures) for name, figures in found.items()}
        for k in range(2)
    )
    sys.stdout.write(f"{prefix}, {others} and the library alone: {time['alone'] * 1e3:.1f} ms\n")
    names = ("core", "real")
    return {
        f"{prefix}: start, ms": {name: time[name] * 1e3 for name in names},
        f"{prefix}: start, above, ms": {k: (time[k] - time["alone"]) * 1e3 for k in names},
        f"{prefix}: memory, KiB": {name: memory[name] - memory["alone"] for name in names},
    }


def in_c(folder: str, provider: str, prefix: str) -> dict[str, dict[str, float]]:
    """The figures of `starts` for a program in C."""
    program = f"{folder}/session_paths"
    flags = [f"-I{ort.get_include()}", "-O2"]
    source = Path(__file__).parent / "c/session_paths.c"
    subprocess.run(["cc", *flags, source, "-o", program, "-ldl"], check=True)
    libraries = {"core": ort.get_library(), "real": str(ort.load().path), "alone": "none"}
    found: dict[str, list[list[float]]] = {name: [] for name in libraries}
    files: dict[str, list[int]] = {name: [] for name in libraries}
    for _ in range(STARTS):
        for name, library in libraries.items():
            begin = perf_counter()
            command = [program, library, f"{folder}/model.onnx", "1", provider, "/proc/self/smaps"]
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            now, _, maps = done.stdout.partition("\n")
            found[name].append([float(now) - begin, resident(maps)])
            files[name].append(resident(maps, os.path.realpath(library)))
    rows = above(found, prefix, "libc")
    rows[f"{prefix}: library, KiB"] = {k: median(files[k]) for k in ("core", "real")}
    return rows


def resident(maps: str, file: str = "") -> int:
    """KiB of a process that are resident, of one file or of all."""
    total, is_wanted = 0, False
    for line in maps.splitlines():
        if line[0] in "0123456789abcdef":
            is_wanted = line.endswith(file)
        elif is_wanted and line.startswith("Rss:"):
            total += int(line.split()[1])
    return total


def session_of(library: str, which: str, model: ort.Model) -> ort.Session:
    api, options = None, None
    if which == "real":
        api = ort.load()
        options = ort.SessionOptions(api, config=STRICT, intra_op_threads=1)
    return ort.Session(model, options, api=api, providers=[library])


def opened(library: str, which: str, count: int) -> ort.Binding:
    session = session_of(library, which, chain(count))
    return session.bind({"v0": X}, {f"v{count}": np.zeros(4, F)})


def values(library: str) -> dict[str, float]:
    """KiB that a run takes at most, by the statistics of the session's allocator."""
    length = 1 << 18
    taken = {}
    for which in ("core", "real"):
        session = session_of(library, which, chain(100, length))
        memory = session.allocator()
        before = memory.stats.bytes_allocated
        session.run(v0=np.ones(length, F))
        taken[which] = (memory.stats.max_memory - before) / 1024
        session.close()
    return taken


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


def provider_of_guide(folder: str) -> str:
    library = f"{folder}/libadd_ep.so"
    flags = [f"-I{ort.get_include()}", "-O2", "-shared", "-fPIC"]
    subprocess.run(["cc", *flags, GUIDE / "add_ep.c", "-o", library], check=True)
    return library


def runs(library: str) -> dict[str, dict[str, float]]:
    names = ("core", "real")
    rows = {"run, ns": in_turns({name: opened(library, name, 1).run for name in names}, CALLS)}
    for count in (2, 4):
        calls = {
            name: on_threads([opened(library, name, 1) for _ in range(count)]) for name in names
        }
        found = in_turns(calls, 1)
        rows[f"run on {count} threads, ns"] = {k: v / CALLS / count for k, v in found.items()}
    rows["values, KiB"] = values(library)
    long = in_turns({name: opened(library, name, CHAIN).run for name in names}, 20)
    rows["node, ns"] = {name: time / CHAIN for name, time in long.items()}
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", metavar="FILE")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        chain(1).save(f"{folder}/model.onnx")
        added = provider_of_guide(folder)
        [nxrt] = [each.path for each in ort.installed_eps() if each.name == "nxrt"]
        rows: dict[str, Any] = {
            **starts(folder, nxrt, "nxrt"),
            **starts(folder, added, "add"),
            **in_c(folder, nxrt, "C, nxrt"),
            **in_c(folder, added, "C, add"),
            **runs(added),
        }
    for name, row in rows.items():
        ratio = row["core"] / row["real"]
        sys.stdout.write(f"{name:24} {row['core']:10.1f} {row['real']:10.1f} {ratio:7.2f}\n")
    if given.json:
        Path(given.json).write_text(json.dumps(rows, indent=2))


if __name__ == "__main__":
    main()
