# SPDX-License-Identifier: MIT
"""The page of clusters: each engine on two workers of this machine, and one that is killed."""

import os
import shutil
import sys
from concurrent.futures.process import BrokenProcessPool

import numpy as np
import pytest
from support.graphs import graph_of
from support.paths import CHECKOUT

import ortcffi as ort
from ortcffi.session.pickling import kept

FOLDERS = [str(CHECKOUT / "docs/guide"), str(CHECKOUT / "tests/clusters")]
sys.path[:0] = FOLDERS
os.environ["PYTHONPATH"] = os.pathsep.join(FOLDERS)  # for workers

import clusters  # noqa: E402  # of the guide
from killers import KilledScores, Killer, killer_of  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")  # those of the engines


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(autouse=True)
def _no_kept_sessions():
    yield
    while kept:
        kept.popitem()[1].close()


@pytest.fixture
def path(tmp_path):
    graph = graph_of("x f4[n,4]", "y = Neg x", "y f4[n,4]")
    graph.save(tmp_path / "model.onnx")
    return str(tmp_path / "model.onnx")


@pytest.fixture
def session(path):
    with clusters.session_of(path) as session:
        yield session


@pytest.fixture
def x():
    return np.random.default_rng(0).standard_normal((10_000, 4), dtype=np.float32)


@pytest.fixture
def feeds(x):
    return [{"x": part} for part in np.array_split(x, 20)]


def test_futures(session, feeds, x, tmp_path):
    found = clusters.with_futures(session, feeds)
    assert np.array_equal(np.concatenate([y for (y,) in found]), -x)
    with pytest.raises(BrokenProcessPool):
        clusters.with_futures(Killer(session, tmp_path / "killed"), feeds)
    assert (tmp_path / "killed").exists()


def test_joblib(session, feeds, x, tmp_path):
    pytest.importorskip("joblib")
    found = clusters.with_joblib(session, feeds)
    assert np.array_equal(np.concatenate([y for (y,) in found]), -x)
    with pytest.raises(BrokenProcessPool):
        clusters.with_joblib(Killer(session, tmp_path / "killed"), feeds)
    assert (tmp_path / "killed").exists()


def test_dask(path, x, tmp_path):
    distributed = pytest.importorskip("distributed")
    frames = pytest.importorskip("pandas")
    graph = ort.Graph()
    for name in "abcd":
        graph.input(name, "f4", ["n"])
        graph.node("Neg", [name], [f"neg_{name}"])
        graph.output(f"neg_{name}", "f4", ["n"])
    frame = frames.DataFrame(x, columns=list("abcd"))
    settings = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    cluster = distributed.LocalCluster(host="127.0.0.1", **settings)
    with cluster, distributed.Client(cluster) as client:
        with ort.Session(graph.to_bytes(), ort.SessionOptions(intra_op_threads=1)) as session:
            for runs in (session, Killer(session, tmp_path / "killed")):
                assert np.array_equal(clusters.with_dask(runs, frame).to_numpy(), -x)
        assert (tmp_path / "killed").exists()
        paths = []
        for i, part in enumerate(np.array_split(x, 5)):
            paths.append(str(tmp_path / f"{i}.npy"))
            np.save(paths[-1], part)
        with clusters.session_of(path) as session:
            found = clusters.files_with_dask(client, session, paths)
        assert np.array_equal(np.concatenate([np.load(each) for each in found]), -x)


def test_ray(path, x, monkeypatch):
    ray = pytest.importorskip("ray")
    pytest.importorskip("ray.data")
    ray.init(num_cpus=2, include_dashboard=False, logging_level="ERROR")
    try:
        assert np.array_equal(np.sort(clusters.with_ray(path, x), axis=0), np.sort(-x, axis=0))
        monkeypatch.setattr(clusters, "Scores", KilledScores)
        assert np.array_equal(np.sort(clusters.with_ray(path, x), axis=0), np.sort(-x, axis=0))
        assert os.path.exists(f"{path}.killed")
    finally:
        ray.shutdown()


def test_spark(path, x, monkeypatch):
    pytest.importorskip("pyspark")
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java, as in Debian's openjdk-17-jre-headless")
    spark = clusters.local_spark()
    try:
        assert np.array_equal(clusters.with_spark(spark, path, x), -x)
        monkeypatch.setattr(clusters, "session_of", killer_of)  # each worker is sent its name
        assert np.array_equal(clusters.with_spark(spark, path, x), -x)
        assert os.path.exists(f"{path}.killed")
    finally:
        spark.stop()
