# SPDX-License-Identifier: MIT
"""Key-value pairs that threads read, change and remove at the same time."""

from support.threads import race

from ortcffi import KeyValuePairs


def test_pairs_are_whole_while_threads_read_change_and_remove_them(api):
    pairs = KeyValuePairs({f"key {i}": "v" * 100 for i in range(20)}, api)

    def read(i):
        for value in (*pairs.to_dict().values(), pairs.get(f"key {i % 20}", "none")):
            assert value in {value[0] * 50, value[0] * 100, value[0] * 5000, "none"}

    def change(i):
        pairs[f"key {i % 20}"] = "xy"[i % 2] * (50 if i % 3 else 5000)

    race(2000, read, change, lambda i: pairs.pop(f"key {i * 7 % 20}", None))
