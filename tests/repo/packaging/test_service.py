# SPDX-License-Identifier: MIT
"""The service of the guide, under real servers."""

import json
import os
import socket
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

import numpy as np
import pytest
from support import models
from support.paths import CHECKOUT
from support.processes import started
from support.threads import wait_until

import ortcffi as ort

UVICORN = ["uvicorn", "service:app", "--timeout-graceful-shutdown", "1"]
GUNICORN = ["gunicorn", "-k", "asgi", "-w", "2", "--graceful-timeout", "1", "service:app"]
ROW = [[1.0] * 256]
QUICK, LONG, SLOW, HUGE = (
    {"x": ROW, "times": [times, 1]} for times in (1, 1 << 8, 1 << 15, 1 << 20)
)
pytestmark = [pytest.mark.xdist_group("service"), pytest.mark.usefixtures("real_api")]


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """As many rows as it is asked for, through a thousand nodes: a run ends between two."""
    graph = ort.Graph()
    x, times = graph.input("x", "f4", [1, 256]), graph.input("times", "f4", [2])
    (times,) = graph.node("Cast", [times], ["repeats"], attributes={"to": 7})
    (x,) = graph.node("Tile", [x, times], ["rows"])
    weights = graph.initializer("w", np.full((256, 256), 1 / 256, np.float32))
    for i in range(1000):
        (x,) = graph.node("MatMul", [x, weights], [f"y{i}"])
    graph.output(x, "f4", ["n", 256])
    path = tmp_path_factory.mktemp("service") / "model.onnx"
    path.write_bytes(graph.to_bytes())
    return path


class Server:
    """A server under way."""

    def __init__(self, process, port, log):
        self.process, self.port, self.log = process, port, log

    def ask(self, path, feed=None):
        """The status and the body of an answer."""
        data = None if feed is None else json.dumps(feed).encode()
        request = Request(f"http://127.0.0.1:{self.port}{path}", data)
        request.add_header("Content-Type", "application/json")
        try:
            with urlopen(request, timeout=120) as answer:
                return answer.status, answer.read().decode()
        except HTTPError as error:
            with error:
                return error.code, error.read().decode()

    def has_logged(self, text):
        assert self.process.poll() is None, self.log.read_text()
        return text in self.log.read_text()

    def is_there(self):
        try:
            return self.ask("/metrics")[0] == 200
        except URLError:
            return False

    def metric(self, name):
        lines = self.ask("/metrics")[1].splitlines()
        return next(int(line.rsplit(" ", 1)[1]) for line in lines if line.startswith(f"{name}{{"))

    def runs(self):
        """The sum of the runs in one answer, and the workers that it names."""
        lines = self.ask("/metrics")[1].splitlines()
        lines = [line for line in lines if line.startswith("ortcffi_run_seconds_count")]
        workers = {int(line.split('worker="')[1].split('"')[0]) for line in lines}
        return sum(int(line.rsplit(" ", 1)[1]) for line in lines), workers


@contextmanager
def serving(command, model, folder, seconds="60"):
    pytest.importorskip("fastapi")
    pytest.importorskip(command[0])
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    where = ["--port", str(port)] if command[0] == "uvicorn" else ["-b", f"127.0.0.1:{port}"]
    environment = {**os.environ, "MODEL": str(model), "SECONDS": seconds}
    log = folder / "log"
    program = [sys.executable, "-m", *command, *where]
    folder = CHECKOUT / "docs/guide"
    with (
        log.open("wb") as file,
        started(*program, cwd=folder, env=environment, stdout=file, stderr=file) as process,
    ):
        server = Server(process, port, log)
        wait_until(lambda: server.has_logged('"text": "ready"') and server.is_there())
        yield server


@pytest.fixture(params=[UVICORN, GUNICORN], ids=["uvicorn", "gunicorn"])
def command(request):
    return request.param


def test_the_service_answers_refuses_and_logs(command, model, tmp_path):
    with serving(command, model, tmp_path) as server:
        for path in ("/run", "/run-in-a-thread"):
            status, body = server.ask(path, QUICK)
            assert (status, np.shape(json.loads(body))) == (200, (1, 1, 256))
            status, body = server.ask(path, {"x": ROW})
            assert (status, "times" in body) == (400, True)
            assert server.ask(path, HUGE)[0] == 503
            assert server.ask(path, QUICK)[0] == 200
        assert server.metric("ortcffi_arena_bytes") <= 256 << 20
        wait_until(lambda: server.has_logged("503: "))
        logged = [line for line in server.log.read_text().splitlines() if line.startswith("{")]
        assert {json.loads(line)["level"] for line in logged} >= {"INFO", "WARNING"}


def test_a_classifier_answers_with_a_map_for_each_row(tmp_path):
    path = tmp_path / "model.onnx"
    path.write_bytes(models.zipped(classlabels_strings=["ham", "spam"]))
    with serving(UVICORN, path, tmp_path) as server:
        for where in ("/run", "/run-in-a-thread"):
            status, body = server.ask(where, {"x": [[0.25, 0.75]]})
            assert (status, json.loads(body)) == (200, [[{"ham": 0.25, "spam": 0.75}]])
            assert server.ask(where, {"x": [[None, 1]]})[0] == 400


def test_what_json_does_not_have_is_null(tmp_path):
    graph = ort.Graph()
    graph.input("x", "f4", ["n"])
    graph.node("Log", ["x"], ["y"])
    graph.output("y", "f4", ["n"])
    graph.save(tmp_path / "model.onnx")
    with serving(UVICORN, tmp_path / "model.onnx", tmp_path) as server:
        assert server.ask("/run", {"x": [-1, 0, 1]}) == (200, "[[null,null,0.0]]")


def test_each_answer_has_the_figures_of_all_workers(model, tmp_path, monkeypatch):
    folder = tmp_path / "metrics"
    folder.mkdir()
    monkeypatch.setenv("PROMETHEUS_MULTIPROC_DIR", str(folder))
    with serving(GUNICORN, model, tmp_path) as server:
        wait_until(lambda: len(server.runs()[1]) == 2)
        for _ in range(20):
            assert server.ask("/run", QUICK)[0] == 200
        for _ in range(4):
            runs, workers = server.runs()
            assert (runs, len(workers)) == (20, 2)
        text = server.ask("/metrics")[1]
        parser = pytest.importorskip("prometheus_client.parser")
        names = {family.name for family in parser.text_string_to_metric_families(text)}
        assert {"ortcffi_run_seconds", "ortcffi_wait_seconds", "ortcffi_run_errors"} <= names
        killed = workers.pop()
        os.kill(killed, 9)
        wait_until(lambda: len(list(folder.iterdir())) == 2 and killed not in server.runs()[1])
        for _ in range(20):
            assert server.ask("/run", QUICK)[0] == 200
        assert server.runs()[0] >= 20


def test_a_run_that_takes_too_long_is_ended(command, model, tmp_path):
    with serving(command, model, tmp_path, seconds="0.2") as server:
        assert server.ask("/run", SLOW)[0] == 504
        assert server.ask("/run-in-a-thread", SLOW)[0] == 504
        assert server.ask("/run", QUICK)[0] == 200


def test_a_client_that_leaves_ends_its_run(command, model, tmp_path):
    command = ["1" if word == "2" else word for word in command]  # one worker
    with serving(command, model, tmp_path, "600") as server:
        with socket.create_connection(("127.0.0.1", server.port)) as client:
            body = json.dumps(SLOW)
            head = f"Host: test\r\nContent-Type: application/json\r\nContent-Length: {len(body)}"
            client.sendall(f"POST /run HTTP/1.1\r\n{head}\r\n\r\n{body}".encode())
            wait_until(lambda: server.metric("requests_running") == 2)  # with this one
        wait_until(lambda: server.metric("requests_running") == 1, limit=20)


def test_a_server_that_is_stopped_ends_a_long_run(command, model, tmp_path):
    with serving(command, model, tmp_path, "600") as server, ThreadPoolExecutor() as threads:
        asked = [threads.submit(server.ask, path, SLOW) for path in ("/run", "/run-in-a-thread")]
        time.sleep(1)
        server.process.terminate()
        server.process.wait(20)  # the runs would take more
        assert all(each.exception(20) or each.result(20)[0] >= 500 for each in asked)


def test_a_server_that_is_stopped_completes_what_has_begun(command, model, tmp_path):
    command = ["60" if word == "1" else "1" if word == "2" else word for word in command]
    with serving(command, model, tmp_path) as server, ThreadPoolExecutor() as threads:
        asked = threads.submit(server.ask, "/run", LONG)
        while server.metric("requests_running") < 2:  # the one that asks is the other
            assert not asked.done()
        server.process.terminate()
        assert asked.result(60)[0] == 200
        server.process.wait(30)
