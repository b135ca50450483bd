# SPDX-License-Identifier: MIT
"""Execution providers written in Python, on the core and in sessions of a real library."""

import functools
import itertools
import os
import threading

import numpy as np
import pytest
from support.graphs import graph_of
from support.processes import fork
from support.python_eps import Opened, Takes, names, negates, provider, takes
from support.threads import run_threads

import ortcffi as ort

F = np.float32
RECORDS = {"session.record_ep_graph_assignment_info": "1"}

pytestmark = pytest.mark.usefixtures("leaves_nothing_of_python")


def test_a_provider_may_take_an_operator_in_onnxs_domain_that_has_no_schema(api):
    """As ONNX Runtime's own LayerNormalization before version 17, in many converted models."""
    nodes = (
        "a = SimplifiedLayerNormalization(axis=-1) x scale; y = LayerNormalization(axis=-1) a scale"
    )
    graph = graph_of("x f4[3], scale f4[3]", nodes, "a f4[3], y f4[3]", {"": 13})
    ops = {
        "SimplifiedLayerNormalization": lambda x, scale: x * scale,
        "LayerNormalization": lambda x, scale: x + scale,
    }
    with Opened(api, takes(**ops), graph) as opened:
        _, y = opened.run(x=np.arange(3, dtype=F), scale=np.full(3, 2, F))
    assert y.tolist() == [2, 4, 6]


SHAPES = ((2, 3), None, (), (2, "n"), (1,), (2, 3))


@pytest.mark.parametrize("wrong", [i for i, shape in enumerate(SHAPES) if shape])
def test_each_of_many_inputs_is_held_to_its_own_shape(api, wrong):
    graph = ort.Graph()
    for i, shape in enumerate(SHAPES):
        graph.input(f"x{i}", "f4", shape)
    graph.node("Sum", [f"x{i}" for i in range(len(SHAPES))], ["y"])
    graph.output("y", "f4", (2, 3))
    lengths = ([3 if n == "n" else n for n in shape or ()] for shape in SHAPES)
    given = {f"x{i}": np.ones(shape, F) for i, shape in enumerate(lengths)}
    with Opened(api, takes(Sum=lambda *arrays: sum(arrays)), graph) as opened:
        [y] = opened.run(**given)
        np.testing.assert_array_equal(y, np.full((2, 3), len(SHAPES)))
        given |= dict.fromkeys(("x1", "x2"), np.ones((2, 3), F))  # no dimensions mean any shape
        np.testing.assert_array_equal(opened.run(**given)[0], np.full((2, 3), len(SHAPES)))
        given[f"x{wrong}"] = np.ones((4, 3), F)
        with pytest.raises(ort.errors.InvalidArgument, match=f"x{wrong}"):
            opened.run(**given)


class Pair:
    """Takes the nodes of two names as one, and computes a function of each input."""

    def __init__(self, function, *names):
        self.function, self.names = function, names

    def capability(self, graph):
        return [[node for node in graph.nodes if node.name in self.names]]

    def compile(self, graph):
        if len(graph.nodes) == 1:
            return self.function
        return lambda x, y: (self.function(x), self.function(y))


def test_a_group_may_depend_on_itself_through_one_that_is_taken(api):
    nodes = "n0: a = Neg x; n1: y = Abs a; n2: b = Abs z; n3: u = Neg b"
    graph = graph_of("x f4[2], z f4[2]", nodes, "y f4[2], u f4[2]")
    providers = [provider(Pair(np.negative, "n0", "n3")), provider(Pair(np.abs, "n1", "n2"))]
    with ort.Session(graph.to_bytes(), providers=providers, api=api) as session:
        y, u = session.run(x=np.array([1, -2], F), z=np.array([-3, 4], F))
    assert (y.tolist(), u.tolist()) == ([1, 2], [-3, -4])


def test_graphs_have_constants_which_are_no_inputs(api):
    seen = {}

    class Subtracts:
        def capability(self, graph):
            return [list(graph.nodes)]

        def compile(self, graph):
            seen["inputs"] = [value.name for value in graph.inputs]
            constant = graph.initializers["w"]
            return lambda x: x - constant

    graph = graph_of("x f4[3]", "y = Sub x w", "y f4[3]", w=np.arange(3, dtype=F))
    with Opened(api, provider(Subtracts()), graph) as opened:
        [y] = opened.run(x=np.zeros(3, F))
    assert y.tolist() == [0, -1, -2]
    assert seen == {"inputs": ["x"]}


def test_arrays_come_in_the_order_of_the_graph(api):
    class Divides:
        def capability(self, graph):
            return [list(graph.nodes)]

        def compile(self, graph):
            order = [value.name for value in graph.inputs]
            first, second = (order.index(name) for name in graph.nodes[0].inputs)
            made = [value.name for value in graph.outputs]

            def compute(*arrays):
                values = {"q": arrays[first] / arrays[second]}
                values["n"] = -values["q"]
                return [values[name] for name in made]

            return compute

    graph = graph_of("a f4[2], b f4[2]", "q = Div b a; n = Neg q", "n f4[2], q f4[2]")
    with Opened(api, provider(Divides()), graph) as opened:
        n, q = opened.run(a=np.full(2, 2, F), b=np.full(2, 8, F))
    assert (n.tolist(), q.tolist()) == ([-4, -4], [4, 4])


def test_options_are_keywords_with_defaults(api):
    def scales(**options):
        by = float(options["by"])
        return Takes(Neg=lambda x: x * F(by))

    declare = ort.execution_provider(next(names), options={"by": "2", "and": "x"})
    ep = declare(scales)
    assert ep.options == {"by": "2", "and": "x"}
    for options, expected in ((None, 2), ({"by": "3"}, 3)):
        with Opened(api, ep, negates(), options) as opened:
            assert opened.run(x=np.ones(3, F))[0].tolist() == [expected] * 3
    with pytest.raises(ort.OrtError, match=r"has no option 'bi'"):
        Opened(api, ep, negates(), {"bi": "3"})
    message = f"provider '{ep.name}' with the options by='x', .*: could not convert string to float"
    with pytest.raises(ort.OrtError, match=message):
        Opened(api, ep, negates(), {"by": "x"})


def test_strings(api):
    graph = graph_of("x str[2]", "y = Identity x", "y str[2]")
    upper = lambda x: np.array([each.upper() for each in x], object)  # noqa: E731
    with Opened(api, takes(Identity=upper), graph) as opened:
        assert opened.run(x=np.array(["a", "ö"], object))[0].tolist() == ["A", "Ö"]


def test_graphs_are_closed_after_the_call_and_types_and_models_of_them_are_not(api):
    kept = {}

    class Keeps(Takes):
        def compile(self, graph):
            kept.update(graph=graph, node=graph.nodes[0], type=graph["x"].type)
            kept["model"] = ort.Graph(graph)
            return super().compile(graph)

    with Opened(api, provider(Keeps(Neg=np.negative)), negates()):
        pass
    assert kept["graph"].closed
    with pytest.raises(ValueError, match="closed"):
        kept["graph"].nodes  # noqa: B018
    with pytest.raises(ValueError, match="closed"):
        kept["node"].name  # noqa: B018
    assert str(kept["type"]) == "tensor(float[3])"
    assert [node.op_type for node in kept["model"].nodes] == ["Neg"]
    kept.clear()


def test_devices_are_those_that_the_provider_can_use(core_api):
    hardware = [
        ort.HardwareDevice("NPU", vendor_id=7, api=core_api),
        ort.HardwareDevice("CPU", api=core_api),
    ]
    for devices, kinds in (
        ("CPU", ["CPU"]),
        (["NPU", "GPU"], ["NPU"]),
        (lambda device: device.vendor_id == 7, ["NPU"]),
        ((), []),
    ):
        with ort.Env("test", core_api) as env:
            ep = provider(Takes(), devices=devices)
            with env.register_ep(ep, hardware=hardware) as registered:
                assert [each.hardware.kind.name for each in registered.devices] == kinds


def test_a_name_is_registered_once_at_a_time_and_its_device_says_whose_it_is(api):
    ep = provider(Takes(Neg=np.negative), vendor="we", version="1.2.3")
    with ort.Env("test", api) as env:
        for _ in range(3):
            with env.register_ep(ep) as registered:
                [device] = registered.devices
                assert (device.name, device.vendor) == (ep.name, "we")
                assert device.metadata["version"] == "1.2.3"
                with pytest.raises(ort.OrtError, match="already"):
                    env.register_ep(ep)
            del device
        with pytest.raises(ort.OrtError, match="is named 'references': did you mean 'reference'"):
            env.register_ep(ep, "references")


def test_a_session_has_a_provider_once(api):
    env = ort.Env("test", api)
    with env, env.register_ep(takes(Neg=np.negative)) as made, ort.SessionOptions(api) as given:
        for _ in range(2):
            given.add_devices(made.devices)
        with pytest.raises(ort.errors.Fail, match=r"Provider .* has already been registered"):
            ort.Session(negates().to_bytes(), given, env=env)


def test_a_provider_may_be_defined_again_while_a_session_uses_it(api):
    """As where a cell of a notebook is run again."""
    name, content = next(names), negates().to_bytes()
    made = []
    with ort.SessionOptions(api, config=RECORDS) as options:
        for function in (np.abs, np.negative, np.square):
            ep = ort.execution_provider(name)(lambda function=function: Takes(Neg=function))
            # The second session has the registration of the first.
            made += [ort.Session(content, options, providers=[each]) for each in (ep, name)]
    assert [dict(session.assignment) for session in made] == [{name: ["Neg"]}] * 6
    results = [session.run(x=np.full(3, 2, F))[0].tolist() for session in made]
    assert results == [[2] * 3] * 2 + [[-2] * 3] * 2 + [[4] * 3] * 2
    for session in made:
        session.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.parametrize("held", ["nothing", "the registration", "a session"])
def test_the_child_of_a_fork_registers_and_runs_a_provider(api, held):
    """Also one that its parent has registered, whose name is in use in the child as well."""
    ep, content = takes(Neg=np.negative), negates().to_bytes()

    def run():
        with (
            ort.Env("test", api) as env,
            env.register_ep(ep) as registered,
            ort.SessionOptions(api) as options,
        ):
            options.add_devices(registered.devices)
            with ort.Session(content, options) as session:
                return session.run(x=np.ones(3, F))[0].tolist() == [-1] * 3

    with Opened(api, ep, negates()) as opened:
        if held != "the registration":
            opened.registered.close()
        if held == "nothing":
            opened.close()
        for _ in range(2):
            assert fork(lambda: run() and run()) == 0
    assert run()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_another_definition_is_not_taken_for_that_of_the_parent(core_api):
    name = next(names)
    ep = ort.execution_provider(name)(lambda: Takes(Neg=np.abs))

    def register_another():
        later = ort.execution_provider(name)(lambda: Takes(Neg=np.negative))
        with Opened(core_api, later, negates()) as opened:
            return opened.run(x=np.ones(3, F))[0].tolist() == [-1] * 3

    with Opened(core_api, ep, negates()):
        assert fork(register_another) == 0


@pytest.mark.parametrize("version", [23, 24, 27, 30])
def test_older_hosts(core_api, version):
    host = ort.emulate(version)
    ep = takes(Neg=lambda x: -x)
    with Opened(core_api, ep, negates(), host=host) as opened:
        assert opened.run(x=np.ones(3, F))[0].tolist() == [-1] * 3


def test_many_threads_compute(api):
    barrier = threading.Barrier(4)

    def negative(x):
        barrier.wait(60)  # all are in the function at once
        return -x

    found = {}
    with Opened(api, takes(Neg=negative), negates()) as opened:

        def compute(i):
            found[i] = opened.run(x=np.full(3, i, F))[0].tolist()

        run_threads(*(functools.partial(compute, i) for i in range(4)))
    assert found == {i: [-i] * 3 for i in range(4)}


@pytest.mark.parametrize("order", [*itertools.permutations(range(3))])
def test_all_is_closed_in_any_order(api, order):
    opened = Opened(api, takes(Neg=np.negative), negates())
    parts = [opened.session or opened.ep, opened.registered, opened.env]
    for i in order:
        parts[i].close()
    if api.is_core:  # a compiled node keeps what it needs
        assert opened.run(x=np.ones(3, F))[0].tolist() == [-1] * 3


def test_a_provider_sees_the_types_that_operators_decide(core_api):
    """Also where a schema has one type only, and for the operators of scikit-learn's models."""
    seen = {}

    class Looks(Takes):
        def capability(self, graph):
            seen.update({name: str(value.type) for name, value in graph.values.items()})
            return []

    graph = graph_of("x f4[n]", "shape = Shape x", "", {"": 20, "ai.onnx.ml": 3, "test": 1})
    graph.node("Greater", ["x", "x"], ["is greater"])
    graph.node("Scaler", ["x"], ["scaled"], domain="ai.onnx.ml")
    for name in ("shape", "is greater", "scaled"):
        of, *_ = graph.node("Unknown", [name], [f"of {name}"], domain="test")
        graph.output(of, "f4", None)
    with ort.Env(api=core_api) as env, ort.Ep(env.register_ep(provider(Looks())).devices) as ep:
        ep.capability(graph).close()
    names = ("shape", "is greater", "scaled")
    expected = ["tensor(int64)", "tensor(bool)", "tensor(float)"]
    assert [seen[name] for name in names] == expected


def in_turn():
    """y = -(|-x|): three nodes, each for a provider of its own, by the names of their outputs."""
    return graph_of("x f4[3]", "a = Neg x; b = Abs a; y = Neg b", "y f4[3]")


class TakesAndLooks(Takes):
    """Also notes what it is shown."""

    def capability(self, graph):
        self.seen = {node.outputs[0]: node.ep_name for node in graph.nodes}
        return super().capability(graph)

    def compile(self, graph):
        self.compiled = [node.ep_name for node in graph.nodes]
        return super().compile(graph)


def test_a_provider_is_shown_which_nodes_earlier_ones_have_taken(api):
    first, second = TakesAndLooks(Neg=np.negative), TakesAndLooks(Abs=np.abs, Neg=np.negative)
    eps = [provider(first), provider(second)]
    with ort.Session(in_turn().to_bytes(), api=api, providers=eps) as session:
        assert session.run(x=np.ones(3, F))[0].tolist() == [-1, -1, -1]
    name = eps[0].name
    assert first.seen == {"a": "", "b": "", "y": ""}
    assert second.seen == {"a": name, "b": "", "y": name}
    assert first.compiled == second.compiled == [""]


@pytest.mark.parametrize(
    "earlier", [[{"Neg": np.negative, "Abs": np.abs}], [{"Neg": np.negative}, {"Abs": np.abs}]]
)
def test_other_users_of_a_model_are_not_shown_who_takes_its_nodes(core_api, earlier):
    later = TakesAndLooks(Neg=np.negative, Abs=np.abs)
    with (
        ort.Model.load(in_turn().to_bytes()) as model,
        ort.Session(model, api=core_api, providers=[takes(**each) for each in earlier]),
        ort.Session(model, api=core_api, providers=[provider(later)]),
    ):
        assert later.seen == {"a": "", "b": "", "y": ""}
