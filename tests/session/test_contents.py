# SPDX-License-Identifier: MIT
"""Sequences, maps and optionals that runs return and take, and outputs that are inputs."""

import gc
import sys
import weakref

import numpy as np
import pytest
from support import models
from support.graphs import graph_of, parsed
from support.models import model, node, pairs, sequence_type, tensor_type, value, value_info, zipped
from support.python_eps import Takes

import ortcffi as ort
from ortcffi import ffi, lib

SHAPES = [(3, 2), (2, 0), (0, 2), (), (1, 2, 3), (2000,)]


@pytest.fixture(params=["1", "0"], ids=["in place", "by the API"])
def session_of(request, monkeypatch, opened, real_api):
    """``session_of(model)`` reads members of sequences where they lie, or as the API gives them."""
    monkeypatch.setenv("ORTCFFI_READ_IN_PLACE", request.param)
    facts = {"version": real_api.version, "version_string": "", "library": real_api.library}
    api = ort.Api(real_api.pointer, **facts)  # which asks the environment anew
    return lambda made: opened(made, api=api)


@pytest.mark.parametrize(
    "dtype", ["float32", "float64", "int64", "uint8", "float16", "bool", "str"]
)
def test_tensors_of_a_sequence_are_lists(session_of, dtype):
    session = session_of(pairs(dtype))
    for shape in SHAPES:
        x = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
        x = x if dtype != "str" else np.full(shape, "ä" * 20, object)
        (found,) = session.run(x=x)
        assert found == [x.tolist()] * 2
        (value,) = session.run_values(x=x)
        assert value.to_python() == found
        value.close()


@pytest.mark.parametrize(
    "labels", [{"classlabels_strings": ["b", "a"]}, {"classlabels_int64s": [7, -5]}], ids=str
)
def test_maps_are_dicts(session_of, labels):
    session, [keys] = session_of(zipped(**labels)), labels.values()
    x = np.array([[0.5, 1.5], [2.5, 3.5]], np.float32)
    rows = [dict(zip(keys, row, strict=True)) for row in x.tolist()]
    assert session.run(x=x) == [rows]
    (value,) = session.run_values(x=x)
    assert value.to_python() == rows
    value.close()


# --- sequences that share the memory of tensors ---------------------------------------------------


def appended():
    """y = the sequence x and then t."""
    kind = sequence_type(tensor_type("float32"))
    nodes = [node("SequenceInsert", "x t", "y")]
    return model(nodes, [value_info("x", kind), value("t")], [value_info("y", kind)])


@pytest.mark.parametrize("way", ["run", "bound"])
def test_a_value_keeps_the_tensors_of_a_sequence_that_was_an_input(opened, way):
    x, session = [np.ones(1000, np.float32)], opened(appended())
    array, feed = weakref.ref(x[0]), {"x": x, "t": np.zeros(2, np.float32)}
    if way == "run":
        (found,) = session.run_values(feed)
    else:
        with session.bind(feed) as bound:
            bound.run()
            (found,) = bound.output_values()
            bound.bind(x=[np.zeros(1, np.float32)])
    del x, feed
    gc.collect()
    assert found.to_python() == [[1.0] * 1000, [0.0] * 2]
    assert array() is not None
    found.close()
    del found
    gc.collect()
    assert array() is None


# --- members that are taken out of the sequence ---------------------------------------------------


class Taking:
    """A session on a real library's table that counts calls of GetValue."""

    def __init__(self, made, real_api, *, shows_layout, fails_at=None):
        self.taken = 0
        table = ffi.new("OrtApi*", real_api.pointer[0])

        def fail(*_arguments):
            return lib.CreateStatus(real_api.pointer, 1, b"as the test wants it")

        def take(value, place, allocator, out):
            self.taken += 1
            if self.taken == fails_at:
                return fail()
            return lib.GetValue(real_api.pointer, value, place, allocator, out)

        self.kept = [ffi.callback(ffi.typeof(table.GetValue), take)]
        table.GetValue = self.kept[0]
        if not shows_layout:
            self.kept.append(ffi.callback(ffi.typeof(table.CreateValue), fail))
            table.CreateValue = self.kept[1]
        facts = {"version": real_api.version, "version_string": "", "library": real_api.library}
        self.session = ort.Session(made, api=ort.Api(table, **facts))

    def run(self, x):
        with self.session:
            return self.session.run(x=x)


@pytest.mark.parametrize(
    ("shows_layout", "wanted", "taken"),
    [(True, "1", (0, 0)), (True, "0", (12, 2)), (False, "1", (12, 2))],
)
def test_members_are_taken_out_where_they_are_not_read_in_place(
    real_api, monkeypatch, shows_layout, wanted, taken
):
    monkeypatch.setenv("ORTCFFI_READ_IN_PLACE", wanted)
    x = np.linspace(0, 1, 12, dtype=np.float32).reshape(4, 3)
    maps = Taking(zipped(classlabels_strings=["c", "a", "b"]), real_api, shows_layout=shows_layout)
    assert maps.run(x) == [[{"a": a, "b": b, "c": c} for c, a, b in x.tolist()]]
    tensors = Taking(pairs("float32"), real_api, shows_layout=shows_layout)
    assert tensors.run(x) == [[x.tolist()] * 2]
    if taken != (0, 0) or sys.platform == "linux":
        assert (maps.taken, tensors.taken) == taken


@pytest.mark.parametrize("fails_at", range(1, 7))
def test_a_member_that_cannot_be_taken_out_is_an_error(real_api, fails_at):
    made = zipped(classlabels_int64s=[1, 2])
    maps = Taking(made, real_api, shows_layout=False, fails_at=fails_at)
    with pytest.raises(ort.errors.Fail, match="as the test wants it"):
        maps.run(np.ones((2, 2), np.float32))
    assert maps.taken == fails_at


# --- optionals ------------------------------------------------------------------------------------


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


# Nodes Identity, which the package onnx does not compute of an optional.
ort.execution_provider("passes")(lambda: Takes(Identity=lambda x: x))


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
    with passes(optional_api, "tensor").bind({}, ["y"]) as binding:
        binding.run()
        (nothing,) = binding.output_values()
        assert nothing.kind == ort.ValueKind.OPTIONAL
        assert (nothing.type_info, nothing.to_python()) == (None, None)
        for use in (
            lambda: nothing.memory_info,
            nothing.numpy,
            lambda: ort.Value.sequence([nothing], api=optional_api),
            lambda: ort.Value.map_of(nothing, nothing, api=optional_api),
        ):
            with pytest.raises(TypeError, match="optional"):
                use()


# --- outputs that are inputs ----------------------------------------------------------------------


@pytest.fixture
def graph() -> ort.Graph:
    return graph_of("x f4[1000]", "y = Neg x", "y f4[1000], x f4[1000]")


@pytest.mark.parametrize("method", ["run", "run_values"])
def test_an_output_outlives_the_array_that_it_is(real_api, graph, method):
    with ort.Session(graph, api=real_api) as session:
        kept = [getattr(session, method)({"x": np.full(1000, i, np.float32)})[1] for i in range(20)]
        gc.collect()
        assert [float(np.asarray(each)[0]) for each in kept] == list(range(20))


@pytest.mark.parametrize("method", ["run", "run_values", "bind"])
def test_an_output_outlives_the_close_of_the_value_that_it_is(real_api, graph, method):
    with ort.Session(graph, api=real_api) as session:
        x = np.full(1000, 7, np.float32)
        gone = weakref.ref(x)
        with ort.Value.from_numpy(x, api=real_api) as value:
            if method == "bind":
                with session.bind(x=value) as bound:
                    bound.run()
                    passed = bound.output_values()[1]
                del bound
            else:
                _, passed = getattr(session, method)({"x": value})
        del x, value
        gc.collect()
        assert gone() is not None
        assert np.asarray(passed)[-1] == 7
        del passed
        gc.collect()
        assert gone() is None
