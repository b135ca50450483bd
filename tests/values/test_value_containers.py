# SPDX-License-Identifier: MIT
"""Sequences and maps."""

import gc
import weakref

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from ortcffi import ElementType, Value, ValueKind, errors

A, B = np.arange(3, dtype=np.float32), np.ones((2, 2), np.float32)


class Tracked(np.ndarray):
    """An array that can be referred to weakly."""


ints = st.integers(-(2**63), 2**63 - 1)
texts = st.text(st.characters(codec="utf-8", exclude_characters="\0"))
floats = st.floats(allow_nan=False)


# --- sequences ------------------------------------------------------------------------------------


def test_a_sequence_has_the_tensors_it_was_made_of(api):
    sequence = Value.sequence([Value.from_numpy(A, api=api), Value.from_numpy(B, api=api)])
    assert sequence.kind is ValueKind.SEQUENCE
    assert sequence.api == api
    assert len(sequence) == 2
    np.testing.assert_array_equal(sequence[1].numpy(), B)
    assert sequence.to_python() == [A.tolist(), B.tolist()]
    assert [value.shape for value in sequence] == [(3,), (2, 2)]


def test_an_item_of_a_sequence_is_a_copy(api):
    x = A.copy()
    sequence = Value.sequence([x], api=api)
    sequence[0].numpy()[:] = 8
    if api.is_core:  # a real library may share the memory
        x[:] = 7
    assert sequence.to_python() == [A.tolist()]


def test_a_sequence_keeps_what_it_shares_with_its_tensors(api):
    x = np.arange(1 << 16, dtype=np.float32).view(Tracked)
    token, value = weakref.ref(x), Value.from_numpy(x, api=api)
    sequence = Value.sequence([value])
    value.close()
    del x, value
    gc.collect()
    assert token() is not None
    assert sequence[0].numpy()[-1] == (1 << 16) - 1
    del sequence
    assert token() is None


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), kind=st.sampled_from(["?", "i1", "i8", "u4", "f2", "f4", "f8"]))
def test_any_arrays_of_one_type_come_back_from_a_sequence(tables, data, kind):
    shapes = hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3)
    arrays = data.draw(st.lists(hnp.arrays(kind, shapes), min_size=1, max_size=4))
    for api in tables:
        found = Value.sequence(arrays, api=api)
        assert len(found) == len(arrays)
        for x, value in zip(arrays, found, strict=True):
            np.testing.assert_array_equal(value.numpy(), x)


def test_arrays_of_any_layout_go_into_a_sequence(api):
    x = np.arange(6, dtype=np.float32).reshape(2, 3).T
    assert Value.sequence([x, A], api=api).to_python() == [x.tolist(), A.tolist()]


def test_an_index_counts_from_either_end(api):
    sequence = Value.sequence([A, B], api=api)
    assert sequence[-2].shape == (3,)
    for index in (2, -3):
        with pytest.raises(IndexError, match=f"{index} is out of range for a sequence of 2"):
            sequence[index]
    with pytest.raises(TypeError, match="index must be an int"):
        sequence["a"]


@pytest.mark.parametrize(
    "values",
    [[], [A, np.arange(3)], [{1: 0.5}, A]],
    ids=["none", "of two types", "of two kinds"],
)
def test_a_refused_sequence_is_the_librarys_error(api, values):
    with pytest.raises(errors.OrtError):
        Value.sequence(values, api=api)


def test_the_error_for_an_item_that_is_no_value_names_its_index(api):
    with pytest.raises(TypeError, match=r"values\[1\].*int"):
        Value.sequence([A, 1], api=api)


def test_a_value_of_another_table_is_an_error(core_api, real_api):
    with pytest.raises(ValueError, match=r"values\[1\] belongs to"):
        Value.sequence([Value.from_numpy(A, api=core_api), Value.from_numpy(A, api=real_api)])


# --- maps -----------------------------------------------------------------------------------------


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    mapping=st.one_of(
        st.dictionaries(key, value, min_size=1, max_size=8)
        for key in (ints, texts)
        for value in (ints, texts, floats)
    )
)
def test_any_map_comes_back(tables, mapping):
    for api in tables:
        value = Value.map(mapping, api=api)
        assert value.kind is ValueKind.MAP
        assert len(value) == len(mapping)
        assert value.to_python() == mapping
        key = next(iter(mapping))
        assert value[key] == mapping[key]
        assert key in value


def test_keys_come_back_sorted_and_the_first_of_equal_ones_counts(api):
    keys, values = np.array([3, 1, 3, 2]), np.array([0.5, 1.5, 2.5, 3.5])
    value = Value.map_of(keys, values, api=api)
    assert list(value) == [1, 2, 3]
    assert value.keys().numpy().tolist() == [1, 2, 3]
    assert value.values().numpy().tolist() == [1.5, 3.5, 0.5]


def test_values_have_the_type_that_is_asked_for(api):
    value = Value.map({1: 0.5, 2: 0.75}, np.float32, api=api)
    assert value.values().element_type is ElementType.FLOAT
    assert value.keys().element_type is ElementType.INT64
    assert Value.map({1: 2}, np.float64, api=api).values().element_type is ElementType.DOUBLE


def test_a_missing_key_is_a_lookup_error(api):
    assert Value.map({}, api=api).to_python() == {}
    value = Value.map({"a": 1}, api=api)
    assert "b" not in value
    with pytest.raises(LookupError, match="b"):
        value["b"]


def test_a_value_without_items_raises(api):
    tensor = Value.from_numpy(A, api=api)
    for use in (lambda: tensor[0], lambda: len(tensor), lambda: list(tensor), tensor.keys):
        with pytest.raises(TypeError, match="a tensor has no"):
            use()
    with pytest.raises(TypeError, match="a sequence has no"):
        Value.sequence([A], api=api).values()
    assert tensor


def test_a_container_is_no_array(api):
    for value in (Value.sequence([A], api=api), Value.map({1: 2}, api=api)):
        with pytest.raises(TypeError, match="no array"):
            value.numpy()
        with pytest.raises(errors.OrtError):
            value.shape  # noqa: B018
        with pytest.raises(BufferError, match="only a dense tensor"):
            memoryview(value)


def test_a_repr_tells_what_it_is(api):
    assert repr(Value.sequence([A, B], api=api)) == "<Value sequence of 2>"
    assert repr(Value.map({1: 2}, api=api)) == "<Value map of 1>"
    assert repr(Value.from_numpy(B, api=api)) == "<Value tensor FLOAT (2, 2)>"


# --- what must not pass unseen --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "dtype", "error", "message"),
    [
        ([1], None, TypeError, "mapping must be a mapping, not list"),
        ({1: "a", 2: 3}, None, TypeError, "values"),
        ({1: None}, None, TypeError, "values"),
        ({"a": 1, 2: 3}, None, TypeError, "keys"),
        ({1.5: 1}, None, TypeError, "keys"),
        ({2**63: 1}, None, ValueError, "keys"),
        ({1: 2**63}, None, ValueError, "values"),
        ({1: 1.5}, np.int64, TypeError, "one of values must be an int"),
        ({1: "text"}, np.float32, TypeError, "values are str"),
        ({1: 1j}, None, TypeError, "values must be all numbers"),
        ({1: 1e300}, np.float32, ValueError, "one of values is too large for float32"),
        ({1: 10**400, 2: 0.5}, None, ValueError, "one of values is too large for float64"),
        ({1: 300}, np.int8, ValueError, "one of values must be from -128"),
        ({1: 1}, "nothing", TypeError, "dtype: "),
        ({"\ud800": 1}, None, ValueError, "keys: string 0"),
    ],
)
def test_a_map_refuses_what_it_cannot_hold(api, content, dtype, error, message):
    with pytest.raises(error, match=message):
        Value.map(content, dtype, api=api)


def test_strings_and_tensors_that_numpy_has_no_type_for_are_lists_in_a_sequence(api):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    x = np.arange(3).astype(ml_dtypes.bfloat16)
    assert Value.sequence([x, x], api=api).to_python() == [[0, 1, 2]] * 2
    sequence = Value.sequence([np.array(["héllo", ""], object)], api=api)
    assert sequence.to_python() == [["héllo", ""]]


singles = st.floats(width=32, allow_nan=False)
rows = st.one_of(
    st.lists(st.dictionaries(keys, singles, min_size=1, max_size=40), min_size=1, max_size=5)
    for keys in (ints, texts)
)


@given(rows=rows)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_maps_of_a_sequence_are_read_as_they_are_taken_out(tables, rows):
    for api in tables:
        with Value.sequence(rows, api=api) as value:
            found = value.to_python()
            taken = [
                dict(zip(each.keys().to_python(), each.values().to_python(), strict=True))
                for each in value
            ]
        assert found == taken == rows
        assert [list(each) for each in found] == [list(each) for each in taken]
