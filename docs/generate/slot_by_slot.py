# SPDX-License-Identifier: MIT
"""The page that holds each slot of the core beside the real library, from what the tests compared.

``tests/behaviour.tsv`` has every call with both answers, which the tests repeat; a call's name
begins with its slot's. Where more than words differ, ``differences.md`` has the call under the
heading that says why.
"""

import re
from pathlib import Path
from typing import NamedTuple

from slots import Slot

DOCS = Path(__file__).resolve().parents[1]
ANSWERS = DOCS.parent / "tests/behaviour.tsv"
RELEASE = ANSWERS.read_text(encoding="utf-8").split("\n", 1)[0].split("\t")[-1]
ABOUT = f"""\
Each slot that the core answers is called on the core and on the library of onnxruntime
{RELEASE}, in processes of their own. "Alike" is the same code of every status, the same values, the
same out-parameters left alone; words of messages are each library's own. Where answers differ, the
last column leads to the reason.
"""
HEAD = ["Slot", "Function", "Calls", "The core beside onnxruntime", "Why not the same"]


class Call(NamedTuple):
    """A call of the tests, and the heading of its difference, if there is one."""

    slot: str
    heading: str


def calls() -> list[Call]:
    """All calls that the tests compare."""
    headings = headings_of_calls()
    names = [line.split("\t")[0] for line in ANSWERS.read_text(encoding="utf-8").splitlines()[1:]]
    return [Call(name_of_slot(name), headings.get(name, "")) for name in names]


def name_of_slot(call: str) -> str:
    """The slot that a call is about."""
    return re.match(r"\w*", call)[0]  # type: ignore[index]  # it matches whatever comes


def headings_of_calls() -> dict[str, str]:
    """Each call that differs, and under which heading it stands."""
    sections = (DOCS / "differences.md").read_text(encoding="utf-8").split("\n## ")[1:]
    found = {}
    for section in sections:
        heading = section.split("\n", 1)[0]
        found.update(dict.fromkeys(re.findall(r"^\| `(.+?)` \| `", section, re.M), heading))
    return found


def anchor(heading: str) -> str:
    """The place of a heading in the page, as MyST names it."""
    return re.sub(r"[^\w\s-]", "", heading.lower()).replace(" ", "-")


def rows_of_slots(slots: list[Slot]) -> list[list[str]]:
    """One row for each slot: what the tests found."""
    by_slot: dict[str, list[Call]] = {}
    for call in calls():
        by_slot.setdefault(call.slot, []).append(call)
    rows = [HEAD]
    for slot in slots:
        made = by_slot.get(slot.name, [])
        differing = [call for call in made if call.heading]
        headings = dict.fromkeys(call.heading for call in differing)
        links = [f"`{text} <../differences.html#{anchor(text)}>`__" for text in headings]
        number = str(len(made) or "")
        verdict = verdict_of(slot, len(made), len(differing))
        rows.append([str(slot.index), f":c:func:`{slot.name}`", number, verdict, ", ".join(links)])
    return rows


def verdict_of(slot: Slot, made: int, differing: int) -> str:
    """What the tests say of a slot, in words."""
    if slot.who in ("ENGINE", "NOT_YET"):
        return "needs an engine" if slot.who == "ENGINE" else "not yet in the core"
    if not made:
        return "compared by other tests"
    return "alike" if differing == 0 else f"{made - differing} alike, {differing} not"
