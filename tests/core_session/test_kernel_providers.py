# SPDX-License-Identifier: MIT
"""Sessions on a provider that has kernels for single nodes (tests/c/provider)."""

import ctypes
from contextlib import contextmanager

import numpy as np
import pytest
from support import eps
from support.models import attribute, field, graph, model, node, tensor, value

import ortcffi as ort

F = np.float32


@contextmanager
def opened(api, compiler, content):
    """A session on the provider, where nobody else may compute."""
    library = eps.build(compiler, eps.WITH_KERNELS)
    config = {"session.disable_cpu_ep_fallback": "1"}
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


X = np.arange(1, 4, dtype=F)
W = np.full(3, 2, F)
PORTS = [value("x", shape=[3]), value("w", shape=[3])]


def test_if_runs_the_branch_that_its_condition_chooses(api, c_compiler):
    """Its branches read an input and a value that a node makes."""
    then = graph([node("Mul", "x v", "t")], [], [value("t")])
    other = graph([node("Mul", "x x", "e")], [], [value("e")])
    nodes = [node("Mul", "w w", "v"), node("If", "c", "y", then_branch=then, else_branch=other)]
    content = model(nodes, [*PORTS, value("c", "bool", [])], [value("y", shape=[3])])
    with opened(api, c_compiler, content) as session:
        for _ in range(2):
            assert session.run(x=X, w=W, c=np.array(True))[0].tolist() == [4, 8, 12]
            assert session.run(x=X, w=W, c=np.array(False))[0].tolist() == [1, 4, 9]


TURN = graph(
    [node("Mul", "v w", "next"), node("Mul", "v v", "square")],
    [value("i", "int64", []), value("more", "bool", []), value("v", shape=[3])],
    [value("more", "bool", []), value("next", shape=[3]), value("square", shape=[3])],
)


@pytest.mark.parametrize("turns", [3, 1, 0])
def test_loop_runs_its_body_and_joins_what_it_scans(api, c_compiler, turns):
    nodes = [node("Loop", "n yes x", "y all", body=TURN)]
    yes = tensor("yes", np.array(True))
    outputs = [value("y", shape=[3]), value("all")]
    content = model(nodes, [*PORTS, value("n", "int64", [])], outputs, [yes])
    with opened(api, c_compiler, content) as session:
        y, scanned = session.run(x=X, w=W, n=np.array(turns))
    helpers = ctypes.CDLL(str(eps.build(c_compiler, eps.WITH_KERNELS))).KernelEpHelpers
    assert helpers() == 0  # the kernel has released it
    assert y.tolist() == (X * 2.0**turns).tolist()
    assert scanned.shape == (turns, 3)
    assert scanned.tolist() == [((X * 2.0**i) ** 2).tolist() for i in range(turns)]


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("backwards", [0, 1])
def test_scan_cuts_its_inputs_and_joins_its_outputs(api, c_compiler, axis, backwards):
    step = graph(
        [node("Mul", "s part", "sum"), node("Mul", "part w", "out")],
        [value("s", shape=[2]), value("part", shape=[2])],
        [value("sum", shape=[2]), value("out", shape=[2])],
    )
    named = {
        "scan_input_axes": [axis],
        "scan_output_axes": [1 - axis],
        "scan_input_directions": [backwards],
        "scan_output_directions": [backwards],
    }
    nodes = [node("Scan", "x parts", "y all", body=step, num_scan_inputs=1, **named)]
    shape = [3, 2] if axis == 0 else [2, 3]
    inputs = [value("x", shape=[2]), value("w", shape=[2]), value("parts", shape=shape)]
    content = model(nodes, inputs, [value("y", shape=[2]), value("all")])
    parts = np.arange(1, 7, dtype=F).reshape(shape)
    w = np.array([2, 3], F)
    with opened(api, c_compiler, content) as session:
        y, scanned = session.run(x=np.ones(2, F), w=w, parts=parts)
    rows = parts if axis == 0 else parts.T
    assert y.tolist() == rows.prod(axis=0).tolist()
    assert scanned.tolist() == ((rows * w).T if axis == 0 else rows * w).tolist()


def test_a_loop_without_an_end_is_terminated(api, c_compiler):
    body = graph(
        [node("Mul", "v w", "next")],
        [value("i", "int64", []), value("more", "bool", []), value("v", shape=[3])],
        [value("more", "bool", []), value("next", shape=[3])],
    )
    loop = field(1, "") + field(1, "yes") + field(1, "x") + field(2, "y") + field(4, "Loop")
    loop += field(5, attribute("body", body))
    content = model([loop], PORTS, [value("y", shape=[3])], [tensor("yes", np.array(True))])
    with opened(api, c_compiler, content) as session, pytest.raises(TimeoutError):
        session.run(x=X, w=W, timeout=0.2)


@pytest.mark.parametrize("turns", [0, 2])
def test_a_state_that_is_left_out_is_refused(core_api, c_compiler, turns):
    loop = field(1, "n") + field(1, "yes") + field(1, "") + field(2, "y") + field(4, "Loop")
    loop += field(5, attribute("body", TURN)) + field(2, "all")
    inputs = [*PORTS, value("n", "int64", [])]
    content = model([loop], inputs, [value("y", shape=[3])], [tensor("yes", np.array(True))])
    with (
        opened(core_api, c_compiler, content) as session,
        pytest.raises(ort.errors.InvalidArgument, match="is left out"),
    ):
        session.run(x=X, w=W, n=np.array(turns))
