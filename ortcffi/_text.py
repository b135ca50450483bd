# SPDX-License-Identifier: MIT
"""Figures and tables for a person to read."""

from collections.abc import Iterable, Sequence

__all__ = ["aligned", "duration", "html_table", "scaled", "size"]


def size(number: int | None) -> str:
    """Bytes, in the unit that fits; "-" where there is no number."""
    if number is None or number < 0:
        return "-"
    if number < 1 << 10:
        return f"{number} B"
    return scaled(number, (("GB", 1 << 30), ("MB", 1 << 20), ("KB", 1 << 10)))


def scaled(number: float, units: Sequence[tuple[str, float]]) -> str:
    """A number in the first unit of which there is one at least, in three or four digits."""
    unit, scale = next(((u, s) for u, s in units if number >= s), units[-1])
    figure = number / scale
    digits = 0 if figure >= 100 else 1 if figure >= 10 else 2
    return f"{figure:.{digits}f} {unit}"


def duration(seconds: float | None) -> str:
    """Seconds, in the unit that fits; "-" where there is no number."""
    return "-" if seconds is None else scaled(seconds, (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)))


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """The lines of a table: the first column to the left, the others to the right."""
    first, *widths = (max(map(len, column)) for column in zip(*rows, strict=True))
    return ["  ".join([row[0].ljust(first), *map(str.rjust, row[1:], widths)]) for row in rows]


def html_table(title: str, header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table for a notebook."""
    import html

    def row(cells: Sequence[object], tag: str) -> str:
        return "".join(f"<{tag}>{html.escape(str(cell))}</{tag}>" for cell in cells)

    body = "".join(f"<tr>{row(each, 'td')}</tr>" for each in rows)
    caption = html.escape(title)
    return f"<table><caption>{caption}</caption><tr>{row(header, 'th')}</tr>{body}</table>"
