# SPDX-License-Identifier: MIT
"""Tensors of strings: UTF-8 in both directions, and arbitrary bytes."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.numpy_2 import needs_numpy_2

from ortcffi import ElementType, Value, emulate

WORDS = ["héllo", "", "a" * 100, "日本", "\N{PILE OF POO}", "a\0b", "\0"]


def test_an_array_of_strings_comes_back(api):
    x = np.array([["héllo", ""], ["ab", "日本"]], dtype=object)
    value = Value.from_numpy(x, api=api)
    assert value.element_type is ElementType.STRING
    assert value.dtype == object
    np.testing.assert_array_equal(value.numpy(), x)
    assert value.to_python() == x.tolist()
    assert value.strings() == x.ravel().tolist()


@pytest.mark.parametrize(
    "dtype", [object, str, pytest.param("T", marks=needs_numpy_2("has no StringDType"))]
)
def test_all_of_numpys_strings_are_taken(api, dtype):
    x = np.array(["héllo", "", "日本", "a\0b", "\0c"], dtype=dtype)
    assert Value.from_numpy(x, api=api).to_python() == ["héllo", "", "日本", "a\0b", "\0c"]


def test_an_array_of_bytes_is_taken_as_it_is(api):
    x = np.array([b"ab", b"\xff\xfe"])
    value = Value.from_numpy(x, api=api)
    assert value.raw_strings() == [b"ab", b"\xff\xfe"]
    assert value.strings() == ["ab", "\ufffd\ufffd"]


def test_a_view_keeps_its_own_order(api):
    x = np.array([["a", "b", "c"], ["d", "e", "f"]], dtype=object)
    assert Value.from_numpy(x.T, api=api).strings() == ["a", "d", "b", "e", "c", "f"]


def test_null_characters_are_kept(api):
    assert Value.from_strings(WORDS, api=api).strings() == WORDS


def test_strings_have_a_shape_if_they_are_given_one(api):
    value = Value.from_strings(list("abcdef"), (2, 3), api=api)
    assert value.numpy().tolist() == [["a", "b", "c"], ["d", "e", "f"]]
    assert value.numpy().shape == (2, 3)


@pytest.mark.parametrize("dtype", [object, str])
@pytest.mark.parametrize("shape", [(), (0,), (2, 0, 3), (2, 3), (1, 1, 1)])
def test_a_few_strings_may_have_any_shape(api, shape, dtype):
    x = np.full(shape, "né", dtype=dtype)
    np.testing.assert_array_equal(Value.from_numpy(x, api=api).numpy(), x)
    assert Value.from_numpy(x, api=api).to_python() == x.tolist()


def test_fresh_strings_are_empty_and_can_be_set_again(api):
    value = Value.empty(2, str, api=api)
    assert value.strings() == ["", ""]
    for words in (["a" * 40, "b"], ("c", "d" * 50), ["", "e"]):
        value.set_strings(words)
        assert value.strings() == list(words)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(words=st.lists(st.text(st.characters(codec="utf-8")), max_size=20))
def test_any_strings_come_back(tables, words):
    for api in tables:
        assert Value.from_strings(words, api=api).to_python() == words
        assert Value.from_numpy(np.array(words, dtype=object), api=api).numpy().tolist() == words


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(words=st.lists(st.binary(), max_size=20))
def test_any_bytes_come_back(tables, words):
    for api in tables:
        assert Value.from_strings(words, api=api).raw_strings() == words


@pytest.mark.parametrize(
    ("words", "kind", "says"),
    [
        (["a", 1], TypeError, "string 1 must be a str or bytes, not int"),
        ([None], TypeError, "string 0 .*NoneType"),
        (["a", "\ud800"], ValueError, "string 1 .*surrogate"),
        *((words, TypeError, "strings must be a sequence of str") for words in (None, 3, "abc")),
    ],
)
def test_the_error_for_an_element_that_is_no_string_names_its_index(api, words, kind, says):
    with pytest.raises(kind, match=says):
        Value.from_strings(words, api=api)


def test_an_array_with_other_objects_or_of_another_size_is_refused(api):
    with pytest.raises(TypeError, match="x: string 1"):
        Value.from_numpy(np.array(["a", None], dtype=object), api=api)
    with pytest.raises(ValueError, match=r"x: string 1 has a lone surrogate"):
        Value.from_numpy(np.array(["a", "\ud800"]), api=api)
    with pytest.raises(ValueError, match="strings must be 2 for this tensor, not 3"):
        Value.from_strings(["a", "b", "c"], 2, api=api)


def test_strings_of_numbers_are_an_error(api):
    value = Value.empty(3, np.float32, api=api)
    for use in (value.strings, lambda: value.set_strings(["a"] * 3)):
        with pytest.raises(RuntimeError):
            use()


def test_a_string_tensor_is_no_buffer_and_has_no_size(api):
    value = Value.from_strings(["a"], api=api)
    with pytest.raises(BufferError, match="numpy"):
        memoryview(value)
    with pytest.raises(TypeError, match="size"):
        value.nbytes  # noqa: B018


def test_an_older_table_has_strings_too_but_for_null_characters():
    old = emulate(8)
    assert Value.from_strings(["héllo", ""], api=old).strings() == ["héllo", ""]
    with pytest.raises(NotImplementedError, match="15"):
        Value.from_strings(["a\0b"], api=old)
