# SPDX-License-Identifier: MIT
"""Sessions on a provider that has kernels for single nodes (tests/c/clients/kernel_ep.c)."""

import ctypes
from contextlib import contextmanager

import numpy as np
from support import eps
from support.models import model, node, value

import ortcffi as ort

F = np.float32


@contextmanager
def opened(api, compiler, content):
    """A session on the provider, where nobody else may compute."""
    library, config = (
        eps.build(compiler, eps.WITH_KERNELS),
        {"session.disable_cpu_ep_fallback": "1"},
    )
    with (
        ort.Env("kernels", api) as env,
        env.register_ep(library, "kernels") as registered,
        ort.SessionOptions(api, config=config, log_severity=4) as options,
    ):
        options.add_devices(registered.devices)
        with ort.Session(content, options) as session:
            yield session


def test_a_provider_runs_nodes_of_a_custom_op_that_it_has_brought(api, c_compiler):
    nodes = [node("Twice", "x", "h", "kernel.own"), node("Mul", "h x", "y")]
    content = model(nodes, [value("x", shape=[3])], [value("y")], domains={"kernel.own": 1})
    with opened(api, c_compiler, content) as session:
        [y] = session.run(x=np.arange(3, dtype=F))
    assert y.tolist() == [0, 2, 8]


def test_only_the_synchronization_of_a_binding_waits_for_a_provider(api, c_compiler):
    syncs = ctypes.CDLL(str(eps.build(c_compiler, eps.WITH_KERNELS))).KernelEpSyncs
    content = model([node("Mul", "x x", "y")], [value("x", shape=[3])], [value("y", shape=[3])])
    x = np.arange(3, dtype=F)
    with opened(api, c_compiler, content) as session, session.bind(x=x) as bound:
        before = syncs()
        bound.run()
        session.run(x=x)
        assert syncs() == before
        bound.synchronize_outputs()
        assert syncs() == before + 1
        assert bound.outputs["y"].tolist() == [0, 1, 4]
