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

from ortcffi.conformance.rows import ROWS, Bench
from ortcffi.testing.rules import Rule, Subject

NOTHING_NEW, ANSWERED, GAVE_UP = 10, 11, 12
# Python's functions, which get NULL where memory lacks, and those that count or take long.
NOT_TRIED = ("callback", "client(", "op(", "logger(", "showing", "making", "computing", "inferring")
NOT_TRIED += ("run(", "Run", "lacking(", "together(", "forked(", "range(1000", "000000", "100000")
NOT_TRIED += ("profile", "Profile", "device(", "RegisterEx")


class Faults:
    """The library, with which each call of a row is made again and again."""

    def __init__(self, path: str) -> None:
        self.library = ctypes.CDLL(path)
        self.library.faults_of.restype = ctypes.c_char_p
        self.bench = Bench(Subject(path), "faults_base")

    def try_row(self, row: Rule) -> None:
        """Let each allocation of a row's calls fail; the answer stays the usual one."""
        usual, again = self.bench.answer(row.name), self.bench.answer(row.name)
        for both in (0, 1):
            end = ANSWERED
            while end != NOTHING_NEW:
                self.library.faults_begin(both)
                answer = self.bench.answer(row.name)
                end = self.library.faults_end()
                if end == ANSWERED and usual == again != answer:
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
