# SPDX-License-Identifier: MIT
"""Sessions of the core, whose nodes a provider of the guide and custom ops compute."""

import json

import numpy as np
import pytest
from support import eps
from support.graphs import graph_of, parsed
from support.python_eps import Takes, takes

import ortcffi as ort
from ortcffi.session.on_core import source_on_core

X = np.array([1, 2, 3], np.float32)


@pytest.fixture
def add_ep(c_compiler):
    return eps.build(c_compiler, eps.ADDING)


@pytest.mark.parametrize("kind", ["path", "bytes", "model", "edited", "graph"])
def test_a_model_may_be_given_in_each_form(kind, add_ep, tmp_path):
    graph = eps.untyped()
    graph.save(tmp_path / "model.onnx")
    loaded = ort.Model.load(tmp_path / "model.onnx")
    given = {
        "path": tmp_path / "model.onnx",
        "bytes": graph.to_bytes(),
        "model": loaded,
        "edited": loaded.prepare(),
        "graph": graph,
    }[kind]
    with ort.Session(given, providers=[add_ep]) as session:
        loaded.close()
        assert session.run(x=X)[0].tolist() == [3, 5, 7]


def test_devices_of_options_choose_the_core(add_ep, core_api):
    with ort.Env(api=core_api) as env, env.register_ep(add_ep, "adding") as registered:
        with ort.SessionOptions() as options:
            options.add_devices(registered.devices[:1])
            session = ort.Session(eps.untyped(), options)
            of_graph = ort.Session(eps.untyped(), options, env=env)
        by_device = ort.Session(eps.untyped(), providers=registered.devices[:1])
        for each in (session, of_graph, by_device):
            assert each.api == core_api
            assert each.run(x=X)[0].tolist() == [3, 5, 7]
            each.close()


def test_a_node_that_no_library_takes_is_named_and_the_reference_runs_it(add_ep):
    graph = graph_of("x f4[3]", "mine: y = NonZero x", "y i8[1,?]")
    text = (
        "runs node 'mine', which makes 'y': operator NonZero of the domain 'ai.onnx'; "
        "providers asked: 'add_ep'"
    )
    with pytest.raises(ort.errors.NotImplemented, match=text):
        ort.Session(graph, providers=[add_ep])
    pytest.importorskip("onnx")
    with ort.Session(graph, providers=["reference"]) as session:
        futures = [session.run_future(x=np.array([1, 0, n], np.float32)) for n in range(4)]
        found = [future.result(60)[0].tolist() for future in futures]
        assert found == [[[0]], *[[[0, 2]]] * 3]


MYSTERY = "z = of.others.Mystery(x)"
FLOATS = "float[]"
TYPES = {
    "tensor": FLOATS,
    "count": "int64",
    "sequence": f"seq({FLOATS})",
    "map": f"map(string, {FLOATS})",
    "map of int": f"map(int64, {FLOATS})",
    "sequence of map": f"seq(map(string, {FLOATS}))",
    "sequence of map of int": f"seq(map(int64, {FLOATS}))",
    "sequence of optional": f"seq(optional({FLOATS}))",
}


def with_containers(nodes, inputs, outputs):
    """A model with inputs and outputs of any types, which the model editor does not know."""
    pytest.importorskip("onnx")
    takes, makes = (
        ", ".join(f"{TYPES[kind]} {name}" for name, kind in each.items())
        for each in (inputs, outputs)
    )
    return parsed(f"g ({takes}) => ({makes}) {{ {nodes} }}", '"": 18, "ai.onnx.ml": 3', 9)


def classifier(key, **labels):
    ((name, given),) = labels.items()
    zip_map = f"z = ai.onnx.ml.ZipMap <{name} = {json.dumps(given)}> (x)"
    return with_containers(zip_map, {"x": "tensor"}, {"z": f"sequence of map{key}"})


@pytest.mark.parametrize(
    ("key", "labels"),
    [("", {"classlabels_strings": ["no", "yes"]}), (" of int", {"classlabels_int64s": [3, 5]})],
)
def test_the_reference_ends_classifiers(key, labels, session_of_any):
    rows = np.array([[0.25, 0.75], [1, 0]], np.float32)
    names = next(iter(labels.values()))
    wanted = [dict(zip(names, row.tolist(), strict=True)) for row in rows]
    assert session_of_any(classifier(key, **labels)).run(x=rows) == [wanted]


def test_an_input_of_another_type_is_refused(session_of_any):
    count = "n = SequenceLength(t)"
    session = session_of_any(with_containers(count, {"t": "sequence"}, {"n": "count"}))
    text = r"Unexpected input data type. Actual: \(+seq\(map\(string,tensor\(float\)\)\)\)"
    with pytest.raises(ort.errors.InvalidArgument, match=text):
        session.run(t=[{"a": 1.5}])


def test_sequences_may_be_empty(session_of_any):
    nodes = "y = ConcatFromSequence <axis = 0> (t) same = Identity(s) n = SequenceLength(s)"
    inputs = {"t": "sequence", "s": "sequence"}
    outputs = {"y": "tensor", "same": "sequence", "n": "count"}
    session = session_of_any(with_containers(nodes, inputs, outputs))
    y, found, n = session.run(t=[np.ones(2, np.float32)], s=[])
    assert (y.tolist(), found, n) == ([1, 1], [], 0)


@pytest.fixture(params=["reference", "onnxruntime"])
def session_of_any(request):
    """Makes sessions: on the core with the reference, or in a real library."""
    providers = ["reference"]
    if request.param != "reference":
        pytest.importorskip("onnxruntime")
        providers = None
    return lambda model: ort.Session(model, providers=providers)


def made_by(function, model, **inputs):
    """What a session returns for the node Mystery, which a function computes."""
    with ort.Session(model, providers=[takes(Mystery=function)]) as session:
        return session.run(inputs)


def test_a_provider_in_python_makes_maps_of_sequences():
    counted = []

    def function(x, s):
        counted.append([each.tolist() for each in s])
        return {"a": x[0], "b": x[1]}

    inputs = {"x": "tensor", "s": "sequence"}
    model = with_containers("m = of.others.Mystery(x, s)", inputs, {"m": "map"})
    x = np.array([1, 2], np.float32)
    assert made_by(function, model, x=x, s=[x, x[:1]]) == [{"a": 1, "b": 2}]
    assert counted == [[[1, 2], [1]]]


@pytest.mark.parametrize("made", [[[1, 2], 3], ([1, 2], 3), {0: [1, 2], 1: 3}.values()])
def test_what_a_provider_returns_for_a_sequence_may_be_of_lists_and_numbers(made):
    model = with_containers(MYSTERY, {"x": "tensor"}, {"z": "sequence"})
    assert made_by(lambda _: made, model, x=X) == [[[1, 2], 3]]


def test_the_error_names_nested_types():
    model = with_containers(MYSTERY, {"x": "sequence of optional"}, {"z": "tensor"})
    with pytest.raises(ort.errors.InvalidArgument, match=r"\(seq\(optional\(tensor\(float\)\)\)\)"):
        made_by(lambda x: x[0], model, x=[X])


@pytest.mark.parametrize(
    ("kind", "result", "message"),
    [
        ("sequence", np.ones(2), "output 0 must be a list of arrays or mappings, not ndarray"),
        ("sequence", [np.ones(2)], "value is not of the type of the output"),
        ("sequence", [[[1], [2, 3]]], "output 0: item 0 cannot be made an array"),
        ("sequence of map", [], "only sequences of tensors can be"),
        ("sequence", [{"a": 1.0}], "value is not of the type of the output"),
        ("map", [1], "output 0 must be a mapping, not list"),
        ("map", {"a": "text"}, "values are str, and no numbers of dtype float32"),
        ("map", {1: 1.5}, "value is not of the type of the output"),
    ],
)
def test_wrong_sequences_and_maps_are_refused(kind, result, message):
    model = with_containers(MYSTERY, {"x": "tensor"}, {"z": kind})
    with pytest.raises(ort.OrtError, match=message):
        made_by(lambda _: result, model, x=X)


def refused(core_api, model):
    """Why no session is made of a model of which its provider takes nothing."""
    pytest.importorskip("onnx")
    ort.execution_provider("takes_nothing")(Takes)
    with pytest.raises(ort.errors.NotImplemented) as caught:
        ort.Session(model, api=core_api, providers=["takes_nothing"])
    return caught.value.message


def test_the_error_lists_all_operators_that_are_left(core_api):
    graph = graph_of("x f4[3]", "v0 = Relu x; v1 = Neg v0; v2 = Relu v1; v3 = Exp v2", "v3 f4[3]")
    message = refused(core_api, graph.to_bytes())
    left = "Relu (2, such as 'v0'), Neg (1, such as 'v1'), Exp (1, such as 'v3')"
    assert f"; nodes left: {left}; providers asked: 'takes_nothing'" in message


WITH_FUNCTION = """g (float[3] x) => (float[3] y) { y = mine.Both(x) }
<domain: "mine", opset_import: ["": 17]> Both (p) => (r) { q = Sinh(p) r = Neg(q) }"""


def test_functions_that_no_provider_takes_are_replaced_by_their_nodes(core_api):
    pytest.importorskip("onnx")
    model = parsed(WITH_FUNCTION, '"": 17, "mine": 1', 9)  # all values have types
    with ort.Session(model, api=core_api, providers=["reference"]) as session:
        assert session.run(x=X)[0].tolist() == pytest.approx((-np.sinh(X)).tolist())


def test_lengths_of_dimensions_are_fixed_before_types_are_inferred(core_api):
    pytest.importorskip("onnx")
    graph = graph_of("x f4[n,3]", "h = Concat(axis=0) x x; y = Relu h", "y f4[?,3]")
    with ort.SessionOptions(core_api) as options:
        options.fix_dimension("n", 4)
        options.fix_dimension("n", 5)  # the first one counts, as in onnxruntime
        typed = source_on_core(core_api, graph.to_bytes(), options).keep
    assert typed.graph["h"].shape == (8, 3)
    typed.close()


def test_the_error_about_a_node_says_that_it_is_not_computed_beforehand(add_ep):
    graph = graph_of("x f4[3]", "c = ConstantOfShape n; y = Add x c", "y f4[3]", n=np.array([3]))
    with pytest.raises(ort.errors.NotImplemented, match="beforehand, this one does not"):
        ort.Session(graph, providers=[add_ep])


def test_a_loop_without_a_condition_makes_all_its_iterations():
    parser = pytest.importorskip("onnx.parser")
    body = "{ go = Identity(c) t = Add(s, s) }"
    inner = (
        f"t = Loop(n, , s) <body = i (int64 j, bool c, float[1] s) => (bool go, float[1] t) {body}>"
    )
    outer = f"o (int64 i, bool d, float[1] s) => (bool e, float[1] t) {{ e = Identity(d) {inner} }}"
    text = f"{{ n = Constant<value = int64 {{2}}>() y = Loop(n, , x) <body = {outer}> }}"
    model = parser.parse_model(
        f'<ir_version: 8, opset_import: ["": 17]> g (float[1] x) => (float[1] y) {text}'
    )
    with ort.Session(model.SerializeToString(), providers=["reference"]) as session:
        assert session.run(x=np.ones(1, np.float32))[0].tolist() == [16]
