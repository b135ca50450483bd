# SPDX-License-Identifier: MIT
"""Programs that are not changed, and get the drop-in by ``import onnxruntime``."""

import os
import sys

import pytest
from support import models
from support.prepared import run_program
from support.processes import run

pytest.importorskip("onnxruntime")

PROGRAM = """
import sys
import numpy as np
import onnxruntime
from onnxruntime.capi.onnxruntime_pybind11_state import Fail, InvalidArgument
session = onnxruntime.InferenceSession(sys.argv[1], providers=["CPUExecutionProvider"])
try:
    session.run(None, {"x": np.ones((2, 2), np.float32)})
except InvalidArgument:
    print(onnxruntime.__name__, session.run(None, {"x": np.ones((1, 4), np.float32)})[0].tolist())
"""


COMMAND = "import sys; from ortcffi.compat.__main__ import main; main(sys.argv[1:])"


@pytest.fixture
def program(tmp_path):
    (tmp_path / "add.onnx").write_bytes(models.add())
    (tmp_path / "user_program.py").write_text(PROGRAM)
    return tmp_path


@pytest.mark.parametrize("how", [["user_program.py"], ["-m", "user_program"]], ids=str)
def test_a_program_runs_on_the_drop_in(program, how):
    environment = {**os.environ, "PYTHONPATH": str(program)}
    ran = run_program(COMMAND, *how, "add.onnx", cwd=program, env=environment)
    assert ran.stdout.strip() == "ortcffi.compat [[2.0, 2.0, 2.0, 2.0]]"


@pytest.mark.parametrize(("arguments", "status"), [(["--help"], 0), ([], 2), (["none.py"], 1)])
def test_the_command_says_what_it_takes(arguments, status):
    ran = run_program(COMMAND, *arguments, code=status)
    assert "python -m ortcffi.compat" in ran.stdout + ran.stderr


def test_a_traceback_shows_the_program_alone(tmp_path):
    (tmp_path / "fails.py").write_text("1 / 0\n")
    python = [sys.executable, "-m", "ortcffi.compat"]
    ran = run(*python, tmp_path / "fails.py", code=1)
    assert "ZeroDivisionError" in ran.stderr
    assert ran.stderr.count("  File ") == 1
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    ran = run_program(COMMAND, "-m", "fails", code=1, env=environment)
    assert ran.stderr.count("  File ") == 1
    ran = run_program(COMMAND, "-m", "no_such_module", code=1)
    assert ran.stderr == "python -m ortcffi.compat: No module named no_such_module\n"


def test_modules_of_both_names_are_the_same_objects():
    text = """
import ortcffi.compat
ortcffi.compat.install()
ortcffi.compat.install()
import onnxruntime, sys, importlib.util
import onnxruntime.capi.onnxruntime_pybind11_state as theirs
import ortcffi.compat.capi.onnxruntime_pybind11_state as ours
from onnxruntime.capi.onnxruntime_inference_collection import OrtValue
assert onnxruntime is ortcffi.compat and theirs is ours
assert OrtValue is ortcffi.compat.OrtValue
assert ours.__spec__.name == ours.__name__ == "ortcffi.compat.capi.onnxruntime_pybind11_state"
assert sum(type(finder).__name__ == "_Finder" for finder in sys.meta_path) == 1
assert importlib.util.find_spec("onnxruntime.training") is None
assert importlib.util.find_spec("onnxruntime.capi.training") is None
assert importlib.util.find_spec("onnxruntime.capi._pybind_state")
try:
    import onnxruntime.training
except ModuleNotFoundError as error:
    assert error.name == "onnxruntime.training"
"""
    run_program(text)


def test_tools_come_from_the_installed_package():
    pytest.importorskip("onnx")
    text = """
import os, sys, ortcffi.compat
ortcffi.compat.install()
from onnxruntime import datasets
import onnxruntime.datasets, onnxruntime.quantization, onnxruntime.transformers
assert datasets is onnxruntime.datasets and datasets.__spec__.name == "onnxruntime.datasets"
from onnxruntime.quantization import CalibrationDataReader, quantize_dynamic
from onnxruntime.datasets import get_example
assert get_example("sigmoid.onnx").endswith("sigmoid.onnx")
assert not onnxruntime.quantization.__file__.startswith(os.path.dirname(ortcffi.__file__) + os.sep)
import onnxruntime
assert not any("pybind11_state.cp" in line for line in open("/proc/self/maps"))
onnxruntime.InferenceSession(get_example("sigmoid.onnx"))
import numpy, onnxruntime.backend
found = onnxruntime.backend.run(get_example("sigmoid.onnx"), numpy.zeros((3, 4, 5), "f4"), "CPU")
assert (found[0] == 0.5).all()
prepared = onnxruntime.backend.prepare(get_example("sigmoid.onnx"))
assert isinstance(prepared._session, ortcffi.compat.InferenceSession)
assert not any("pybind11_state.cp" in line for line in open("/proc/self/maps"))
from ortcffi.compat.capi._pybind_state import quantize_matmul_8bits
assert onnxruntime.SessionOptions is ortcffi.compat.SessionOptions
"""
    run_program(text)


def test_what_the_c_api_lacks_is_of_the_installed_package():
    text = """
import numpy, ortcffi.compat
from ortcffi.compat.capi._pybind_state import quantize_matmul_8bits
weights = numpy.arange(-16, 16, dtype=numpy.float32).reshape(32, 1)
packed, scale = numpy.zeros((1, 1, 32), numpy.uint8), numpy.zeros(1, numpy.float32)
zero = numpy.zeros((1, 1), numpy.uint8)
quantize_matmul_8bits(packed, weights, scale, zero, 32, 1, 32, False)
back = (packed.ravel().astype(numpy.float32) - zero[0]) * scale
assert abs(back - weights.ravel()).max() < 0.1, back
import onnxruntime
onnxruntime.SessionOptions()
"""
    run_program(text)


@pytest.mark.parametrize(
    ("imports", "call", "error", "words"),
    [
        ("onnxruntime, ", "ortcffi.compat.install()", "RuntimeError", "onnxruntime.__file__"),
        ("", "ortcffi.attach()", "ortcffi.LoadError", "'is the drop-in ortcffi.compat'"),
    ],
)
def test_neither_the_drop_in_nor_attach_takes_the_place_of_the_other(imports, call, error, words):
    text = f"""
import {imports}ortcffi, ortcffi.compat
if not {imports!r}:
    ortcffi.compat.install()
try:
    {call}
except {error} as error:
    assert {words} in str(error)
else:
    raise AssertionError
"""
    run_program(text)


# --- what its import imports ----------------------------------------------------------------------


def test_names_and_submodules_are_there_and_the_library_where_something_asks_for_it():
    text = """
import ortcffi.compat as onnxruntime
from ortcffi.compat import InferenceSession as first, capi
assert "libonnxruntime" not in open("/proc/self/maps").read()
from ortcffi.compat import *
assert first is onnxruntime.InferenceSession is InferenceSession
assert onnxruntime.capi.onnxruntime_pybind11_state.OrtValue
assert capi.build_and_package_info.__version__ == onnxruntime.__version__ == onnxruntime.version
"""
    run(sys.executable, "-c", text)
