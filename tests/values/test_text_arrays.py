# SPDX-License-Identifier: MIT
"""Tensors of strings made of NumPy's arrays of str, whose elements are UTF-32 of one length."""

import numpy as np
import pytest

import ortcffi as ort

# The first and last character of each length in UTF-8, and those beside the surrogates.
EDGES = ["\x01", "\x7f", "\x80", "\u07ff", "\u0800", "\ud7ff", "\ue000", "\uffff", "\U0010ffff"]


def round_trip(api, array):
    with ort.Value.from_numpy(array, api=api) as value:
        assert value.shape == array.shape
        return value.numpy().tolist()


@pytest.mark.parametrize("count", [1, 4, 17, 200])
@pytest.mark.parametrize("longest", [1, 5, 300])
def test_every_text_comes_back(api, count, longest):
    random = np.random.default_rng(count * longest)
    texts = [
        "".join(random.choice(EDGES, random.integers(0, longest + 1))) for _ in range(count - 1)
    ]
    array = np.array([*texts, "x" * longest])
    assert array.dtype == f"<U{longest}"
    assert round_trip(api, array) == [*texts, "x" * longest]


@pytest.mark.parametrize(
    "change",
    [lambda a: a[::-1], lambda a: a.T, lambda a: a[:, ::2], lambda a: a.astype(">U3")],
    ids=["reversed", "transposed", "strided", "of the other byte order"],
)
def test_an_array_of_any_memory_layout_comes_back(api, change):
    array = change(np.array([["a", "bé", "c"], ["", "e", "fgh"]]))
    assert round_trip(api, array) == array.tolist()


def test_an_invalid_code_point_is_refused(api):
    array = np.array(["a", "b"])
    array.view(np.uint32)[1] = 0x110000
    with pytest.raises((ValueError, SystemError)):
        ort.Value.from_numpy(array, api=api)


def test_a_session_takes_arrays_of_unicode_strings(real_api):
    graph = ort.Graph()
    graph.input("x", str, ["n"])
    graph.node("Identity", ["x"], ["y"])
    graph.output("y", str, ["n"])
    with ort.Session(graph, api=real_api) as session:
        for texts in (["a", "né", "\U0001f600"], ["a\0b"], ["x" * 999] * 40, []):
            assert session.run({"x": np.array(texts, np.str_)})[0].tolist() == texts
        with pytest.raises(UnicodeEncodeError, match=r"input 'x'.*surrogate"):
            session.run({"x": np.array(["\ud800"])})
