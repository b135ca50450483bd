# SPDX-License-Identifier: MIT
"""Draws ``docs/pictures/peaks.svg``, the memory of a job by its lines; needs matplotlib.

python tools/draw_pictures.py
"""

import inspect
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

import ortcffi as ort

PICTURES = Path(__file__).resolve().parents[1] / "docs/pictures"
OURS, INK = "#d9485f", "#7a828c"  # read on white and on black


def features(x: Any) -> Any:
    centred = x - x.mean(axis=0)
    squares = centred**2
    scale = np.sqrt(squares.mean(axis=0))
    return centred / scale


def peaks(path: Path) -> None:
    """Bars of the bytes that each line of `features` has in use at the peak."""
    pool = ort.Tracking(ort.core_api().default_allocator)
    x = np.random.default_rng(0).random((1000, 1000))
    with ort.numpy_allocator(pool), pool.scope("features") as scope:
        features(x)
    lines, first = inspect.getsourcelines(features)
    sizes = [0.0] * len(lines)
    for group in scope.at_peak:
        sizes[int(group.place.split(":")[-1].split()[0]) - first] += group.size / 1e6
    axes = bars(
        sizes, [f"{size:.0f} MB" if size >= 1 else "" for size in sizes], [OURS] * len(sizes)
    )
    axes.set_yticks(
        range(len(lines)),
        [line.rstrip().replace(": Any) -> Any", ")") for line in lines],
        family="monospace",
    )
    axes.set_yticklabels(axes.get_yticklabels(), ha="left")
    axes.tick_params("y", pad=260)
    axes.set_xlabel(f"in use at the peak of {scope.peak / 1e6:.0f} MB, by line", color=INK)
    save(axes, path)


def bars(sizes: list[float], texts: list[str], colours: list[str]) -> Any:
    """Horizontal bars from top to bottom, each with a text at its end."""
    figure = Figure(figsize=(9, 0.6 + 0.42 * len(sizes)), layout="constrained")
    axes = figure.subplots()
    drawn = axes.barh(range(len(sizes)), sizes, color=colours, height=0.6)
    axes.bar_label(drawn, texts, padding=4, color=INK)
    axes.set_xlim(0, max(sizes) * 1.35)
    axes.invert_yaxis()
    axes.tick_params(colors=INK, length=0)
    axes.spines[:].set_visible(False)
    return axes


def save(axes: Any, path: Path) -> None:
    axes.figure.savefig(path, transparent=True, metadata={"Date": None})


if __name__ == "__main__":
    PICTURES.mkdir(exist_ok=True)
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "ortcffi"}):
        peaks(PICTURES / "peaks.svg")
