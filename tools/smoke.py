# SPDX-License-Identifier: MIT
"""Uses the installed ortcffi a little, on a system on which no test runs.

Where onnxruntime is installed, models run on it, and the command line is called.
"""

import asyncio
import importlib.util
import pickle
import platform
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

import ortcffi as ort

api = ort.default_api()
x = np.ones((256, 256), np.float32)


def refused(error: type[BaseException], call: Callable[..., Any], *given: Any, **more: Any) -> Any:
    """Return the exception that a call raises, which must be of that type."""
    try:
        call(*given, **more)
    except error as raised:
        return raised
    raise AssertionError(f"no {error.__name__}")


def values_and_memory() -> None:
    error = refused(ort.errors.InvalidArgument, api.memory_info, "NoSuchDevice")
    assert error.code is ort.ErrorCode.INVALID_ARGUMENT
    for dtype in ("f4", "i8", "?", "U"):
        array = np.arange(6).reshape(2, 3).astype(dtype)
        assert ort.Value.from_numpy(array, copy=True).numpy().tolist() == array.tolist()
    with ort.Tracking(api.default_allocator) as pool, ort.numpy_allocator(pool):
        y = np.ones((100, 100))
        assert pool.bytes_allocated >= y.nbytes
        del y
        assert pool.bytes_allocated == 0
    refused(MemoryError, ort.Limiting(api.default_allocator, 10).alloc, 11)


def chain(operator: str, count: int, domain: str = "") -> ort.Graph:
    """Make a model that applies an operator so many times to a matrix."""
    graph = ort.Graph()
    graph.input("y0", "f4", x.shape)
    inputs = []
    if operator == "MatMul":
        graph.initializer("w", np.eye(len(x), dtype=x.dtype))
        inputs = ["w"]
    for i in range(count):
        graph.node(operator, [f"y{i}", *inputs], [f"y{i + 1}"], domain=domain)
    graph.output(f"y{count}", "f4", x.shape)
    return graph


class Negates:
    """An execution provider."""

    def capability(self, graph: Any) -> Any:
        return graph.nodes

    def compile(self, _graph: Any) -> Any:
        return np.negative


def ops_and_providers() -> None:
    twice = ort.custom_op("smoke", name="Twice", inputs=["f4"], outputs=["f4"])(lambda x: x + x)
    with twice.kernel() as kernel:
        assert (kernel(x) == 2).all()
    with ort.Session(chain("Twice", 1, "smoke"), custom_ops=[twice]) as session:
        assert (session.run(y0=x)[0] == 2).all()
    provider = ort.execution_provider("negates")(Negates)
    for library in (ort.core_api(), None):
        with ort.Session(chain("Neg", 1), providers=[provider], api=library) as session:
            assert (session.run(y0=x)[0] == -1).all()


def sessions(path: Path) -> None:
    session = ort.Session(path)
    assert (session.run(y0=x)[0] == x).all()
    assert (pickle.loads(pickle.dumps(session)).run(y0=x)[0] == x).all()
    refused(ort.errors.InvalidArgument, session.run, y0=x[0])
    refused(FileNotFoundError, ort.Session, path.with_name("\xe9"))

    async def run_all() -> Any:
        return await asyncio.gather(*(session.run_async({"y0": x * i}) for i in range(4)))

    assert [y[0, 0] for [y] in asyncio.run(run_all())] == [0, 1, 2, 3]
    with ProcessPoolExecutor(1) as pool:
        assert (pool.submit(session.run, {"y0": x}).result()[0] == x).all()
    ort.limit_session_memory("256 KiB")
    with ort.Session(path) as limited:
        refused(MemoryError, limited.run, y0=x)
    ort.limit_session_memory(None)


def runs_that_end_early() -> None:
    with ort.Session(chain("MatMul", 20000)) as session:
        refused(TimeoutError, session.run, {"y0": x}, timeout=0.1)
        # The handler of Ctrl-C runs in another thread on Windows.
        threading.Timer(0.3, signal.raise_signal, [signal.SIGINT]).start()
        refused(KeyboardInterrupt, session.run, {"y0": x})


def command_line(path: Path) -> None:
    # The extension is a library of ops, of which it has none yet.
    for code, *words in ((0, "info", path), (0, "doctor"), (1, "check", ort.custom_op_library())):
        command = [sys.executable, "-P", "-X", "utf8", "-m", "ortcffi", *map(str, words)]
        done = subprocess.run(command, check=False, stdout=-1, stderr=-2, encoding="utf-8")
        assert done.returncode == code, ascii(done)


def main() -> None:
    values_and_memory()
    done = "values and memory"
    if importlib.util.find_spec("onnxruntime"):
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            path = Path(folder, "\xe9.onnx")
            chain("MatMul", 2).save(path)
            ops_and_providers()
            sessions(path)
            runs_that_end_early()
            command_line(path)
        done = "all"
    python = f"Python {platform.python_version()} on {sys.platform}, {platform.machine()}"
    sys.stdout.write(f"ortcffi {ort.__version__}, {python}: {done}, ok\n")


if __name__ == "__main__":
    main()
