# SPDX-License-Identifier: MIT
"""The ops of onnxruntime-extensions, as kernels on the core and in sessions of the real library."""

import importlib.util
from pathlib import Path

import pytest
from kernels.extension_cases import CASES, assert_same

import ortcffi as ort
from ortcffi.testing.one_node import Model, run_in_process
from ortcffi.values.element_types import dtype_of

# One process runs all sessions.
pytestmark = pytest.mark.xdist_group("extensions ops")

NAMES = [f"{name}-{number}" for number, (name, _, _) in enumerate(CASES)]


@pytest.fixture(scope="module")
def library():
    spec = importlib.util.find_spec("onnxruntime_extensions")
    if spec is None or spec.origin is None:
        pytest.skip("the package onnxruntime-extensions is not installed")
    [path] = Path(spec.origin).parent.glob("_extensions_pydll*.so")
    with ort.CustomOpLibrary(path) as library:
        yield library


def find(library, name):
    return next(op for op in library.ops if op.name == name)


@pytest.fixture(scope="module")
def by_kernel(library):
    """What each case gives without a session: its outputs, or the exception."""
    found = []
    for name, inputs, attributes in CASES:
        try:
            with find(library, name).kernel(attributes) as kernel:
                outputs = kernel(*inputs)
            found.append(outputs if isinstance(outputs, tuple) else (outputs,))
        except ort.OrtError as error:
            found.append(error)
    return found


@pytest.fixture(scope="module")
def by_session(library, by_kernel, real_library):
    models = []
    for (name, inputs, attributes), outputs in zip(CASES, by_kernel, strict=True):
        op = find(library, name)
        if isinstance(outputs, Exception):
            kinds = [(dtype_of(o.element_type), 1) for o in op.outputs]
        else:
            kinds = [(each.dtype, each.ndim) for each in outputs]
        models.append(Model(op.domain, name, 1, inputs, attributes, kinds))
    return run_in_process(models, library.path, str(real_library))


@pytest.mark.parametrize("number", range(len(CASES)), ids=NAMES)
def test_an_op_gives_the_same_as_in_a_session(number, by_kernel, by_session):
    assert_same(by_kernel[number], by_session[number])


def test_most_cases_succeed(by_kernel):
    failed = [n for n, each in zip(NAMES, by_kernel, strict=True) if isinstance(each, Exception)]
    assert len(failed) <= 4, [(n, by_kernel[NAMES.index(n)]) for n in failed]
