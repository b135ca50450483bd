# SPDX-License-Identifier: MIT
"""Key-value pairs that one thread reads while another changes them."""

import sys
from functools import partial

import pytest
from support.threads import run_threads

from ortcffi import KeyValuePairs


@pytest.fixture(autouse=True)
def frequent_switches():
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def race(*tasks, times=3000):
    """Call each task repeatedly on a thread of its own; return the exceptions."""
    errors = []

    def repeat(task):
        try:
            for _ in range(times):
                task()
        except Exception as error:  # noqa: BLE001
            errors.append(error)

    run_threads(*[partial(repeat, task) for task in tasks])
    return errors


def test_a_copy_of_the_pairs_is_whole_while_another_thread_changes_them(api):
    pairs = KeyValuePairs({f"key {i}": "v" * 100 for i in range(20)}, api)

    def read():
        assert all(value[0] == value[-1] for value in pairs.to_dict().values())

    def change():
        for i in range(20):
            pairs[f"key {i}"] = "w" * 100
            pairs.pop(f"key {i}", None)

    assert race(read, change, times=500) == []


def test_a_pair_that_another_thread_removes_is_no_failure_of_memory(api):
    pairs = KeyValuePairs(api=api)
    tasks = (lambda: pairs.update(key="a value"), lambda: pairs.pop("key", None))
    assert race(*tasks) == []


def test_a_value_is_whole_while_another_thread_replaces_it(api):
    pairs = KeyValuePairs({"key": "x" * 50}, api)
    texts = ["x" * 50, "y" * 5000]

    def read():
        assert pairs["key"] in texts

    tasks = [lambda text=text: pairs.update(key=text) for text in texts]
    assert race(read, *tasks) == []


@pytest.mark.parametrize("pairs", [5, None, 2.5])
def test_what_is_no_mapping_and_no_iterable_is_named(pairs):
    with pytest.raises(TypeError, match="pairs must be a mapping or an iterable of pairs, not"):
        KeyValuePairs(pairs)
