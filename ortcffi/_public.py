# SPDX-License-Identifier: MIT
"""For all topics, what users see: names of classes, hints of errors, figures, tables, texts."""

import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, NoReturn, TypeVar

T = TypeVar("T")


def public(thing: T) -> T:
    """Name `ortcffi` as the module, so that pickles, tracebacks and help() name what users import.

    Base classes that help() shows get it too, though they cannot be imported from there.
    """
    thing.__module__ = "ortcffi"
    return thing


def refuse_pickle(thing: object) -> NoReturn:
    """Raise an error that names the class: the ``__reduce__`` of what belongs to one process."""
    kind = type(thing).__name__
    article = "an" if kind[0] in "AEIOU" else "a"
    raise TypeError(f"cannot pickle {article} {kind}, which belongs to one process")


def meant(name: str, known: Iterable[str], likeness: float = 0.6) -> str:
    """Return the end of an error about an unknown name: the name that may be meant, or nothing."""
    from difflib import get_close_matches

    close = get_close_matches(name, [each for each in known if each], 1, likeness)
    return f": did you mean {quoted(close[0])}?" if close else ""


_OURS = ("ortcffi.", "collections.abc")  # whose MutableMapping has the method update


def level_of_caller() -> int:
    """Return the `stacklevel` with which a warning names the line that called this package."""
    frame, level = sys._getframe(1), 1
    while frame.f_back and frame.f_globals.get("__name__", "").startswith(_OURS):
        frame, level = frame.f_back, level + 1
    return level


@public
class Suggests:
    """An object whose `AttributeError` names the attribute that may be meant."""

    __slots__ = ()
    _elsewhere: ClassVar[Mapping[str, str]] = {}  # names of the official package, and ours

    if not TYPE_CHECKING:  # a type checker would take every name for one that is there

        def __getattr__(self, name: str) -> NoReturn:
            if hasattr(type(self), name):
                object.__getattribute__(self, name)  # a property raised this: it says why
            raise self._missing(name)

    def __setattr__(self, name: str, value: object) -> None:
        try:
            object.__setattr__(self, name, value)
        except AttributeError:
            if hasattr(type(self), name):
                raise
            raise self._missing(name) from None

    def _missing(self, name: str) -> AttributeError:
        ours = self._elsewhere.get(name)
        known = (each for each in dir(type(self)) if not each.startswith("_"))
        hint = meant(name, known) if ours is None else f": did you mean {ours!r}?"
        message = f"{type(self).__name__!r} object has no attribute {name!r}{hint}"
        return AttributeError(message, name=name, obj=None)  # of an obj Python would name another


# --- figures, tables, and texts of files made safe ---


def size(number: int | None) -> str:
    """Bytes, in the unit that fits; "-" where there is no number."""
    if number is None or number < 0:
        return "-"
    if number < 1 << 10:
        return f"{number} B"
    return scaled(number, (("GB", 1 << 30), ("MB", 1 << 20), ("KB", 1 << 10)))


def scaled(number: float, units: Sequence[tuple[str, float]]) -> str:
    """Return a number in the first unit of which there is one at least, in three or four digits."""
    unit, scale = next(((u, s) for u, s in units if number >= s), units[-1])
    figure = number / scale
    digits = 0 if figure >= 100 else 1 if figure >= 10 else 2
    return f"{figure:.{digits}f} {unit}"


def duration(seconds: float | None) -> str:
    """Seconds, in the unit that fits; "-" where there is no number."""
    return "-" if seconds is None else scaled(seconds, (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)))


def aligned(rows: Sequence[Sequence[str]], between: str = "  ") -> list[str]:
    """Return the lines of a table: the first column to the left, the others to the right."""
    first, *widths = (max(map(len, column)) for column in zip(*rows, strict=True))
    return [between.join([row[0].ljust(first), *map(str.rjust, row[1:], widths)]) for row in rows]


def html_text(text: str) -> str:
    """Return a text for a notebook."""
    import html

    return html.escape(text)


def html_table(title: str, header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table for a notebook."""

    def row(cells: Sequence[object], tag: str) -> str:
        return "".join(f"<{tag}>{html_text(str(cell))}</{tag}>" for cell in cells)

    body = "".join(f"<tr>{row(each, 'td')}</tr>" for each in rows)
    caption = html_text(title)
    return f"<table><caption>{caption}</caption><tr>{row(header, 'th')}</tr>{body}</table>"


def printable(text: str) -> str:
    """Return a text that may come from a file, a model or a library, as one line for a terminal.

    Line breaks, escape sequences and whatever else changes what a terminal shows are escaped.
    """
    if text.isprintable():
        return text
    escaped = (c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return "".join(escaped)


def shortened(text: str, length: int = 60) -> str:
    """Return a text of a file as a part of a line, not longer than that."""
    text = printable(text)
    return text if len(text) <= length else f"{text[: length - 3]}..."


def quoted(name: object, length: int = 100) -> str:
    """Return a name of a file, a model or a library in an error: its repr, not longer than that."""
    text = repr(name)
    return text if len(text) <= length else f"{text[: length - 4]}...{text[-1]}"


def few(texts: Sequence[str], most: int = 8) -> list[str]:
    """Return the first texts of a list, and how many more there are."""
    more = len(texts) - most
    return [*texts[:most], f"{more:,} more"] if more > 0 else list(texts)


def joined(lines: Iterable[str], separator: str = "\n") -> str:
    """Lines as one text, each of them `printable`."""
    return separator.join(map(printable, lines))


def described(element: str, shape: "Iterable[int | str] | None") -> str:
    """Return an element type and a shape in a few words, `printable`."""
    if shape is None:
        return f"{element} of any shape"
    return f"{element}[{dimensions(shape)}]"


def dimensions(shape: "Iterable[int | str | None]") -> str:
    """Return the dimensions of a shape in a few words, `printable`."""
    return ", ".join(few(["?" if n in (-1, None) else shortened(str(n), 40) for n in shape], 16))
