# SPDX-License-Identifier: MIT
"""Every row of the slot lists has a comment that names the arguments as the row does."""

import re
from typing import NamedTuple

import pytest
from support.paths import CHECKOUT

INCLUDE = CHECKOUT / "core" / "include"
LISTS = [
    "ort_slots.def",
    "ort_model_editor_slots.def",
    "ort_compile_slots.def",
    "ort_interop_slots.def",
    "ort_ep_slots.def",
]
# A row ends where its line ends with the parenthesis that closes it: the next line is empty.
ROW = re.compile(
    r"^ORT_SLOT_(STATUS|VOID|VALUE|GETTER)\((\d+),(.+?)\)$(?=\n\n|\n#)",
    re.MULTILINE | re.DOTALL,
)
COMMENT_ABOVE = re.compile(r"/\*\*(?:(?!\*/).)*\*/\n\Z", re.DOTALL)
PARAM = re.compile(r"@param\[(?:in|out|in,out)\] (\w+) \S")


class Row(NamedTuple):
    kind: str
    index: int
    arguments: list[str]
    comment: str


def rows_of(name: str) -> list[Row]:
    text = (INCLUDE / name).read_text(encoding="utf-8")
    rows = []
    for match in ROW.finditer(text):
        kind, index, columns = match.groups()
        # The last column is the parenthesised list of arguments; a getter has none.
        last = "" if kind == "GETTER" else columns.rpartition("(")[2]
        comment = COMMENT_ABOVE.search(text, 0, match.start())
        rows.append(
            Row(kind, int(index), re.findall(r"\w+", last), comment.group() if comment else "")
        )
    return rows


@pytest.mark.parametrize("name", LISTS)
def test_the_parser_sees_every_row_in_order(name):
    text = (INCLUDE / name).read_text(encoding="utf-8")
    started = re.findall(r"^ORT_SLOT_\w+\((\d+)", text, re.MULTILINE)
    assert [row.index for row in rows_of(name)] == list(range(len(started)))


@pytest.mark.parametrize("name", LISTS)
def test_every_row_has_a_comment_right_above_it(name):
    assert [row.index for row in rows_of(name) if not row.comment] == []


@pytest.mark.parametrize("name", LISTS)
def test_a_comment_names_the_arguments_of_its_row_in_order(name):
    wrong = {
        row.index: PARAM.findall(row.comment)
        for row in rows_of(name)
        if PARAM.findall(row.comment) != row.arguments
    }
    assert wrong == {}


@pytest.mark.parametrize("name", LISTS)
def test_a_comment_tells_what_is_returned_where_something_is(name):
    wrong = [
        row.index
        for row in rows_of(name)
        if row.comment.count("@return ") != (0 if row.kind == "VOID" else 1)
    ]
    assert wrong == []


@pytest.mark.parametrize("name", LISTS)
def test_a_comment_begins_with_what_the_function_does(name):
    wrong = [row.index for row in rows_of(name) if not re.match(r"/\*\*\s+[* ]*[A-Z]", row.comment)]
    assert wrong == []


@pytest.mark.parametrize("name", LISTS)
def test_no_line_of_a_comment_is_longer_than_100_columns(name):
    lines = [line for row in rows_of(name) for line in row.comment.splitlines()]
    assert [line for line in lines if len(line) > 100] == []
