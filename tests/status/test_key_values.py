# SPDX-License-Identifier: MIT
"""Key-value pairs as a mapping."""

from random import Random

import pytest
from support.threads import race

from ortcffi import KeyValuePairs
from ortcffi._native import ffi, lib

NAUGHTY = {"key": "", "naïve": "模型", "with space": "a=b;c", "%s": "%n"}


def live_pairs():
    return lib.ortcffi_live_objects(2)


@pytest.fixture
def pairs(api):
    with api.key_values({"z": "1", "a": "2"}) as pairs:
        yield pairs


def test_pairs_are_a_mapping(pairs):
    assert pairs["z"] == "1"
    assert len(pairs) == 2
    assert sorted(pairs) == ["a", "z"]
    assert dict(pairs) == {"z": "1", "a": "2"}
    assert pairs == {"z": "1", "a": "2"}
    assert "a" in pairs
    assert "b" not in pairs
    assert pairs.get("b", "default") == "default"


def test_pairs_of_any_text_can_be_made_of_a_mapping_of_pairs_or_of_nothing(api):
    for beginning in (NAUGHTY, [*NAUGHTY.items()], api.key_values(NAUGHTY)):
        with KeyValuePairs(beginning, api) as pairs:
            assert pairs == NAUGHTY
    with KeyValuePairs(api=api) as pairs:
        assert dict(pairs) == {}


def test_a_value_can_be_replaced_and_removed(pairs):
    pairs["z"] = "other"
    assert repr(KeyValuePairs({"z": pairs["z"]})) == "KeyValuePairs({'z': 'other'})"
    del pairs["z"]
    assert pairs == {"a": "2"}
    assert pairs.pop("a") == "2"
    pairs.update(b="1", c="2")
    for key in pairs:
        del pairs[key]
    assert len(pairs) == 0


def test_a_key_that_is_not_there_is_a_key_error(pairs):
    with pytest.raises(KeyError, match="nope"):
        pairs["nope"]
    with pytest.raises(KeyError, match="nope"):
        del pairs["nope"]


@pytest.mark.parametrize("wrong", [b"k", 5, None])
def test_keys_and_values_must_be_text(pairs, wrong):
    with pytest.raises(TypeError, match="key must be a str, not "):
        pairs[wrong] = "v"
    with pytest.raises(TypeError, match="the value of 'k' must be a str, not "):
        pairs["k"] = wrong
    with pytest.raises(TypeError, match="key must be a str, not "):
        pairs[wrong]
    assert len(pairs) == 2


@pytest.mark.parametrize(("wrong", "reason"), [("a\0b", "null character"), ("\ud800", "surrogate")])
def test_keys_and_values_must_be_strings_that_c_can_hold(pairs, wrong, reason):
    with pytest.raises(ValueError, match=f"key must .*{reason}"):
        pairs[wrong] = "v"
    with pytest.raises(ValueError, match=f"the value of 'k' must .*{reason}"):
        pairs["k"] = wrong
    with pytest.raises(ValueError, match="key must not be empty"):
        pairs[""] = "v"  # which the library would ignore
    assert len(pairs) == 2


def test_a_wrong_pair_at_the_start_leaves_nothing_behind():
    before = live_pairs()
    with pytest.raises(TypeError, match="the value of 'b' must be a str"):
        KeyValuePairs({"a": "1", "b": 2})
    assert live_pairs() == before


def test_text_that_is_not_utf8_has_replacement_characters(api):
    with api.key_values() as pairs:
        lib.AddKeyValuePair(api.pointer, pairs.handle, b"k", b"a\xffb")
        assert pairs["k"] == "a\ufffdb"
        assert pairs.to_dict() == {"k": "a\ufffdb"}


def test_pairs_of_another_object_can_be_read_but_not_changed(pairs):
    borrowed = KeyValuePairs.from_handle(pairs.api, pairs.handle, parent=pairs)
    assert borrowed == {"z": "1", "a": "2"}
    with pytest.raises(TypeError, match="belong to another object and cannot be changed"):
        borrowed["z"] = "2"
    with pytest.raises(TypeError, match="belong to another object and cannot be changed"):
        del borrowed["z"]
    borrowed.close()
    assert pairs["z"] == "1"


def test_pairs_that_a_function_handed_out_are_owned(core_api):
    before = live_pairs()
    out = ffi.new("OrtKeyValuePairs**")
    lib.CreateKeyValuePairs(core_api.pointer, out)
    with KeyValuePairs.from_handle(core_api, out[0]) as pairs:
        pairs["a"] = "1"
    assert live_pairs() == before


def test_many_pairs_are_found_replaced_and_removed_and_the_core_keeps_their_order(core_api):
    random = Random(9)
    pairs, expected = KeyValuePairs(api=core_api), {}
    for _ in range(4000):
        key, value = str(random.randrange(600)), str(random.random())
        if random.random() < 0.3 and expected:
            key = random.choice(list(expected)) if random.random() < 0.05 else key
            assert pairs.pop(key, None) == expected.pop(key, None)
        else:
            pairs[key] = expected[key] = value
        assert pairs.get(key) == expected.get(key)
    assert list(pairs.to_dict().items()) == list(expected.items())


def test_keys_with_one_hash_are_kept_apart(core_api):
    names = ["costarring", "liquid", "declinate", "macallums", "altarage", "zinke"]  # FNV-1a
    pairs = KeyValuePairs({f"key {i}": "x" for i in range(100)}, api=core_api)
    pairs.update({name: name for name in names})
    for name in names[::2]:
        del pairs[name]
    assert [pairs.get(name) for name in names] == [None, "liquid", None, "macallums", None, "zinke"]


def test_pairs_are_whole_while_threads_read_change_and_remove_them(api):
    pairs = KeyValuePairs({f"key {i}": "v" * 100 for i in range(20)}, api)

    def read(i):
        for value in (*pairs.to_dict().values(), pairs.get(f"key {i % 20}", "none")):
            assert value in {value[0] * 50, value[0] * 100, value[0] * 5000, "none"}

    def change(i):
        pairs[f"key {i % 20}"] = "xy"[i % 2] * (50 if i % 3 else 5000)

    race(2000, read, change, lambda i: pairs.pop(f"key {i * 7 % 20}", None))
