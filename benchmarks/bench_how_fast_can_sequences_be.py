# SPDX-License-Identifier: MIT
"""How fast can a run be that returns a sequence?

Simulates classifiers of scikit-learn, which return a dict for each row, and models that return many
small tensors. Nobody can do without two parts: the library's own run, which makes the sequence and
destroys it again, and the objects of Python that are the result. Both are measured alone, in C,
without any conversion between them: together they are the floor. The official package's time over
the floor is the most that any package can gain. All are measured in turns, in one process.

Needs a C compiler, Python's headers, onnx and onnxruntime. Run
``python benchmarks/bench_how_fast_can_sequences_be.py``.
"""

import ctypes
import gc
import os
import shlex
import subprocess
import sysconfig
import tempfile
from collections.abc import Callable
from functools import partial
from itertools import repeat
from pathlib import Path
from time import perf_counter_ns
from typing import Any

import numpy as np
import onnxruntime
from onnx import TensorProto, helper

import ortcffi
from ortcffi import compat, ffi

HERE = Path(__file__).resolve().parent
TURNS = 60
SPAN = 4_000_000  # nanoseconds of a turn
CLASSES = 3
FEATURES = 4
Measure = Callable[[int], float]  # the nanoseconds of so many rounds
Case = tuple[bytes, dict[str, Any]]


def model_of(nodes: list[Any], inputs: list[Any], outputs: list[Any]) -> bytes:
    graph = helper.make_graph(nodes, "g", inputs, outputs)
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", 1)]
    made: bytes = helper.make_model(graph, opset_imports=opsets, ir_version=8).SerializeToString()
    return made


def classifier(rows: int) -> Case:
    """A linear classifier that ends in ZipMap, as converted models of scikit-learn do."""
    classes = list(range(CLASSES))
    weights = np.linspace(-1, 1, CLASSES * FEATURES).tolist()
    make = partial(helper.make_node, domain="ai.onnx.ml")
    nodes = [
        make(
            "LinearClassifier",
            ["x"],
            ["label", "scores"],
            coefficients=weights,
            intercepts=[0.0] * CLASSES,
            classlabels_ints=classes,
            post_transform="SOFTMAX",
        ),
        make("ZipMap", ["scores"], ["probabilities"], classlabels_int64s=classes),
    ]
    number = helper.make_tensor_type_proto(TensorProto.FLOAT, None)
    rows_of_maps = helper.make_sequence_type_proto(
        helper.make_map_type_proto(TensorProto.INT64, number)
    )
    model = model_of(
        nodes,
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [None, FEATURES])],
        [
            helper.make_tensor_value_info("label", TensorProto.INT64, [None]),
            helper.make_value_info("probabilities", rows_of_maps),
        ],
    )
    x = np.linspace(-2, 2, rows * FEATURES, dtype=np.float32).reshape(rows, FEATURES)
    return model, {"x": x}


def tensors_out(count: int) -> Case:
    """A tensor that is split into a sequence of rows."""
    row = helper.make_tensor_type_proto(TensorProto.FLOAT, None)
    model = model_of(
        [helper.make_node("SplitToSequence", ["x"], ["y"], axis=0)],
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [None, 4])],
        [helper.make_value_info("y", helper.make_sequence_type_proto(row))],
    )
    return model, {"x": np.ones((count, 4), np.float32)}


def compiled(folder: str) -> ctypes.PyDLL:
    output = os.path.join(folder, "contents.so")
    includes = [ortcffi.get_include(), sysconfig.get_path("include"), np.get_include()]
    command = [*shlex.split(os.environ.get("CC", "cc")), "-O2", "-shared", "-fPIC"]
    command += [f"-I{each}" for each in includes]
    subprocess.run([*command, str(HERE / "c/contents.c"), "-o", output], check=True)
    library = ctypes.PyDLL(output)
    for name in ("run_session", "make_dicts", "make_arrays"):
        getattr(library, name).restype = ctypes.c_longlong
    return library


def calls(function: Callable[[], object]) -> Measure:
    def measure(count: int) -> float:
        start = perf_counter_ns()
        for _ in repeat(None, count):
            function()
        return perf_counter_ns() - start

    return measure


def runs_in_c(library: ctypes.PyDLL, session: "ortcffi.Session", x: Any) -> Measure:
    value = ortcffi.Value.from_numpy(x, api=session.api)
    names = [ffi.new("char[]", spec.name.encode()) for spec in session.outputs]
    outputs, name = ffi.new("char*[]", names), ffi.new("char[]", b"x")
    kept = session.api.pointer, session.handle, name, value.handle, outputs, names

    def measure(count: int) -> float:
        addresses = [ctypes.c_void_p(int(ffi.cast("uintptr_t", each))) for each in kept[:5]]
        rest = ctypes.c_size_t(len(names)), ctypes.c_long(count)
        taken: int = library.run_session(*addresses, *rest)
        if taken < 0:
            raise RuntimeError("a run failed")
        return taken

    return measure


def objects(function: Any, items: int, size: int) -> Measure:
    return lambda count: function(*map(ctypes.c_long, (items, size, count)))


def fastest(subjects: dict[str, Measure]) -> dict[str, float]:
    """The nanoseconds of a round of each, in the shortest of its turns."""
    counts = {name: max(1, int(100 * SPAN / run(100))) for name, run in subjects.items()}
    found = dict.fromkeys(subjects, float("inf"))
    for _ in range(TURNS):
        for name, run in subjects.items():
            found[name] = min(found[name], run(counts[name]) / counts[name])
    return found


def main() -> None:
    cases = {
        "classifier, 1 row": (partial(classifier, 1), 1, CLASSES),
        "classifier, 150 rows": (partial(classifier, 150), 150, CLASSES),
        "10 tensors": (partial(tensors_out, 10), 10, 4),
        "1000 tensors": (partial(tensors_out, 1000), 1000, 4),
    }
    columns = "official", "drop-in", "Session", "run", "objects", "floor"
    gains = "at most", "drop-in", "Session"
    print(f"{'microseconds':20}{''.join(f'{each:>10}' for each in (*columns, *gains))}")
    gc.disable()  # what makes hundreds of dicts has the collector run, in every package
    with tempfile.TemporaryDirectory() as folder:
        library = compiled(folder)
        for title, (make, items, size) in cases.items():
            model, feed = make()
            theirs = onnxruntime.SessionOptions()
            theirs.intra_op_num_threads = 1
            official = onnxruntime.InferenceSession(model, theirs)
            session = ortcffi.Session(model, ortcffi.SessionOptions(intra_op_threads=1))
            ours = compat.SessionOptions()
            ours.intra_op_num_threads = 1
            drop_in = compat.InferenceSession(model, ours)
            kind = library.make_dicts if "classifier" in title else library.make_arrays
            times = fastest(
                {
                    "official": calls(partial(official.run, None, feed)),
                    "drop-in": calls(partial(drop_in.run, None, feed)),
                    "Session": calls(partial(session.run, feed)),
                    "run": runs_in_c(library, session, feed["x"]),
                    "objects": objects(kind, items, size),
                }
            )
            floor = times["run"] + times["objects"]
            shown = "".join(f"{each / 1000:10.2f}" for each in (*times.values(), floor))
            gains = (
                times["official"] / each for each in (floor, times["drop-in"], times["Session"])
            )
            print(f"{title:20}{shown}{''.join(f'{gain:9.2f}x' for gain in gains)}")


if __name__ == "__main__":
    main()
