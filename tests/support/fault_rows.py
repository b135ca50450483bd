# SPDX-License-Identifier: MIT
"""Makes the calls of conformance rows while the core's allocations fail, one after the other.

    python fault_rows.py LIBRARY NUMBER OF

The library is ``faults.so`` of tests/c/faults, which ends the process where a call that fails is
not clean. Every OF-th row is tried, from that number on. Prints the name of each row before it is
tried, and in the end each slot that was called, with the number of its allocations that failed.
"""

import ctypes
import faulthandler
import sys
from typing import Any

from ortcffi.conformance.rows import ROWS, Bench
from ortcffi.conformance.telling import told
from ortcffi.testing.rules import Rule, Subject

NOTHING_NEW, ANSWERED, GAVE_UP = 10, 11, 12
# Calls of functions in Python, which get NULL where memory lacks, and those that take long.
NOT_TRIED = ("callback", "client(", " op(", "logger(", "run(", "Run(", "RunWith", "lacking(")
NOT_TRIED += ("together(", "forked(", "range(1000", "000000", "100000", "profile", "CreateOp(")
NOT_TRIED += ("(op(", "RegisterEx", "thread_callbacks")
INSIDE = ("showing(", "making(", "computing(", "inferring(")  # they ask inside a call


class Faults:
    """The library, with which each call of a row is made again and again."""

    def __init__(self, path: str) -> None:
        self.library = ctypes.CDLL(path)
        self.library.faults_of.restype = ctypes.c_char_p
        self.bench = Bench(Subject(path), "faults_base")
        self.both = self.end = 0
        words = self.bench.words["making"].__self__
        self.asked, words._asked = words._asked, self.asked_while_failing

    def asked_while_failing(self, ask: Any) -> Any:
        """Let the calls fail that are made inside another one, which does not."""

        def failing(given: Any) -> Any:
            self.library.faults_begin(self.both)
            try:
                return told(self.bench.table.sure, ask(given))
            finally:
                self.end = self.library.faults_end()

        return self.asked(failing)

    def attempt(self, row: Rule) -> str:
        """Make the calls of a row, of which one allocation fails that has not failed before."""
        if any(word in row.name for word in INSIDE):
            self.end = NOTHING_NEW
            return self.bench.answer(row.name)
        self.library.faults_begin(self.both)
        answer = self.bench.answer(row.name)
        self.end = self.library.faults_end()
        return answer

    def try_row(self, row: Rule) -> None:
        """Let each allocation of a row's calls fail; the answer stays the usual one."""
        usual, again = self.bench.answer(row.name), self.bench.answer(row.name)
        for self.both in (0, 1):
            self.end = ANSWERED
            while self.end != NOTHING_NEW:
                answer = self.attempt(row)
                if self.end == ANSWERED and usual == again != answer:
                    raise SystemExit(f"{row.name}: answers {answer}, not {usual}")

    def print_slots(self) -> None:
        """Print each slot that was called, with how many of its allocations failed."""
        failed = ctypes.c_uint()
        for slot in range(2**31):
            if (name := self.library.faults_of(slot, ctypes.byref(failed))) is None:
                return
            if failed.value != 2**32 - 1:
                print(f"{name.decode()}: {failed.value}")  # noqa: T201


def main(path: str, number: str, of: str) -> None:
    faulthandler.enable()
    faults = Faults(path)
    rows = [each for each in ROWS if each.group != "bad calls" and "is_there" not in each.name]
    rows = [each for each in rows if not any(word in each.name for word in NOT_TRIED)]
    for row in rows[int(number) :: int(of)]:
        print(f"- {row.name}", flush=True)  # noqa: T201
        faults.try_row(row)
    faults.print_slots()


if __name__ == "__main__":
    main(*sys.argv[1:])
