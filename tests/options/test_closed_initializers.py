# SPDX-License-Identifier: MIT
"""Initializers whose value is closed before the options."""

import weakref

import numpy as np
import pytest

from ortcffi import SessionOptions, Value


class Tracked(np.ndarray):
    """An array that can be referred to weakly."""


def add_one(options, value):
    options.add_initializer("w", value)


def add_external(options, value):
    options.add_external_initializers({"w": value})


@pytest.mark.parametrize("add", [add_one, add_external])
def test_the_options_keep_the_memory_of_a_closed_initializer(api, add):
    array = np.ones(4, np.float32).view(Tracked)
    token = weakref.ref(array)
    with SessionOptions(api=api) as options:
        with Value.from_numpy(array, api=api) as value:
            add(options, value)
        del array, value
        assert token() is not None
    assert token() is None
