# SPDX-License-Identifier: MIT
"""Nodes Shape and Size of values whose shape is known: providers see constants in their place."""

from typing import Any

import numpy as np
import pytest
from support import models
from support.python_eps import provider

import ortcffi as ort

BOOL = models.value("c", "bool", [])


def seen(
    api: ort.Api, model: bytes, weights: Any = None, **settings: Any
) -> list[tuple[list[str], dict[str, Any]]]:
    """What a provider sees of each graph of a model: its operators, and its integer constants.

    Those of a node's graphs come first. `weights` replace external data.
    """
    graphs = []

    class Sees:
        def capability(self, graph):
            arrays = {name: np.asarray(each) for name, each in graph.initializers.items()}
            constants = {name: each.tolist() for name, each in arrays.items() if each.dtype == "i8"}
            graphs.append(([node.op_type for node in graph.nodes], constants))
            return graph.nodes

        def compile(self, _graph):
            return lambda *inputs: inputs[0]

    with ort.SessionOptions(api, **settings) as options:
        options.fix_dimension("fixed", 5)
        if weights is not None:
            options.add_external_initializers(weights)
        ort.Session(model, options, providers=[provider(Sees())], api=api).close()
    return graphs


def model_of(*nodes: bytes, shape: Any = (2, 3), length: int = 2, constants: Any = ()) -> bytes:
    """A model of x with a shape, and of y = (something) + a, in so many integers."""
    inputs = [models.value("x", shape=shape), models.value("a", "int64", [length])]
    outputs = [models.value("y", "int64", [length])]
    return models.model([*nodes, models.node("Add", "s a", "y")], inputs, outputs, constants)


@pytest.mark.parametrize(
    ("bounds", "shape", "expected"),
    [
        ({}, [2, 3], [2, 3]),
        ({}, [0, 3], [0, 3]),
        ({"start": 1}, [4, 5, 6], [5, 6]),
        ({"start": -2}, [4, 5, 6], [5, 6]),
        ({"end": 2}, [4, 5, 6], [4, 5]),
        ({"end": -1}, [4, 5, 6], [4, 5]),
        ({"start": -9, "end": 9}, [4, 5], [4, 5]),
        ({}, ["fixed", 3], [5, 3]),
        ({}, [], []),
        ({"start": 2, "end": 1}, [4, 5], []),
        ({"start": 2}, [4, 5], []),
    ],
)
def test_the_shape_of_a_known_value_is_a_constant(api, bounds, shape, expected):
    node = models.node("Shape", "x", "s", **bounds)
    [(operators, constants)] = seen(api, model_of(node, shape=shape, length=len(expected) or 1))
    assert constants == {"s": expected}
    assert operators == ["Add"] or expected == []


def test_nodes_that_only_a_shape_reads_are_left_out(api):
    model = model_of(models.node("Relu", "x", "r"), models.node("Shape", "r", "s"))
    [(operators, constants)] = seen(api, with_types(model))
    assert (operators, constants) == (["Add"], {"s": [2, 3]})


def with_types(model: bytes) -> bytes:
    """The model with the types of its inner values: the real library infers them itself."""
    pytest.importorskip("onnx")
    with ort.Model.load(model) as loaded, loaded.prepare() as prepared:
        return prepared.to_bytes()


def test_shapes_of_initializers_are_constants_also_of_those_that_options_give(api):
    shape = models.node("Shape", "w", "s")
    plain = models.tensor("w", np.ones((2, 3), np.float32))
    external = models.external_tensor("w", (2, 3), "of no file")
    expected = [(["Add"], {"s": [2, 3]})]
    assert seen(api, model_of(shape, constants=[plain])) == expected
    with ort.Value.from_dlpack(np.zeros((2, 3), np.float32), api=api) as given:
        assert seen(api, model_of(shape, constants=[external]), {"w": given}) == expected


def test_shapes_stay_nodes_where_they_are_not_known_or_options_disable_optimizations(api):
    shape = models.node("Shape", "x", "s")
    expected, level = [(["Shape", "Add"], {})], ort.OptimizationLevel.DISABLE_ALL
    for open_shape in (["n", 3], [None, 3], None):
        assert seen(api, model_of(shape, shape=open_shape)) == expected
    assert seen(api, model_of(shape), optimization_level=level) == expected


def test_sizes_of_constants_are_constants(api):
    model = model_of(models.node("Shape", "x", "r"), models.node("Size", "r", "s"))
    assert seen(api, model)[0] == (["Add"], {"s": 2})


@pytest.mark.parametrize(("shape", "size"), [([4, 5], 20), ([], 1), ([0, 5], 0), ([1 << 62, 2], 0)])
def test_on_the_core_the_size_of_a_known_value_is_a_constant_if_it_is_an_integer(
    core_api, shape, size
):
    model = model_of(models.node("Size", "x", "s"), shape=shape)
    is_constant = shape != [1 << 62, 2]
    expected = (["Add"], {"s": size}) if is_constant else (["Size", "Add"], {})
    assert seen(core_api, model) == [expected]


def branching(then: bytes, *nodes: bytes) -> bytes:
    """A model of an If with a branch that makes y of a value and the input."""
    other = models.graph([models.node("Abs", "a", "e")], [], [models.value("e", "int64", [2])])
    node = models.node("If", "c", "y", then_branch=then, else_branch=other)
    inputs = [models.value("x", shape=[2, 3]), models.value("a", "int64", [2]), BOOL]
    return models.model([*nodes, node], inputs, [models.value("y", "int64", [2])])


@pytest.mark.parametrize("where", ["in the branch", "around it"])
def test_shapes_in_branches_and_around_them_are_constants(api, where):
    shape, add = models.node("Shape", "x", "s"), models.node("Add", "s a", "t")
    is_inner = where == "in the branch"
    inner = [shape, add] if is_inner else [add]
    then = models.graph(inner, [], [models.value("t", "int64", [2])])
    graphs = seen(api, branching(then, *([] if is_inner else [shape])))
    found, none = {"s": [2, 3]}, {}
    assert (["Add"], found if is_inner else none) in graphs
    assert graphs[-1] == (["If"], none if is_inner else found)


def test_a_shape_may_be_an_output(api):
    inputs, outputs = [models.value("x", shape=[2, 3])], [models.value("s", "int64", [2])]
    model = models.model([models.node("Shape", "x", "s")], inputs, outputs)
    options = ort.SessionOptions(api)
    with ort.Session(model, options, api=api) as session:
        first = session.run({"x": np.zeros((2, 3), np.float32)})[0]
        assert first.tolist() == [2, 3]
        first[:] = 0  # it is the caller's
        assert session.run({"x": np.zeros((2, 3), np.float32)})[0].tolist() == [2, 3]


@pytest.mark.parametrize(
    ("level", "operators"),
    [(None, ["Shape", "Add"]), (ort.OptimizationLevel.BASIC, ["Add"])],
)
def test_compiled_models_have_shapes_as_the_level_says(core_api, level, operators):
    model = model_of(models.node("Shape", "x", "s"))
    made = ort.compile_model(model, api=core_api, optimization_level=level)
    with ort.Model.load(made) as compiled:
        assert [node.op_type for node in compiled.graph.nodes] == operators
        found = {name: each.tolist() for name, each in compiled.graph.initializers.items()}
        assert found == ({} if level is None else {"s": [2, 3]})


def test_a_function_that_places_initializers_gets_no_shapes(core_api):
    asked = []

    def place(name, *_others):
        asked.append(name)

    weights = [models.tensor("a0", np.ones(2, np.int64))]
    nodes = models.node("Shape", "x", "h"), models.node("Add", "h a0", "s")
    model = model_of(*nodes, constants=weights)
    ort.compile_model(model, api=core_api, external_initializers=place)
    assert asked == ["a0"]
