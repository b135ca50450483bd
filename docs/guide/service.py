# SPDX-License-Identifier: MIT
"""A service that runs a model: ``MODEL=model.onnx uvicorn service:app``."""

import asyncio
import json
import logging
import os
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import numpy as np
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, PlainTextResponse

import ortcffi as ort

SECONDS = float(os.environ.get("SECONDS", "2"))  # that a request may wait for its run
WAITING = 1000  # requests that may wait for a thread
BYTES = 256 << 20  # that all sessions of a process may take
STATUS = {  # what a client gets
    ort.errors.InvalidArgument: 400,
    ort.errors.OutOfMemory: 503,
    ort.errors.Cancelled: 503,
    ort.errors.QueueTimeout: 503,
    ort.errors.Overloaded: 503,
    TimeoutError: 504,
}
LIMITS: dict[str, Any] = {"timeout": SECONDS, "max_waiting": WAITING}
Feed = dict[str, list[Any]]
answers: Counter[int] = Counter()
running = 0


class AsJson(logging.Formatter):
    """One JSON object a line."""

    def format(self, record: logging.LogRecord) -> str:
        """Give the line."""
        line = {"level": record.levelname, "logger": record.name, "pid": os.getpid()}
        return json.dumps({**line, "text": record.getMessage()})


handler = logging.StreamHandler()
handler.setFormatter(AsJson())
logging.basicConfig(handlers=[handler], level=logging.INFO, force=True)
for name in ("uvicorn", "uvicorn.access"):  # the server's lines go there, too
    logging.getLogger(name).handlers.clear()
    logging.getLogger(name).propagate = True


@asynccontextmanager
async def with_session(app: FastAPI) -> AsyncIterator[None]:
    """Make the session in the worker, after all forks; close it when the worker ends."""
    api = ort.load()
    settings = {"intra_op_threads": 1, "shared_arena": True}
    with (
        ort.Env("service", api, logger=logging.getLogger("model")) as env,
        ort.ArenaCfg(max_bytes=BYTES, api=api) as bounded,
        ort.SessionOptions(api, **settings) as options,
    ):
        env.create_arena(cfg=bounded)
        with ort.Session(os.environ["MODEL"], options, env=env) as app.state.session:
            logging.info("ready")
            yield
            app.state.session.cancel()  # what the server did not wait for


app = FastAPI(lifespan=with_session)


def plain(y: Any) -> Any:
    """Return an output as JSON has it: of a classifier it may be a list of maps."""
    return y.tolist() if isinstance(y, np.ndarray) else y


@app.post("/run")
async def run(feed: Feed, request: Request) -> list[Any]:
    """Await a run; end it if it takes too long, or if the client or the server goes away."""
    result = asyncio.create_task(app.state.session.run_async(feed, **LIMITS))
    gone = asyncio.ensure_future(request.receive())  # after the body: that the client has left
    try:
        await asyncio.wait({result, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not result.done():
            raise ort.errors.Cancelled("the client has left")
        return [plain(y) for y in result.result()]
    finally:
        result.cancel()
        gone.cancel()


@app.post("/run-in-a-thread")
def run_in_a_thread(feed: Feed) -> list[Any]:
    """Do the same in one of FastAPI's threads. All of them use one session."""
    return [plain(y) for y in app.state.session.run(feed, timeout=SECONDS)]


async def refuse(_request: Request, error: Exception) -> JSONResponse:
    """Answer with the status that fits, and log the error."""
    status = next(status for kind, status in STATUS.items() if isinstance(error, kind))
    logging.warning("%d: %s", status, error)
    text = str(error) if status == 400 else type(error).__name__
    return JSONResponse({"error": text}, status)


for kind in STATUS:
    app.add_exception_handler(kind, refuse)


@app.middleware("http")
async def count(request: Request, answer: Any) -> Any:
    """Count the requests that are under way, and answers by their status."""
    global running  # noqa: PLW0603  # of this process
    running += 1
    try:
        response = await answer(request)
    finally:
        running -= 1
    answers[response.status_code] += 1
    return response


@app.get("/metrics", response_class=PlainTextResponse)
def metrics() -> str:
    """Print the figures as Prometheus reads them."""
    worker = f'worker="{os.getpid()}"'
    lines = [f"requests_running{{{worker}}} {running}"]
    lines += [f'answers{{{worker},status="{x}"}} {number}' for x, number in answers.items()]
    return "\n".join(lines) + "\n" + ort.metrics().prometheus()
