# SPDX-License-Identifier: MIT
"""A model over many rows, on what spreads work over processes and machines."""

import os
import sys
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import numpy as np

import ortcffi as ort

Feeds = Iterable[dict[str, Any]]


def session_of(path: str) -> ort.Session:
    """One thread a worker, since there are as many workers as processors."""
    options = ort.SessionOptions(intra_op_threads=1)
    return ort.Session(path, options, share_weights=True)


def with_futures(session: ort.Session, feeds: Feeds) -> list[Any]:
    """Use processes of the standard library."""
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        return list(pool.map(session.run, feeds))


def with_joblib(session: ort.Session, feeds: Feeds) -> list[Any]:
    """Use joblib's processes."""
    from joblib import Parallel, delayed

    jobs = (delayed(session.run)(feed) for feed in feeds)
    return Parallel(n_jobs=2)(jobs)


def with_dask(session: ort.Session, frame: Any) -> Any:
    """Use a dataframe of Dask, on the client of this process."""
    import dask.dataframe as dd

    parts = dd.from_pandas(frame, npartitions=20)
    meta = session.predict(frame[:1])
    return parts.map_partitions(session.predict, meta=meta).compute()


def score_file(session: ort.Session, path: str) -> str:
    """Score the rows of a file; what is written is whole or not there."""
    (scores,) = session.run(x=np.load(path))
    np.save(f"{path}.new.npy", scores)
    os.replace(f"{path}.new.npy", f"{path}.scores.npy")
    return f"{path}.scores.npy"


def files_with_dask(client: Any, session: ort.Session, paths: list[str]) -> Any:
    """Score files; the session is sent to each worker once."""
    return client.gather(client.map(score_file, [session] * len(paths), paths))


class Scores:
    """What an actor of Ray has: the session is made once for each."""

    def __init__(self, path: str) -> None:
        self.session = session_of(path)

    def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
        """Score a batch."""
        return {"y": self.session.run(x=batch["x"])[0]}


def with_ray(path: str, x: Any) -> Any:
    """Use two actors of Ray, which leave a processor for the reader."""
    from ray.data import from_numpy

    data = from_numpy(x).rename_columns({"data": "x"}).repartition(20)
    data = data.map_batches(
        Scores,
        fn_constructor_args=[path],
        concurrency=2,
        num_cpus=0.5,
        batch_size=500,
    )
    return np.stack([row["y"] for row in data.take_all()])


def with_spark(spark: Any, path: str, x: Any) -> Any:
    """Use a column of Spark. Each Python worker makes the session once."""
    from pyspark.ml.functions import predict_batch_udf
    from pyspark.sql.types import ArrayType, FloatType

    def make() -> Any:
        session = session_of(path)
        return lambda x: session.run(x=x)[0]

    kind = ArrayType(FloatType())
    shape = [[x.shape[1]]]
    score = predict_batch_udf(
        make,
        return_type=kind,
        batch_size=500,
        input_tensor_shapes=shape,
    )
    rows = [(i, row.tolist()) for i, row in enumerate(x)]
    data = spark.createDataFrame(rows, ["i", "x"])
    found = data.select("i", score("x").alias("y")).collect()
    return np.array([row.y for row in sorted(found)], np.float32)


def local_spark() -> Any:
    """Run Spark on two processors; a failed task is tried four times."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local[2, 4]")
    for key in ("spark.driver.host", "spark.driver.bindAddress"):
        builder = builder.config(key, "127.0.0.1")
    return builder.config("spark.ui.enabled", "false").getOrCreate()
