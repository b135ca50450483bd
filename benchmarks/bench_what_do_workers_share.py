# SPDX-License-Identifier: MIT
"""What memory does each of several workers take for the same weights?

Simulates a service or a job with two spawned workers, each with a session of a model with 48 MB of
weights and one thread. Printed are megabytes of a worker, from ``/proc/PID/smaps_rollup``:
what it has for itself (Anonymous), and its proportional share of all (Pss).

Linux only. Run ``python benchmarks/bench_what_do_workers_share.py``.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import ortcffi as ort

SIDE, LAYERS = 1024, 12
WAYS = {
    "no session": "import ortcffi as ort",
    "Session(path)": "session = ort.Session(path, options)",
    "external data": "session = ort.Session(external, options)",
    "the same, disable_prepacking": """
options.config["session.disable_prepacking"] = "1"
options.optimization_level = 2
session = ort.Session(external, options)""",
    "Session(path, share_weights=...)": "session = ort.Session(path, options, share_weights=cache)",
    "official InferenceSession(path)": """
import onnxruntime
official = onnxruntime.SessionOptions()
official.intra_op_num_threads = 1
session = onnxruntime.InferenceSession(path, official)""",
}
WORKER = """
import sys
import numpy as np
import ortcffi as ort
path, external, cache = sys.argv[1:]
options = ort.SessionOptions(ort.load(), intra_op_threads=1)
session = None
{way}
if session is not None:
    session.run(None, {{"x": np.ones((4, 1024), np.float32)}}) if "official" in globals() else \
        session.run(x=np.ones((4, 1024), np.float32))
print("ready", flush=True)
sys.stdin.read()
"""


def megabytes(pid: int) -> tuple[int, int]:
    """What a process has for itself, and its proportional share."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    found = {line.split(":")[0]: int(line.split()[1]) for line in lines[1:]}
    return found["Anonymous"] >> 10, found["Pss"] >> 10


def measured(way: str, *paths: Path) -> tuple[int, int]:
    """The larger figures of two workers."""
    program = [sys.executable, "-c", WORKER.format(way=way), *map(str, paths)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    workers = [subprocess.Popen(program, **pipes) for _ in range(2)]
    for worker in workers:
        assert worker.stdout is not None
        assert worker.stdout.readline() == b"ready\n"
    found = [megabytes(worker.pid) for worker in workers]
    for worker in workers:
        worker.communicate()
    return max(own for own, _ in found), max(share for _, share in found)


def main() -> None:
    """Measure each way."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path, external, cache = (folder / each for each in ("m.onnx", "external.onnx", "cache"))
        graph, rng = ort.Graph(), np.random.default_rng(0)
        x = graph.input("x", "f4", ["n", SIDE])
        for i in range(LAYERS):
            w = graph.initializer(f"w{i}", rng.standard_normal((SIDE, SIDE), dtype=np.float32))
            (x,) = graph.node("MatMul", [x, w], [f"y{i}"])
        graph.output(x, "f4", ["n", SIDE])
        graph.save(path)
        ort.Model.load(path).save(external, external_data="1 MB")
        ort.Session(path, ort.SessionOptions(intra_op_threads=1), share_weights=cache).close()
        print(f"{'MB of each of two workers':36} {'own':>5} {'share':>6}")
        for way, code in WAYS.items():
            own, share = measured(code, path, external, cache)
            print(f"{way:36} {own:5} {share:6}")


if __name__ == "__main__":
    main()
