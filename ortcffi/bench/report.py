# SPDX-License-Identifier: MIT
"""The results as a table for people and as JSON for programs."""

import json
import os
import platform
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from .measure import Result
from .rows import ROWS
from .subjects import Subject

TITLE_WIDTH = max(len(row.title) for row in ROWS)


def heading(subjects: Sequence[Subject]) -> str:
    """The line above the figures."""
    names = "".join(f"{subject.name:>10}" for subject in subjects)
    return f"{'':{TITLE_WIDTH}}   {names}{'ratio':>9}{'spread':>8}  {'required':22} wanted"


def line(result: Result, subjects: Sequence[Subject]) -> str:
    """One row of the table."""
    row, figures = result.row, result.figures
    cells = [_number(figures[s.name]) if s.name in figures else "" for s in subjects]
    ratio = "" if result.ratio is None else f"{_number(result.ratio)}x"
    spread = "?" if result.spread is None else f"{result.spread:.0%}"
    required, wanted = _goal(result, row.required), _goal(result, row.wanted)
    numbers = "".join(f"{cell:>10}" for cell in cells)
    text = f"{row.title:{TITLE_WIDTH}} {row.unit:2}{numbers}{ratio:>9}{spread:>8}"
    return f"{text}  {required:22} {wanted}".rstrip()


def _number(figure: float) -> str:
    """Format a number with three digits, or more if its integer part has more."""
    decimals = 2 if figure < 10 else 1 if figure < 100 else 0
    return f"{figure:.{decimals}f}"


def _goal(result: Result, goal: str) -> str:
    return f"{goal} {result.verdict(goal)}" if goal else ""


def notes(subjects: Iterable[Subject], missing: Mapping[str, str]) -> list[str]:
    """Which subjects were measured and which were not, one line each."""
    found = [f"{subject.name}: {subject.origin}" for subject in subjects]
    return found + [f"not measured: {name}: {reason}" for name, reason in missing.items()]


def missed(results: Iterable[Result]) -> list[str]:
    """The names of the rows whose required figure the core misses, whatever the spread."""
    return [each.row.name for each in results if each.verdict(each.row.required) == "MISSED"]


def _judged(result: Result, goal: str) -> dict[str, str | bool | None]:
    return {"goal": goal, "met": {"ok": True, "MISSED": False}.get(result.verdict(goal))}


def environment() -> dict[str, Any]:
    """The machine and the versions that the figures belong to."""
    packages: dict[str, str | None] = {}
    for name in ("ortcffi", "cffi", "numpy", "onnxruntime"):
        try:
            packages[name] = version(name)
        except PackageNotFoundError:
            packages[name] = None
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "system": platform.platform(),
        "libc": " ".join(platform.libc_ver()),
        "python": platform.python_version(),
        "packages": packages,
    }


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as lines:
            for text in lines:
                if text.startswith("model name"):
                    return text.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def as_json(
    results: Iterable[Result],
    subjects: Iterable[Subject],
    missing: Mapping[str, str],
    left_out: Mapping[str, str],
) -> str:
    """Everything that was measured.

    Returns
    -------
    str
        An object with the keys ``environment``; ``subjects``, name to origin; ``missing``, name to
        reason; ``left_out``, name of a row to reason; ``rows``, a list of objects with ``name``,
        ``title``, ``unit``, ``figures`` (subject to minimum), ``slices`` (subject to the minimum of
        each turn), ``ratio`` (real over core, or null), ``spread`` (see `Result.spread`, or null),
        ``required`` and ``wanted`` (objects with ``goal``, which may be empty, and ``met``, which
        is null where it could not be decided).
    """
    rows = [
        {
            "name": result.row.name,
            "title": result.row.title,
            "unit": result.row.unit,
            "figures": result.figures,
            "slices": result.slices,
            "ratio": result.ratio,
            "spread": result.spread,
            "required": _judged(result, result.row.required),
            "wanted": _judged(result, result.row.wanted),
        }
        for result in results
    ]
    document = {
        "environment": environment(),
        "subjects": {subject.name: subject.origin for subject in subjects},
        "missing": dict(missing),
        "left_out": dict(left_out),
        "rows": rows,
    }
    return json.dumps(document, indent=1) + "\n"
