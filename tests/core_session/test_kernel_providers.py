# SPDX-License-Identifier: MIT
"""Sessions on a provider that has kernels for single nodes (tests/c/clients/kernel_ep.c)."""

import numpy as np
from support import eps
from support.models import model, node, value

import ortcffi as ort

F = np.float32


def run(api, compiler, content, **inputs):
    """Run a model on the provider, where nobody else may compute."""
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
            return session.run(inputs)


def test_a_provider_runs_nodes_of_a_custom_op_that_it_has_brought(api, c_compiler):
    nodes = [node("Twice", "x", "h", "kernel.own"), node("Mul", "h x", "y")]
    content = model(nodes, [value("x", shape=[3])], [value("y")], domains={"kernel.own": 1})
    [y] = run(api, c_compiler, content, x=np.arange(3, dtype=F))
    assert y.tolist() == [0, 2, 8]
