# SPDX-License-Identifier: MIT
"""Sessions of graphs, and nodes that lead to no output."""

import gc
import pickle
import weakref

import numpy as np
import pytest
from support import eps, models
from support.graphs import graph_of
from support.python_eps import Takes, provider
from support.sessions import options_with

import ortcffi as ort

X = np.linspace(-1, 1, 128, dtype=np.float32).reshape(2, 64)


def expected(graph: ort.Graph) -> np.ndarray:
    total = X @ graph.initializers["w"] + graph.initializers["b"]
    return np.exp(total) / np.exp(total).sum(-1, keepdims=True)


def test_one_graph_makes_several_sessions(real_api, dense):
    sessions = [ort.Session(dense, api=real_api) for _ in range(3)]
    for session in sessions:
        assert [(s.name, s.shape) for s in session.inputs] == [("x", ("batch", 64))]
        assert [(s.name, s.shape) for s in session.outputs] == [("y", ("batch", 3))]
        np.testing.assert_allclose(session.run({"x": X})[0], expected(dense), rtol=1e-5)


def test_the_session_uses_the_memory_of_an_initializer(real_api):
    array = np.zeros(1000, np.float32)
    graph = graph_of("x f4[1000]", "y = Add x w", "y f4[1000]", w=array)
    copied = ort.Session(graph.to_bytes(), api=real_api)
    with copied, ort.Session(graph, api=real_api) as session:
        array[:] = 7  # no program should: it shows whose memory the session reads
        x = np.ones(1000, np.float32)
        assert (session.run({"x": x})[0][0], copied.run({"x": x})[0][0]) == (8, 1)


@pytest.mark.parametrize("op", ["Add x", "NoSuchOp x"])
def test_the_memory_stays_as_long_as_the_session_if_one_is_made(real_api, op):
    array = np.full(1000, 2, np.float32)
    gone = weakref.ref(array)
    graph = graph_of("x f4[1000]", f"y = {op} w", "y f4[1000]", w=array)
    if op.startswith("No"):
        with pytest.raises(ort.OrtError):
            ort.Session(graph, api=real_api)
        del graph, array
    else:
        session = ort.Session(graph, api=real_api)
        del graph, array
        gc.collect()
        assert gone() is not None
        assert session.run({"x": np.ones(1000, np.float32)})[0][-1] == 3
        session.close()
    gc.collect()
    assert gone() is None


def test_strings_of_a_graph_reach_the_session(real_api):
    graph = graph_of("", "y = Identity w", "y str[2,2]", w=np.array([["a", "é"], ["", "b" * 50]]))
    with ort.Session(graph, api=real_api) as session:
        assert session.run({})[0].tolist() == [["a", "é"], ["", "b" * 50]]


def test_a_session_of_a_graph_is_not_pickled_but_its_bytes_are(real_api, dense):
    with (
        ort.Session(dense, api=real_api) as session,
        pytest.raises(TypeError, match=r"Graph\.to_bytes"),
    ):
        pickle.dumps(session)
    with ort.Session(dense.to_bytes(), api=real_api) as session:
        again = pickle.loads(pickle.dumps(session))
        np.testing.assert_array_equal(again.run({"x": X})[0], session.run({"x": X})[0])
        again.close()


# --- nodes that lead to no output -----------------------------------------------------------------


class TakesWhatNobodyElseReads(Takes):
    """Takes nodes Add, unless another node reads their output."""

    def __init__(self):
        super().__init__(Add=lambda x: x + 1)
        self.seen = []

    def capability(self, graph):
        self.seen.append([node.op_type for node in graph.nodes])
        read = {name for node in graph.nodes for name in node.inputs}
        return [node for node in super().capability(graph) if not read & set(node.outputs)]


@pytest.mark.parametrize("domain", ["", "of.nobody."])
def test_providers_of_the_core_see_no_node_that_leads_to_no_output(core_api, domain):
    taking, ones = TakesWhatNobodyElseReads(), np.ones(3, np.float32)
    nodes = f"n = {domain}Sub y unread; y = Add x w; a = Abs n"
    graph = graph_of("x f4[3]", nodes, "y f4[3]", {"": 21, "of.nobody": 1}, w=ones, unread=ones)
    with ort.Session(graph.to_bytes(), providers=[provider(taking)], api=core_api) as session:
        assert session.run({"x": ones})[0].tolist() == [2, 2, 2]
    assert taking.seen == [["Add"]]
    with ort.Model.load(ort.compile_model(graph.to_bytes(), api=core_api)) as compiled:
        assert [node.op_type for node in compiled.graph.nodes] == ["Add"]
        assert list(compiled.graph.initializers) == ["w"]


def test_nodes_run_in_order_though_one_before_them_leads_to_no_output(core_api):
    ones = np.ones(3, np.float32)
    graph = graph_of("x f4[3]", "n = Abs x; y = Add h w; h = Add x w", "y f4[3]", w=ones)
    with ort.Session(graph, providers=eps.adding_devices(), api=core_api) as session:
        assert session.run({"x": ones})[0].tolist() == [3, 3, 3]


class SeesBranches:
    def __init__(self, seen):
        self.seen = seen

    def capability(self, graph):
        if graph.parent is None:
            return graph.nodes
        operators = [node.op_type for node in graph.nodes]
        implicit = {name for node in graph.nodes for name in node.inputs} - {*graph.initializers}
        self.seen[graph.name] = operators, [*graph.initializers], sorted(implicit)
        return []

    def compile(self, graph):
        self.taken = [value.name for value in graph.inputs]
        return lambda *inputs: inputs[self.taken.index("x")]


def branching(*nodes):
    """A node If, both branches of which have some nodes and then one that makes their output."""
    branches = {}
    for name in ("then", "else"):
        inner = [*nodes, models.node("Sub", "x c", name)]
        outputs = [models.value(name, shape=[3])]
        branches[f"{name}_branch"] = models.graph(inner, [], outputs, name=name)
    return models.node("If", "b", "y", **branches)


CONSTANTS = [models.node("Constant", "", each, value=np.ones(3, np.float32)) for each in "cd"]


def test_providers_of_the_core_see_no_node_of_a_branch_that_leads_to_no_output(core_api):
    seen, made = {}, []
    sees = ort.execution_provider("sees branches")(
        lambda: made.append(SeesBranches(seen)) or made[-1]
    )
    node = branching(*CONSTANTS, models.node("Mul", "unread d", "n"), models.node("Neg", "n", "m"))
    inputs = [models.value(name, shape=[3]) for name in ("x", "unread")]
    ports = [*inputs, models.value("b", "bool", [])], [models.value("y", shape=[3])]
    ort.Session(models.model([node], *ports), providers=[sees], api=core_api).close()
    assert seen == {name: (["Sub"], ["c"], ["x"]) for name in ("then", "else")}
    assert sorted(made[-1].taken) == ["b", "x"]


def with_seeing_op(api, seen):
    """Options with the op See, which adds its input to a list."""

    @ort.custom_op("my.domain", inputs=[np.float32], outputs=[np.float32], op_set=None, name="See")
    def see(x):
        seen.append(x.tolist())
        return x

    return options_with("my.domain", see, api=api)


def test_a_custom_op_runs_though_nobody_reads_its_output(api):
    seen, ones = [], np.ones(3, np.float32)
    nodes = "h = Add x w; unread = my.domain.See h; y = Add x w"
    graph = graph_of("x f4[3]", nodes, "y f4[3]", {"": 21, "my.domain": 1}, w=ones)
    options = with_seeing_op(api, seen)
    if api.is_core:
        options.add_devices(eps.adding_devices())
    with ort.Session(graph.to_bytes(), options, api=api) as session:
        assert session.run({"x": ones})[0].tolist() == [2, 2, 2]
    assert seen == [[2, 2, 2]]


def with_seeing_branches():
    """A model of an If, in whose branches nobody reads what See makes."""
    node = branching(
        *CONSTANTS,
        models.node("Neg", "x", "n"),
        models.node("See", "n", "unread", domain="my.domain"),
        models.node("Abs", "d", "m"),
    )
    inputs = [models.value("x", shape=[3]), models.value("b", "bool", [])]
    domains = {"my.domain": 1}
    return models.model([node], inputs, [models.value("y", shape=[3])], domains=domains)


def test_a_custom_op_of_a_branch_runs_though_nobody_reads_its_output(real_api):
    seen = []
    options = with_seeing_op(real_api, seen)
    with ort.Session(with_seeing_branches(), options, api=real_api) as session:
        session.run({"x": np.ones(3, np.float32), "b": np.array(True)})
    assert seen == [[-1, -1, -1]]


def test_providers_of_the_core_see_a_custom_op_of_a_branch_whose_output_nobody_reads(core_api):
    seen = {}
    sees, options = provider(SeesBranches(seen)), with_seeing_op(core_api, [])
    ort.Session(with_seeing_branches(), options, providers=[sees], api=core_api).close()
    assert seen == dict.fromkeys(("then", "else"), (["Neg", "See", "Sub"], ["c"], ["n", "x"]))


def test_nodes_of_branches_that_lead_to_no_output_are_checked(api):
    inputs = [models.value("x", shape=[3]), models.value("b", "bool", [])]
    for inner in (models.node("Neg", "nowhere", "n"), models.node("Neg", "n", "n")):
        nodes = [branching(CONSTANTS[0], inner)]
        model = models.model(nodes, inputs, [models.value("y", shape=[3])])
        with pytest.raises((ort.errors.Fail, ort.errors.InvalidGraph)):
            ort.Session(model, api=api)


@pytest.mark.parametrize("take", [ort.Session, ort.compile_model])
def test_the_graph_of_a_model_is_refused_with_what_makes_a_model_of_it(real_api, dense, take):
    graph = dense.to_model().graph
    words = r"a Model or a Graph, not ModelGraph; Graph\(\.\.\.\) takes it over"
    with pytest.raises(TypeError, match=words):
        take(graph, api=real_api)
