# SPDX-License-Identifier: MIT
"""For all that prints: figures, tables, texts of files made safe, the name of the program."""

import os
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ortcffi.callbacks.logs import LogMessage

__all__ = ["aligned", "duration", "fail", "html_table", "html_text"]
__all__ += ["joined", "printable", "program_name", "scaled", "size", "unwritable", "write_log"]


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


def html_text(text: str) -> str:
    """A text for a notebook."""
    import html

    return html.escape(text)


def html_table(title: str, header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table for a notebook."""

    def row(cells: Sequence[object], tag: str) -> str:
        return "".join(f"<{tag}>{html_text(str(cell))}</{tag}>" for cell in cells)

    body = "".join(f"<tr>{row(each, 'td')}</tr>" for each in rows)
    caption = html_text(title)
    return f"<table><caption>{caption}</caption><tr>{row(header, 'th')}</tr>{body}</table>"


def program_name(command: str = "") -> str:
    """``ortcffi COMMAND`` for the installed script, otherwise ``python -m ortcffi COMMAND``."""
    is_script = os.path.splitext(os.path.basename(next(iter(sys.argv), "")))[0] == "ortcffi"
    return " ".join([*([] if is_script else ["python", "-m"]), "ortcffi", command]).rstrip()


def unwritable(path: "str | os.PathLike[str]") -> str:
    """Why no file can be written at a path, as far as its folder tells; else nothing."""
    if os.path.isdir(path):
        return f"{path} cannot be written: it is a folder"
    if not os.path.isdir(os.path.dirname(os.path.abspath(path))):
        return f"{path} cannot be written: its folder does not exist"
    return ""


def printable(text: str) -> str:
    """A text that may come from a file, a model or a library, as one line for a terminal.

    Line breaks, escape sequences and whatever else changes what a terminal shows are escaped.
    """
    if text.isprintable():
        return text
    escaped = (c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return "".join(escaped)


def joined(lines: Iterable[str], separator: str = "\n") -> str:
    """Lines as one text, each of them `printable`."""
    return separator.join(map(printable, lines))


def described(element: str, shape: "Iterable[int | str] | None") -> str:
    """An element type and a shape in a few words, `printable`."""
    if shape is None:
        return f"{element} of any shape"
    return f"{element}[{', '.join('?' if n == -1 else printable(str(n)) for n in shape)}]"


def write_log(message: "LogMessage") -> None:
    """Write a message of a library, which may have names of a model, to stderr: a logger."""
    severity = getattr(message.severity, "name", str(message.severity)).lower()
    sys.stderr.write(f"{severity}: {printable(message.text)}\n")


def fail(program: str, error: object) -> int:
    """Write an error to stderr, if there is one; return the exit code."""
    if sys.stderr is not None:
        lines = joined(str(error).splitlines(), "\n  ")
        sys.stderr.write(f"{program}: {lines}\n")
    return 1
