# SPDX-License-Identifier: MIT
"""Draws the results."""

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

from ortcffi.platform.new_file import write_whole

from .measure import Result
from .subjects import Subject

# Each is readable on white and on black, as the picture has no background of its own.
COLOURS = {
    "core": "#d9485f",
    "real": "#0f93a8",
    "floor": "#808080",
    "glibc": "#8d96a3",
    "mimalloc": "#d0921b",
    "jemalloc": "#4f9d70",
    "tcmalloc": "#9a74cf",
}
NANOSECONDS = {"ns": 1.0, "us": 1e3}
INK, GRID = "#7a828c", "#8888884d"
FORMATS = (".svg", ".png", ".pdf")
MARKERS = {"core": "D", "floor": "|"}
PANELS = {  # by the beginning of a row's name; a row belongs to the first that fits
    "Statuses and short calls": ("status", "fail", "read-status", "get-api", "release"),
    "Memory blocks": ("alloc", "batch", "lifetimes", "two-threads", "handover", "touch", "zero"),
    "Arenas": ("arena",),
    "Adaptors, time added": ("adaptor",),
    "Values": ("tensor", "strings"),
    "NumPy arrays in the allocator": ("numpy",),
    "Python": ("",),
}


class PlotError(Exception):
    """matplotlib is not installed."""


def require_matplotlib() -> Any:
    """The class `matplotlib.figure.Figure`; raises `PlotError` if it is not installed."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise PlotError("needs matplotlib: pip install 'ortcffi[bench]'") from None
    return Figure


def plot(results: Sequence[Result], subjects: Sequence[Subject], path: Path) -> None:
    """Draw a panel per topic, in it a line per row, with a point per subject; left is faster.

    The number beside the points is how many times as long the real library takes as the core. Rows
    that are not times in nanoseconds or microseconds are left out.

    Parameters
    ----------
    results : sequence of Result
        From top to bottom.
    subjects : sequence of Subject
        In the order of the legend.
    path : Path
        The file; its suffix is the format, such as ``.svg`` or ``.png``.
    """
    panels = _panels([result for result in results if result.row.unit in NANOSECONDS])
    lines = sum(map(len, panels.values()))
    size = (9, 1.4 + 0.27 * lines + 0.45 * len(panels))
    figure = require_matplotlib()(figsize=size, layout="constrained")
    heights = [len(rows) + 0.6 for rows in panels.values()]
    grid = figure.subplots(len(panels), 1, sharex=True, squeeze=False, height_ratios=heights)
    for axes, (title, rows) in zip(grid[:, 0], panels.items(), strict=True):
        _draw(axes, title, rows, subjects)
    label = "nanoseconds per operation, left is faster; number: time of real over time of core"
    grid[-1, 0].set_xlabel(label, color=INK)
    handles: dict[str, Any] = {}
    for axes in grid[:, 0]:
        handles |= dict(zip(*axes.get_legend_handles_labels()[::-1], strict=True))
    shown = [subject.name for subject in subjects if subject.name in handles]
    figure.legend(
        [handles[name] for name in shown],
        shown,
        loc="outside upper center",
        ncols=len(shown),
        frameon=False,
        labelcolor=INK,
    )
    # Without dates and random names, equal figures give equal files.
    metadata = {"Date": None} if path.suffix == ".svg" else None
    drawn = BytesIO()
    figure.savefig(drawn, format=path.suffix[1:], metadata=metadata, transparent=True)
    write_whole(path, drawn.getvalue())


def _panels(results: Sequence[Result]) -> dict[str, list[Result]]:
    panels: dict[str, list[Result]] = {}
    for title, beginnings in PANELS.items():
        taken = [other for rows in panels.values() for other in rows]
        fitting = [
            each for each in results if each.row.name.startswith(beginnings) and each not in taken
        ]
        if fitting:
            panels[title] = fitting
    return panels


def _nanoseconds(result: Result, subject: str) -> float:
    return result.figures[subject] * NANOSECONDS[result.row.unit]


def _draw(axes: Any, title: str, rows: Sequence[Result], subjects: Sequence[Subject]) -> None:
    for subject in subjects:
        places = [i for i, result in enumerate(rows) if subject.name in result.slices]
        if places:
            axes.plot(
                [_nanoseconds(rows[i], subject.name) for i in places],
                places,
                linestyle="none",
                marker=MARKERS.get(subject.name, "o"),
                color=COLOURS[subject.name],
                label=subject.name,
            )
    for i, result in enumerate(rows):
        if result.ratio is not None:
            axes.annotate(
                f"{result.ratio:.{0 if result.ratio >= 10 else 1}f}\N{MULTIPLICATION SIGN}",
                (min(_nanoseconds(result, name) for name in result.figures), i),
                xytext=(-8, 0),
                textcoords="offset points",
                ha="right",
                va="center",
                fontsize=8,
                color=COLOURS["core"],
            )
    axes.set_title(title, loc="left", fontsize=10, fontweight="bold", color=INK)
    axes.set_xscale("log")
    axes.margins(x=0.08)
    axes.set_yticks(range(len(rows)), [result.row.title for result in rows])
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.tick_params(colors=INK, labelsize=9)
    axes.grid(axis="both", color=GRID, linewidth=0.6)
    axes.set_axisbelow(True)
    for spine in axes.spines.values():
        spine.set_color(GRID)
