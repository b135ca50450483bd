# SPDX-License-Identifier: MIT
"""Kernels and sessions of several libraries of ONNX Runtime share a library of ops in one process.

The official package has a copy of ONNX Runtime inside, beside the library that `load` opens.
"""

import pytest
from support.compilers import build_folder, compile_shared
from support.paths import CHECKOUT
from support.prepared import run_program
from support.releases import needs_release

PROGRAM = """
import sys
import numpy as np
import onnxruntime
import ortcffi as ort

path, order = sys.argv[1:]
x = np.arange(3, dtype=np.float32)
graph = ort.Graph({"": 21, "my.domain": 1})
graph.input("x", np.float32, [3])
graph.node("Checked", ["x"], ["y"], domain="my.domain")
graph.output("y", np.float32, [None])


def kernel():
    with ort.CustomOpLibrary(path)["my.domain", "Checked"].kernel() as kernel:
        for _ in range(3):
            assert kernel(x).tolist() == x.tolist()


def official():
    options = onnxruntime.SessionOptions()
    options.register_custom_ops_library(path)
    providers = ["CPUExecutionProvider"]
    made = onnxruntime.InferenceSession(graph.to_bytes(), options, providers=providers)
    for _ in range(3):
        assert made.run(None, {"x": x})[0].tolist() == x.tolist()


def session():
    with ort.SessionOptions(ort.load()) as options:
        options.register_custom_ops(path)
        with ort.Session(graph.to_bytes(), options) as made:
            for _ in range(3):
                assert made.run(x=x)[0].tolist() == x.tolist()


def core():
    ours = ort.SessionOptions()
    ours.register_custom_ops(path)
    assert len(ours.custom_ops) == 1


for name in order:
    each = {"k": kernel, "o": official, "s": session, "c": core}[name]
    each()
    each()
print("done")
"""


@pytest.fixture(scope="module")
def checked_library(cxx_compiler):
    source = CHECKOUT / "docs/guide/checked_op.cc"
    built = build_folder(cxx_compiler, "guide") / "one_process.so"
    flags = ["-std=c++17", "-shared", "-fPIC", f"-I{CHECKOUT / 'core/include'}"]
    return compile_shared(built, [source.parent], *cxx_compiler, *flags, source, "-o", built)


@needs_release(22, "the model editor")
@pytest.mark.parametrize("order", ["kosc", "csok"])
def test_kernels_and_sessions_use_one_library_in_any_order(checked_library, order):
    pytest.importorskip("onnxruntime")
    assert run_program(PROGRAM, checked_library, order).stdout == "done\n"
