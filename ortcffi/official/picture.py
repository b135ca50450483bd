# SPDX-License-Identifier: MIT
"""The arenas of recorded sessions over time, as a picture."""

import io
from collections.abc import Sequence
from typing import Any

from ortcffi._public import printable
from ortcffi.official.records import SessionRecord
from ortcffi.official.report import shortened

__all__ = ["as_svg"]

# Each is readable on white and on black, as the picture has no background of its own.
_COLOURS = ("#d9485f", "#0f93a8", "#d0921b", "#4f9d70", "#9a74cf", "#8d96a3")
_INK, _GRID = "#7a828c", "#8888884d"
_MOST = 12  # sessions that the legend names
_NAME_WIDTH = 44


def as_svg(records: Sequence[SessionRecord]) -> str:
    """Draw what the arenas held and had in use; return the picture as text."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 4.5), layout="constrained")
    axes = figure.subplots()
    drawn = [(n, record) for n, record in enumerate(records, 1) if record.samples]
    for number, record in drawn:
        _draw(axes, number, record, named=number <= _MOST)
    _label(axes, bool(drawn))
    file = io.StringIO()
    figure.savefig(file, format="svg", transparent=True, metadata={"Date": None})
    return file.getvalue()


def _draw(axes: Any, number: int, record: SessionRecord, *, named: bool) -> None:
    seconds, in_use, held, _ = zip(*record.samples, strict=True)
    colour = _COLOURS[(number - 1) % len(_COLOURS)]
    name = shortened(printable(record.model), _NAME_WIDTH).replace("$", r"\$")  # begins no formula
    label = f"{number} {name}" if named else None
    more = {"where": "post", "color": colour}
    # A session that was looked at once is a point.
    marker = "o" if len(record.samples) == 1 else None
    axes.step(seconds, _megabytes(held), linewidth=1.8, marker=marker, label=label, **more)
    axes.step(seconds, _megabytes(in_use), ":", linewidth=1.8, marker=marker, **more)


def _label(axes: Any, has_lines: bool) -> None:
    axes.set_xlabel("seconds since the program began", color=_INK)
    axes.set_ylabel("MB (solid: held by the arena, dotted: in use)", color=_INK)
    axes.tick_params(colors=_INK)
    axes.grid(color=_GRID)
    axes.set_axisbelow(True)
    axes.set_ylim(bottom=0)
    axes.spines[:].set_visible(False)
    if has_lines:
        places = {"loc": "outside upper left", "ncols": 2}
        axes.figure.legend(frameon=False, labelcolor=_INK, **places)
    else:
        axes.text(0.5, 0.5, "no arena was seen", color=_INK, ha="center", transform=axes.transAxes)


def _megabytes(numbers: Sequence[int]) -> list[float]:
    return [number / (1 << 20) for number in numbers]
