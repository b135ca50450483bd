# SPDX-License-Identifier: MIT
"""Which runs are faster than with onnxruntime?

Simulates services: models of growing size that run one after the other (four matrix products of one
row), and 200 runs that are awaited at once. Each run of a `Session` is beside the same of
onnxruntime, on the same library; rows that a `Batcher` joins are beside runs of the same session.
``ortcffi bench MODEL`` measures a model of your own.

Needs onnxruntime and pyperf. Run ``python benchmarks/bench_which_runs_gain.py``.
"""

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np
import onnxruntime
import pyperf

import ortcffi as ort

BURST = 200
ROWS = (4, 128, 256, 512, 1024)  # of each matrix: 1,024 have 4 MB
THREADS = 2


def products(rows: int, nodes: int, batch: int | str = 1) -> bytes:
    graph = ort.Graph()
    name = graph.input("x", "f4", [batch, rows])
    graph.initializer("w", np.full((rows, rows), 1 / rows, np.float32))
    for node in range(nodes):
        [name] = graph.node("MatMul", [name, "w"], [f"y{node}"])
    graph.output(name, "f4", [batch, rows])
    return graph.to_bytes()


def addition() -> bytes:
    graph = ort.Graph()
    graph.input("x", "f4", [1, 4])
    graph.node("Add", ["x", "x"], ["y"])
    graph.output("y", "f4", [1, 4])
    return graph.to_bytes()


def ours(model: bytes, threads: int = 1) -> ort.Session:
    with ort.SessionOptions(intra_op_threads=threads) as options:
        return ort.Session(model, options)


def theirs(model: bytes, threads: int = 1) -> Any:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


async def burst(run: Callable[[], Awaitable[object]]) -> None:
    await asyncio.gather(*[run() for _ in range(BURST)])


async def pooled(run: Callable[[], object], pool: ThreadPoolExecutor) -> None:
    loop = asyncio.get_running_loop()
    await burst(lambda: loop.run_in_executor(pool, run))


async def joined(session: ort.Session, feed: dict[str, Any]) -> None:
    async with ort.Batcher(session, max_batch=64) as batcher:
        await burst(partial(batcher.run, feed))


def single_runs(runner: pyperf.Runner) -> None:
    for rows in ROWS:
        model, feed = products(rows, 4), {"x": np.ones((1, rows), np.float32)}
        title = f"four products of {rows} rows"
        runner.bench_func(f"{title}: onnxruntime", theirs(model).run, None, feed)
        runner.bench_func(f"{title}: ortcffi", ours(model).run, feed)


def bursts(runner: pyperf.Runner, pool: ThreadPoolExecutor) -> None:
    each = partial(runner.bench_async_func, inner_loops=BURST)
    feed = {"x": np.ones((1, 4), np.float32)}
    official, session = theirs(addition(), THREADS), ours(addition(), THREADS)
    each("200 awaited additions: onnxruntime", pooled, partial(official.run, None, feed), pool)
    each("200 awaited additions: ortcffi", burst, partial(session.run_async, feed))
    large = {"x": np.ones((1, ROWS[-1]), np.float32)}
    session = ours(products(ROWS[-1], 1, "n"), THREADS)
    each("200 awaited rows x 4 MB", burst, partial(session.run_async, large))
    each("200 awaited rows x 4 MB: Batcher", joined, session, large)


def main() -> None:
    runner = pyperf.Runner()
    single_runs(runner)
    with ThreadPoolExecutor(THREADS) as pool:
        bursts(runner, pool)


if __name__ == "__main__":
    main()
