# SPDX-License-Identifier: MIT
"""The results as a picture."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .measure import Result
from .subjects import Subject

COLOURS = {
    "core": "#d1495b",
    "real": "#00798c",
    "floor": "#555555",
    "glibc": "#8d96a3",
    "mimalloc": "#edae49",
    "jemalloc": "#66a182",
    "tcmalloc": "#7d5ba6",
}
FORMATS = (".svg", ".png", ".pdf")
MARKERS = {"core": "D", "floor": "|"}


class PlotError(Exception):
    """matplotlib is not installed."""


def require_matplotlib() -> Any:
    """The class `matplotlib.figure.Figure`; raises `PlotError` where there is none."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise PlotError("needs matplotlib: pip install 'ortcffi[bench]'") from None
    return Figure


def plot(results: Sequence[Result], subjects: Sequence[Subject], path: Path) -> None:
    """Draws a line per row with a point per subject, from fast on the left to slow.

    Rows in another unit than nanoseconds are left out.

    Parameters
    ----------
    results : sequence of Result
        From top to bottom.
    subjects : sequence of Subject
        In the order of the legend.
    path : Path
        The file; its suffix says the format, such as ``.svg`` or ``.png``.
    """
    timed = [result for result in results if result.row.unit == "ns"]
    figure = require_matplotlib()(figsize=(9, 1.2 + 0.3 * len(timed)), layout="constrained")
    axes = figure.add_subplot()
    for subject in subjects:
        places = [i for i, result in enumerate(timed) if subject.name in result.slices]
        axes.plot(
            [timed[i].figures[subject.name] for i in places],
            places,
            linestyle="none",
            marker=MARKERS.get(subject.name, "o"),
            color=COLOURS[subject.name],
            label=subject.name,
        )
    axes.set_xscale("log")
    axes.set_xlabel("nanoseconds per operation, one thread unless said; left is faster")
    axes.set_yticks(range(len(timed)), [result.row.title for result in timed])
    axes.invert_yaxis()
    axes.grid(axis="both", color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    figure.legend(loc="outside upper center", ncols=len(subjects), frameon=False)
    # Without dates and random names, equal figures give equal files.
    metadata = {"Date": None} if path.suffix == ".svg" else None
    figure.savefig(path, metadata=metadata)
