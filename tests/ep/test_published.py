# SPDX-License-Identifier: MIT
"""Execution providers that others publish, where they are installed (extra ``eps``)."""

import importlib.metadata
import json
from pathlib import Path
from typing import NamedTuple

import pytest
from support.paths import finds_support
from support.prepared import run_program


class Published(NamedTuple):
    """A package, its library, and what it lists on a CPU."""

    package: str
    library: str
    device: str | None
    name: str = "mine"
    leaves: tuple[str, int] = ("", 0)  # what it never releases, each time


pytestmark = pytest.mark.slow
EPS = [
    Published(
        "nxrt-ep-cpu", "libonnx_runtime_ep_cpu_plugin.so", "cpu_ep", leaves=("memory info", 1)
    ),
    Published("onnxruntime-ggml", "libonnxruntime_ggml.so", "mine"),
    Published("onnxruntime-ep-webgpu", "libonnxruntime_providers_webgpu.so", None),
    Published(
        "onnxruntime-ep-webgpu",
        "libonnxruntime_providers_webgpu.so",
        "WebGpuExecutionProvider",
        "mine.virtual",
    ),
    Published(
        "onnxruntime-ep-openvino",
        "libonnxruntime_providers_openvino_plugin.so",
        "OpenVINOExecutionProvider",
        "mine.virtual",
    ),
    Published("onnxruntime-qnn", "libonnxruntime_providers_qnn.so", "mine"),
]


def library_of(published):
    try:
        files = importlib.metadata.files(published.package) or []
    except importlib.metadata.PackageNotFoundError:
        pytest.skip(f"{published.package} is not installed")
    [found] = [each for each in files if each.name == published.library]
    return Path(str(found.locate()))


@pytest.fixture(params=EPS, ids=lambda each: f"{each.package}:{each.name}")
def published(request):
    return request.param, library_of(request.param)


REGISTER = """
import json, sys
import ortcffi as ort
from ortcffi.testing.live_objects import left_alive, live_objects

table, library, name = sys.argv[1:]
before, reported = live_objects(), []
with ort.Env(api=ort.core_api() if table == "core" else ort.load(), severity=4) as env:
    for _ in range(3):
        with env.register_ep(library, name) as ep:
            reported.append(sorted({device.name for device in ep.devices}))
print(json.dumps([reported, left_alive(before)]))
"""


@pytest.mark.parametrize("table", ["core", "real"])
def test_it_is_registered_again_and_leaves_nothing(published, table, request):
    """In a process of its own, because not all of these libraries can be unloaded."""
    request.getfixturevalue(f"{table}_api")
    ep, library = published
    done = run_program(REGISTER, table, library, ep.name)
    expected = [] if ep.device is None else [ep.device]
    kind, count = ep.leaves if table == "core" else ("", 0)
    assert json.loads(done.stdout) == [[expected] * 3, {kind: 3 * count} if kind else {}]


WATCHED = """
import gc, json, sys
import ortcffi as ort

library, name = sys.argv[1:]
with ort.Env(api=ort.load()) as env:
    registered = env.register_ep(library, name, watch=True)
    watched = registered.watched
    registered.close()
    del registered
    gc.collect()
    print(json.dumps([watched.calls["GetEpApi"] > 0, watched.wanted_version, watched.left_alive()]))
"""


@pytest.mark.usefixtures("real_api")
def test_it_is_watched_in_the_real_library(published):
    ep, library = published
    done = run_program(WATCHED, library, ep.name)
    has_called, wanted, left = json.loads(done.stdout)
    assert (has_called, wanted >= 22) == (True, True)
    assert left == ({"CreateMemoryInfo_V2": ep.leaves[1]} if ep.leaves[1] else {})


COMPUTE = """
import sys
import numpy as np
import ortcffi as ort
from support.graphs import graph_of

w, b = np.arange(12, dtype=np.float32).reshape(3, 4), np.array([-20, 0, 1, 2], np.float32)
graph = graph_of("x f4[2,3]", "h = MatMul x w; s = Add h b; y = Relu s", "y f4[2,4]", w=w, b=b)
model = ort.Model.load(graph.to_bytes())
env = ort.Env("compute", ort.core_api(), severity=4)
registered = env.register_ep(sys.argv[1], "mine")
with ort.Ep(registered.devices[:1]) as ep:
    claims = ep.capability(model)
    assert claims.left == (), claims
    (node,) = ep.compile(claims)
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    (y,) = node(x=x)
    np.testing.assert_allclose(y, np.maximum(x @ w + b, 0), rtol=1e-3)
    try:
        node(x=x.astype(np.float64))
    except ort.errors.InvalidArgument:
        print("computed")
"""


def test_a_model_computes_on_it_without_an_engine():
    [ggml] = [each for each in EPS if each.package == "onnxruntime-ggml"]
    done = run_program(COMPUTE, library_of(ggml), env=finds_support())
    assert "computed" in done.stdout


COMPILE = """
import sys
import numpy as np
import ortcffi as ort
from support.graphs import graph_of

table, library, folder, embed = sys.argv[1:]
api = ort.core_api() if table == "core" else ort.load()
x = np.arange(6, dtype=np.float32).reshape(2, 3)
w = np.arange(12, dtype=np.float32).reshape(3, 4)
graph = graph_of("x f4[2,3]", "h = MatMul x w; y = Relu h", "y f4[2,4]", {"": 18}, w=w)
graph.save(f"{folder}/model.onnx")
intel = [ort.HardwareDevice("CPU", vendor_id=0x8086, api=api)] if api.is_core else None
devices = ort.Env("compile", api, severity=4).register_ep(library, "intel", hardware=intel).devices

def options(**config):
    entries = {f"ep.context_{key}": value for key, value in config.items()}
    made = ort.SessionOptions(api, config=entries)
    made.add_devices(devices[:1])
    return made

if not devices:
    sys.exit("none")
compiled = f"{folder}/compiled.onnx"
asked = options(enable="1", embed_mode=embed, file_path=compiled)
ort.Session(f"{folder}/model.onnx", asked, api=api).close()
with ort.Model.load(compiled) as model:
    assert [node.op_type for node in model.graph.nodes] == ["EPContext"]
    assert not model.graph.initializers
    assert "ep_compatibility_info.OpenVINOExecutionProvider" in model.metadata.custom
with open(compiled, "rb") as file:
    content = file.read()
for given, config in ((compiled, {}), (content, {"file_path": compiled})):
    with ort.Session(given, options(**config), api=api) as session:
        np.testing.assert_allclose(session.run(x=x)[0], x @ w, rtol=1e-3)
print("computed")
"""


@pytest.mark.parametrize("embed", ["0", "1"])
@pytest.mark.parametrize("table", ["core", "real"])
def test_a_model_that_openvino_has_compiled_computes_the_same(table, embed, tmp_path, request):
    request.getfixturevalue(f"{table}_api")
    [openvino] = [each for each in EPS if each.package == "onnxruntime-ep-openvino"]
    library = library_of(openvino)
    done = run_program(COMPILE, table, library, tmp_path, embed, code=None, env=finds_support())
    if table == "real" and done.stderr.strip() == "none":
        # OpenVINO takes hardware of Intel alone, and onnxruntime sees what there is.
        assert "GenuineIntel" not in Path("/proc/cpuinfo").read_text()
        return
    assert done.stdout.split() == ["computed"], done.stderr


CONVOLVE = """
import sys
import numpy as np
import ortcffi as ort
from support.graphs import graph_of

x = np.random.default_rng(0).standard_normal((1, 3, 8, 8), dtype=np.float32)
w = np.random.default_rng(1).standard_normal((4, 3, 3, 3), dtype=np.float32)
graph = graph_of("x f4[1,3,8,8]", "y = Conv x w", "y f4[1,4,6,6]", w=w)
env = ort.Env("convolve", ort.core_api(), severity=4)
registered = env.register_ep(sys.argv[1], "qnn")
windows = np.lib.stride_tricks.sliding_window_view(x, (3, 3), (2, 3))
with ort.Ep(registered.devices[:1], {"backend_path": sys.argv[2]}) as ep:
    claims = ep.capability(ort.Model.load(graph.to_bytes()))
    assert claims.left == (), claims
    (node,) = ep.compile(claims)
    (y,) = node(x=x)
np.testing.assert_allclose(y, np.einsum("nchwij,ocij->nohw", windows, w), atol=1e-4)
# The real library is written in C++, and QNN's has put another runtime of C++ before all others.
(real,) = ort.Session(graph.to_bytes(), env=ort.Env("real", ort.load())).run(x=x)
np.testing.assert_allclose(y, real, atol=1e-4)
print("computed")
"""


@pytest.mark.usefixtures("real_api")
def test_qnn_computes_a_convolution_with_channels_last_and_the_real_library_may_be_loaded_then():
    [qnn] = [each for each in EPS if each.package == "onnxruntime-qnn"]
    library = library_of(qnn)
    done = run_program(CONVOLVE, library, library.parent / "libQnnHtp.so", env=finds_support())
    assert "computed" in done.stdout
