# SPDX-License-Identifier: MIT
"""Rows of the tests, for the runner of the conformance suite, which finds them in this module."""

from ortcffi.conformance.rows import Bench, row
from ortcffi.testing.rules import Rule

__all__ = ["Bench"]

CALL_SECONDS = 1


def _own(call: str, holds: str = "x") -> Rule:
    made = row("of the tests", call, holds)
    made.check.__module__ = __name__
    return made


UNLISTED = _own("2 + 3", "5")
FIRST, LAST = _own("1 + 1", "2"), _own("2 + 2", "4")
CRASHES = _own("ffi.string(ffi.cast('char*', 16))")
ENDS = _own("__import__('os')._exit(3)")
TELLS = _own("import os; os.write(2, b'it has ended the process'); os._exit(4)")
WAITS = _own("import signal; signal.alarm(1); [1 for _ in iter(int, 1)]")
STOPS = _own(
    'CreateMemoryInfo("no such device", Device, 0, Default); 1',
    "CreateMemoryInfo: INVALID_ARGUMENT",
)
GETS_NULL = _own('without("MemoryInfoGetName", 0); MemoryInfoGetName(cpu())', "INVALID_ARGUMENT")
FORKS = _own(
    'without("MemoryInfoGetName", 0); forked(lambda: MemoryInfoGetName(cpu()))', "INVALID_ARGUMENT"
)
ROWS = [FIRST, CRASHES, ENDS, TELLS, WAITS, STOPS, GETS_NULL, FORKS, LAST]
