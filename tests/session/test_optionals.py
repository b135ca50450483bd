# SPDX-License-Identifier: MIT
"""Optionals that go into a run and come out of it, on the core and on the real library."""

import numpy as np
import pytest
from support import models
from support.graphs import parsed

import ortcffi as ort

pytest.importorskip("onnx")
X = np.array([1, 2, 3], np.float32)
TENSOR = models.tensor_type("float32", [3])
KINDS = {
    "tensor": models.optional_type(TENSOR),
    "sequence": models.optional_type(models.sequence_type(TENSOR)),
}
GIVEN = {"tensor": X, "sequence": [X, X]}


@pytest.fixture(params=["core", "real"])
def optional_api(request):
    return request.getfixturevalue(f"{request.param}_api")


# No fixture: pytest would keep the session, and that its options with the provider.
def opened(api, *parts):
    """A session of a model, or of nodes, inputs and outputs. Python computes them on the core."""
    source = parts[0] if len(parts) == 1 else models.model(*parts)
    return ort.Session(source, providers=["passes", "reference"] if api.is_core else [], api=api)


@ort.execution_provider("passes")
class Passes:
    """Nodes Identity, which the package onnx does not compute of an optional."""

    def capability(self, graph):
        return [node for node in graph.nodes if node.op_type == "Identity"]

    def compile(self, _graph):
        return lambda x: x


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


def passes(api, kind):
    ports = [[models.value_info(name, KINDS[kind])] for name in "xy"]
    return opened(api, [models.node("Identity", "x", "y")], *ports)


def test_an_optional_goes_in_also_as_lists_and_comes_out(optional_api, kind):
    session = passes(optional_api, kind)
    lists = {"tensor": X.tolist(), "sequence": [X.tolist(), X]}
    for given in (GIVEN, lists):
        (found,) = session.run(x=given[kind])
        np.testing.assert_array_equal(found, GIVEN[kind])


@pytest.mark.parametrize("feed", [{}, {"x": None}])
def test_an_optional_that_is_left_out_holds_nothing(optional_api, kind, feed):
    session = passes(optional_api, kind)
    assert session.run(feed) == [None]
    assert [value.to_python() for value in session.run_values(feed)] == [None]
    assert session.run(x=GIVEN[kind])[0] is not None


def test_a_node_asks_whether_an_optional_holds_something(optional_api, kind):
    output = models.value("y", "bool", [])
    node = models.node("OptionalHasElement", "x", "y")
    session = opened(optional_api, [node], [models.value_info("x", KINDS[kind])], [output])
    assert [session.run(x=x)[0].item() for x in (GIVEN[kind], None)] == [True, False]


def test_nothing_that_another_session_made_goes_in(optional_api, kind):
    session = passes(optional_api, kind)
    with session.bind({}, ["y"]) as binding:
        binding.run()
        assert binding.outputs == {"y": None}
        (nothing,) = binding.output_values()
        assert session.run(x=nothing) == [None]


def test_an_optional_of_another_type_is_refused(optional_api):
    session = passes(optional_api, "tensor")
    with pytest.raises(ort.errors.InvalidArgument, match="string"):
        session.run(x=X.astype(str))
    with pytest.raises(ort.errors.InvalidArgument, match="rank"):
        session.run(x=[X])


def test_an_optional_output_may_be_written_to_memory_of_the_caller(optional_api):
    session = passes(optional_api, "tensor")
    y = np.zeros_like(X)
    session.run({"x": X}, out={"y": y})
    np.testing.assert_array_equal(y, X)


def test_an_optional_map_has_the_types_of_the_model(core_api):
    """On the core: ONNX has no operator with such a type, and onnxruntime refuses the model."""
    kind = models.optional_type(models.map_type("int64", models.tensor_type("float32")))
    ports = [[models.value_info(name, kind)] for name in "xy"]
    session = opened(core_api, [models.node("Identity", "x", "y")], *ports)
    assert session.run(x={1: 0.5}) == [{1: 0.5}]
    assert session.run(x=None) == [None]


def test_memory_of_the_caller_cannot_hold_nothing(core_api):
    session = passes(core_api, "tensor")
    with pytest.raises(ort.errors.InvalidArgument, match="an output that is given"):
        session.run({}, out={"y": np.zeros_like(X)})


def test_an_optional_of_one_branch_holds_nothing(optional_api):
    kind = "optional(float[3])"
    branches = f"""then_branch = one () => ({kind} z) {{ z = Optional(x) }},
        else_branch = other () => ({kind} z) {{ z = Optional <type = float[3]> () }}"""
    graph = f"g (float[3] x, bool c) => ({kind} y) {{ y = If(c) <{branches}> }}"
    session = opened(optional_api, parsed(graph))
    np.testing.assert_array_equal(session.run(x=X, c=np.array(True))[0], X)
    assert session.run(x=X, c=np.array(False)) == [None]


def test_a_model_without_inputs_may_give_nothing(real_api):
    kind = "seq(float[3])"
    graph = f"g () => (optional({kind}) y) {{ y = Optional <type = {kind}> () }}"
    session = opened(real_api, parsed(graph))
    assert session.run({}) == [None]
    assert [value.to_python() for value in session.run_values({})] == [None]


def test_a_value_that_holds_nothing_has_no_content(optional_api):
    session = passes(optional_api, "tensor")
    with session.bind({}, ["y"]) as binding:
        binding.run()
        (nothing,) = binding.output_values()
        assert (nothing.kind, nothing.type_info, nothing.to_python()) == (
            ort.ValueKind.OPTIONAL,
            None,
            None,
        )
        for use in (
            lambda: nothing.memory_info,
            nothing.numpy,
            lambda: ort.Value.sequence([nothing], api=optional_api),
            lambda: ort.Value.map_of(nothing, nothing, api=optional_api),
        ):
            with pytest.raises(TypeError, match="optional"):
                use()
