# SPDX-License-Identifier: MIT
"""Libraries of custom ops."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from support.graphs import parsed
from support.processes import run_python

pytest.importorskip("onnx")

CPU = ["CPUExecutionProvider"]


@pytest.fixture
def library(tmp_path, monkeypatch):
    """A path to a real library of ops, relative to the current folder."""
    spec = importlib.util.find_spec("onnxruntime_extensions")
    if spec is None or spec.origin is None:
        pytest.skip("the package onnxruntime-extensions is not installed")
    [path] = Path(spec.origin).parent.glob("_extensions_pydll*.so")
    (tmp_path / "libops.so").symlink_to(path)
    monkeypatch.chdir(tmp_path)
    return "./libops.so"


@pytest.fixture
def upper():
    """Y = X in capital letters, by an op of that library."""
    graph = "upper (string[n] X) => (string[n] Y) { Y = ai.onnx.contrib.StringUpper(X) }"
    return parsed(graph, '"": 17, "ai.onnx.contrib": 1')


@pytest.fixture
def leaves_nothing_alive_in_the_core():
    """Does nothing here: the library keeps its domains to the end."""


def test_sessions_know_the_ops_of_the_options(onnxruntime, library, upper):
    options = onnxruntime.SessionOptions()
    options.register_custom_ops_library(library)
    x = np.array(["a", "bc"])
    for _ in range(2):
        session = onnxruntime.InferenceSession(upper, options, providers=CPU)
        assert session.run(None, {"X": x})[0].tolist() == ["A", "BC"]
    again = onnxruntime.SessionOptions()
    again.register_custom_ops_library(library)
    session = onnxruntime.InferenceSession(upper, again, providers=CPU)
    assert session.run(None, {"X": x})[0].tolist() == ["A", "BC"]


REGISTER = """
import importlib, sys
onnxruntime = importlib.import_module(sys.argv[1])
onnxruntime.SessionOptions().register_custom_ops_library("libops.so")
print("found")
"""


def test_a_library_is_found_by_its_name(onnxruntime, library, monkeypatch):
    assert library == "./libops.so"
    path = str(Path.cwd())
    monkeypatch.chdir("/")
    assert run_python(REGISTER, onnxruntime.__name__, LD_LIBRARY_PATH=path) == "found"


def test_other_sessions_do_not_know_them(onnxruntime, state, upper):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    with pytest.raises(state.Fail, match="StringUpper"):
        onnxruntime.InferenceSession(upper, options, providers=CPU)
