# SPDX-License-Identifier: MIT
"""Providers in Python that are useful by themselves: "reference", and the guide's for NumPy."""

import os
import runpy
from importlib.util import find_spec

import numpy as np
import pytest
from support.graphs import graph_of
from support.paths import CHECKOUT, finds_support
from support.prepared import printed_by
from support.processes import run_python
from support.python_eps import takes

import ortcffi as ort

F = np.float32
GUIDE = CHECKOUT / "docs/guide"
NUMPY_EP = GUIDE / "numpy_ep.py"


@pytest.fixture(params=["reference", "numpy"])
def ep(request):
    if request.param == "numpy":
        return runpy.run_path(str(NUMPY_EP))["NumpyEp"]
    pytest.importorskip("onnx.reference")
    return ort.python_ep("reference")


def network(axis=1):
    """A softmax of a product and a sum, which is also an output, of all kinds of attributes."""
    rng = np.random.default_rng(5)
    shapes = {"w": (4, 6), "b": (6,), "c": (6, 2)}
    weights = {name: rng.standard_normal(shape, F) for name, shape in shapes.items()}
    weights |= {"shape": np.array([0, 2, 3], np.int64), "b1": np.zeros(2, F)}
    nodes = f"""h = Gemm(alpha=0.5) x w b; s = Sigmoid h; m = Mul h s; r = Reshape m shape;
        t = Transpose(perm=[0, 2, 1]) r; y = Softmax(axis={axis}) t;
        z0 = MatMul m c; z = Max z0 b1"""
    return graph_of("x f4[n,4]", nodes, "y f4[n,3,2], z f4[n,2]", **weights).to_bytes()


def expected(content, x):
    with ort.Session(content, api=ort.load()) as session:
        return session.run({"x": x})


X = np.random.default_rng(6).standard_normal((5, 4), F)


def compute_on_the_core(ep, api):
    content = network()
    with ort.Env("test", api) as env:
        provider = ort.Ep(env.register_ep(ep).devices)
        claims = provider.capability(ort.Model.load(content))
        assert claims.left == ()
        [node] = provider.compile(claims)
        found = dict(zip(node.outputs, node(X), strict=True))
        for name, array in zip("yz", expected(content, X), strict=True):
            np.testing.assert_allclose(found[name], array, rtol=1e-4, atol=1e-6)
            assert found[name].dtype == F


def compute_in_a_real_library(ep, api):
    content = network()
    wanted = expected(content, X)
    config = {"session.disable_cpu_ep_fallback": "1"}
    with ort.Env("test", api) as env, ort.SessionOptions(api, config=config) as options:
        options.add_devices(env.register_ep(ep).devices)
        session = ort.Session(content, options)
        for array, right in zip(session.run({"x": X}), wanted, strict=True):
            np.testing.assert_allclose(array, right, rtol=1e-4, atol=1e-6)
        session.close()
        del session  # which keeps the registration


@pytest.mark.usefixtures("real_library")
def test_it_computes_a_network_on_the_core(ep, core_api):
    compute_on_the_core(ep, core_api)


def test_it_computes_a_network_in_a_real_library(ep, real_api):
    compute_in_a_real_library(ep, real_api)


JAX = """
import runpy, sys
import ortcffi as ort
from test_python_ep_examples import compute_in_a_real_library, compute_on_the_core

ep = runpy.run_path(sys.argv[1])["JaxEp"]
compute_on_the_core(ep, ort.core_api())
compute_in_a_real_library(ep, ort.load())
"""


@pytest.mark.slow
@pytest.mark.usefixtures("real_library")
def test_the_one_for_jax_computes_the_same():
    """In a process of its own: JAX starts threads, and warns of each fork after that."""
    if find_spec("jax") is None:
        pytest.skip("jax is not installed")
    tests = CHECKOUT / "tests"
    run_python(JAX, GUIDE / "jax_ep.py", PYTHONPATH=f"{tests}{os.pathsep}{tests / 'models'}")


OFFICIAL = """
import runpy, sys
import numpy as np
import onnxruntime
import ortcffi as ort
from ortcffi.testing.live_objects import live_objects

content, ep = open(sys.argv[2], "rb").read(), runpy.run_path(sys.argv[1])["NumpyEp"]
x = np.ones((2, 4), np.float32)
right = onnxruntime.InferenceSession(content).run(None, {"x": x})
for _ in range(2):
    onnxruntime.register_execution_provider_library(ep.name, ep.path)
    devices = [each for each in onnxruntime.get_ep_devices() if each.ep_name == ep.name]
    options = onnxruntime.SessionOptions()
    options.add_session_config_entry("session.disable_cpu_ep_fallback", "1")
    options.add_provider_for_devices(devices, {})
    session = onnxruntime.InferenceSession(content, options)
    assert session.get_providers()[0] == ep.name
    for found, wanted in zip(session.run(None, {"x": x}), right, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-6)
    del session, options, devices
    onnxruntime.unregister_execution_provider_library(ep.name)
print(sum(count for kind, count in live_objects().items() if "written in Python" in kind))
"""


def test_the_official_package_takes_it_as_it_is(tmp_path):
    pytest.importorskip("onnxruntime")
    (tmp_path / "model.onnx").write_bytes(network())
    assert printed_by(OFFICIAL, NUMPY_EP, tmp_path / "model.onnx") == "0"


AT_EXIT = """
import sys
import numpy as np
import ortcffi as ort
from support.graphs import graph_of
from support.python_eps import takes

graph = graph_of("x f4[1]", "y = Identity x", "y f4[1]")
api = ort.load()
env = ort.Env("test", api)
options = ort.SessionOptions(api)
registered = env.register_ep(takes(Identity=lambda x: x))
options.add_devices(registered.devices)
session = ort.Session(graph.to_bytes(), options)
print(session.run({"x": np.ones(1, np.float32)})[0].tolist())
sys.cycle = [sys, session, env]  # what only the end of the interpreter ends
"""


@pytest.mark.usefixtures("real_library")
def test_the_interpreter_may_end_with_a_provider_in_use():
    assert printed_by(AT_EXIT, PYTHONPATH=finds_support()["PYTHONPATH"]) == "[1.0]"


def test_reference_takes_control_flow_as_a_whole_and_leaves_custom_ops(core_api):
    pytest.importorskip("onnx.reference")
    import onnx

    model = onnx.parser.parse_model("""
        <ir_version: 8, opset_import: ["": 18, "mine": 1]>
        agraph (float[2] x, bool c) => (float[2] y) {
            h = mine.Op (x)
            k = Relu (x)
            i = If (c) <
                then_branch = one () => (float[2] a) { a = Add (k, k) },
                else_branch = two () => (float[2] b) { b = Identity (k) }
            >
            y = Add (h, i)
        }
    """)
    for node in model.graph.node:
        if node.op_type == "Op":
            node.domain = "mine"
    model = onnx.shape_inference.infer_shapes(model)
    with ort.Env("test", core_api) as env:
        provider = ort.Ep(env.register_ep(ort.python_ep("reference")).devices)
        claims = provider.capability(ort.Model.load(model.SerializeToString()))
        assert [node.op_type for node in claims.left] == ["Op"]
        [node] = [
            each
            for each in provider.compile(claims)
            if "h" not in each.inputs or "x" in each.inputs
        ]
        given = {"x": np.array([-1, 2], F), "c": np.array(True), "h": np.ones(2, F)}
        result = node(**{name: given[name] for name in node.inputs})
        assert [each.tolist() for each in result] == [[1, 5]]


def test_reference_takes_what_stands_on_both_sides_of_a_node_that_another_takes(api):
    adds = takes(Add=lambda x: x + x)
    nodes = "a = Neg x; b = Neg a; c = Add b b; d = Neg c; y = Neg d"
    graph = graph_of("x f4[2]", nodes, "y f4[2]")
    config = {"session.record_ep_graph_assignment_info": "1"}
    with (
        ort.SessionOptions(api, config=config) as options,
        ort.Session(graph.to_bytes(), options, providers=[adds, "reference"]) as session,
    ):
        assert session.assignment == {adds.name: ["Add"], "reference": ["Neg"] * 4}
        assert session.run(x=[1, 2])[0].tolist() == [2, 4]
