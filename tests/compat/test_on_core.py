# SPDX-License-Identifier: MIT
"""The drop-in on the core: without onnxruntime, and where providers stand for the CPU's."""

import json
import os

import numpy as np
import pytest
from support import eps, models
from support.prepared import printed_by, run_program

import ortcffi as ort

COMMAND = "import sys; from ortcffi.compat.__main__ import main; main(sys.argv[1:])"

PROGRAM = """
import json, sys, threading
import numpy as np
import ortcffi.compat as ort

path, library = sys.argv[1:]
x = np.ones((1, 4), np.float32)
message = {"before": ort.get_available_providers()}
session = ort.InferenceSession(path, providers=[library])
message["run"] = session.run(None, {"x": x})[0].tolist()
message["providers"] = session.get_providers()
message["inputs"] = [[each.name, each.type] for each in session.get_inputs()]
message["producer"] = session.get_modelmeta().producer_name
binding = session.io_binding()
binding.bind_cpu_input("x", x * 2)
binding.bind_output("y")
session.run_with_iobinding(binding)
message["bound"] = binding.copy_outputs_to_cpu()[0].tolist()
done = threading.Event()
def receive(results, _data, error):
    message["awaited"] = error or results[0].tolist()
    done.set()
session.run_async(None, {"x": x * 3}, receive, None)
assert done.wait(60)
try:
    session.run(None, {"x": np.ones((1, 3), np.float32)})
except Exception as error:
    message["refused"] = type(error).__name__
message["names"] = []
for names, feed in ((["z"], {"x": x}), (None, {"x": x, "z": x})):
    try:
        session.run(names, feed)
    except Exception as error:
        message["names"].append(str(error))
ort.register_execution_provider_library("named", library)
message["devices"] = sorted({each.ep_name for each in ort.get_ep_devices()})
second = ort.InferenceSession(path, providers=[("add_ep", {})])
message["registered"] = [second.get_providers(), second.run(None, {"x": x})[0].tolist()]
del second
ort.unregister_execution_provider_library("named")
print(json.dumps(message))
"""


def add_model(folder):
    path = folder / "add.onnx"
    path.write_bytes(models.add())
    return path


def test_models_run_where_onnxruntime_is_not_installed(bare, tmp_path, c_compiler):
    library = str(eps.build(c_compiler, eps.ADDING))
    message = json.loads(bare(PROGRAM, add_model(tmp_path), library).stdout)
    assert "CPUExecutionProvider" not in message["before"]
    assert message["run"] == [[2, 2, 2, 2]]
    assert message["providers"] == [library]
    assert message["inputs"] == [["x", "tensor(float)"]]
    assert message["bound"] == [[4, 4, 4, 4]]
    assert message["awaited"] == [[6, 6, 6, 6]]
    assert message["refused"] == "InvalidArgument"
    invalid = "[ONNXRuntimeError] : 2 : INVALID_ARGUMENT : Invalid"
    assert message["names"] == [f"{invalid} output name: z", f"{invalid} input name: z"]
    assert "add_ep" in message["devices"]
    assert message["registered"] == [["add_ep"], [[2, 2, 2, 2]]]


def test_a_package_is_named_where_onnxruntime_is_not_installed(bare, tmp_path):
    pytest.importorskip("nxrt_ep_cpu")
    program = (
        "import sys, numpy as np, ortcffi.compat as ort\n"
        "print(ort.get_available_providers())\n"
        "session = ort.InferenceSession(sys.argv[1], providers=['nxrt'])\n"
        "print(session.run(None, {'x': np.ones((1, 4), np.float32)})[0].tolist())\n"
    )
    message = bare(program, add_model(tmp_path)).stdout.splitlines()
    assert message == ["['nxrt']", "[[2.0, 2.0, 2.0, 2.0]]"]


PROFILE = """
import gc, json, os, sys
import numpy as np
import ortcffi.compat as ort

path, prefix, provider = sys.argv[1:]
options = ort.SessionOptions()
options.enable_profiling = True
options.profile_file_prefix = prefix
session = ort.InferenceSession(path, options, providers=[provider])
session.run(None, {"x": np.ones((1, 4), np.float32)})
begin = session.get_profiling_start_time_ns()
file = session.end_profiling()
events = sorted({each["name"] for each in json.load(open(file)) if each["cat"] == "Session"})
is_there = os.path.dirname(file) == os.path.dirname(prefix)
message = [begin > 0, is_there, events, session.end_profiling()]
plain = ort.InferenceSession(path, providers=[provider])
print(json.dumps([*message, plain.end_profiling(), plain.get_profiling_start_time_ns()]))
"""


@pytest.mark.parametrize("engine", ["core", "real"])
def test_a_profile_ends_once(engine, tmp_path, c_compiler, request):
    if engine == "real":
        request.getfixturevalue("real_api")
    provider = eps.build(c_compiler, eps.ADDING) if engine == "core" else "CPUExecutionProvider"
    path = add_model(tmp_path)
    ran = run_program(PROFILE, path, tmp_path / "profile", provider)
    has_begun, is_there, events, again, none, begin = json.loads(ran.stdout)
    assert (has_begun, is_there) == (True, True)
    assert {"model_loading_uri", "model_run", "session_initialization"} <= set(events)
    assert (again, none, begin) == ("", "", 0)


def test_without_a_provider_the_error_says_what_to_install(bare, tmp_path):
    program = """
import sys, warnings, ortcffi.compat as ort
from ortcffi.compat.capi.onnxruntime_pybind11_state import NotImplemented
warnings.simplefilter("ignore")
for providers in None, ["CPUExecutionProvider"], ["CUDAExecutionProvider"]:
    try:
        ort.InferenceSession(sys.argv[1], providers=providers)
    except NotImplemented as error:
        print(error)
"""
    messages = bare(program, add_model(tmp_path)).stdout.splitlines()
    assert len(messages) == 3
    for words in ("operator Add", "pip install onnxruntime", "pass providers=['nxrt']"):
        assert all(words in message for message in messages)


UNCHANGED = """
import sys
import numpy as np
import onnxruntime
for providers in None, ["CPUExecutionProvider"], ["CUDAExecutionProvider", "CPUExecutionProvider"]:
    session = onnxruntime.InferenceSession(sys.argv[1], providers=providers)
    (y,) = session.run(None, {"x": np.ones((1, 4), np.float32)})
    print(session.get_providers(), y.tolist())
print(onnxruntime.get_available_providers())
assert not any("libonnxruntime.so" in line for line in open("/proc/self/maps"))
"""


def test_a_program_that_is_not_changed_runs_on_providers_that_stand_for_the_cpu(tmp_path):
    pytest.importorskip("onnx")
    path = add_model(tmp_path)
    (tmp_path / "program.py").write_text(UNCHANGED)
    done = run_program(COMMAND, "--ep", "reference", tmp_path / "program.py", path)
    *ran, available = done.stdout.splitlines()
    names = "['reference', 'CPUExecutionProvider']"
    assert ran == [f"{names} [[2.0, 2.0, 2.0, 2.0]]"] * 3
    assert available == names


@pytest.mark.parametrize(
    ("name", "words"),
    [("nope", "'nope'. Installed providers: "), ("NXRT", "did you mean 'nxrt'?")],
)
def test_a_name_that_the_core_does_not_host_is_refused(name, words):
    ran = run_program(COMMAND, "--ep", name, "none.py", code=1)
    (line,) = ran.stderr.splitlines()
    assert words in line


REFUSED = {
    ("ggml",): "pip install onnxruntime-ggml",
    ("reference",): "pip install onnx'",
    "nxrt": "must be a list of names, not 'nxrt'",
    (1,): "must be a list of names, not (1,)",
    3: "must be a list of names, not 3",
}


def test_what_cannot_be_hosted_is_refused(bare):
    program = f"""
import sys, ortcffi.compat
for given in {list(REFUSED)}:
    try:
        ortcffi.compat.install(given)
    except (ImportError, LookupError, TypeError) as error:
        print(error)
    assert "onnxruntime" not in sys.modules
"""
    for message, words in zip(bare(program).stdout.splitlines(), REFUSED.values(), strict=True):
        assert words in message


def test_providers_come_too_late_for_a_library_that_is_in_use():
    pytest.importorskip("onnxruntime")
    pytest.importorskip("onnx")
    message = printed_by(
        "import ortcffi.compat as ort\n"
        "ort.get_version_string()\n"
        "try: ort.install(['reference'])\n"
        "except RuntimeError as error: print(error)\n"
    )
    assert "is in use: call install() before that" in message


def test_tests_run_on_providers_that_stand_for_the_cpu(tmp_path):
    pytest.importorskip("onnx")
    (tmp_path / "test_it.py").write_text(
        "import onnxruntime\n"
        "def test(): assert onnxruntime.get_available_providers()[0] == 'reference'\n"
    )
    environment = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    tests = ["--ep", "reference", "-m", "pytest", "-p", "no:cacheprovider"]
    run_program(COMMAND, *tests, cwd=tmp_path, env=environment)


def test_names_of_installed_providers_are_taken_beside_the_cpu(c_compiler, squares):
    """On a real library, which registers them; another name says what may be meant."""
    pytest.importorskip("onnxruntime")
    from ortcffi import compat

    library = str(eps.build(c_compiler, eps.ADDING))
    session = compat.InferenceSession(squares, providers=[library, "CPUExecutionProvider"])
    x = np.arange(6, dtype=np.float32).reshape(3, 2)
    np.testing.assert_array_equal(session.run(None, {"X": x})[0], x * x)
    assert session.get_providers() == [library, "CPUExecutionProvider"]
    assert "add_ep" in compat.get_available_providers()
    vars(session).clear()
    with (
        pytest.warns(UserWarning, match="'NXRT' is not in available"),
        pytest.raises(RuntimeError, match="Unknown Provider Type: NXRT: did you mean 'nxrt'"),
    ):
        compat.InferenceSession(squares, providers=["NXRT"], enable_fallback=0)
    assert "nxrt" not in ort.available_providers(ort.load())
