# SPDX-License-Identifier: MIT
"""The table of `ortcffi top --live`, which is drawn anew each second.

It has the terminal's other screen, so that nothing of it is left when the program ends, and goes to
the terminal itself, so that the program's output may go to a file.
"""

import os
import threading
import time
from collections.abc import Sequence
from typing import Protocol, TextIO

from ortcffi.official.records import SessionRecord
from ortcffi.official.report import as_table, shortened

TERMINAL = "/dev/tty"
_PERIOD = 1.0  # seconds
_SECONDS_TO_END = 5.0  # that a frame may take which is being drawn
_SIZE = (80, 24)  # of a terminal that does not know its own
_BEGIN, _END = "\x1b[?1049h\x1b[?25l", "\x1b[?25h\x1b[?1049l"  # the other screen, without a cursor
# What is there is overwritten, and only the rest of a line and of the screen is cleared: a screen
# that is cleared first flickers. The outer pair has terminals show a frame as a whole.
_FRAME = "\x1b[?2026h\x1b[H{}\x1b[J\x1b[?2026l"
_NEXT_LINE = "\x1b[K\r\n"


class Shown(Protocol):
    """What is shown: the sessions of a program, and when that began, as of ``time.monotonic``."""

    records: list[SessionRecord]
    started: float

    def sample(self) -> None:
        """Read the sessions."""


class Live:
    """The table on the terminal.

    Parameters
    ----------
    shown : Shown
        What is shown.
    program : str
        The name of the program, for the first line.

    Raises
    ------
    OSError
        The process has no terminal.
    """

    def __init__(self, shown: Shown, program: str) -> None:
        self._shown = shown
        self._program = program
        self._terminal: TextIO = open(TERMINAL, "w", encoding="utf-8")  # noqa: SIM115  # see `stop`
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._show, name="ortcffi-top-live", daemon=True)

    def start(self) -> None:
        """Show the table from now on."""
        self._write(_BEGIN)
        self._thread.start()

    def stop(self) -> None:
        """Give the terminal back as it was."""
        self._ended.set()
        self._thread.join(_SECONDS_TO_END)
        self._write(_END)
        self._terminal.close()

    def _show(self) -> None:
        rates = Rates(self._shown)
        while True:
            width, height = self._size()
            lines = frame(self._shown, self._program, width, height, rates.read())
            self._write(_FRAME.format(_NEXT_LINE.join(lines) + "\x1b[K"))
            if self._ended.wait(_PERIOD):
                return

    def _size(self) -> tuple[int, int]:
        width, height = os.get_terminal_size(self._terminal.fileno())
        return (width or _SIZE[0], height or _SIZE[1])

    def _write(self, text: str) -> None:
        try:
            self._terminal.write(text)
            self._terminal.flush()
        except (OSError, ValueError):  # the terminal has gone, or was given back
            self._ended.set()


class Rates:
    """How many runs a second there were since the frame before."""

    def __init__(self, shown: Shown) -> None:
        self._shown = shown
        # Of each session, known by its process and when it began: when it was read, and runs.
        self._before: dict[tuple[int | None, float], tuple[float, int]] = {}

    def read(self) -> list[float]:
        """Count runs a second of each session since the last call, or since it was made."""
        self._shown.sample()
        now = time.monotonic() - self._shown.started
        rates = []
        for each in self._shown.records:
            then, runs = self._before.get((each.pid, each.began), (each.began, 0))
            rates.append((each.runs - runs) / (now - then) if now > then else 0.0)
            self._before[each.pid, each.began] = now, each.runs
        return rates


def frame(
    shown: Shown, program: str, width: int, height: int, rates: Sequence[float] = ()
) -> list[str]:
    """Return the lines of the table that fit into a terminal.

    Sessions for which there is a rate have it as their runs a second.
    """
    records = shown.records
    seconds = time.monotonic() - shown.started
    alive = sum(record.is_open for record in records)
    facts = f", {seconds:.0f} s, sessions: {len(records)}, open: {alive}"
    lines = [shortened(program, max(width - len(facts), 1)) + facts]
    lines += as_table(records, width, rates).splitlines() if records else ["no session yet"]
    if len(lines) > height:
        hidden = len(lines) - height + 1
        lines[height - 1 :] = [f"… and {hidden} more lines"]
    return [line[:width] for line in lines]
