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

PICTURE = Path(__file__).resolve().parents[1] / "docs/pictures/peaks.svg"
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
    axes = Figure(figsize=(9, 0.6 + 0.42 * len(sizes)), layout="constrained").subplots()
    drawn = axes.barh(range(len(sizes)), sizes, color=OURS, height=0.6)
    texts = [f"{size:.0f} MB" if size >= 1 else "" for size in sizes]
    axes.bar_label(drawn, texts, padding=4, color=INK)
    axes.set_xlim(0, max(sizes) * 1.35)
    axes.invert_yaxis()
    axes.tick_params(colors=INK, length=0)
    axes.spines[:].set_visible(False)
    shown = [line.rstrip().replace(": Any) -> Any", ")") for line in lines]
    axes.set_yticks(range(len(lines)), shown, family="monospace")
    axes.set_yticklabels(axes.get_yticklabels(), ha="left")
    axes.tick_params("y", pad=260)
    axes.set_xlabel(f"in use at the peak of {scope.peak / 1e6:.0f} MB, by line", color=INK)
    axes.figure.savefig(path, transparent=True, metadata={"Date": None})


if __name__ == "__main__":
    PICTURE.parent.mkdir(exist_ok=True)
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "ortcffi"}):
        peaks(PICTURE)
