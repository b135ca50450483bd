# SPDX-License-Identifier: MIT
"""ONNX's backend protocol, of the official package and of the drop-in."""

import importlib
import unittest

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")

from onnx import parser  # noqa: E402  # needs the package
from onnx.backend.test import BackendTest, loader  # noqa: E402

# The official backend asks onnx for its version in the old way.
pytestmark = pytest.mark.filterwarnings("ignore:onnx.version is deprecated")

# Modules of ONNX's own tests: of operators with state, subgraphs, sequences and strings, too.
SAMPLE = ["abs", "concat", "gemm", "loop", "lstm", "relu", "sequenceinsert", "stringnormalizer"]
NAMES = "test_(abs|concat|gemm|loop|lstm|relu|sequence_insert|strnormalizer).*_cpu"


@pytest.fixture
def backend(onnxruntime):
    return importlib.import_module(f"{onnxruntime.__name__}.backend")


@pytest.fixture
def ours():
    return importlib.import_module("ortcffi.compat.backend")


@pytest.fixture
def proto():
    """The difference of two vectors."""
    return parser.parse_model(
        '<ir_version: 8, opset_import: ["": 17]>'
        "g (float[n] a, float[n] b) => (float[n] y) { y = Sub(a, b) }"
    )


@pytest.fixture
def one_input():
    return parser.parse_model(
        '<ir_version: 8, opset_import: ["": 17]> g (float[n] x) => (float[n] y) { y = Neg(x) }'
    )


@pytest.fixture
def ab():
    return [np.array([3, 5], np.float32), np.array([1, 1], np.float32)]


def test_a_model_is_run_from_a_proto_bytes_a_path_a_session_or_what_was_prepared(
    backend, onnxruntime, proto, ab, tmp_path
):
    path = tmp_path / "model.onnx"
    path.write_bytes(proto.SerializeToString())
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    prepared = backend.prepare(proto, "CPU")
    for model in (proto, path.read_bytes(), str(path), session, prepared):
        assert [y.tolist() for y in backend.run(model, ab, "CPU")] == [[2, 4]]
        assert [y.tolist() for y in backend.prepare(model).run(ab)] == [[2, 4]]
    assert backend.prepare(prepared) is prepared


def test_an_array_is_that_of_the_only_input(backend, one_input, proto, ab):
    assert backend.run(one_input, ab[0])[0].tolist() == [-3, -5]
    with pytest.raises(RuntimeError, match="2 inputs"):
        backend.run(proto, ab[0])


def test_inputs_beyond_those_of_the_model_are_ignored(backend, proto, ab):
    assert backend.run(proto, [*ab, ab[0]])[0].tolist() == [2, 4]


def test_too_few_inputs_are_counted(ours, proto, ab):
    with pytest.raises(RuntimeError, match="expects 2 inputs, not 1"):
        ours.run(proto, ab[:1])


def test_the_cpu_is_supported_and_what_no_library_has_is_not(backend, proto):
    assert backend.supports_device("CPU")
    assert not backend.supports_device("TPU")
    assert backend.is_compatible(proto)
    assert backend.is_compatible(proto, "CPU")
    assert not backend.is_compatible(proto, "TPU")
    with pytest.raises(RuntimeError, match="'TPU'"):
        backend.prepare(proto, "TPU")


def test_settings_that_write_files_are_refused_and_unknown_ones_ignored(backend, proto, ab):
    prepared = backend.prepare(proto, "CPU", intra_op_num_threads=1, logid="test", unknown=1)
    assert prepared.run(ab, log_severity_level=3, unknown=1)[0].tolist() == [2, 4]
    with pytest.raises(RuntimeError, match="optimized_model_filepath"):
        backend.prepare(proto, "CPU", optimized_model_filepath="x.onnx")
    with pytest.raises(RuntimeError, match="terminate"):
        prepared.run(ab, terminate=True)


def test_what_is_no_valid_model_is_refused_by_onnx(backend, proto):
    proto.graph.node[0].op_type = "Missing"
    with pytest.raises(onnx.checker.ValidationError):
        backend.prepare(proto, "CPU")


def test_an_operator_set_that_is_not_released_is_skipped(backend, proto):
    kind = importlib.import_module(f"{backend.__name__}.backend").OnnxRuntimeBackend
    assert kind.is_opset_supported(proto) == (True, "")
    proto.opset_import[0].version = 999
    supported, message = kind.is_opset_supported(proto)
    assert not supported
    assert "999" in message


def test_the_names_are_the_official_ones(ours):
    official = pytest.importorskip("onnxruntime.backend")
    names = {name for name in dir(official) if not name.startswith("_")}
    assert names - set(dir(ours)) == set()


@pytest.fixture
def sample(monkeypatch):
    """Has onnx make the tests of the sample only, since to make all takes seconds.

    Older ones of it read them from files instead.
    """
    if hasattr(loader, "load_node_model_tests"):
        cases = "onnx.backend.test.case.node"
        for name in SAMPLE:
            importlib.import_module(f"{cases}.{name}")
        made = list(importlib.import_module(cases)._NodeTestCases)
        monkeypatch.setattr(loader, "load_node_model_tests", lambda: made)


def passed(backend):
    """The names of those of ONNX's own tests of operators that a backend passes."""
    tests = BackendTest(backend, __name__).include(NAMES)
    names = set()

    class Result(unittest.TestResult):
        def addSuccess(self, test):  # noqa: N802  # unittest's
            names.add(test.id())

    tests.test_suite.run(Result())
    return names


@pytest.mark.usefixtures("sample")
def test_it_passes_those_of_onnxs_own_tests_that_the_official_backend_passes(ours):
    official = passed(pytest.importorskip("onnxruntime.backend"))
    assert len(official) >= 20
    assert official - passed(ours) == set()
