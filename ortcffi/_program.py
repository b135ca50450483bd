# SPDX-License-Identifier: MIT
"""What the command line prints: the name by which it was called, and texts of files made safe."""

import os
import sys
from collections.abc import Iterable

__all__ = ["fail", "joined", "printable", "program_name"]


def program_name(command: str = "") -> str:
    """``ortcffi COMMAND`` for the installed script, otherwise ``python -m ortcffi COMMAND``."""
    is_script = os.path.splitext(os.path.basename(next(iter(sys.argv), "")))[0] == "ortcffi"
    return " ".join([*([] if is_script else ["python", "-m"]), "ortcffi", command]).rstrip()


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


def fail(program: str, error: object) -> int:
    """Write an error to stderr, if there is one; return the exit code."""
    if sys.stderr is not None:
        lines = joined(str(error).splitlines(), "\n  ")
        sys.stderr.write(f"{program}: {lines}\n")
    return 1
