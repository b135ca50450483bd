# SPDX-License-Identifier: MIT
"""A run runs once; and which sessions may call Python in one."""

import time

import numpy as np
import pytest
from support import models
from support.sessions import options_with

import ortcffi as ort
from ortcffi import ffi
from ortcffi._native import lib
from ortcffi.errors import check
from ortcffi.session.creation import may_call_python

QUICK = np.array([1])
LONG = np.array([4_000_000])  # zeros, of which one sine takes ten milliseconds or more


def drawn_by_the_library(session, sizes):
    """What calls of Run give, one after the other."""
    names = [ffi.new("char[]", name) for name in (b"x", b"r")]
    drawn = []
    for size in sizes:
        x, out = ort.Value.from_numpy(size, api=session.api), ffi.new("OrtValue**")
        inputs, outputs = ffi.new("char*[]", names[:1]), ffi.new("char*[]", names[1:])
        given = ffi.new("OrtValue*[]", [x.handle])
        handle = session.handle
        check(
            session.api.pointer,
            lib.Run(session.api.pointer, handle, ffi.NULL, inputs, given, 1, outputs, 1, out),
        )
        drawn.append(ort.Value.from_handle(session.api, out[0]).numpy().tolist())
    return drawn


@pytest.mark.parametrize("is_bound", [False, True])
def test_seeded_draws_are_the_librarys_own_whatever_a_run_takes(real_api, opened, is_bound, capfd):
    options = ort.SessionOptions(real_api, intra_op_threads=1)
    sessions = [opened(models.draws_and_sines(2), options) for _ in range(2)]
    sizes = [QUICK] * 350 + [LONG] + [QUICK] * 49
    size, session = QUICK.copy(), sessions[0]
    with session.bind(x=size) as bound:

        def draw(x):
            if not is_bound:
                return session.run(x=x)[0].tolist()
            size[:] = x
            bound.run()
            return bound.outputs["r"].tolist()

        assert [draw(x) for x in sizes] == drawn_by_the_library(sessions[1], sizes)
    assert capfd.readouterr().err == ""


def test_an_op_with_state_acts_once_in_each_run(real_api, opened):
    calls = []

    @ort.custom_op("test", inputs=[np.float32], outputs=[np.float32], op_set=None)
    def count(x):
        calls.append(None)
        if len(calls) == 150:
            time.sleep(0.05)
        return x

    options = options_with("test", count, api=real_api, intra_op_threads=1)
    node = models.node("count", "x", "y", domain="test")
    ports = [models.value("x", shape=[2])], [models.value("y", shape=[2])]
    model = models.model([node], *ports, domains={"test": 1})
    session = opened(model, options)
    for _ in range(200):
        session.run(x=np.ones(2, np.float32))
    assert len(calls) == 200


# --- what may call Python, for which a release must not keep the GIL -----------------------------


def add_ops(options):
    with ort.CustomOpDomain("test", options.api) as domain:
        options.add_custom_op_domain(domain)


def add_weights(options):
    options.add_initializer("w", ort.Value.from_numpy(np.ones(3, np.float32), api=options.api))


def add_named(name):  # which of them a library has differs
    return lambda options: options._values.update(providers=[(name, {})])


CALLS = {
    "settings": (False, lambda options: options.config.update({"session.a": "1"})),
    "data": (False, add_weights),
    "the provider of the CPU": (False, add_named("CPUExecutionProvider")),
    "another provider": (True, add_named("XNNPACK")),
    "a logger": (True, lambda options: setattr(options, "logger", print)),
    "shared threads": (True, lambda options: setattr(options, "per_session_threads", False)),
    "custom ops": (True, add_ops),
}


@pytest.mark.parametrize("case", CALLS)
def test_what_is_not_known_to_call_no_python_may_call_it(real_api, case):
    expected, change = CALLS[case]
    options = ort.SessionOptions(real_api, intra_op_threads=1)
    change(options)
    with ort.Env(api=real_api) as env:
        assert may_call_python(env._state, options) is expected
        assert not may_call_python(env._state, None)
        env.register_allocator(ort.Tracking(real_api.default_allocator))
        assert may_call_python(env._state, None)
