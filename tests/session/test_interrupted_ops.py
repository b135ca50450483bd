# SPDX-License-Identifier: MIT
"""KeyboardInterrupt and SystemExit in an op written in Python stay themselves."""

import os
import signal
import time

import numpy as np
import pytest
from support import models
from support.processes import TIME_LIMIT
from support.threads import run_async

import ortcffi as ort

WAYS = {
    "run": lambda session, x: session.run({"x": x}),
    "values": lambda session, x: session.run_values({"x": x}),
    "bound": lambda session, x: session.bind(x=x, y=np.empty_like(x)).run(),
    "profiled": lambda session, x: session.run_profiled({"x": x}),
    "future": lambda session, x: session.run_future({"x": x}).result(TIME_LIMIT),
    "awaited": lambda session, x: run_async(awaited(session, x)),
}


async def awaited(session, x):
    return await session.run_async({"x": x})


def exits(_x):
    raise SystemExit(3)


def interrupts(x):
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(10)  # the handler of the signal ends it
    return x


@pytest.fixture
def domain(real_api):
    with ort.CustomOpDomain("test", real_api) as domain:
        for function in (exits, interrupts):
            described = {"inputs": [np.float32], "outputs": [np.float32], "op_set": None}
            domain.add(ort.custom_op("test", **described)(function))
        yield domain


def model_of(op):
    ports = [models.value("x", shape=[1, 4])], [models.value("y", shape=[1, 4])]
    return models.model([models.node(op, "x", "y", domain="test")], *ports, domains={"test": 1})


@pytest.fixture
def session_of(opened, real_api, domain):
    def session_of(op):
        options = ort.SessionOptions(real_api, log_severity=ort.LogSeverity.FATAL)
        options.add_custom_op_domain(domain)
        return opened(model_of(op), options)

    return session_of


@pytest.mark.parametrize("way", WAYS)
def test_an_op_that_exits_ends_the_program(session_of, way, x):
    with pytest.raises(SystemExit) as caught:
        WAYS[way](session_of("exits"), x)
    assert caught.value.code == 3


@pytest.mark.parametrize("way", ["run", "values", "bound", "profiled"])
def test_an_interrupt_within_an_op_stays_one(session_of, way, x):
    session = session_of("interrupts")
    for _ in range(3):
        with pytest.raises(KeyboardInterrupt):
            WAYS[way](session, x)


@pytest.mark.parametrize(
    ("function", "kind"), [(exits, SystemExit), (interrupts, KeyboardInterrupt)]
)
def test_a_kernel_raises_them_too(function, kind, x):
    described = {"inputs": [np.float32], "outputs": [np.float32], "op_set": None}
    op = ort.custom_op("test", **described)(function)
    for _ in range(3):
        with op.kernel() as kernel, pytest.raises(kind):
            kernel(x)
