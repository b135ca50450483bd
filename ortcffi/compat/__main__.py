# SPDX-License-Identifier: MIT
"""``python -m ortcffi.compat PROGRAM ARGUMENTS``: runs a program on the drop-in."""

import argparse
import os
import sys

from ortcffi._program import run_program
from ortcffi.compat import install

DESCRIPTION = "Run a Python program, in which `import onnxruntime` gives ortcffi.compat."


def main(arguments: list[str]) -> None:
    """Run the program that the arguments name."""
    parser = argparse.ArgumentParser(
        prog="python -m ortcffi.compat",
        usage="%(prog)s [--ep NAME] (PROGRAM | -m MODULE) [ARGUMENT ...]",
        description=DESCRIPTION,
    )
    parser.add_argument(
        "--ep",
        metavar="NAME",
        action="append",
        default=[],
        help="an execution provider that stands for the CPU's, such as nxrt; the core runs the "
        "models, without an onnxruntime; may be repeated",
    )
    parser.add_argument("-m", dest="is_module", action="store_true", help="run a module")
    parser.add_argument("program", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    is_module, program = given.is_module, given.program
    if not program:
        parser.error("a program is missing")
    try:
        install(given.ep)
    except (ImportError, LookupError, TypeError) as error:
        sys.exit(f"{parser.prog}: {error}")
    sys.argv[:] = program
    if not is_module:
        if not os.path.exists(program[0]):
            sys.exit(f"{parser.prog}: there is no file {program[0]!r}")
        if not sys.flags.safe_path:
            sys.path[0] = os.path.dirname(os.path.abspath(program[0]))
    sys.exit(run_program(program[0], is_module, parser.prog))


if __name__ == "__main__":
    main(sys.argv[1:])
