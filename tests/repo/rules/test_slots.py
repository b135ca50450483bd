# SPDX-License-Identifier: MIT
"""What a slot that the core implements needs beside its function; CONTRIBUTING lists the places."""

import re

from slots import INCLUDE, slots_of
from support.paths import CHECKOUT

IMPLEMENTED = {row.name for row in slots_of("ort_slots.def") if row.who == "HOST"}


def test_a_slot_is_called_with_bad_input_and_while_memory_runs_out():
    files = sorted((CHECKOUT / "tests/c/behaviour").glob("*.c"))
    called = set(re.findall(r"\b[A-Z]\w+", "".join(file.read_text() for file in files)))
    takes_more = {name for name in IMPLEMENTED if not name.startswith("Release")}
    assert takes_more - called == set(), "make calls in tests/c/behaviour"


def test_every_row_of_a_list_has_one_comment_right_above_it():
    lists = sorted(path.name for path in INCLUDE.glob("*_slots.def"))
    assert len(lists) == 6
    for name in lists:
        text = (INCLUDE / name).read_text(encoding="utf-8")
        rows = re.findall(r"^(.*)\nORT_SLOT_\w+\(\d", text, re.MULTILINE)
        assert len(rows) == len(slots_of(name))
        assert [line for line in rows if not line.endswith("*/")] == []
