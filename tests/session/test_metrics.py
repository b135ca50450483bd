# SPDX-License-Identifier: MIT
"""What the living sessions of the process did."""

import asyncio
import gc
import os
import time
from pathlib import Path

import numpy as np
import pytest
from support import models
from support.paths import CHECKOUT
from support.prepared import printed_by
from support.processes import TIME_LIMIT
from support.releases import needs_release
from support.threads import run_async, run_threads

import ortcffi as ort
from ortcffi.session import metrics as metrics_module

pytestmark = pytest.mark.usefixtures("real_api", "no_models_yet")


@pytest.fixture
def session(opened):
    return opened(models.scaled())


def test_each_way_to_run_is_counted_once(session, x, metrics_of):
    session.run(x=x)
    session.run_values(x=x)
    session.bind({"x": x}).run()
    session.run_future({"x": x}).result(TIME_LIMIT)

    async def wait():
        await session.run_async({"x": x})

    run_async(wait())
    found = metrics_of(session)
    assert (found.runs, sum(found.durations), dict(found.errors)) == (5, 5, {})


def test_errors_are_counted_by_code(opened, x, metrics_of):
    options = ort.SessionOptions(log_severity=ort.LogSeverity.FATAL)
    session = opened(models.loop(10**12, 32), options)
    with pytest.raises(TimeoutError):
        session.run({"x": np.eye(32, dtype=np.float32)}, timeout=0.01)
    with pytest.raises(ort.errors.InvalidArgument):
        session.run({"no such input": x})
    assert dict(metrics_of(session).errors) == {"TIMEOUT": 1, "REFUSED": 1}


def test_quantiles_are_at_most_a_quarter_too_long(session, x, metrics_of):
    began = time.perf_counter()
    session.run(x=x)
    longest = time.perf_counter() - began
    found = metrics_of(session)
    assert found.seconds < found.p50 <= 1.25 * found.seconds
    assert found.p50 == found.p99 <= 1.25 * longest
    with pytest.raises(ValueError, match="part must be"):
        found.quantile(1.5)


def test_a_session_without_runs_has_no_quantiles(session, metrics_of):
    assert metrics_of(session).p50 is None
    assert str(ort.metrics())


def test_sessions_are_listed_until_they_are_closed_or_gone():
    before = ort.sessions()
    first, second = ort.Session(models.scaled()), ort.Session(models.scaled())
    assert ort.sessions() == [*before, first, second]
    first.close()
    assert ort.sessions() == [*before, second]
    del second
    gc.collect()
    assert ort.sessions() == before


@needs_release(23, "statistics of allocators")
def test_an_arena_that_sessions_share_is_there_once(real_api, x, metrics_of):
    shared = {"session.use_env_allocators": "1"}
    with ort.Env("test", real_api) as env, ort.ArenaCfg(max_bytes=1 << 26, api=real_api) as cfg:
        env.create_arena(cfg=cfg)
        with ort.SessionOptions(real_api, config=shared) as options:
            made = [ort.Session(models.scaled(), options, env=env) for _ in range(3)]
            for each in made:
                each.run(x=x)
            arenas = {metrics_of(each).arena for each in made}
            (name,) = arenas
            assert name.startswith("environment of libonnxruntime")
            assert "/" not in name  # a label of Prometheus is the same on every machine
            assert ort.metrics().arenas[name].bytes_reserved > 0
            for each in made:
                each.close()


def test_libraries_with_one_file_name_have_two_names(monkeypatch):
    monkeypatch.setattr(metrics_module, "_short_names", {})
    first, second = "/a/libonnxruntime.so.1.32.0", "/b/libonnxruntime.so"
    names = [metrics_module._short_name(each) for each in ("the core", first, second, first)]
    assert names == ["the core", "libonnxruntime", "libonnxruntime 2", "libonnxruntime"]


def test_prometheus_takes_a_path_that_is_not_utf_8(tmp_path):
    path = os.fsencode(tmp_path) + b"/\xff.onnx"
    Path(os.fsdecode(path)).write_bytes(models.scaled())
    with ort.Session(os.fsdecode(path)):
        assert b'/\\\\udcff.onnx"' in ort.metrics().prometheus().encode()


def test_prometheus_reads_the_text(x, tmp_path):
    path = tmp_path / 'a "model"\n.onnx'
    path.write_bytes(models.scaled())
    with ort.Session(path) as other:
        other.run(x=x)
        text = ort.metrics().prometheus()
    for line in text.splitlines():
        assert line.startswith("# ") or float(line.rsplit(" ", 1)[1]) >= 0
    assert 'a \\"model\\"\\n.onnx",worker="' in text
    assert 'le="+Inf"} 1' in text


def samples(registry=None):
    """The samples of a registry of prometheus_client, by name and labels; by default of ours."""
    if registry is None:
        registry = pytest.importorskip("prometheus_client").CollectorRegistry()
        registry.register(ort.metrics())
    return {
        (sample.name, *(sample.labels.get(key) for key in ("model", "code", "le"))): sample.value
        for family in registry.collect()
        for sample in family.samples
    }


def test_prometheus_client_reads_series_that_outlive_sessions(x):
    client = pytest.importorskip("prometheus_client")
    registry = client.CollectorRegistry(auto_describe=True)
    registry.register(ort.metrics())
    for _ in range(2):
        with ort.Session(models.scaled(), ort.SessionOptions(log_id="ranker")) as session:
            session.run(x=x)
            session.run_future({"x": x}).result(TIME_LIMIT)
    found = samples(registry)
    assert found["ortcffi_run_seconds_count", "ranker", None, None] == 4
    assert found["ortcffi_run_seconds_sum", "ranker", None, None] > 0
    assert found["ortcffi_wait_seconds_count", "ranker", None, None] == 2
    assert found["ortcffi_runs_under_way", "ranker", None, None] == 0
    text = client.generate_latest(registry).decode()
    assert f'ortcffi_run_seconds_count{{model="ranker",worker="{os.getpid()}"}} 4.0' in text


def test_the_meters_of_the_guide_have_the_counts_of_each_model(x):
    export = pytest.importorskip("opentelemetry.sdk.metrics.export")
    page = (CHECKOUT / "docs/guide/service.md").read_text(encoding="utf-8")
    (block,) = [each for each in page.split("```") if "MeterProvider" in each]
    names = {}
    exec(block.removeprefix("python"), names)
    with ort.Session(models.scaled(), ort.SessionOptions(log_id="metered")) as session:
        session.run(x=x)
    assert isinstance(names["reader"], export.InMemoryMetricReader)
    (resource,) = names["reader"].get_metrics_data().resource_metrics
    found = {
        (metric.name, point.attributes["model"]): point.value
        for metric in resource.scope_metrics[0].metrics
        for point in metric.data.data_points
    }
    assert found["ortcffi_run_seconds_count", "metered"] == 1
    assert found["ortcffi_run_seconds_sum", "metered"] > 0


def test_joined_runs_are_counted_by_their_rows():
    async def main(session):
        async with ort.Batcher(session, max_batch=4) as batcher:
            one = np.ones((1, 2), np.float32)
            await asyncio.gather(*(batcher.run(x=one) for _ in range(5)))

    with ort.Session(models.add(["n", "m"]), ort.SessionOptions(log_id="joined")) as session:
        run_async(main(session))
    found = samples()
    rows = [found["ortcffi_batch_rows_bucket", "joined", None, le] for le in ("1", "4", "+Inf")]
    assert rows == [1, 2, 2]
    assert found["ortcffi_batch_rows_sum", "joined", None, None] == 5
    assert found["ortcffi_batch_wait_seconds_count", "joined", None, None] == 5


def test_the_bytes_of_the_inputs_of_each_run_are_counted():
    with ort.Session(models.add(["n", "m"]), ort.SessionOptions(log_id="sized")) as session:
        for x in (np.ones((16, 16), np.float32), np.ones((5, 60), np.float32)):
            session.run(x=x)
            session.run_values(x=ort.Value.from_numpy(x))
    found = samples()
    name = "ortcffi_input_bytes"
    within = [found[f"{name}_bucket", "sized", None, le] for le in ("1024", "4096", "+Inf")]
    assert within == [2, 4, 4]
    assert found[f"{name}_sum", "sized", None, None] == 2 * (1024 + 1200)


WORKER = """
import os, sys
import numpy as np
import ortcffi as ort
options = ort.SessionOptions(intra_op_threads=1, log_id="m")
session = ort.Session(sys.argv[1], options)
x = np.ones((1, 4), np.float32)
def count(text):
    return sum(int(line.split()[-1]) for line in text.splitlines()
               if line.startswith("ortcffi_run_seconds_count"))
session.run(x=x)
reader, writer = os.pipe()
child = os.fork()
if child == 0:
    session.run(x=x), session.run(x=x)
    os.write(writer, b"1")
    os.kill(os.getpid(), 9)
os.read(reader, 1)
os.waitpid(child, 0)
print(*(count(ort.metrics().prometheus()) for _ in range(2)), len(os.listdir(sys.argv[2])))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks")
def test_what_a_killed_worker_has_counted_is_in_one_more_answer(tmp_path, monkeypatch):
    folder = tmp_path / "metrics"
    folder.mkdir()
    (tmp_path / "m.onnx").write_bytes(models.scaled())
    monkeypatch.setenv("PROMETHEUS_MULTIPROC_DIR", str(folder))
    assert printed_by(WORKER, tmp_path / "m.onnx", folder) == "3 1 1"


def test_figures_of_a_session_are_of_all_threads(session, metrics_of):
    x = np.ones((1, 4), np.float32)
    run_threads(*4 * [lambda: [session.run(x=x) for _ in range(50)]])
    assert metrics_of(session).runs == 200


def test_the_table_shows_no_escape_sequences_of_names(tmp_path, opened):
    path = tmp_path / "\x1b[31m\n.onnx"
    path.write_bytes(models.scaled())
    opened(path)
    lines = str(ort.metrics()).splitlines()
    assert len(lines) == len(ort.metrics().sessions) + 1
    assert lines[-1].count(r"\x1b[31m\n.onnx") == 1
