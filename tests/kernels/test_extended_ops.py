# SPDX-License-Identifier: MIT
"""The ops of onnx-extended's two libraries, as kernels on the core and in sessions."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from kernels.extension_cases import assert_same, floats, ints

import ortcffi as ort
from ortcffi.testing.one_node import Model, run_in_process

# One process runs all sessions.
pytestmark = pytest.mark.xdist_group("extended ops")

LIBRARIES = {
    "optim": "ortops/optim/cpu/libortops_optim_cpu.so",
    "tutorial": "ortops/tutorial/cpu/libortops_tutorial_cpu.so",
}
MATRIX = np.arange(6, dtype=np.float32).reshape(2, 3)
SPARSE = np.array([[0, 2, 0], [0, 0, 5]], np.float32)
TREE = {
    "aggregate_function": "SUM",
    "n_targets": 1,
    "nodes_falsenodeids": [2, 0, 0],
    "nodes_featureids": [1, 0, 0],
    "nodes_hitrates": [1.0, 1.0, 1.0],
    "nodes_missing_value_tracks_true": [0, 0, 0],
    "nodes_modes": "BRANCH_LEQ,LEAF,LEAF",
    "nodes_nodeids": [0, 1, 2],
    "nodes_treeids": [0, 0, 0],
    "nodes_truenodeids": [1, 0, 0],
    "nodes_values": [2.5, 0.0, 0.0],
    "post_transform": "NONE",
    "target_ids": [0, 0],
    "target_nodeids": [1, 2],
    "target_treeids": [0, 0],
    "target_weights": [10.0, 20.0],
}
CLASSES = {
    "classlabels_int64s": [0, 1],
    "class_ids": [0, 0],
    "class_nodeids": [1, 2],
    "class_treeids": [0, 0],
    "class_weights": [0.0, 1.0],
    **{name: each for name, each in TREE.items() if name.startswith(("nodes", "post"))},
}
WORDS = {
    "max_gram_length": 1,
    "max_skip_count": 0,
    "min_gram_length": 1,
    "mode": "TF",
    "ngram_counts": [0],
    "ngram_indexes": [0, 1, 2],
    "pool_int64s": [4, 5, 6],
}
SUPPORT = {
    "coefficients": [1.0, -1.0],
    "kernel_params": [1.0, 0.0, 3.0],
    "kernel_type": "LINEAR",
    "n_supports": 2,
    "post_transform": "NONE",
    "rho": [0.5],
    "support_vectors": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
}
CASES = [
    ("optim", "DenseToSparse", [SPARSE], {}),
    ("optim", "SVMRegressor", [MATRIX], SUPPORT),
    ("optim", "TfIdfVectorizer", [ints(4, 6, 4, 7)], WORDS),
    ("optim", "TreeEnsembleClassifier", [MATRIX], CLASSES),
    ("optim", "TreeEnsembleRegressor", [MATRIX], TREE),
    ("optim", "TreeEnsembleRegressor", [MATRIX], {}),
    ("tutorial", "MyCustomOp", [floats(1, 2), floats(3, 4)], {}),
    ("tutorial", "MyCustomOpWithAttributes", [np.ones(2), np.ones(2)], {}),
    ("tutorial", "CustomGemmFloat", [MATRIX, MATRIX], {"transB": 1}),
]


@pytest.fixture(scope="module")
def paths():
    spec = importlib.util.find_spec("onnx_extended")
    if spec is None or spec.origin is None:
        pytest.skip(
            "the package onnx-extended is not installed, which has no wheel for all Pythons"
        )
    return {name: str(Path(spec.origin).parent / path) for name, path in LIBRARIES.items()}


@pytest.fixture(scope="module")
def by_kernel(paths):
    """For each case the op, and its outputs or the exception."""
    libraries = {name: ort.CustomOpLibrary(path) for name, path in paths.items()}
    found = []
    for library, name, inputs, attributes in CASES:
        op = next(op for op in libraries[library].ops if op.name == name)
        try:
            with op.kernel(attributes, inputs=len(inputs)) as kernel:
                outputs = kernel(*inputs)
            found.append((op, outputs if isinstance(outputs, tuple) else (outputs,)))
        except ort.OrtError as error:
            found.append((op, error))
    return found


@pytest.fixture(scope="module")
def by_session(paths, by_kernel, real_library):
    found = {}
    for library, path in paths.items():
        models, numbers = [], []
        for number, (case, (op, outputs)) in enumerate(zip(CASES, by_kernel, strict=True)):
            if case[0] != library:
                continue
            failed = isinstance(outputs, Exception)
            kinds = [
                (ort.Value.empty(0, o.element_type).dtype, 2) if failed else (y.dtype, y.ndim)
                for o, y in zip(op.outputs, op.outputs if failed else outputs, strict=True)
            ]
            models.append(Model(op.domain, op.name, 1, case[2], case[3], kinds))
            numbers.append(number)
        found |= zip(numbers, run_in_process(models, path, str(real_library)), strict=True)
    return found


@pytest.mark.parametrize(
    "number", range(len(CASES)), ids=[f"{n}-{i}" for i, (_, n, _, _) in enumerate(CASES)]
)
def test_an_op_gives_the_same_as_in_a_session(number, by_kernel, by_session, paths):
    ours, theirs = by_kernel[number][1], by_session[number]
    if CASES[number][1] == "DenseToSparse":  # the op leaves a part of the header as it was
        ops = ort.CustomOpLibrary(paths["optim"]).ops
        with next(op for op in ops if op.name == "SparseToDense").kernel() as dense:
            ours, theirs = ([dense(*packed)] for packed in (ours, theirs))
    assert_same(ours, theirs)


def test_only_the_cases_without_attributes_fail(by_kernel):
    failed = [not CASES[i][3] for i, (_, y) in enumerate(by_kernel) if isinstance(y, Exception)]
    assert failed == [True, True]


def test_a_kernel_reads_attributes_of_each_type(paths):
    op = next(
        op
        for op in ort.CustomOpLibrary(paths["tutorial"]).ops
        if op.name == "MyCustomOpWithAttributes"
    )
    parts = {"att_float": 2.0, "att_int64": 3, "att_string": "t", "att_tensor": np.ones(2)}
    with op.kernel(parts) as kernel:
        total = 1 + 4 + 2 + 3 + ord("t") + 1
        assert kernel(np.ones(2), np.full(2, 4.0)).tolist() == [total] * 2
