# SPDX-License-Identifier: MIT
"""Draws pictures of the documentation into ``docs/pictures``; needs onnxruntime and matplotlib.

    python tools/draw_pictures.py [NAME ...]

``peaks`` is the memory of a job by its lines; ``top``, what ``ortcffi top --svg`` draws.
"""

import argparse
import inspect
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

import ortcffi as ort

PICTURES = Path(__file__).resolve().parents[1] / "docs/pictures"
OURS, INK = "#d9485f", "#7a828c"  # read on white and on black
PROGRAM = """\
import numpy as np, onnxruntime, time
import ortcffi as ort
graph = ort.Graph()
_ = graph.input("x", "f4", ["n"]), graph.node("Neg", ["x"], ["y"]), graph.output("y", "f4", ["n"])
for name in ("encoder.onnx", "decoder.onnx"):
    graph.save(name)
encoder, decoder = map(onnxruntime.InferenceSession, ("encoder.onnx", "decoder.onnx"))
small, large, kept = np.ones(1 << 20, np.float32), np.ones(4 << 20, np.float32), []
for i in range(60):
    y = encoder.run(None, {"x": large if i % 20 == 10 else small})
    kept.append(decoder.run(None, {"x": small[: 1 << 18]}))
    time.sleep(0.02)
"""


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


def top(path: Path) -> None:
    """What ``ortcffi top`` draws of a program that keeps some of its outputs."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder, "serve.py")
        program.write_text(PROGRAM)
        command = [sys.executable, "-P", "-m", "ortcffi", "top", "--svg", str(path), program.name]
        subprocess.run(command, check=True, cwd=folder)


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


DRAWN = {"peaks": peaks, "top": top}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="default: both")
    names = parser.parse_args().names or DRAWN
    PICTURES.mkdir(exist_ok=True)
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "ortcffi"}):
        for name in names:
            DRAWN[name](PICTURES / f"{name}.svg")


if __name__ == "__main__":
    main()
