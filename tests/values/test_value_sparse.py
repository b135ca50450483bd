# SPDX-License-Identifier: MIT
"""Sparse tensors, and SciPy's."""

import sys
import weakref

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from ortcffi import ElementType, SparseFormat, Value, ValueKind, errors

VALUES = np.array([1, 2, 3], np.float32)
PAIRS = np.array([[0, 1], [1, 2], [2, 0]])
INNER, OUTER = np.array([1, 2, 0]), np.array([0, 1, 2, 3])
BLOCKS = np.arange(1, 9, dtype=np.float32).reshape(2, 2, 2)
WHERE = np.array([[0, 1], [1, 0]], np.int32)
STORED = {(0, 1): 1, (1, 2): 2, (2, 0): 3}


@pytest.mark.parametrize("copy", [False, True])
def test_coordinates_come_back(api, copy):
    value = Value.sparse_coo(VALUES, PAIRS, (3, 3), api=api, copy=copy)
    assert (value.kind, value.sparse_format) == (ValueKind.SPARSE, SparseFormat.COO)
    assert (value.shape, value.element_type) == ((3, 3), ElementType.FLOAT)
    np.testing.assert_array_equal(value.sparse_values, VALUES)
    np.testing.assert_array_equal(value.sparse_indices[0], PAIRS)
    assert np.shares_memory(value.sparse_values, VALUES) is not copy
    assert np.shares_memory(value.sparse_indices[0], PAIRS) is not copy
    assert value.to_python() == STORED


def test_coordinates_may_be_indices_into_the_flattened_tensor(api):
    value = Value.sparse_coo(VALUES, np.array([1, 5, 6]), (3, 3), api=api)
    assert value.to_python() == STORED


@pytest.mark.parametrize("copy", [False, True])
def test_compressed_rows_come_back(api, copy):
    value = Value.sparse_csr(VALUES, INNER, OUTER, (3, 3), api=api, copy=copy)
    assert value.sparse_format is SparseFormat.CSR
    inner, outer = value.sparse_indices
    np.testing.assert_array_equal(inner, INNER)
    np.testing.assert_array_equal(outer, OUTER)
    assert value.to_python() == STORED


@pytest.mark.parametrize("copy", [False, True])
def test_blocks_come_back(api, copy):
    value = Value.block_sparse(BLOCKS, WHERE, (4, 4), api=api, copy=copy)
    assert value.sparse_format is SparseFormat.BLOCK_SPARSE
    np.testing.assert_array_equal(value.sparse_values, BLOCKS)
    np.testing.assert_array_equal(value.sparse_indices[0], WHERE)
    found = value.to_python()
    assert [found[0, 2], found[0, 3], found[1, 2], found[1, 3]] == BLOCKS[:, :, 0].ravel().tolist()
    assert [found[2, 0], found[2, 1], found[3, 0], found[3, 1]] == BLOCKS[:, :, 1].ravel().tolist()


def test_strings_are_copied(api):
    words = np.array(["a", "héllo", ""], object)
    value = Value.sparse_coo(words, PAIRS, (3, 3), api=api)
    assert value.sparse_values.tolist() == words.tolist()
    assert value.to_python()[1, 2] == "héllo"


def test_borrowed_memory_is_kept_as_long_as_a_view(api):
    values = VALUES.copy()
    before = sys.getrefcount(values)
    value = Value.sparse_coo(values, PAIRS, (3, 3), api=api)
    view, token = value.sparse_values, weakref.ref(value)
    value.close()
    del value
    assert sys.getrefcount(values) > before
    assert view.tolist() == values.tolist()
    del view
    assert token() is None
    assert sys.getrefcount(values) == before


@pytest.mark.parametrize(
    ("make", "kind", "says"),
    [
        (lambda c: c(VALUES[::2], PAIRS[:2], (3, 3)), ValueError, "values is not C-cont.*copy"),
        (lambda c: c(VALUES, PAIRS.astype(np.int32), (3, 3)), ValueError, "indices.*int64.*copy"),
        (lambda c: c(VALUES, PAIRS[::-1], (3, 3)), ValueError, "indices is not C-cont.*copy"),
        (lambda c: c([1], PAIRS, (3, 3)), TypeError, "values must be an ndarray"),
        (lambda c: c(VALUES, [1, 2, 3], (3, 3)), TypeError, "indices must be an ndarray of int64"),
        (lambda c: c(VALUES, PAIRS / 2, (3, 3)), TypeError, "indices must be an ndarray of int64"),
        (lambda c: c(VALUES, np.ma.array([0, 1, 2], mask=[1, 0, 0]), (3, 3)), TypeError, "masked"),
        (lambda c: c(np.array([None, 1], object), PAIRS[:2], (3, 3)), TypeError, "must be a str"),
        (lambda c: c(VALUES, PAIRS, (3, -3)), ValueError, r"shape\[1\]"),
        (lambda c: c(VALUES, PAIRS, (2, 2)), errors.InvalidArgument, "bound|below"),
        (lambda c: c(VALUES, PAIRS[:2], (3, 3)), errors.InvalidArgument, "count|indices|indexes"),
    ],
)
def test_a_bad_argument_is_an_error_that_names_it(api, make, kind, says):
    from functools import partial

    with pytest.raises(kind, match=says):
        make(partial(Value.sparse_coo, api=api))


@pytest.mark.parametrize("outer", [[0, 2, 1, 3], [0, 1, 3], [0, 1, 2, 4]])
def test_inconsistent_rows_are_the_librarys_error(api, outer):
    with pytest.raises(errors.OrtError):
        Value.sparse_csr(VALUES, INNER, np.array(outer), (3, 3), api=api)


def test_a_sparse_tensor_does_not_become_an_array_nor_an_array_a_sparse_tensor(api):
    with pytest.raises(TypeError, match="a sparse is no array"):
        Value.sparse_coo(VALUES, PAIRS, (3, 3), api=api).numpy()
    tensor = Value.from_numpy(VALUES, api=api)
    for use in (lambda: tensor.sparse_values, lambda: tensor.sparse_indices, tensor.to_scipy):
        with pytest.raises(TypeError, match="a tensor has no"):
            use()


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    dense=hnp.arrays(
        st.sampled_from(["f4", "f8", "i8", "u1"]),
        hnp.array_shapes(min_dims=2, max_dims=2, max_side=6),
        elements=st.integers(0, 2),
    )
)
def test_any_matrix_is_the_same_in_coordinates_and_in_rows(tables, dense):
    pairs = np.ascontiguousarray(np.argwhere(dense))
    values = dense[tuple(pairs.T)]
    expected = {tuple(pair): dense[tuple(pair)] for pair in pairs.tolist()}
    outer = np.concatenate(([0], np.cumsum((dense != 0).sum(axis=1)))).astype(np.int64)
    inner = np.ascontiguousarray(pairs[:, 1])
    shape = dense.shape
    for api in tables:
        if len(values):
            assert Value.sparse_coo(values, pairs, shape, api=api).to_python() == expected
            found = Value.sparse_csr(values, inner, outer, shape, api=api)
            assert found.to_python() == expected


# --- SciPy ----------------------------------------------------------------------------------------


@pytest.fixture
def matrix():
    sparse = pytest.importorskip("scipy.sparse")
    rows, columns = np.array([[0, 0, 1, 3], [1, 3, 2, 0]], np.int32)
    return sparse.coo_array((np.array([1, 2, 3, 4], np.float32), (rows, columns)), shape=(4, 6))


@pytest.mark.parametrize("layout", ["coo", "csr", "bsr"])
def test_a_matrix_of_scipy_comes_back(api, matrix, layout):
    given = matrix.asformat(layout) if layout != "bsr" else matrix.tobsr((2, 3))
    value = Value.from_scipy(given, api=api, copy=True)
    found = value.to_scipy()
    assert found.format == layout
    np.testing.assert_array_equal(found.toarray(), matrix.toarray())


def test_wide_indices_of_scipy_are_borrowed(api, matrix):
    given = matrix.tocsr()
    given.indices, given.indptr = given.indices.astype("i8"), given.indptr.astype("i8")
    value = Value.from_scipy(given, api=api)
    found = value.to_scipy()
    assert np.shares_memory(found.data, given.data)
    np.testing.assert_array_equal(found.toarray(), matrix.toarray())


@pytest.mark.parametrize("layout", ["coo", "csr"])
def test_a_scipy_matrix_that_cannot_be_borrowed_needs_a_copy(api, matrix, layout):
    with pytest.raises(ValueError, match="copy=True"):
        Value.from_scipy(matrix.asformat(layout), api=api)


def test_the_error_for_other_objects_says_which_are_accepted(api, matrix):
    for other in (matrix.toarray(), matrix.tocsc(), None):
        with pytest.raises(TypeError, match="CSR, COO or BSR"):
            Value.from_scipy(other, api=api)


def test_without_scipy_the_error_says_what_to_install(api, monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy", None)
    with pytest.raises(ImportError, match="pip install scipy"):
        Value.sparse_coo(VALUES, PAIRS, (3, 3), api=api).to_scipy()


# --- what must not pass unseen --------------------------------------------------------------------


def test_bytes_are_stored_as_they_are(api):
    value = Value.sparse_coo(np.array([b"abc", b"d"]), np.array([0, 2]), (2, 2), api=api)
    assert value.to_python() == {(0, 0): "abc", (1, 0): "d"}


def test_borrowed_values_that_are_read_only_stay_so(api):
    values = VALUES.copy()
    values.flags.writeable = False
    value = Value.sparse_coo(values, PAIRS, (3, 3), api=api)
    assert value.readonly
    assert not value.sparse_values.flags.writeable


@pytest.mark.parametrize("place", [-1, 2, 2**32])
def test_blocks_outside_of_the_tensor_are_refused(api, place):
    where = np.array([[0, place], [1, 0]])
    says = "indices are of blocks outside" if place < 3 else "of int32, but one is too large"
    with pytest.raises((errors.InvalidArgument, ValueError), match=says):
        Value.block_sparse(BLOCKS, where, (4, 4), api=api, copy=True)
