# SPDX-License-Identifier: MIT
"""What all commands share: the name of the program, its errors, the messages of libraries."""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ortcffi._public import joined, printable, shortened

if TYPE_CHECKING:
    from ortcffi.callbacks.logs import LogMessage


def program_name(command: str = "") -> str:
    """``ortcffi COMMAND`` for the installed script, otherwise ``python -m ortcffi COMMAND``."""
    is_script = os.path.splitext(os.path.basename(next(iter(sys.argv), "")))[0] == "ortcffi"
    return " ".join([*([] if is_script else ["python", "-m"]), "ortcffi", command]).rstrip()


def unwritable(path: "str | os.PathLike[str]") -> str:
    """Why no file can be written at a path, as far as its folder shows; else nothing."""
    if os.path.isdir(path):
        return f"{path} cannot be written: it is a folder"
    if not os.path.isdir(os.path.dirname(path) or os.curdir):
        return f"{path} cannot be written: its folder does not exist"
    return ""


def write_log(message: "LogMessage") -> None:
    """Write a message of a library, which may have names of a model, to stderr: a logger."""
    severity = getattr(message.severity, "name", str(message.severity)).lower()
    sys.stderr.write(f"{severity}: {printable(message.text)}\n")


@contextmanager
def unwinding() -> Iterator[None]:
    """Have SIGTERM and SIGHUP end the block as Ctrl-C does, with the exit code that shells give.

    So files and processes of the block are ended, too. The second signal ends the process at once.
    """
    signals = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    taken = [each for each in signals if signal.getsignal(each) == signal.SIG_DFL]

    def leave(number: int, _frame: Any) -> None:
        signal.signal(number, signal.SIG_DFL)
        sys.exit(128 + number)

    for each in taken:
        signal.signal(each, leave)
    try:
        yield
    finally:
        for each in taken:
            signal.signal(each, signal.SIG_DFL)


def fail(program: str, error: object) -> int:
    """Write an error to stderr, if there is one; return the exit code."""
    if sys.stderr is not None:
        lines = joined((shortened(line, 1000) for line in str(error).splitlines()), "\n  ")
        sys.stderr.write(f"{program}: {lines}\n")
    return 1
