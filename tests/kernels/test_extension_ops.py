# SPDX-License-Identifier: MIT
"""The ops of onnxruntime-extensions and onnx-extended, as kernels on the core and in sessions."""

import functools
import importlib.util
from pathlib import Path

import numpy as np
import pytest
from kernels.extension_cases import CASES, assert_same

import ortcffi as ort
from ortcffi.testing.one_node import Model, run_in_process
from ortcffi.values.element_types import dtype_of

LIBRARIES = {  # the package of each, and its file
    "extensions": ("onnxruntime_extensions", "_extensions_pydll*.so"),
    "optim": ("onnx_extended", "ortops/optim/cpu/libortops_optim_cpu.so"),
    "tutorial": ("onnx_extended", "ortops/tutorial/cpu/libortops_tutorial_cpu.so"),
}
# One process runs all sessions.
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("extensions ops")]


@functools.cache
def library(name):
    """The library; None where its package is not installed, which has no wheel for all Pythons."""
    package, file = LIBRARIES[name]
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        return None
    [path] = Path(spec.origin).parent.glob(file)
    return ort.CustomOpLibrary(path)


def find(name, op):
    return next(each for each in library(name).ops if each.name == op)


def by_kernel(name, op, inputs, attributes):
    """What a case gives without a session: its outputs, or the exception."""
    try:
        with find(name, op).kernel(attributes, inputs=len(inputs)) as kernel:
            outputs = kernel(*inputs)
    except ort.OrtError as error:
        return error
    return outputs if isinstance(outputs, tuple) else (outputs,)


def numbers_of(name):
    return [number for number, case in enumerate(CASES) if case[0] == name and library(name)]


@pytest.fixture(scope="module")
def ours():
    """What the cases give by kernels, by their numbers."""
    return {n: by_kernel(*CASES[n]) for name in LIBRARIES for n in numbers_of(name)}


@pytest.fixture(scope="module")
def theirs(ours, real_library):
    """What they give in sessions, those of a library in one process."""
    found = {}
    for name in LIBRARIES:
        models = []
        for number in numbers_of(name):
            _, op_name, inputs, attributes = CASES[number]
            op, outputs = find(name, op_name), ours[number]
            kinds = [(dtype_of(each.element_type), 1) for each in op.outputs]
            if not isinstance(outputs, Exception):
                kinds = [(each.dtype, each.ndim) for each in outputs]
            models.append(Model(op.domain, op_name, 1, inputs, attributes, kinds))
        if models:
            outputs = run_in_process(models, library(name).path, str(real_library))
            found |= zip(numbers_of(name), outputs, strict=True)
    return found


def skip_without(name):
    if not library(name):
        pytest.skip(f"the package {LIBRARIES[name][0]} is not installed")


@pytest.mark.parametrize(
    "number", range(len(CASES)), ids=[f"{case[1]}-{i}" for i, case in enumerate(CASES)]
)
def test_an_op_gives_the_same_as_in_a_session(number, ours, theirs):
    name, op, _, _ = CASES[number]
    skip_without(name)
    one, other = ours[number], theirs[number]
    if op == "DenseToSparse":  # the op leaves a part of the header as it was
        with find(name, "SparseToDense").kernel() as dense:
            one, other = ([dense(*packed)] for packed in (one, other))
    assert_same(one, other)


@pytest.mark.parametrize(("name", "most"), [("extensions", 4), ("optim", 1), ("tutorial", 1)])
def test_most_cases_succeed(name, most, ours):
    skip_without(name)
    failed = {n: ours[n] for n in numbers_of(name) if isinstance(ours[n], Exception)}
    assert len(failed) <= most, failed


@pytest.mark.usefixtures("ours")
def test_a_kernel_reads_attributes_of_each_type():
    skip_without("tutorial")
    parts = {"att_float": 2.0, "att_int64": 3, "att_string": "t", "att_tensor": np.ones(2)}
    with find("tutorial", "MyCustomOpWithAttributes").kernel(parts) as kernel:
        total = 1 + 4 + 2 + 3 + ord("t") + 1
        assert kernel(np.ones(2), np.full(2, 4.0)).tolist() == [total] * 2
