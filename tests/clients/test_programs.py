# SPDX-License-Identifier: MIT
"""Programs of others that are linked with onnxruntime, unmodified, on the core.

They need the extra `programs`, or npm and node, and run only where this folder is named.
"""

import importlib.util
import json
import os
import shutil
import sys
from pathlib import Path

import pytest
from support import eps, models
from support.processes import run

import ortcffi as ort
from ortcffi.cli import build_flags

onnx = pytest.importorskip("onnx")
helper = onnx.helper

TYPES = {
    "float32": 1, "float64": 11, "float16": 10, "int64": 7, "int32": 6, "uint8": 2, "bool": 9,
    "string": 8,
}  # fmt: skip


def saved(path, nodes, inputs, outputs, weights=()):
    graph = helper.make_graph(nodes, "g", inputs, outputs, weights)
    opsets = [helper.make_opsetid("", 17)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), path)


def write_models(folder):
    """Models for ``use_onnxruntime_node.js``."""
    value = helper.make_tensor_value_info
    numbers = {name: kind for name, kind in TYPES.items() if name != "string"}
    saved(
        folder / "types.onnx",
        [helper.make_node("Identity", [name], [f"{name}_out"]) for name in numbers],
        [value(name, kind, ["n", 2]) for name, kind in TYPES.items()],
        [value(f"{name}_out", kind, ["n", 2]) for name, kind in numbers.items()]
        + [value("string", TYPES["string"], ["n", 2])],
    )
    add = helper.make_node("Add", ["x", "z"], ["y"])
    x, y, z = (value(name, 1, [1, 2]) for name in "xyz")
    saved(folder / "add.onnx", [add], [x, z], [y])
    weights = onnx.TensorProto(name="z", data_type=1, dims=[1, 2], data_location=1)
    weights.external_data.add(key="location", value="weights.bin")
    saved(folder / "external.onnx", [add], [x], [y], [weights])


@pytest.fixture(scope="module")
def on_core(tmp_path_factory):
    """``on_core(providers)`` are the variables with which a program runs on the core."""
    folder = tmp_path_factory.mktemp("as")
    assert build_flags.main(["--as-libonnxruntime", str(folder)]) == 0

    def on_core(providers):
        preload = {"LD_PRELOAD": "libonnxruntime.so"}  # for programs with a DT_RPATH
        search = {"LD_LIBRARY_PATH": str(folder), "ORTCORE_PROVIDERS": providers}
        return os.environ | preload | search

    return on_core


def library_of(name):
    found = [each.path for each in ort.installed_eps() if each.name == name]
    if not found:
        pytest.skip(f"the execution provider {name} is not installed: pip install 'ortcffi[eps]'")
    return found[0]


@pytest.fixture(scope="module")
def node(tmp_path_factory):
    """A folder with the package onnxruntime-node of npm."""
    missing = [each for each in ("node", "npm") if shutil.which(each) is None]
    if missing:
        pytest.skip(f"{' and '.join(missing)} cannot be found")
    folder = tmp_path_factory.mktemp("node")
    done = run("npm", "install", "onnxruntime-node", "--ignore-scripts", cwd=folder, code=None)
    if done.returncode != 0:
        pytest.skip(f"npm does not install onnxruntime-node: {done.stderr[-200:]}")
    return folder


def test_onnxruntime_node_does_the_same_on_the_core(node, on_core, tmp_path):
    variables = on_core(library_of("nxrt"))
    write_models(tmp_path)
    program = shutil.copy(Path(__file__).with_name("use_onnxruntime_node.js"), node)
    original = run("node", program, tmp_path).stdout
    assert original.endswith("end: true\n")
    watch = {"ORTCORE_WATCH": str(tmp_path / "report.json")}
    assert run("node", program, tmp_path, env=variables | watch).stdout == original
    report = json.loads((tmp_path / "report.json").read_text())
    assert report["calls"]["Run"] > 100
    assert report["left_statuses"] == []


SPEECH = """
import sys
import numpy as np
import sherpa_onnx

config = sherpa_onnx.VadModelConfig()
config.silero_vad.model = sys.argv[1]
config.silero_vad.threshold = 0.01
config.silero_vad.min_silence_duration = 0.1
detector = sherpa_onnx.VoiceActivityDetector(config, buffer_size_in_seconds=30)
times = np.arange(48000) / 16000
phase = 2 * np.pi * np.cumsum(120 + 20 * np.sin(6 * np.pi * times)) / 16000
formants = lambda f: np.exp(-((f - 600) / 500) ** 2) + 0.5 * np.exp(-((f - 1700) / 400) ** 2)
voice = sum(np.sin(k * phase) * formants(120 * k) for k in range(1, 30))
voice *= 0.6 + 0.4 * np.sin(8 * np.pi * times)
voice[:8000] = voice[32000:] = 0
voice += 0.005 * np.random.default_rng(0).standard_normal(48000)
size = config.silero_vad.window_size
for i in range(0, len(voice) - size, size):
    detector.accept_waveform(0.2 * voice[i : i + size].astype(np.float32))
    print(int(detector.is_speech_detected()), end="")
detector.flush()
while not detector.empty():
    print([detector.front.start, len(detector.front.samples)])
    detector.pop()
"""


def need(*packages):
    for package in packages:
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"{package} is not installed: pip install 'ortcffi[programs]'")


def test_sherpa_onnx_detects_speech_on_the_core(on_core, tmp_path):
    need("sherpa_onnx", "silero_vad")
    variables = on_core(f"{library_of('openvino')}?hardware.vendor_id=0x8086")
    (folder,) = importlib.util.find_spec("silero_vad").submodule_search_locations
    graph = ort.Model.load(Path(folder, "data/silero_vad_16k_op15.onnx")).edit()
    for value, shape in zip(graph.inputs, [[1, 576], [2, 1, 128], [1]], strict=True):
        value.shape = shape  # OpenVINO wants them
    graph.to_model().prepare().save(tmp_path / "silero.onnx")
    program = [sys.executable, "-c", SPEECH, tmp_path / "silero.onnx"]
    original = run(*program).stdout
    assert "11111" in original
    assert run(*program, env=variables).stdout == original


ORTPY = """
import sys
import numpy as np
import ortpy

session = ortpy.Session(sys.argv[1], ortpy.SessionOptions())
print({name: (info.shape, info.dtype) for name, info in session.get_input_info().items()})
ones = np.ones((1, 4), np.float32)
(y,) = session.run({"x": ones}).values()
print(y.numpy().tolist(), y.shape, y.dtype, y.get_tensor_memory_info().name)
print(ortpy.Value.from_strings(["a", "bc"]).get_strings())
try:
    session.run({"nothing": ones})
except Exception as error:
    print(type(error).__name__)
"""


def test_ortpy_runs_a_model_on_the_core(on_core, c_compiler, tmp_path):
    need("ortpy")
    variables = on_core(str(eps.build(c_compiler, eps.ADDING)))
    (tmp_path / "add.onnx").write_bytes(models.add())
    said = run(sys.executable, "-c", ORTPY, tmp_path / "add.onnx", env=variables).stdout
    first, second, third, last = said.splitlines()
    assert first == "{'x': ([1, 4], 'float32')}"
    assert second == "[[2.0, 2.0, 2.0, 2.0]] [1, 4] float32 Cpu"
    assert third == "['a', 'bc']"
    assert last == "RuntimeError"


GENAI = """
import numpy as np
import onnxruntime_genai

array = np.arange(6, dtype=np.float32).reshape(2, 3)
print(onnxruntime_genai.Tensor(array).as_numpy().tolist())
"""


def test_onnxruntime_genai_makes_tensors_on_the_core(on_core, tmp_path):
    """It looks for its library in a package onnxruntime."""
    need("onnxruntime_genai")
    package = tmp_path / "onnxruntime"
    build_flags.main(["--as-libonnxruntime", str(package / "capi")])
    (package / "__init__.py").touch()
    watch = {"PYTHONPATH": str(tmp_path), "ORTCORE_WATCH": str(tmp_path / "report.json")}
    said = run(sys.executable, "-c", GENAI, env=on_core("") | watch).stdout
    assert said == "[[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]\n"
    report = json.loads((tmp_path / "report.json").read_text())
    assert report["calls"]["CreateTensorAsOrtValue"] == 1
