# SPDX-License-Identifier: MIT
"""What a slot that the core implements needs beside its function; CONTRIBUTING lists the places."""

import re

from slots import INCLUDE, slots_of
from support.paths import CHECKOUT

IMPLEMENTED = {row.name for row in slots_of("ort_slots.def") if row.who == "HOST"}


def words_of(pattern: str) -> set[str]:
    """The names in files below tests/c, as far as they could be slots."""
    text = "".join(path.read_text() for path in sorted((CHECKOUT / "tests/c").glob(pattern)))
    return set(re.findall(r"\b[A-Z]\w+", text))


def test_a_slot_is_called_with_bad_input():
    called = words_of("behaviour/*.c")
    takes_more = {name for name in IMPLEMENTED if not name.startswith("Release")}
    assert takes_more - called == set(), "make calls in tests/c/behaviour"


def test_a_slot_is_tried_while_memory_runs_out():
    assert IMPLEMENTED - words_of("faults/*.c") == set(), "add a trial in tests/c/faults"


def test_every_row_of_a_list_has_one_comment_right_above_it():
    lists = sorted(path.name for path in INCLUDE.glob("*_slots.def"))
    assert len(lists) == 6
    for name in lists:
        text = (INCLUDE / name).read_text(encoding="utf-8")
        rows = re.findall(r"^(.*)\nORT_SLOT_\w+\(\d", text, re.MULTILINE)
        assert len(rows) == len(slots_of(name))
        assert [line for line in rows if not line.endswith("*/")] == []
