# SPDX-License-Identifier: MIT
"""Element types of inner values, of which a model says nothing, as a provider sees them."""

import contextlib
import re
from typing import Any

import numpy as np
import pytest
from support.models import field, graph, model, node, tensor, value
from support.python_eps import provider

import ortcffi as ort
from ortcffi._native import ffi, lib
from ortcffi.errors import check

DOMAIN = "inner.types"


@ort.custom_op(DOMAIN, inputs=[np.float32], outputs=[np.int32])
def rounds(x):
    return x.astype(np.int32)


@ort.custom_op(DOMAIN, inputs=[Any], outputs=[Any])
def keeps(x):
    return x


def without_shape(described):
    """A type without its dimensions: libraries know more or less of them."""
    return re.sub(r"\[.*?\]|tensor\((\w+).*?\)", r"\1", str(described))


class Records:
    """A provider that takes nothing, and keeps the types of all values that it is shown."""

    def __init__(self):
        self.types = {}

    def capability(self, graph):
        self.types |= {name: without_shape(each.type) for name, each in graph.values.items()}
        return []

    def compile(self, graph):
        raise AssertionError(graph)


def types_in(api, content):
    """The types that the graph of a session has that is made of bytes, as a program in C does."""
    records, out = Records(), ffi.new("OrtSession**")
    with (
        ort.Env("test", api) as env,
        env.register_ep(provider(records)) as registered,
        ort.SessionOptions(api, log_severity=4) as options,
        ort.CustomOpDomain(DOMAIN, api) as domain,
    ):
        for op in (rounds, keeps):
            domain.add(op)
        options.add_custom_op_domain(domain)
        options.optimization_level = ort.OptimizationLevel.DISABLE_ALL
        options.add_devices(registered.devices)
        with contextlib.suppress(ort.errors.NotImplemented):  # nobody runs the nodes on the core
            check(
                api.pointer,
                lib.CreateSessionFromArray(
                    api.pointer, env.handle, content, len(content), options.handle, out
                ),
            )
        lib.ReleaseSession(api.pointer, out[0])
    return records.types


def ours(op, inputs, outputs, **attributes):
    return node(op, inputs, outputs, DOMAIN, **attributes)


def port(name):
    return field(1, name)


# Body of Loop: the inputs have no types.
TURN = graph(
    [node("Neg", "v", "n"), node("Shape", "n", "s"), node("Identity", "more", "still")],
    [port(name) for name in ("i", "more", "v")],
    [port(name) for name in ("still", "n", "s")],
)
STEP = graph(
    [node("Add", "state part", "sum"), node("Cast", "sum", "c", to=11)],
    [port(name) for name in ("state", "part")],
    [port(name) for name in ("sum", "c")],
)
BRANCHES = {
    "then_branch": graph([node("Cast", "x", "t", to=6)], [], [port("t")]),
    "else_branch": graph([node("Cast", "x", "e", to=6)], [], [port("e")]),
}
ONE = tensor("one", np.int64(1))
NODES = {
    "a custom op": ([ours("rounds", "x", "a")], {"a": "int32"}),
    "a custom op of any type": ([ours("keeps", "h", "a")], {"a": "float16"}),
    "the branches of If": ([node("If", "b", "a", **BRANCHES)], {"a": "int32", "t": "int32"}),
    "the body of Loop": (
        [node("Loop", "one b h", "a many", body=TURN)],
        {"a": "float16", "many": "int64", "v": "float16", "n": "float16", "more": "bool"},
    ),
    "the body of Scan": (
        [node("Scan", "x x", "a many", body=STEP, num_scan_inputs=1)],
        {"a": "float", "many": "double", "sum": "float"},
    ),
    "a sequence": (
        [
            node("SequenceConstruct", "h h", "all"),
            node("SequenceAt", "all one", "at"),
            node("SplitToSequence", "at one", "parts"),
            node("ConcatFromSequence", "parts", "a", axis=0),
        ],
        {"all": "sequence(float16)", "at": "float16", "parts": "sequence(float16)"},
    ),
    "an empty sequence": (
        [node("SequenceEmpty", "", "all"), node("SequenceInsert", "all x", "a")],
        {"all": "sequence(float)"},
    ),
}


@pytest.mark.parametrize("case", NODES)
def test_inner_values_have_the_element_types_that(api, case):
    nodes, expected = NODES[case]
    after = [node("Identity", "a", "same"), node("Identity", "same", "y")]
    inputs = [value("x", shape=[2]), value("h", "float16", [2]), value("b", "bool", [])]
    content = model([*nodes, *after], inputs, [port("y")], [ONE], domains={DOMAIN: 1})
    types = types_in(api, content)
    assert {name: types[name] for name in expected} == expected
    assert types["y"] == types["same"]
