# SPDX-License-Identifier: MIT
"""The core's goals, and whether figures meet them.

A goal is written as it is printed:

=================  ==========================================================
``4.5x``           the core takes at most 1/4.5 of what the real library takes
``20x onnx``       the core takes at most 1/20 of what another subject takes
``<= 150``         at most 150, in the row's unit
``<= real + 0.3``  at most 0.3 more than the real library
``<= tcmalloc``    at most what this peer takes
=================  ==========================================================

Two figures of equal code differ by some percent from one run to the next, so no figure misses a
peer's by less than `NOISE`.
"""

from collections.abc import Mapping

NOISE = 0.03


def meets(goal: str, figures: Mapping[str, float]) -> bool | None:
    """Whether the core meets a goal.

    Parameters
    ----------
    goal : str
        One or several, separated by commas; empty for none.
    figures : mapping of str to float
        Subject to figure, in the row's unit.

    Returns
    -------
    bool or None
        None if there is no goal, or a subject that decides it was not measured.
    """
    if not goal:
        return None
    answers = [_meets_one(part.strip(), figures) for part in goal.split(",")]
    if False in answers:
        return False
    return None if None in answers else True


def _meets_one(goal: str, figures: Mapping[str, float]) -> bool | None:
    core = figures.get("core")
    if core is None:
        return None
    times, _, peer = goal.partition("x")
    if _is_number(times):
        name = peer.strip() or "real"
        return core * float(times) <= figures[name] if name in figures else None
    limit = 0.0
    for term in goal.removeprefix("<=").split("+"):
        if _is_number(term):
            limit += float(term)
        elif term.strip() in figures:
            limit += figures[term.strip()] * (1 + NOISE)
        else:
            return None
    return core <= limit


def _is_number(text: str) -> bool:
    return text.strip().replace(".", "", 1).isdigit()
