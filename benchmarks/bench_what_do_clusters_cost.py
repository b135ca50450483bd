# SPDX-License-Identifier: MIT
"""What do 10,000 rows cost on an engine with two workers, beside the official package?

Simulates a job that scores rows of 64 features by a model with 4 MB of weights. An engine that
stays is started before; pools are started in each turn, as their guides do. Printed are seconds
of the second of two turns.

Needs the extra ``clusters`` and Java. Run ``python benchmarks/bench_what_do_clusters_cost.py``.
"""

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent
FOLDERS = [str(HERE), str(HERE.parent / "docs/guide")]
sys.path[:0] = FOLDERS
os.environ["PYTHONPATH"] = os.pathsep.join(FOLDERS)  # for workers

import clusters  # noqa: E402
from official_workers import Official  # noqa: E402

import ortcffi as ort  # noqa: E402

ROWS, FEATURES, WIDTH = 10_000, 64, 16_384


def seconds(task: Callable[[], Any]) -> float:
    """What the second of two turns takes."""
    task()
    begin = time.perf_counter()
    task()
    return time.perf_counter() - begin


def print_row(engine: str, tasks: list[Callable[[], Any]]) -> None:
    """Measure this package and the official one."""
    ours, official = (seconds(task) for task in tasks)
    print(f"{engine:20} {ours:8.2f} {official:9.2f}", flush=True)


def measure_pools(both: list[Any], x: Any) -> None:
    """Measure processes that are started in each turn."""
    feeds = [{"x": part} for part in np.array_split(x, 20)]
    print_row("concurrent.futures", [lambda s=s: clusters.with_futures(s, feeds) for s in both])
    print_row("joblib", [lambda s=s: clusters.with_joblib(s, feeds) for s in both])


def measure_dask(both: list[Any], x: Any) -> None:
    """Measure a dataframe."""
    from distributed import Client, LocalCluster
    from pandas import DataFrame

    frame = DataFrame(x, columns=[f"c{i}" for i in range(FEATURES)])
    settings = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with LocalCluster(host="127.0.0.1", **settings) as cluster, Client(cluster):
        print_row("Dask", [lambda s=s: clusters.with_dask(s, frame) for s in both])


def measure_ray(path: str, x: Any) -> None:
    """Measure actors."""
    import ray

    ray.init(num_cpus=2, include_dashboard=False, logging_level="ERROR", log_to_driver=False)
    ours = clusters.Scores

    def run(actor: Any) -> None:
        clusters.Scores = actor
        clusters.with_ray(path, x)

    print_row("Ray", [lambda: run(ours), lambda: run(Official)])
    ray.shutdown()


def measure_spark(path: str, x: Any) -> None:
    """Measure a column."""
    spark, ours = clusters.local_spark(), clusters.session_of

    def run(make: Any) -> None:
        clusters.session_of = make
        clusters.with_spark(spark, path, x)

    print_row("Spark", [lambda: run(ours), lambda: run(Official)])
    spark.stop()


def main() -> None:
    """Measure each engine."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = folder
        path, rng = f"{folder}/model.onnx", np.random.default_rng(0)
        graph = ort.Graph()
        x = graph.input("x", "f4", ["n", FEATURES])
        for i, shape in enumerate([(FEATURES, WIDTH), (WIDTH, 4)]):
            w = graph.initializer(f"w{i}", rng.standard_normal(shape, dtype=np.float32))
            (x,) = graph.node("MatMul", [x, w], [f"y{i}"])
        graph.output(x, "f4", ["n", 4])
        graph.save(path)
        rows = rng.standard_normal((ROWS, FEATURES), dtype=np.float32)
        both = [clusters.session_of(path), Official(path)]
        print(f"{'seconds':20} {'ortcffi':>8} {'official':>9}")
        measure_pools(both, rows)
        measure_dask(both, rows)
        measure_ray(path, rows)
        measure_spark(path, rows)


if __name__ == "__main__":
    main()
