# SPDX-License-Identifier: MIT
"""Sessions of the core: its nodes are run by custom ops and execution providers. What custom ops
alone can run is tried on the real library too."""

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from support import eps
from support.graphs import graph_of
from support.models import field, graph, model, node, tensor, value
from support.processes import run
from support.python_eps import takes
from support.sessions import options_with

import ortcffi as ort
from ortcffi._native import ffi, lib

DOMAIN = "sessions.of.core"


@ort.custom_op(DOMAIN, inputs=[np.float32, np.float32], outputs=[np.float32])
def join(x, y):
    return x + 2 * y


@ort.custom_op(DOMAIN, inputs=[np.float32], outputs=[np.float32, np.float32])
def halves(x):
    return x / 2, x - x / 2


@ort.custom_op(DOMAIN, inputs=[ort.variadic(Any)], outputs=[np.float32])
def first(*arrays):
    return arrays[0]


def with_ops(api: ort.Api) -> ort.SessionOptions:
    return options_with(DOMAIN, join, halves, first, api=api)


def ours(op: str, inputs: str, outputs: str) -> bytes:
    return node(op, inputs, outputs, DOMAIN)


def of(nodes: list[bytes], inputs: str = "x", outputs: str = "y", **others) -> bytes:
    ports = ([value(name, shape=["n", 3]) for name in names.split()] for names in (inputs, outputs))
    return model(nodes, *ports, **others, domains={DOMAIN: 1})


CHAIN = of([ours("halves", "x", "a b"), ours("join", "a b", "c"), ours("join", "c x", "y")])


MISFITS = {
    "too few inputs": (["x"], ["y"], "has input size 1 not in range [min=2, max=2]"),
    "too many inputs": (["x", "x", "x"], ["y"], "has input size 3 not in range [min=2, max=2]"),
    "too many outputs": (["x", "x"], ["y", "z"], "has output size 2 not in range [min=1, max=1]"),
    "another type": (["x", "i"], ["y"], "has the input 'i' of the type int64"),
}


def test_variadic_inputs_of_one_type_are_refused_with_others(api):
    ports = [value("x", shape=[3]), value("i", "int64", [3])], [value("y")]
    with with_ops(api) as options:
        assert ort.Session(model([ours("first", "x x", "y")], *ports, domains={DOMAIN: 1}), options)
        with pytest.raises(ort.errors.OrtError, match="bound to different types"):
            ort.Session(model([ours("first", "x i", "y")], *ports, domains={DOMAIN: 1}), options)


@pytest.mark.parametrize("case", MISFITS)
def test_a_node_that_does_not_fit_a_custom_op_makes_the_graph_invalid(api, case):
    inputs, outputs, message = MISFITS[case]
    joins = ours("join", " ".join(inputs), " ".join(outputs))
    ports = [value("x", shape=["n", 3]), value("i", "int64", ["n", 3])], [value("y")]
    wrong = model([joins], *ports, domains={DOMAIN: 1})
    with with_ops(api) as options, pytest.raises(ort.OrtError) as caught:
        ort.Session(wrong, options, api=api)
    assert caught.value.code == ort.ErrorCode.INVALID_GRAPH
    if api.is_core:
        assert message in caught.value.message
        assert f"does not fit the custom op join of the domain '{DOMAIN}'" in caught.value.message


@pytest.fixture
def run_raw():
    """``run_raw(session, inputs, outputs, given)`` calls the slot Run and returns code, outputs."""

    def call(session, inputs, outputs, given=()):
        api = session.api
        keep = [ffi.new("char[]", name.encode()) for name in [*inputs, *outputs]]
        names = ffi.new("char*[]", [*keep, ffi.NULL])
        values = ffi.new("OrtValue*[]", [*(each.handle for each in inputs.values()), ffi.NULL])
        made = ffi.new("OrtValue*[]", [ffi.NULL] * (len(outputs) + 1))
        made[0 : len(given)] = [each.handle for each in given]
        count = len(inputs)
        arguments = (names, values, count, names + count, len(outputs), made)
        status = lib.Run(api.pointer, session.handle, ffi.NULL, *arguments)
        code = 0 if status == ffi.NULL else lib.GetErrorCode(api.pointer, status)
        text = "" if code == 0 else ffi.string(lib.GetErrorMessage(api.pointer, status)).decode()
        lib.ReleaseStatus(api.pointer, status)
        for i in range(len(given), len(outputs)):
            lib.ReleaseValue(api.pointer, made[i])
        return code, text

    return call


@pytest.fixture
def x() -> np.ndarray:
    return np.arange(6, dtype=np.float32).reshape(2, 3)


def test_a_step_may_write_where_one_before_wrote_that_nobody_reads(api, opened, x):
    names = ["x", *"abcdefg"]
    nodes = [ours("join", f"{x} x", y) for x, y in itertools.pairwise(names)]
    session = opened(of(nodes, outputs="b g"), with_ops(api), api=api)
    given = x.copy()
    first = session.run(x=given)
    second = session.run(x=10 * given)
    for each, factor in ((first, 1), (second, 10)):
        np.testing.assert_array_equal(each[0], 5 * factor * x)
        np.testing.assert_array_equal(each[1], 15 * factor * x)
    np.testing.assert_array_equal(given, x)


def test_a_run_after_one_that_failed_is_right(api, opened, x):
    nodes = [ours("join", "x x", "a"), ours("join", "a x", "b"), ours("join", "b z", "y")]
    session = opened(of(nodes, inputs="x z"), with_ops(api), api=api)
    for _ in range(2):
        np.testing.assert_array_equal(session.run(x=x, z=x)[0], 7 * x)
        with pytest.raises(ort.OrtError, match="join"):
            session.run(x=x, z=np.ones((3, 3), np.float32))


def test_an_output_may_be_an_initializer_or_asked_for_twice(api, opened, x, run_raw):
    source = of([ours("join", "x w", "y")], outputs="y w", initializers=[tensor("w", x)])
    session = opened(source, with_ops(api), api=api)
    _y, w = session.run(x=x)
    np.testing.assert_array_equal(w, x)
    w[:] = 0
    np.testing.assert_array_equal(session.run(x=x)[0], 3 * x)
    with ort.Value.from_numpy(x, api=api) as given:
        assert run_raw(session, {"x": given}, ["y", "y", "w"]) == (0, "")


@pytest.mark.parametrize("has_node", [False, True])
def test_an_output_that_is_constant_has_the_type_of_its_elements(api, opened, has_node):
    nodes = [node("Constant", "", "w", value_ints=[1, 2, 3])] if has_node else []
    weights = [] if has_node else [tensor("w", np.array([1, 2, 3]))]
    session = opened(model(nodes, [], [value("w", "float32", ["n"])], weights), api=api)
    (output,) = session.outputs
    (w,) = session.run()
    assert (output.dtype, output.shape, w.dtype) == ("int64", (3,), "int64")


def test_what_is_wrong_has_the_codes_and_words_of_the_real_library(api, opened, x, run_raw):
    session = opened(CHAIN, with_ops(api), api=api)
    with (
        ort.Value.from_numpy(x, api=api) as good,
        ort.Value.from_numpy(x.astype(np.float64), api=api) as double,
        ort.Value.from_numpy(x[0], api=api) as row,
        ort.Value.from_numpy(x[:, :2].copy(), api=api) as narrow,
    ):
        invalid = ort.ErrorCode.INVALID_ARGUMENT
        cases = [
            ({"x": double}, ["y"], "Unexpected input data type. Actual: (tensor(double))"),
            ({"x": row}, ["y"], "Invalid rank for input: x Got: 1 Expected: 2 Please fix"),
            ({"x": narrow}, ["y"], "Got invalid dimensions for input: x for the following indices"),
            ({"x": good, "z": good}, ["y"], "Invalid input name: z"),
            ({"x": good}, ["c"], "Invalid output name: c"),
            ({"x": good}, [], "At least one output should be requested."),
        ]
        for inputs, outputs, words in cases:
            code, text = run_raw(session, inputs, outputs)
            assert (code, words in text) == (invalid, True), text
        assert run_raw(session, {"x": good}, ["y"]) == (0, "")
        if api.is_core:
            assert run_raw(session, {}, ["y"]) == (invalid, "Missing Input: x")


def test_bound_values_are_read_and_written_by_each_run(api, opened, x):
    session = opened(CHAIN, with_ops(api), api=api)
    y = np.zeros_like(x)
    with session.bind({"x": x}, {"y": y}) as bound:
        bound.run()
        np.testing.assert_array_equal(y, x / 2 + x + 2 * x)
        x += 1
        bound.run()
        np.testing.assert_array_equal(y, x / 2 + x + 2 * x)


def test_an_input_without_a_name_is_refused(core_api):
    inputs = [value(name, shape=["n", 3]) for name in ("x", "")]
    outputs = [value("y", shape=["n", 3])]
    source = model([ours("join", "x x", "y")], inputs, outputs, domains={DOMAIN: 1})
    with pytest.raises(ort.OrtError, match="has no name"):
        ort.Session(source, with_ops(core_api), api=core_api)


def test_a_setting_that_would_be_ignored_is_refused(core_api, tmp_path):
    options = with_ops(core_api)
    options.optimized_model_path = str(tmp_path / "file")
    with pytest.raises(ort.errors.NotImplemented, match="optimizes no model"):
        ort.Session(CHAIN, options, api=core_api)


# --- providers ------------------------------------------------------------------------------------

SUM = model(
    [node("Add", "x w", "a"), node("Add", "a w", "y")],
    [value("x", shape=[3])],
    [value("y", shape=[3]), value("a", shape=[3])],
    [tensor("w", np.arange(3, dtype=np.float32))],
)


@pytest.fixture
def added(core_api) -> Iterator[ort.SessionOptions]:
    options = ort.SessionOptions(core_api)
    options.add_devices(eps.adding_devices())
    with options:
        yield options


def test_a_model_with_compiled_nodes_is_not_written(core_api, added, tmp_path):
    added.optimized_model_path = str(tmp_path / "model.onnx")
    with pytest.raises(ort.errors.Fail, match="Unable to serialize model as it contains compiled"):
        ort.Session(SUM, added, api=core_api)
    assert list(tmp_path.iterdir()) == []


def test_custom_ops_run_what_a_provider_leaves(core_api, opened, added, x):
    with ort.CustomOpDomain(DOMAIN, core_api) as domain:
        domain.add(join)
        added.add_custom_op_domain(domain)
    weights = [tensor("w", np.ones((2, 3), np.float32))]
    nodes = [node("Add", "x w", "a"), ours("join", "a x", "b"), node("Add", "b w", "y")]
    outputs = [value(name, shape=[2, 3]) for name in "yab"]
    domains = {DOMAIN: 1}
    source = model(nodes, [value("x", shape=[2, 3])], outputs, weights, domains=domains)
    session = opened(source, added, api=core_api)
    np.testing.assert_array_equal(session.run(x=x)[0], 3 * x + 2)


def test_a_later_provider_gets_the_rest_of_what_it_takes_as_one(core_api, opened, added):
    with ort.Env("rest", core_api) as env:
        added.add_devices(env.register_ep(takes(Add=np.add, Neg=np.negative)).devices)
    w = np.arange(3, dtype=np.float32)
    source = graph_of("x f4[3]", "a = Add x w; y = Neg a", "y f4[3], a f4[3]", w=w)
    session = opened(source, added, api=core_api)
    np.testing.assert_array_equal(session.run(x=np.ones(3, "f4"))[0], [-1, -2, -3])


@pytest.mark.parametrize(("dtype", "expected"), [("f4", 2), ("i4", 3)])
def test_of_ops_with_one_name_that_for_the_types_of_a_node_runs(api, opened, dtype, expected):
    options = ort.SessionOptions(api)
    domain = ort.CustomOpDomain(DOMAIN, api)
    for kind, factor in (("f4", 2), ("i4", 3)):
        define = ort.custom_op(DOMAIN, inputs=[kind], outputs=[kind], name="Scale", op_set=None)
        domain.add(define(lambda x, factor=factor: x * x.dtype.type(factor)))
    options.add_custom_op_domain(domain)
    graph = graph_of(f"x {dtype}[2]", f"y = {DOMAIN}.Scale x", f"y {dtype}[2]")
    (y,) = opened(graph, options, api=api).run(x=np.ones(2, dtype))
    assert y.tolist() == [expected, expected]
    domain.close()


@pytest.mark.parametrize(("version", "expected"), [(1, 1), (4, 1), (5, 5), (9, 5)])
def test_the_newest_op_that_the_version_of_the_model_has_runs(opened, version, expected):
    options = ort.SessionOptions()
    domain = ort.CustomOpDomain(DOMAIN)
    for versions in ((1, 4), (5, None)):
        described = {"inputs": ["f4"], "outputs": ["f4"], "versions": versions, "op_set": None}
        define = ort.custom_op(DOMAIN, name="Since", **described)
        domain.add(define(lambda x, since=versions[0]: x * np.float32(since)))
    options.add_custom_op_domain(domain)
    ports = ([value(name, shape=[2])] for name in "xy")
    data = model([ours("Since", "x", "y")], *ports, domains={DOMAIN: version})
    (y,) = opened(data, options).run(x=np.ones(2, np.float32))
    assert y.tolist() == [expected, expected]
    domain.close()


ONE_OP = [ours("join", "x x", "y")], [value("x", shape=[3])], [value("y", shape=[3])]


REFUSED = (ort.errors.Fail, ort.errors.InvalidArgument)  # the latter by older releases


@pytest.mark.parametrize("domain", ["", "ai.onnx.ml"])
def test_a_version_of_operators_of_onnx_that_a_library_does_not_know_is_refused(
    api, opened, domain
):
    with pytest.raises(REFUSED, match="999"):
        opened(model(*ONE_OP, domains={domain: 999, DOMAIN: 1}), with_ops(api), api=api)


def test_operators_of_others_may_have_any_version_and_an_entry_allows_those_of_onnx(api, opened):
    versions = [{"domains": {DOMAIN: 999}}]
    if api.version >= 32:  # older releases have a variable of the environment for it
        versions.append({"opset": 999, "domains": {DOMAIN: 1}})
    for given in versions:
        options = with_ops(api)
        if "opset" in given:
            options.config["session.allow_released_opsets_only"] = "0"
        session = opened(model(*ONE_OP, **given), options, api=api)
        assert session.run(x=np.ones(3, np.float32))[0].tolist() == [3, 3, 3]


def test_the_versions_of_operators_of_onnx_begin_with_1(core_api, opened):
    """The real library refuses nodes of that version only."""
    with pytest.raises(ort.errors.InvalidGraph, match=r"version 0 of the operator set 'ai\.onnx'"):
        opened(model(*ONE_OP, opset=0, domains={DOMAIN: 1}), with_ops(core_api), api=core_api)


def test_a_model_without_operator_sets_or_of_a_newer_format_is_refused(api, opened):
    without = field(1, 8) + field(7, graph(*ONE_OP))
    newer = model(*ONE_OP, domains={DOMAIN: 1}, facts=field(1, 99))
    for content, words in ((without, r"operator set|Missing opset"), (newer, r"version:? 99")):
        with pytest.raises(REFUSED, match=words):
            opened(content, with_ops(api), api=api)


def with_declared_weights(number: int, dtype: str, shape) -> bytes:
    """y = x + 2 * w, ones; a field of the graph says a type of w."""
    ones = tensor("w", np.ones((1, 3), np.float32))
    declared = field(number, value("w", dtype, shape))
    return of([ours("join", "x w", "y")], initializers=[ones], inner=declared)


TYPES = [("float32", [1, 3]), ("float32", ["n", 3])]
OTHERS = [("float32", [1, 4]), ("float32", [3]), ("int32", [1, 3])]


@pytest.mark.parametrize(
    ("number", "dtype", "shape"),
    [(11, *TYPES[0]), (11, *TYPES[1]), *((13, *each) for each in OTHERS)],
)
def test_of_an_initializer_only_the_type_as_an_input_counts(api, opened, number, dtype, shape):
    session = opened(with_declared_weights(number, dtype, shape), with_ops(api), api=api)
    assert session.run(x=np.zeros((1, 3), np.float32))[0].tolist() == [[2, 2, 2]]


def test_threads_of_the_client_make_runs_and_help_kernels(build_client, core_library):
    done = run(build_client("session_threads"), core_library, "500", "fork")
    assert "session_threads: OK" in done.stdout


@pytest.mark.parametrize("source", [ort.Graph(), CHAIN])
def test_a_table_without_an_editor_of_models_makes_no_session(source):
    with pytest.raises(ort.errors.NotImplemented, match="GetModelEditorApi came with API version"):
        ort.Session(source, api=ort.emulate(21))
