# SPDX-License-Identifier: MIT
"""``python -m ortcffi.compat PROGRAM ARGUMENTS``: runs a program on the drop-in."""

import os
import runpy
import sys

from ortcffi.compat import install

_USAGE = """\
usage: python -m ortcffi.compat (PROGRAM | -m MODULE) [ARGUMENT ...]

Run a Python program, in which `import onnxruntime` gives ortcffi.compat.
"""


def main(arguments: list[str]) -> None:
    """Run the program that the arguments name."""
    is_module = arguments[:1] == ["-m"]
    program = arguments[is_module:]
    if not program or program[0].startswith("-"):
        is_help = program[:1] in (["-h"], ["--help"])
        (sys.stdout if is_help else sys.stderr).write(_USAGE)
        sys.exit(0 if is_help else 2)
    install()
    sys.argv[:] = program
    if is_module:
        runpy.run_module(program[0], run_name="__main__", alter_sys=True)
    elif os.path.exists(program[0]):
        if not sys.flags.safe_path:
            sys.path[0] = os.path.dirname(os.path.abspath(program[0]))
        runpy.run_path(program[0], run_name="__main__")
    else:
        sys.exit(f"python -m ortcffi.compat: there is no file {program[0]!r}")


if __name__ == "__main__":
    main(sys.argv[1:])
