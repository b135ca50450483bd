# SPDX-License-Identifier: MIT
"""Execution providers at work on models, without a session: the provider of the guide, in C."""

import ctypes
import re
import shlex
import sys
from concurrent.futures import ThreadPoolExecutor
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


@pytest.mark.parametrize("form", ["path", "bytes", "graph"])
def test_a_model_may_be_given_as_a_session_takes_it(provider, form, tmp_path):
    graph = graph_of("x f4[3]", "y = Add x x", "y f4[3]")
    graph.save(tmp_path / "model.onnx")
    given = {"path": tmp_path / "model.onnx", "bytes": graph.to_bytes(), "graph": graph}[form]
    (node,) = provider.compile(provider.capability(given))
    assert node(np.ones(3, np.float32))[0].tolist() == [2] * 3
    with pytest.raises(TypeError, match="model must be a path or bytes-like, not int"):
        provider.capability(5)


def test_threads_compute_with_one_node(provider):
    (node,) = provider.compile(provider.capability(chain("Add")))
    with ThreadPoolExecutor(8) as pool:
        for (y,) in pool.map(lambda _: node(X), range(200)):
            np.testing.assert_array_equal(y, X + W)


def two_multiplications():
    graph = ort.Graph({"": 18})
    graph.input("x", "f4", SHAPE)
    graph.input("n", "i8", SHAPE)
    graph.initializer("w", W)
    graph.node("Mul", ["x", "w"], ["y"], name="taken")
    graph.node("Mul", ["n", "n"], ["z"], name="of another type")
    graph.output("y", "f4", SHAPE)
    graph.output("z", "i8", SHAPE)
    return ort.Model.load(graph.to_bytes())


def test_single_nodes_run_on_the_kernels_of_a_registry(c_compiler):
    library = eps.build(c_compiler, eps.WITH_KERNELS)
    with (
        ort.Env("ep", ort.core_api()) as env,
        env.register_ep(library, "kernels") as made,
        ort.Ep(made.devices) as provider,
        provider.capability(two_multiplications()) as claims,
    ):
        assert [node.name for node in claims.left] == ["of another type"]
        assert not claims.groups[0].is_fused
        (node,) = provider.compile(claims)
        (y,) = node(x=X)
    np.testing.assert_array_equal(y, 2 * W)  # the one constant was packed
    assert (node.name, node.inputs, node.constants) == ("taken", ("x", "w"), {"w"})


def test_they_run_in_sessions_of_the_real_library_alike(real_api, c_compiler):
    library = eps.build(c_compiler, eps.WITH_KERNELS)
    model = two_multiplications()
    with eps.session_on(real_api, library, "kernels of a session", model) as session:
        y, z = session.run({"x": X, "n": np.full(SHAPE, 3)})
    np.testing.assert_array_equal(y, 2 * W)
    np.testing.assert_array_equal(z, np.full(SHAPE, 9))


def test_a_kernel_may_add_others_to_the_registry_that_it_is_from(api, c_compiler):
    library = eps.build(c_compiler, eps.WITH_KERNELS)
    graph = ort.Graph({"": 18})
    graph.input("x", "f4", SHAPE)
    graph.node("Mul", ["x", "x"], ["square"])
    graph.node("Mul", ["square", "x"], ["y"])
    graph.output("y", "f4", SHAPE)
    with eps.session_on(api, library, "a registry that grows", graph) as session:
        np.testing.assert_array_equal(session.run({"x": X})[0], X**3)


def test_all_may_be_closed_in_any_order(library):
    env = ort.Env("ep", ort.core_api())
    registered = env.register_ep(library, "add")
    provider = ort.Ep(registered.devices)
    model = chain("Add")
    claims = provider.capability(model)
    (node,) = provider.compile(claims)
    for each in (env, registered, provider, claims, model):
        each.close()
    (y,) = node(X)
    np.testing.assert_array_equal(y, X + W)
    node.kernel.close()
    with pytest.raises(ValueError, match="closed"):
        node(X)


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
    inner = models.graph(
        [models.node("Identity", "go2", "on2"), models.node("Add", "u x", "u_next")],
        [
            models.value("k", "int64", []),
            models.value("go2", "bool", []),
            models.value("u", shape=(4, 4)),
        ],
        [models.value("on2", "bool", []), models.value("u_next", shape=(4, 4))],
        name="inner",
    )
    body = models.graph(
        [models.node("Identity", "go", "on"), models.node("Loop", "i go v", "v_next", body=inner)],
        [
            models.value("i", "int64", []),
            models.value("go", "bool", []),
            models.value("v", shape=(4, 4)),
        ],
        [models.value("on", "bool", []), models.value("v_next", shape=(4, 4))],
        name="outer",
    )
    made = models.model(
        [models.node("Loop", "n start x", "y", body=body)],
        [
            models.value("x", shape=(4, 4)),
            models.value("n", "int64", []),
            models.value("start", "bool", []),
        ],
        [models.value("y", shape=(4, 4))],
    )
    return ort.Model.load(made)


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
