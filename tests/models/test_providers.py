# SPDX-License-Identifier: MIT
"""Execution providers at work on models, without a session."""

import ctypes
import re
import shlex
import sys
from shutil import copy

import numpy as np
import pytest
from support import eps, models
from support.graphs import graph_of
from support.paths import CHECKOUT
from support.processes import run

import ortcffi as ort

GUIDE = CHECKOUT / "docs/guide"
SHAPE = (2, 3)


@pytest.fixture(scope="module")
def library(c_compiler):
    return eps.build(c_compiler, eps.ADDING)


@pytest.fixture
def registered(library):
    with ort.Env("ep", ort.core_api()) as env, env.register_ep(library, "add") as made:
        yield made


@pytest.fixture
def provider(registered):
    with ort.Ep(registered.devices) as made:
        yield made


def chain(*operators, shape=SHAPE, typed=True):
    """A model in which each operator adds the constant w to, or is applied to, the one before."""
    graph = ort.Graph()
    graph.input("x", "f4", shape)
    graph.initializer("w", np.arange(6, dtype=np.float32).reshape(SHAPE))
    last = "x"
    for i, operator in enumerate(operators):
        inputs = [last, "w"] if operator == "Add" else [last]
        (last,) = graph.node(operator, inputs, [f"v{i}"], name=f"n{i}")
    graph.output(last, "f4", shape if typed else None)
    return ort.Model.load(graph.to_bytes())


X = np.ones(SHAPE, np.float32)
W = np.arange(6, dtype=np.float32).reshape(SHAPE)


def test_a_provider_says_what_it_takes_and_what_is_left(provider):
    claims = provider.capability(chain("Add", "Relu"))
    ((node,),) = [group.nodes for group in claims.groups]
    assert (node.name, node.op_type) == ("n0", "Add")
    assert [each.name for each in claims.left] == ["n1"]
    assert claims.groups[0].is_fused
    assert not claims.groups[0].drops_constants
    assert "1 nodes in 1 groups, 1 left" in repr(claims)


def test_a_compiled_node_computes(provider):
    (node,) = provider.compile(provider.capability(chain("Add")))
    (y,) = node(X)
    np.testing.assert_array_equal(y, X + W)
    (y,) = node(x=X)
    np.testing.assert_array_equal(y, X + W)
    assert (node.inputs, node.outputs, node.constants) == (("x", "w"), ("v0",), {"w"})


@pytest.mark.parametrize(
    ("given", "what"),
    [
        (X.astype(np.float64), "tensor of float"),
        (np.ones((3, 2), np.float32), "another shape than in the model"),
        (np.ones((2, 3, 1), np.float32), "another shape than in the model"),
        (np.ones((0, 3), np.float32), "another shape than in the model"),
    ],
)
def test_an_input_that_the_model_does_not_have_is_refused(provider, given, what):
    (node,) = provider.compile(provider.capability(chain("Add")))
    with pytest.raises(ort.errors.InvalidArgument, match=what):
        node(given)


def test_wrong_names_of_inputs_are_refused(provider):
    (node,) = provider.compile(provider.capability(chain("Add")))
    with pytest.raises(TypeError, match="'X' is no input"):
        node(X=X)
    with pytest.raises(TypeError, match=r"input 'x' of .* was given twice"):
        node(X, x=X)
    with pytest.raises(TypeError, match=r"input 'x' of .* is missing"):
        node()
    with pytest.raises(TypeError, match="takes 1 arrays, not 2; the inputs are x"):
        node(X, X)


def two_multiplications():
    nodes = "taken: y = Mul x w; other: z = Mul n n"
    graph = graph_of("x f4[2,3], n i8[2,3]", nodes, "y f4[2,3], z i8[2,3]", {"": 18}, w=W)
    return ort.Model.load(graph.to_bytes())


def test_single_nodes_run_on_the_kernels_of_a_registry(c_compiler):
    library = eps.build(c_compiler, eps.WITH_KERNELS)
    with (
        ort.Env("ep", ort.core_api()) as env,
        env.register_ep(library, "kernels") as made,
        ort.Ep(made.devices) as provider,
        provider.capability(two_multiplications()) as claims,
    ):
        assert [node.name for node in claims.left] == ["other"]
        assert not claims.groups[0].is_fused
        (node,) = provider.compile(claims)
        (y,) = node(x=X)
    np.testing.assert_array_equal(y, 2 * W)  # the one constant was packed
    assert (node.name, node.inputs, node.constants) == ("taken", ("x", "w"), {"w"})


def test_a_kernel_may_add_others_to_the_registry_that_it_is_from(api, c_compiler):
    library = eps.build(c_compiler, eps.WITH_KERNELS)
    nodes = "square = Mul x x; y = Mul square x"
    graph = graph_of("x f4[2,3]", nodes, "y f4[2,3]", {"": 18})
    with eps.session_on(api, library, "a registry that grows", graph) as session:
        np.testing.assert_array_equal(session.run({"x": X})[0], X**3)


def test_nothing_to_compile_is_refused(provider):
    claims = provider.capability(chain("Relu"))
    assert claims.groups == ()
    with pytest.raises(ort.errors.InvalidArgument, match="takes no node"):
        provider.compile(claims)


def test_arguments_are_checked(provider, registered):
    with pytest.raises(TypeError, match=r"devices\[0\] must be an EpDevice"):
        ort.Ep(["CPU"])
    with pytest.raises(TypeError, match=r"such as env.register_ep\(path\)\.devices, not 'my.so'"):
        ort.Ep("my.so")
    with pytest.raises(ValueError, match="devices must not be empty"):
        ort.Ep([])
    with pytest.raises(ort.errors.NoSuchFile, match=r"'no\.onnx' does not exist"):
        provider.capability("no.onnx")
    with pytest.raises(TypeError, match="claims must be EpClaims"):
        provider.compile([])
    with pytest.raises(TypeError, match=r"^options\['a'\] must be a str, not int"):
        ort.Ep(registered.devices, {"a": 1})
    claims = provider.capability(chain("Add"))
    assert claims.ep is provider
    with (
        ort.Ep(registered.devices) as other,
        pytest.raises(ValueError, match="claims must be of this provider"),
    ):
        other.compile(claims)
    assert "closed" not in repr(provider)


def test_every_line_of_the_guide_does_what_it_shows(c_compiler, tmp_path):
    text = (GUIDE / "execution_providers.md").read_text()
    (tmp_path / "add_ep.c").write_text((GUIDE / "add_ep.c").read_text())
    program = []
    for language, lines in re.findall(r"```(\w+)\n(.*?)```", text, re.DOTALL):
        if language == "python":
            program.append(lines)
            continue
        command = lines.strip().replace("cc ", f"{shlex.join(c_compiler)} -Wall -Werror ", 1)
        command = command.replace("$(ortcffi config --cflags)", f"-I{CHECKOUT / 'core/include'}")
        run("sh", "-c", command, cwd=tmp_path)
    (tmp_path / "program.py").write_text("\n".join(program))
    printed = run(sys.executable, "program.py", cwd=tmp_path).stdout.splitlines()
    assert printed == re.findall(r"print\(.*\)  # (.*)", text)
    assert len(printed) == 12


def nested_loops():
    """y = x + x + ... within a loop in a loop."""

    def body(name, count, go, v, inner):
        ports = [
            [models.value(count, "int64", []), models.value(go, "bool", [])],
            [models.value(f"{go}_on", "bool", [])],
        ]
        for side, each in zip(ports, (v, f"{v}_next"), strict=True):
            side.append(models.value(each, shape=(4, 4)))
        nodes = [models.node("Identity", go, f"{go}_on"), inner]
        return models.graph(nodes, *ports, name=name)

    inner = body("inner", "k", "go2", "u", models.node("Add", "u x", "u_next"))
    loop = models.node("Loop", "i go v", "v_next", body=inner)
    outer = models.node("Loop", "n start x", "y", body=body("outer", "i", "go", "v", loop))
    given = [models.value("n", "int64", []), models.value("start", "bool", [])]
    x, y = (models.value(name, shape=(4, 4)) for name in "xy")
    return ort.Model.load(models.model([outer], [x, *given], [y]))


def test_a_provider_is_shown_the_innermost_graphs_first(api, c_compiler, tmp_path):
    library = copy(eps.build(c_compiler, eps.ON_A_DEVICE), tmp_path)
    events = ctypes.CDLL(library).AskedEpEvents
    events.restype = ctypes.c_char_p
    model = nested_loops()
    with ort.Env("ep", api) as env, env.register_ep(library, "graphs") as made:
        if api.is_core:
            with ort.Ep(made.devices) as provider:
                assert provider.capability(model).groups == ()
        else:
            with ort.SessionOptions(api) as options:
                options.add_devices(made.devices)
                ort.Session(model, options).close()
        shown = [*dict.fromkeys(events().decode().split())]
        assert shown == ["inner", "outer", model.graph.name]


# --- providers that want the channels last --------------------------------------------------------


IMAGES = (2, 3, 4, 5)
NHWC = "com.ms.internal.nhwc"


@pytest.fixture
def device_library(c_compiler, tmp_path):
    return copy(eps.build(c_compiler, eps.ON_A_DEVICE), tmp_path)


@pytest.fixture
def channels_last(core_api, device_library):
    with (
        ort.Env("layout", core_api) as env,
        env.register_ep(device_library, "nhwc") as made,
        ort.Ep(made.devices) as ep,
    ):
        yield ep


def pooling(*operators, shape=IMAGES, made=("y", "z", "u")):
    graph = ort.Graph({"": 18})
    graph.input("x", "f4", shape)
    for operator, output in zip(operators, made, strict=False):
        graph.node(operator, ["x"], [output], name=operator)
        if shape is not None:
            graph.output(output, "f4", [*shape[:2], 1, 1] if "Pool" in operator else shape)
        else:
            graph.output(output, "f4")
    return ort.Model.load(graph.to_bytes())


def x_of(shape=IMAGES):
    return np.random.default_rng(1).standard_normal(shape, dtype=np.float32)


def test_nodes_get_the_channels_last_between_transposes(channels_last):
    claims = channels_last.capability(pooling("GlobalAveragePool"))
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


def test_a_node_computes_with_the_channels_last(channels_last):
    (node,) = channels_last.compile(channels_last.capability(pooling("GlobalAveragePool")))
    x = x_of()
    (y,) = node(np.ascontiguousarray(x.transpose(0, 2, 3, 1)))
    np.testing.assert_allclose(y.transpose(0, 3, 1, 2), x.mean((2, 3), keepdims=True), rtol=1e-5)


def test_a_session_of_the_real_library_changes_the_layout_alike(real_api, device_library):
    x = x_of()
    model = pooling("GlobalAveragePool", "GlobalMaxPool")
    with eps.session_on(real_api, device_library, "nhwc", model) as session:
        y, z = session.run({"x": x})
    np.testing.assert_allclose(y, x.mean((2, 3), keepdims=True), rtol=1e-5)
    np.testing.assert_array_equal(z, x.max((2, 3), keepdims=True))


def test_transposes_for_one_provider_stay_when_another_wants_the_channels_last(
    core_api, device_library, tmp_path
):
    x = x_of((2, 3, 1, 1))
    model = pooling("GlobalAveragePool", shape=x.shape)
    second = copy(device_library, tmp_path / "second.so")
    with (
        ort.Env("layout", core_api) as env,
        env.register_ep(second, "nhwc transposes") as made,
        eps.session_on(core_api, device_library, "nhwc", model, [made.devices]) as session,
    ):
        np.testing.assert_array_equal(session.run({"x": x})[0], x)


def test_a_provider_says_which_operators_change(channels_last):
    claims = channels_last.capability(pooling("GlobalAveragePool", "GlobalMaxPool", "Elu"))
    assert {node.op_type: node.domain for group in claims.groups for node in group.nodes} == {
        "GlobalAveragePool": NHWC,
        "GlobalMaxPool": "",
        "Elu": NHWC,
    }
    # both nodes that change read one copy of x
    assert [node.op_type for node in claims.left] == ["Transpose"] * 3


def test_values_may_have_the_names_of_copies_and_what_has_no_channels_stays(channels_last):
    made = "x_nhwc", "y", "z"
    claims = channels_last.capability(pooling("GlobalAveragePool", "GlobalMaxPool", made=made))
    names = [name for node in claims.graph.nodes for name in node.outputs]
    assert len({*names}) == len(names) == 4
    graph = graph_of("x f4[2,3,4,5]", "y = Mul x x", "y f4[2,3,4,5]", {"": 18})
    claims = channels_last.capability(ort.Model.load(graph.to_bytes()))
    assert [node.op_type for node in claims.graph.nodes] == ["Mul"]


def test_a_node_whose_rank_is_unknown_is_refused_and_not_computed_wrong(channels_last):
    with pytest.raises(ort.errors.Fail, match="how many dimensions a value has: x"):
        channels_last.capability(pooling("GlobalAveragePool", shape=None))


def test_the_graph_of_claims_lives_as_long_as_what_is_compiled(channels_last):
    model = pooling("GlobalAveragePool")
    claims = channels_last.capability(model)
    (node,) = channels_last.compile(claims)
    seen = claims.graph["y_nhwc"]
    claims.close()
    model.close()
    (y,) = node(np.ones((2, 4, 5, 3), np.float32))
    np.testing.assert_allclose(y, np.ones((2, 1, 1, 3)), rtol=1e-6)
    assert seen.shape == (2, 1, 1, 3)
