# SPDX-License-Identifier: MIT
"""Models that ONNX does not have: the core refuses them as the real library does."""

import shutil
from typing import Any

import numpy as np
import pytest
from support.models import (
    attribute,
    field,
    fields,
    graph,
    model,
    node,
    sequence_type,
    tensor,
    value,
    value_info,
)
from support.releases import needs_release

import ortcffi as ort
from ortcffi.conformance.rows import Bench
from ortcffi.testing.rules import Subject

pytestmark = needs_release(26, "these codes")

X, Y, W = value("x", shape=[3]), value("y", shape=[3]), tensor("w", np.ones(3, np.float32))
CONDITION = value("c", "bool", [])
NEG = node("Neg", "x", "y")
ADD = node("Add", "x w", "y")


def of(*nodes: bytes, inputs: Any = (X,), outputs: Any = (Y,), **more: Any) -> bytes:
    return model(nodes, inputs, outputs, more.pop("initializers", ()), **more)


def adding(weights: bytes, *inputs: bytes) -> bytes:
    """y = x + w."""
    return of(ADD, inputs=[X, *inputs], initializers=[weights])


def branch(*nodes: bytes, name: str = "t") -> bytes:
    inner = graph(nodes, [], [value(name, shape=[3])], name="then")
    other = graph([node("Abs", "x", "e")], [], [value("e", shape=[3])], name="else")
    made = node("If", "c", "y", then_branch=inner, else_branch=other)
    return of(made, inputs=[X, CONDITION])


def weights(dims: Any = (3,), dtype: int = 1, raw: bytes = bytes(12)) -> bytes:
    head = b"".join(field(1, n) for n in dims)
    return head + field(2, dtype) + field(8, "w") + field(9, raw)


def sparse(indices: Any, dims: Any = (3,)) -> bytes:
    """y = x + w, whose w has the values 1 and 1 at the indices."""
    made = field(1, tensor("w", np.ones(2, np.float32)))
    made += field(2, tensor("", np.array(indices, np.int64))) + fields(3, dims)
    return of(ADD, inner=field(15, made))


def relu(*attributes: bytes) -> bytes:
    return of(node("LeakyRelu", "x", "y") + fields(5, attributes))


def shape_from(start: bytes) -> bytes:
    """The shape of x, with an attribute."""
    return of(node("Shape", "x", "y") + field(5, start), outputs=[value("y", "int64", [1])])


def constant(given: bytes) -> bytes:
    """y = x + a Constant with an attribute."""
    return of(node("Constant", "", "c") + field(5, given), node("Add", "x c", "y"))


VALUE = b"\x15" + np.float32(2).tobytes()  # the number of an attribute
ZEROS = field(1, "value_floats") + field(7, bytes(12)) + field(20, 6)
LEAKY = attribute("alpha", 1.0)
UNTYPED = LEAKY.removesuffix(field(20, 1))

REFUSED = {
    "INVALID_PROTOBUF": {
        "cut": of(NEG)[:-1],
        "text": b"no model",
    },
    "INVALID_ARGUMENT": {
        "no graph": field(1, 8) + field(8, field(1, "") + field(2, 17)),
        "no bytes": b"",
        "a value that nothing makes": of(node("Neg", "z", "y")),
        "an input without an element type": of(NEG, inputs=[value_info("x", field(1, b""))]),
        "an output without an element type": of(NEG, outputs=[value_info("y", field(1, b""))]),
        "a sequence without an element type": of(
            NEG, inputs=[X, value_info("s", sequence_type(field(1, b"")))]
        ),
        "a sequence of nothing": of(NEG, inputs=[X, value_info("s", field(4, b""))]),
        "an input of a type that is not": of(NEG, inputs=[value_info("x", field(1, field(1, 99)))]),
    },
    "FAIL": {
        "no version of the format": of(NEG).removeprefix(field(1, 8)),
        "an input without a type": of(NEG, inputs=[field(1, "x")]),
        "an input of an empty type": of(NEG, inputs=[value_info("x", b"")]),
        "a value made twice": of(NEG, node("Abs", "x", "y")),
        "an output that is an input": of(node("Neg", "x", "x"), NEG),
        "an output that is an initializer": of(node("Neg", "x", "w"), ADD, initializers=[W]),
        "an input twice": of(NEG, inputs=[X, X]),
        "a cycle": of(node("Add", "x b", "a"), node("Neg", "a", "b"), node("Neg", "a", "y")),
        "an output that nothing makes": of(node("Neg", "x", "a")),
        "nodes of one name": of(node("Neg", "x", "a"), node("Abs", "a", "y") + field(3, "Neg_a")),
        "a Constant without a value": of(node("Constant", "", "c"), node("Add", "x c", "y")),
        "an initializer that is an input of another type": adding(W, value("w", "int64", [3])),
        "an initializer that is an input of another shape": adding(W, value("w", shape=[4])),
        "types that differ": of(ADD, inputs=[X, value("w", "int64", [3])]),
        "an output of another type": of(NEG, outputs=[value("y", "int64", [3])]),
        "an output of another type than Cast makes": of(node("Cast", "x", "y", to=7)),
        "a value of another type than Cast makes": of(
            node("Cast", "x", "a", to=7),
            node("Cast", "a", "y", to=1),
            inner=field(13, value("a", shape=[3])),
        ),
        "an output of another type than EyeLike makes": of(
            node("EyeLike", "x", "y", dtype=7), inputs=[value("x", shape=[3, 3])]
        ),
        "an output of another type than the input of EyeLike": of(
            node("EyeLike", "x", "y"),
            inputs=[value("x", shape=[3, 3])],
            outputs=[value("y", "int64", [3, 3])],
        ),
        "an output of another type than Size makes": of(
            node("Size", "x", "y"), outputs=[value("y", shape=[])]
        ),
        "a Constant of another type": constant(field(1, "value_float") + VALUE + field(20, 2)),
        "a tensor of few bytes": adding(weights(raw=bytes(8))),
        "a tensor of many bytes": adding(weights(raw=bytes(16))),
        "a tensor without a type": adding(weights(dtype=0)),
        "a tensor of a type that is not": adding(weights(dtype=99)),
        "a tensor of a negative length": adding(weights([-3])),
        "a sparse index outside": sparse([0, 3]),
        "a sparse index below": sparse([-1, 2]),
        "sparse indices for other values": sparse([0, 1, 2]),
        "a branch that makes a value twice": branch(node("Neg", "x", "t"), node("Abs", "x", "t")),
        "a branch with a cycle": branch(node("Add", "x b", "t"), node("Neg", "t", "b")),
        "a branch that does not make its output": branch(node("Neg", "x", "q")),
    },
    "INVALID_GRAPH": {
        "an operator that is not": of(node("Nope", "x", "y")),
        "an operator of a later version": of(node("Gelu", "x", "y")),
        "an operator of the past": of(node("Upsample", "x w", "y"), initializers=[W]),
        "few inputs": of(node("Add", "x", "y")),
        "many inputs": of(node("Neg", "x x", "y")),
        "many outputs": of(node("Neg", "x", "y z")),
        "no outputs": of(node("Neg", "x", ""), NEG),
        "an input left out": of(field(1, "") + field(1, "x") + field(2, "y") + field(4, "Add")),
        "an attribute that is not": of(node("Neg", "x", "y", foo=1)),
        "an attribute of another type": of(node("LeakyRelu", "x", "y", alpha=1)),
        "an attribute twice": relu(LEAKY, LEAKY),
        "no attribute": of(node("Concat", "x", "y")),
        "an attribute without a name": relu(LEAKY.removeprefix(field(1, "alpha"))),
        "an attribute without a type": relu(UNTYPED),
        "an attribute of a type that is not": relu(UNTYPED + field(20, 99)),
        "an attribute of Shape of another type": shape_from(attribute("start", 1.0)),
        "an attribute of Shape without a name": shape_from(
            attribute("start", 1).removeprefix(field(1, "start"))
        ),
        "an attribute with two values": relu(LEAKY + field(3, 1)),
        "a type that the operator does not take": of(
            NEG, inputs=[value("x", "str", [3])], outputs=[value("y", "str", [3])]
        ),
        "a branch with a value that nothing makes": branch(node("Neg", "z", "t")),
    },
}


def refusal(api: ort.Api, given: Any) -> str | None:
    """The code with which a session on the model is refused; None if it is made."""
    try:
        ort.Session(given, api=api).close()
    except ort.OrtError as error:
        return error.code.name
    return None


@pytest.mark.parametrize(
    ("code", "given"),
    [pytest.param(code, x, id=name) for code, rows in REFUSED.items() for name, x in rows.items()],
)
def test_a_wrong_model_is_refused(api, code, given):
    if api.is_core and code == "INVALID_ARGUMENT":  # what is wrong is the graph, no argument
        code = "INVALID_GRAPH"
    assert refusal(api, given) == code


@needs_release(31, "this code")
def test_a_constant_without_a_type_is_refused(api):
    assert refusal(api, constant(field(1, "value_float") + VALUE)) == "INVALID_GRAPH"


def run(api: ort.Api, given: bytes) -> Any:
    """What a session makes of zeros; on the core by a provider."""
    providers = ["reference"] if api.is_core else None
    with ort.Session(given, providers=providers, api=api) as session:
        assert session.outputs[0].element_type is ort.ElementType.FLOAT
        return session.run({"x": np.zeros(3, np.float32)})[0].tolist()


@pytest.mark.parametrize(
    "nodes",
    [
        [NEG],
        [node("Bernoulli", "x", "y")],  # without the attribute that says its type
        [node("Constant", "", "c") + field(5, ZEROS), node("Identity", "c", "y")],
    ],
)
def test_an_output_whose_type_is_empty_has_that_of_its_operator(api, nodes):
    assert len(run(api, of(*nodes, outputs=[value_info("y", b"")]))) == 3


def test_the_number_of_a_constant_may_be_left_out_where_it_is_0(api):
    for more, wanted in ((VALUE, 2), (b"", 0)):
        assert run(api, constant(field(1, "value_float") + more + field(20, 1))) == [wanted] * 3


def test_a_constant_may_have_any_name(api):
    assert run(api, constant(field(1, "other") + VALUE + field(20, 1))) == [2, 2, 2]


@pytest.mark.parametrize("length", [2**31, 2**40])
def test_the_length_of_a_model_is_checked_before_a_byte_is_read(api, length):
    content, out = ort.ffi.new("char[]", b"short"), ort.ffi.new("void**")
    table, lib = api.pointer, ort.lib
    given = (content, length)
    with ort.Env("lengths", api) as env, ort.SessionOptions(api) as options:
        prepacked = ort.PrepackedWeights(api)
        session = (options.handle, ort.ffi.cast("OrtSession**", out))
        statuses = [
            lib.CreateSessionFromArray(table, env.handle, *given, *session),
            lib.CreateSessionFromArrayWithPrepackedWeightsContainer(
                table, env.handle, *given, options.handle, prepacked.handle, session[1]
            ),
            lib.GetCompatibilityInfoFromModelBytes(
                table, *given, b"ep", api.default_allocator.handle, ort.ffi.cast("char**", out)
            ),
        ]
        prepacked.close()
    for status in statuses:
        with pytest.raises(ort.errors.InvalidArgument):
            ort.errors.check(table, status, None)


@pytest.mark.parametrize("outputs", [("", "y"), ("y", "")])
def test_a_loop_that_leaves_out_an_output_is_refused(outputs):
    body = graph(
        [node("Neg", "v", "n"), node("Identity", "more", "still")],
        [value("i", "int64"), value("more", "bool"), value("v")],
        [value("still", "bool"), value("n"), value("n")],
    )
    loop = field(1, "n") + field(1, "") + field(1, "x") + fields(2, outputs) + field(4, "Loop")
    loop += field(5, attribute("body", body))
    content = model([loop], [value("x", shape=[2]), value("n", "int64", [])], [value("y")])
    with pytest.raises(ort.errors.InvalidGraph, match="leaves out an output"):
        ort.Session(content, providers=["reference"])


TWICE_W = """g = graph(); AddInitializerToGraph(g, "w", floats(5, 6), False)
AddNodeToGraph(g, free_node("Twice", "w", "c", "twice"))
SetGraphOutputs(g, [free_value("c", 2)], 1); m = empty("twice", 1); AddGraphToModel(m, g)
ApplyModelToModelEditorSession(editing(), m)"""


def test_an_added_graph_with_an_initializer_that_the_model_has_is_refused(tmp_path):
    """On the core: ONNX Runtime takes the graph, and keeps the initializer of the model."""
    copy = shutil.copy(ort.get_library(), tmp_path)  # a core whose objects no test counts
    bench = Bench(Subject(copy))
    assert bench.answer(TWICE_W.replace("\n", "; ")) == "FAIL"
