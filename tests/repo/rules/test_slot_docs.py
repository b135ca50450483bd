# SPDX-License-Identifier: MIT
"""Every row of the slot lists has a comment that names the arguments as the row does."""

import re

import pytest
from slots import INCLUDE, slots_of, split_tags

LISTS = sorted(path.name for path in INCLUDE.glob("*_slots.def"))


def test_there_are_six_lists():
    assert len(LISTS) == 6


@pytest.mark.parametrize("name", LISTS)
def test_every_row_has_one_comment_right_above_it(name):
    text = (INCLUDE / name).read_text(encoding="utf-8")
    rows = re.findall(r"^(.*)\nORT_SLOT_\w+\(\d", text, re.MULTILINE)
    assert len(rows) == len(slots_of(name))
    assert [line for line in rows if not line.endswith("*/")] == []


@pytest.mark.parametrize("name", LISTS)
def test_a_comment_names_the_arguments_of_its_row_in_order(name):
    wrong = {}
    for slot in slots_of(name):
        named = [tag.name for tag in split_tags(slot.comment)[1] if tag.name]
        if named != slot.arguments:
            wrong[slot.name] = named
    assert wrong == {}


@pytest.mark.parametrize("name", LISTS)
def test_what_may_be_null_is_marked_in_rows_without_an_implementation(name):
    """Their guards are made of the marks."""
    allowed = re.compile(r"[Mm]ay be NULL|\bNULL(?:: | for none| for the | leaves | to share )")
    wrong = {}
    for slot in slots_of(name):
        tags = split_tags(slot.comment)[1]
        may_be_null = {tag.name for tag in tags if tag.name and allowed.search(tag.text)}
        has_guards = slot.who in ("ENGINE", "NOT_YET") and slot.signature.startswith("OrtStatus*")
        if has_guards and may_be_null != slot.optional:
            wrong[slot.name] = may_be_null ^ slot.optional
    assert wrong == {}


@pytest.mark.parametrize("name", LISTS)
def test_a_comment_tells_what_is_returned_where_something_is(name):
    wrong = [
        slot.name
        for slot in slots_of(name)
        if slot.comment.count("@return ") != (0 if slot.signature.startswith("void ") else 1)
    ]
    assert wrong == []


@pytest.mark.parametrize("name", LISTS)
def test_a_comment_begins_with_what_the_function_does(name):
    assert [slot.name for slot in slots_of(name) if not slot.comment[:1].isupper()] == []


@pytest.mark.parametrize("name", LISTS)
def test_no_line_of_a_comment_is_longer_than_100_columns(name):
    lines = (INCLUDE / name).read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if line.startswith((" *", "/*")) and len(line) > 100] == []
