# SPDX-License-Identifier: MIT
"""Key-value pairs that one thread reads while another changes them."""

import pytest
from support.threads import race

from ortcffi import KeyValuePairs


def test_a_copy_of_the_pairs_is_whole_while_another_thread_changes_them(api):
    pairs = KeyValuePairs({f"key {i}": "v" * 100 for i in range(20)}, api)

    def read(_i):
        assert all(value[0] == value[-1] for value in pairs.to_dict().values())

    def change(_i):
        for i in range(20):
            pairs[f"key {i}"] = "w" * 100
            pairs.pop(f"key {i}", None)

    race(500, read, change)


def test_a_pair_that_another_thread_removes_is_no_failure_of_memory(api):
    pairs = KeyValuePairs(api=api)
    race(3000, lambda _: pairs.update(key="a value"), lambda _: pairs.pop("key", None))


def test_a_value_is_whole_while_another_thread_replaces_it(api):
    pairs = KeyValuePairs({"key": "x" * 50}, api)
    texts = ["x" * 50, "y" * 5000]

    def read(_i):
        assert pairs["key"] in texts

    race(3000, read, *[lambda _, text=text: pairs.update(key=text) for text in texts])


@pytest.mark.parametrize("pairs", [5, None, 2.5])
def test_what_is_no_mapping_and_no_iterable_is_named(pairs):
    with pytest.raises(TypeError, match="pairs must be a mapping or an iterable of pairs, not"):
        KeyValuePairs(pairs)
