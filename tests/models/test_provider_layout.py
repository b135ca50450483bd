# SPDX-License-Identifier: MIT
"""Execution providers that want the channels last: tests/c/provider."""

from shutil import copy

import numpy as np
import pytest
from support import eps

import ortcffi as ort

SHAPE = (2, 3, 4, 5)
NHWC = "com.ms.internal.nhwc"


@pytest.fixture
def library(c_compiler, tmp_path):
    return copy(eps.build(c_compiler, eps.ON_A_DEVICE), tmp_path)


@pytest.fixture
def provider(core_api, library):
    with (
        ort.Env("layout", core_api) as env,
        env.register_ep(library, "nhwc") as made,
        ort.Ep(made.devices) as ep,
    ):
        yield ep


def pooling(*operators, shape=SHAPE, made=("y", "z", "u")):
    graph = ort.Graph({"": 18})
    graph.input("x", "f4", shape)
    for operator, output in zip(operators, made, strict=False):
        graph.node(operator, ["x"], [output], name=operator)
        if shape is not None:
            graph.output(output, "f4", [*shape[:2], 1, 1] if "Pool" in operator else shape)
        else:
            graph.output(output, "f4")
    return ort.Model.load(graph.to_bytes())


def x_of(shape=SHAPE):
    return np.random.default_rng(1).standard_normal(shape, dtype=np.float32)


def test_nodes_get_the_channels_last_between_transposes(provider):
    claims = provider.capability(pooling("GlobalAveragePool"))
    graph = claims.graph
    assert [(node.op_type, node.domain) for node in graph.nodes] == [
        ("Transpose", ""),
        ("GlobalAveragePool", NHWC),
        ("Transpose", ""),
    ]
    before, node, after = graph.nodes
    assert before.attributes == {"perm": [0, 2, 3, 1]}
    assert after.attributes == {"perm": [0, 3, 1, 2]}
    assert (before.inputs, after.outputs) == (("x",), ("y",))
    assert (node.inputs, after.inputs) == (before.outputs, node.outputs)
    assert graph[node.inputs[0]].shape == (2, 4, 5, 3)
    assert graph[node.outputs[0]].shape == (2, 1, 1, 3)
    assert node.since_version == 1
    assert claims.groups[0].nodes == (node,)
    assert claims.left == (before, after)


def test_a_node_computes_with_the_channels_last(provider):
    (node,) = provider.compile(provider.capability(pooling("GlobalAveragePool")))
    x = x_of()
    (y,) = node(np.ascontiguousarray(x.transpose(0, 2, 3, 1)))
    np.testing.assert_allclose(y.transpose(0, 3, 1, 2), x.mean((2, 3), keepdims=True), rtol=1e-5)


def test_a_session_of_the_real_library_changes_the_layout_alike(real_api, library):
    x = x_of()
    model = pooling("GlobalAveragePool", "GlobalMaxPool")
    with eps.session_on(real_api, library, "nhwc", model) as session:
        y, z = session.run({"x": x})
    np.testing.assert_allclose(y, x.mean((2, 3), keepdims=True), rtol=1e-5)
    np.testing.assert_array_equal(z, x.max((2, 3), keepdims=True))


def test_transposes_for_one_provider_stay_when_another_wants_the_channels_last(
    core_api, library, tmp_path
):
    x = x_of((2, 3, 1, 1))
    model = pooling("GlobalAveragePool", shape=x.shape)
    second = copy(library, tmp_path / "second.so")
    with (
        ort.Env("layout", core_api) as env,
        env.register_ep(second, "nhwc transposes") as made,
        eps.session_on(core_api, library, "nhwc", model, [made.devices]) as session,
    ):
        np.testing.assert_array_equal(session.run({"x": x})[0], x)


def test_a_provider_says_which_operators_change(provider):
    claims = provider.capability(pooling("GlobalAveragePool", "GlobalMaxPool", "Elu"))
    assert {node.op_type: node.domain for group in claims.groups for node in group.nodes} == {
        "GlobalAveragePool": NHWC,
        "GlobalMaxPool": "",
        "Elu": NHWC,
    }
    # both nodes that change read one copy of x
    assert [node.op_type for node in claims.left] == ["Transpose"] * 3


def test_values_may_have_the_names_of_copies(provider):
    made = "x_nhwc", "y", "z"
    claims = provider.capability(pooling("GlobalAveragePool", "GlobalMaxPool", made=made))
    names = [name for node in claims.graph.nodes for name in node.outputs]
    assert len({*names}) == len(names) == 4


def test_a_node_whose_rank_is_unknown_is_refused_and_not_computed_wrong(provider):
    with pytest.raises(ort.errors.Fail, match="how many dimensions a value has: x"):
        provider.capability(pooling("GlobalAveragePool", shape=None))


def test_what_has_no_channels_stays(provider):
    graph = ort.Graph({"": 18})
    graph.input("x", "f4", SHAPE)
    graph.node("Mul", ["x", "x"], ["y"])
    graph.output("y", "f4", SHAPE)
    model = ort.Model.load(graph.to_bytes())
    claims = provider.capability(model)
    assert [node.op_type for node in claims.graph.nodes] == ["Mul"]


def test_the_graph_of_claims_lives_as_long_as_what_is_compiled(provider):
    model = pooling("GlobalAveragePool")
    claims = provider.capability(model)
    (node,) = provider.compile(claims)
    seen = claims.graph["y_nhwc"]
    claims.close()
    model.close()
    (y,) = node(np.ones((2, 4, 5, 3), np.float32))
    np.testing.assert_allclose(y, np.ones((2, 1, 1, 3)), rtol=1e-6)
    assert seen.shape == (2, 1, 1, 3)
