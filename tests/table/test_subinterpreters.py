# SPDX-License-Identifier: MIT
"""The package in interpreters other than the main one."""

import sys

from support.processes import run

IN_ANOTHER = """
try:
    import ortcffi
    ortcffi.core_api()
except ImportError as error:
    print(type(error).__name__, error, flush=True)
else:
    print("imported", flush=True)
"""
PROGRAM = f"""
import ortcffi
ortcffi.core_api()
expected = ortcffi.errors.InvalidArgument
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
interpreters.run_string(interpreters.create(), {IN_ANOTHER!r})
try:
    ortcffi.core_api().memory_info("NoSuchDevice")
except expected:
    print("the main interpreter has its own error classes")
"""


def test_a_subinterpreter_is_refused_and_the_main_one_goes_on():
    done = run(sys.executable, "-c", PROGRAM)
    first, second = done.stdout.splitlines()
    assert first.startswith("ImportError ")
    assert "the main interpreter" in first
    assert second == "the main interpreter has its own error classes"
